/* SPDX-License-Identifier: BSD-3-Clause */
/* One HMAC from a raw secret, by RFC 2104 as it is written. Control threads. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <intel-ipsec-mb.h>

#include "hmac/hmac.h"

#define IPAD 0x36
#define OPAD 0x5c
#define BLOCK_MAX 128u

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hash_fn_t whole_hash[HMAC_ALGORITHMS]; /* NULL: the library cannot run here */

/* The whole-message functions keep nothing in the manager, so it need not be kept either. */
static void
find_functions(void)
{
	IMB_ARCH arch = IMB_ARCH_NONE;
	IMB_MGR *mgr = alloc_mb_mgr(0);

	if (!mgr)
		return;
	init_mb_mgr_auto(mgr, &arch);
	if (imb_get_errno(mgr) == 0 && arch != IMB_ARCH_NONE) {
		whole_hash[HMAC_SHA1] = mgr->sha1;
		whole_hash[HMAC_SHA256] = mgr->sha256;
		whole_hash[HMAC_SHA384] = mgr->sha384;
		whole_hash[HMAC_SHA512] = mgr->sha512;
	}
	free_mb_mgr(mgr);
}

int
hmac_compute(enum hmac_algorithm algorithm, const uint8_t *secret, size_t len, const uint8_t *text,
	     size_t text_len, uint8_t tag[HMAC_TAG_MAX])
{
	uint8_t inner[BLOCK_MAX + HMAC_TEXT_MAX], outer[BLOCK_MAX + HMAC_TAG_MAX];
	size_t block = algorithm < HMAC_SHA384 ? 64 : 128;

	if ((unsigned)algorithm >= HMAC_ALGORITHMS || len < 1 || len > HMAC_SECRET_MAX ||
	    text_len > HMAC_TEXT_MAX)
		return -EINVAL;
	pthread_once(&once, find_functions);
	if (!whole_hash[algorithm])
		return -ENOTSUP;
	memset(inner, IPAD, block);
	memset(outer, OPAD, block);
	for (size_t i = 0; i < len; i++) {
		inner[i] ^= secret[i];
		outer[i] ^= secret[i];
	}
	memcpy(inner + block, text, text_len);
	whole_hash[algorithm](inner, block + text_len, outer + block);
	memset(tag, 0, HMAC_TAG_MAX);
	whole_hash[algorithm](outer, block + hmac_digest_len(algorithm), tag);
	hmac_wipe(inner, sizeof(inner));
	hmac_wipe(outer, sizeof(outer));
	return 0;
}
