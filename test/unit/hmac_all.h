/* SPDX-License-Identifier: BSD-3-Clause */
/* Run the same HMAC questions on every manager, one by one and in batches of every size. */
#ifndef SEGSEAL_TEST_HMAC_ALL_H
#define SEGSEAL_TEST_HMAC_ALL_H

#include <stdint.h>

#include "hmac/hmac.h"

struct question {
	struct hmac_key key;
	uint8_t text[HMAC_TEXT_MAX];
	uint16_t text_len;
	uint8_t want[HMAC_TAG_MAX];
	uint8_t want_len;
	int wrong; /* the answer must differ from want */
};

/* Set key and texts from a secret and a text; returns 0 if they are out of range. */
int question_set(struct question *q, enum hmac_algorithm algorithm, const uint8_t *secret,
		 size_t secret_len, const uint8_t *text, size_t text_len);
/* Octets of a hex string into out of size octets; -1 if it is not one or does not fit. */
int hex_octets(const char *hex, uint8_t *out, size_t size);
/* Asserts that all are answered as they should be. */
void ask_all(struct hmac_engine *engine, const struct question *questions, unsigned n);

#endif
