/* SPDX-License-Identifier: BSD-3-Clause */
/* Key preparation (RFC 2104 section 4). Control threads; no state but the library's functions. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <intel-ipsec-mb.h>

#include "hmac/kernel.h"

#define IPAD 0x36
#define OPAD 0x5c
#define BLOCK_MAX 128u

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hash_one_block_t one_block[HMAC_ALGORITHMS]; /* NULL: the library cannot run here */

/* The one-block functions keep nothing in the manager, so it need not be kept either. */
static void
find_functions(void)
{
	IMB_ARCH arch = IMB_ARCH_NONE;
	IMB_MGR *mgr = alloc_mb_mgr(0);

	if (!mgr)
		return;
	init_mb_mgr_auto(mgr, &arch);
	if (imb_get_errno(mgr) == 0 && arch != IMB_ARCH_NONE) {
		one_block[HMAC_SHA1] = mgr->sha1_one_block;
		one_block[HMAC_SHA256] = mgr->sha256_one_block;
		one_block[HMAC_SHA384] = mgr->sha384_one_block;
		one_block[HMAC_SHA512] = mgr->sha512_one_block;
	}
	free_mb_mgr(mgr);
}

static void
hash_pad(enum hmac_algorithm algorithm, const uint8_t *secret, size_t len, uint8_t pad,
	 uint8_t state[64])
{
	uint8_t block[BLOCK_MAX] __attribute__((aligned(64)));

	memset(block, pad, sizeof(block));
	for (size_t i = 0; i < len; i++)
		block[i] ^= secret[i];
	one_block[algorithm](block, state);
	hmac_wipe(block, sizeof(block));
}

/* The same state behind it, in the order of the SHA instructions. */
static void
add_ni_state(enum hmac_algorithm algorithm, uint8_t state[64])
{
	static const uint8_t sha1[8] = {3, 2, 1, 0, 5, 5, 5, 4}; /* words; the sixth is zero */
	static const uint8_t sha256[8] = {5, 4, 1, 0, 7, 6, 3, 2};
	const uint8_t *from = algorithm == HMAC_SHA1 ? sha1 : sha256;

	if (algorithm >= HMAC_SHA384)
		return;
	for (unsigned i = 0; i < 8; i++)
		memcpy(state + KERNEL_NI_STATE + 4 * i, state + 4 * from[i], 4);
}

int
hmac_key_prepare(struct hmac_key *key, enum hmac_algorithm algorithm, const uint8_t *secret,
		 size_t len)
{
	if ((unsigned)algorithm >= HMAC_ALGORITHMS || !secret || len < 1 || len > HMAC_SECRET_MAX)
		return -EINVAL;
	pthread_once(&once, find_functions);
	if (!one_block[algorithm])
		return -ENOTSUP;
	memset(key, 0, sizeof(*key));
	hash_pad(algorithm, secret, len, IPAD, key->inner);
	hash_pad(algorithm, secret, len, OPAD, key->outer);
	add_ni_state(algorithm, key->inner);
	add_ni_state(algorithm, key->outer);
	key->algorithm = algorithm;
	return 0;
}

void
hmac_wipe(void *p, size_t len)
{
	explicit_bzero(p, len);
}

void
hmac_key_wipe(struct hmac_key *key)
{
	hmac_wipe(key, sizeof(*key));
}
