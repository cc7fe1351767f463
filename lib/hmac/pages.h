/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zeroed memory for an engine or a memo: on one NUMA node, in large pages where the kernel has
 * them to give, out of core dumps. Control threads.
 */
#ifndef SEGSEAL_HMAC_PAGES_H
#define SEGSEAL_HMAC_PAGES_H

#include <stddef.h>

/* size octets, page-aligned (2 MiB from 2 MiB on); socket -1: any. NULL if there is no memory. */
void *hmac_pages_alloc(size_t size, int socket);
void hmac_pages_free(void *p, size_t size);

#endif
