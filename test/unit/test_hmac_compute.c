/* SPDX-License-Identifier: BSD-3-Clause */
/* hmac_compute() against RFC 2202 and RFC 4231, and its bounds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hmac/hmac.h"

/* RFC 2202 section 3 and RFC 4231 section 4.3: test case 2. */
static const char key[] = "Jefe";
static const char text[] = "what do ya want for nothing?";
static const char *const tags[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
	[HMAC_SHA256] = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
	[HMAC_SHA384] = "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
			"8e2240ca5e69e2c78b3239ecfab21649",
	[HMAC_SHA512] = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
			"9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
};

static void
test_known_answers(void **state)
{
	uint8_t tag[HMAC_TAG_MAX];
	char hex[2 * HMAC_TAG_MAX + 1];

	(void)state;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		unsigned len = hmac_digest_len(a);

		memset(tag, 0xff, sizeof(tag));
		assert_int_equal(hmac_compute(a, (const uint8_t *)key, strlen(key),
					      (const uint8_t *)text, strlen(text), tag),
				 0);
		for (unsigned i = 0; i < len; i++)
			snprintf(hex + 2 * i, 3, "%02x", tag[i]);
		assert_string_equal(hex, tags[a]);
		for (unsigned i = len; i < HMAC_TAG_MAX; i++)
			assert_int_equal(tag[i], 0);
	}
}

/* The prepared key is the same function. */
static void
test_agrees_with_engine(void **state)
{
	static uint8_t octets[HMAC_TEXT_MAX];
	const size_t text_lens[] = {0, 1, 55, 56, 64, 111, 112, 128, 1000, HMAC_TEXT_MAX};
	uint8_t secret[HMAC_SECRET_MAX], tag[HMAC_TAG_MAX];
	uint8_t engine_tag[HMAC_TAG_MAX] __attribute__((aligned(64)));
	struct hmac_engine *engine;
	struct hmac_key prepared;
	const char *error;

	(void)state;
	engine = hmac_engine_create(-1, &error);
	assert_non_null(engine);
	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = (uint8_t)(i * 7);
	memcpy(secret, octets + 100, sizeof(secret));
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++)
		for (size_t len = 1; len <= HMAC_SECRET_MAX; len += 21)
			for (size_t t = 1; t < sizeof(text_lens) / sizeof(*text_lens); t++) {
				struct hmac_job job = {.key = &prepared,
						       .text = octets,
						       .text_len = (uint16_t)text_lens[t],
						       .tag = engine_tag};

				assert_int_equal(hmac_key_prepare(&prepared, a, secret, len), 0);
				hmac_run(engine, &job, 1);
				assert_true(job.ok);
				assert_int_equal(
					hmac_compute(a, secret, len, octets, text_lens[t], tag), 0);
				assert_memory_equal(tag, engine_tag, sizeof(tag));
			}
	hmac_engine_destroy(engine);
}

static void
test_bounds(void **state)
{
	static const uint8_t octets[HMAC_TEXT_MAX + 1];
	uint8_t tag[HMAC_TAG_MAX];

	(void)state;
	assert_int_equal(hmac_compute(HMAC_SHA256, octets, 0, octets, 1, tag), -EINVAL);
	assert_int_equal(hmac_compute(HMAC_SHA256, octets, HMAC_SECRET_MAX + 1, octets, 1, tag),
			 -EINVAL);
	assert_int_equal(hmac_compute(HMAC_SHA256, octets, 1, octets, HMAC_TEXT_MAX + 1, tag),
			 -EINVAL);
	assert_int_equal(hmac_compute(HMAC_ALGORITHMS, octets, 1, octets, 1, tag), -EINVAL);
	assert_int_equal(hmac_compute(HMAC_SHA512, octets, 1, octets, HMAC_TEXT_MAX, tag), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_agrees_with_engine),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests_name("hmac_compute", tests, NULL, NULL);
}
