/* SPDX-License-Identifier: BSD-3-Clause */
/* Against another implementation: every secret length, every text length, random mixes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "hmac_all.h"

static struct hmac_engine *engine;
static struct question questions[HMAC_BATCH_MAX];
static uint64_t state = 3;

static unsigned
random_below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((state >> 33) % n);
}

static int
setup(void **arg)
{
	const char *error;

	(void)arg;
	engine = hmac_engine_create(-1, &error);
	if (!engine)
		print_error("%s\n", error);
	return engine ? 0 : -1;
}

static int
teardown(void **arg)
{
	(void)arg;
	hmac_engine_destroy(engine);
	return 0;
}

static const EVP_MD *
digest(enum hmac_algorithm algorithm)
{
	switch (algorithm) {
	case HMAC_SHA1:
		return EVP_sha1();
	case HMAC_SHA256:
		return EVP_sha256();
	case HMAC_SHA384:
		return EVP_sha384();
	default:
		return EVP_sha512();
	}
}

static void
make(struct question *q, enum hmac_algorithm algorithm, unsigned secret_len, unsigned text_len)
{
	uint8_t secret[HMAC_SECRET_MAX], text[HMAC_TEXT_MAX];
	unsigned len = 0;

	for (unsigned i = 0; i < secret_len; i++)
		secret[i] = (uint8_t)random_below(256);
	for (unsigned i = 0; i < text_len; i++)
		text[i] = (uint8_t)random_below(256);
	assert_true(question_set(q, algorithm, secret, secret_len, text, text_len));
	assert_non_null(
		HMAC(digest(algorithm), secret, (int)secret_len, text, text_len, q->want, &len));
	q->want_len = (uint8_t)len;
	assert_int_equal(len, hmac_digest_len(algorithm));
}

static void
test_secret_lengths(void **arg)
{
	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned len = 1; len <= HMAC_SECRET_MAX; len++)
			make(&questions[len - 1], a, len, 54);
		ask_all(engine, questions, HMAC_SECRET_MAX);
	}
}

static void
test_text_lengths(void **arg)
{
	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned from = 1; from <= HMAC_TEXT_MAX; from += HMAC_BATCH_MAX) {
			unsigned n = HMAC_TEXT_MAX + 1 - from;

			if (n > HMAC_BATCH_MAX)
				n = HMAC_BATCH_MAX;
			for (unsigned i = 0; i < n; i++)
				make(&questions[i], a, 16, from + i);
			ask_all(engine, questions, n);
		}
	}
}

static void
test_mixes(void **arg)
{
	(void)arg;
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < HMAC_BATCH_MAX; i++)
			make(&questions[i], random_below(HMAC_ALGORITHMS),
			     1 + random_below(HMAC_SECRET_MAX),
			     hmac_text_len(random_below(HMAC_PROFILES), 1 + random_below(14)));
		ask_all(engine, questions, HMAC_BATCH_MAX);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secret_lengths),
		cmocka_unit_test(test_text_lengths),
		cmocka_unit_test(test_mixes),
	};

	return cmocka_run_group_tests_name("hmac openssl", tests, setup, teardown);
}
