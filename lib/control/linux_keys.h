/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SRv6 HMAC keys of the running Linux kernel, as generic netlink tells them (family SEG6):
 * whole, where "ip sr hmac show" cuts off the 64th octet and prints what is no text as it is.
 */
#ifndef SEGSEAL_CONTROL_LINUX_KEYS_H
#define SEGSEAL_CONTROL_LINUX_KEYS_H

#include <stddef.h>
#include <stdint.h>

#define LINUX_SECRET_MAX 64u /* octets */

struct linux_key {
	uint32_t id;
	uint8_t algorithm; /* as the kernel numbers them: 1 = SHA-1, 2 = SHA-256 */
	uint8_t secret_len;
	uint8_t secret[LINUX_SECRET_MAX];
};

/*
 * Read all keys of the network namespace that this thread is in, in no order. 0 with *keys an array
 * of *n for linux_keys_free(), or a negative errno with a one-line error: -EPERM without
 * CAP_NET_ADMIN, -EOPNOTSUPP if the kernel has no SRv6 HMAC, -EPROTO for an answer that cannot be.
 */
int linux_keys_read(struct linux_key **keys, unsigned *n, char *error, size_t error_size);
/* Wipes, then frees. */
void linux_keys_free(struct linux_key *keys, unsigned n);

/* "sha256" for 2; NULL for what is unknown here. */
const char *linux_algorithm_name(uint8_t algorithm);

#endif
