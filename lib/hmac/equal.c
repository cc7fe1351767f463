/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison without a branch on what is compared. Datapath; any thread. */
#include <string.h>

#include "hmac/hmac.h"

static uint64_t
load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool
hmac_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t diff = 0;
	size_t i = 0;

	for (; i + 8 <= len; i += 8) {
		diff |= load(a + i) ^ load(b + i);
		/* Keeps the compiler from seeing that the loop may end once diff is not zero. */
		__asm__("" : "+r"(diff));
	}
	for (; i < len; i++) {
		diff |= a[i] ^ b[i];
		__asm__("" : "+r"(diff));
	}
	return diff == 0;
}
