/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Write pcapng files (draft-ietf-opsawg-pcapng) of Ethernet frames with a comment for each: libpcap
 * cannot, and DPDK's library has no comments in 22.11. Host byte order. Control thread.
 */
#ifndef SEGSEAL_GATEWAY_PCAPNG_H
#define SEGSEAL_GATEWAY_PCAPNG_H

#include <stdint.h>
#include <stdio.h>

/* Each: 0, or -1 with errno. */
int pcapng_begin(FILE *file, const char *program);
/* The next interface, counted from 0. */
int pcapng_interface(FILE *file, const char *name);
/* A frame received by this interface, wall in nanoseconds since the epoch. */
int pcapng_packet(FILE *file, uint32_t interface, uint64_t wall, const uint8_t *frame, uint32_t len,
		  const char *comment);

#endif
