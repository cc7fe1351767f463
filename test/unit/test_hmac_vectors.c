/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published HMAC vectors: RFC 2202 section 3 and RFC 4231 section 4 (typed in here), and
 * Wycheproof's files, which are not ours: read from the folder that SEGSEAL_VECTORS names or from
 * ../shared/vectors, skipped when they are not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "hmac_all.h"

#define QUESTIONS_MAX 1024u

static struct hmac_engine *engine;
static struct question *questions;

static int
setup(void **arg)
{
	const char *error;

	(void)arg;
	questions = aligned_alloc(64, QUESTIONS_MAX * sizeof(*questions));
	engine = hmac_engine_create(-1, &error);
	if (!engine)
		print_error("%s\n", error);
	return engine && questions ? 0 : -1;
}

static int
teardown(void **arg)
{
	(void)arg;
	hmac_engine_destroy(engine);
	free(questions);
	return 0;
}

/* --- RFC 2202 and RFC 4231 --- */

struct rfc_case {
	const char *key, *text; /* hex */
	const char *mac[HMAC_ALGORITHMS];
};

static const struct rfc_case rfc_cases[] = {
	/* RFC 2202 case 1, RFC 4231 case 1 */
	{
		.key = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
		.text = "4869205468657265",
		.mac =
			{
				[HMAC_SHA1] = "b617318655057264e28bc0b6fb378c8ef146be00",
				[HMAC_SHA256] = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726"
						"e9376c2e32cff7",
				[HMAC_SHA384] = "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682"
						"aa034c7cebc59c"
						"faea9ea9076ede7f4af152e8b2fa9cb6",
				[HMAC_SHA512] = "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787a"
						"d0b30545e17cde"
						"daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e"
						"696c203a126854",
			},
	},
	/* case 2 */
	{
		.key = "4a656665",
		.text = "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
		.mac =
			{
				[HMAC_SHA1] = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
				[HMAC_SHA256] = "5bdcc146bf60754e6a042426089575c75a003f089d2739839d"
						"ec58b964ec3843",
				[HMAC_SHA384] = "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e4"
						"2ec3736322445e"
						"8e2240ca5e69e2c78b3239ecfab21649",
				[HMAC_SHA512] = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610"
						"270cd7ea250554"
						"9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b63"
						"6e070a38bce737",
			},
	},
	/* case 3 */
	{
		.key = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		.text = "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
			"dddddddddddddddddddddddddddddddddddd",
		.mac =
			{
				[HMAC_SHA1] = "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
				[HMAC_SHA256] = "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9"
						"635514ced565fe",
				[HMAC_SHA384] = "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe8"
						"3ef4e55966144b"
						"2a5ab39dc13814b94e3ab6e101a34f27",
				[HMAC_SHA512] = "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655"
						"f83e33b2279d39"
						"bf3e848279a722c806b485a47e67c807b946a337bee8942674"
						"278859e13292fb",
			},
	},
	/* case 4 */
	{
		.key = "0102030405060708090a0b0c0d0e0f10111213141516171819",
		.text = "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
			"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
		.mac =
			{
				[HMAC_SHA1] = "4c9007f4026250c6bc8414f9bf50c86c2d7235da",
				[HMAC_SHA256] = "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a"
						"2e3ff46729665b",
				[HMAC_SHA384] = "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5"
						"577c6e1f573b4e"
						"6801dd23c4a7d679ccf8a386c674cffb",
				[HMAC_SHA512] = "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de7"
						"6f8050361ee3db"
						"a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2"
						"adebeb10a298dd",
			},
	},
	/* case 5, where RFC 4231 shows the first 16 octets */
	{
		.key = "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
		.text = "546573742057697468205472756e636174696f6e",
		.mac =
			{
				[HMAC_SHA1] = "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04",
				[HMAC_SHA256] = "a3b6167473100ee06e0c796c2955552b",
				[HMAC_SHA384] = "3abf34c3503b2a23a46efc619baef897",
				[HMAC_SHA512] = "415fad6271580a531d4179bc891d87a6",
			},
	},
};

static void
test_rfc(void **arg)
{
	unsigned n = 0;

	(void)arg;
	for (unsigned i = 0; i < sizeof(rfc_cases) / sizeof(rfc_cases[0]); i++) {
		const struct rfc_case *c = &rfc_cases[i];
		uint8_t secret[HMAC_SECRET_MAX], text[256];
		int secret_len = hex_octets(c->key, secret, sizeof(secret));
		int text_len = hex_octets(c->text, text, sizeof(text));

		assert_true(secret_len > 0 && text_len > 0);
		for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
			struct question *q = &questions[n++];
			int want_len = hex_octets(c->mac[a], q->want, sizeof(q->want));

			assert_true(want_len > 0);
			q->want_len = (uint8_t)want_len;
			assert_true(question_set(q, a, secret, (size_t)secret_len, text,
						 (size_t)text_len));
		}
	}
	assert_int_equal(n, 20);
	for (unsigned i = 0; i < HMAC_BATCH_MAX - 20; i++)
		questions[20 + i] = questions[i];
	ask_all(engine, questions, HMAC_BATCH_MAX);
}

/* --- Wycheproof --- */

static json_t *
wycheproof(const char *algorithm)
{
	const char *folder = getenv("SEGSEAL_VECTORS");
	char path[4096];
	json_error_t error;
	json_t *root;

	snprintf(path, sizeof(path), "%s/wycheproof_hmac_%s_test.json",
		 folder ? folder : "../shared/vectors", algorithm);
	if (access(path, R_OK) != 0) {
		print_message("# SKIPPED: no Wycheproof vectors at %s (set SEGSEAL_VECTORS)\n",
			      path);
		return NULL;
	}
	root = json_load_file(path, 0, &error);
	if (!root)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	return root;
}

static const char *
text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	assert_non_null(text);
	return text;
}

/* 1 if it is in our range and questions[n] was set. */
static int
read_test(const json_t *test, enum hmac_algorithm algorithm, unsigned tag_octets, unsigned n)
{
	struct question *q = &questions[n];
	const char *key = text_of(test, "key");
	const char *result = text_of(test, "result");
	uint8_t secret[HMAC_SECRET_MAX], text[4096];
	int secret_len, text_len, want_len;

	if (strlen(key) / 2 > sizeof(secret))
		return 0;
	secret_len = hex_octets(key, secret, sizeof(secret));
	text_len = hex_octets(text_of(test, "msg"), text, sizeof(text));
	want_len = hex_octets(text_of(test, "tag"), q->want, sizeof(q->want));
	assert_true(secret_len >= 0 && text_len >= 0 && want_len >= 0);
	if (!question_set(q, algorithm, secret, (size_t)secret_len, text, (size_t)text_len))
		return 0;
	/* A tag is the digest's first octets, as many as its group says; a wrong tag may have
	 * another length, which alone is wrong. */
	q->want_len = (uint8_t)want_len;
	q->wrong = strcmp(result, "valid") != 0;
	if (q->wrong && (unsigned)want_len != tag_octets)
		return 0;
	assert_int_equal(want_len, tag_octets);
	return 1;
}

static void
check_file(enum hmac_algorithm algorithm)
{
	json_t *root = wycheproof(hmac_algorithm_name(algorithm));
	unsigned n = 0, out_of_range = 0, invalid = 0;
	size_t g, t;
	json_t *group, *test;

	if (!root)
		skip();
	json_array_foreach (json_object_get(root, "testGroups"), g, group) {
		unsigned tag_octets =
			(unsigned)json_integer_value(json_object_get(group, "tagSize")) / 8;

		json_array_foreach (json_object_get(group, "tests"), t, test) {
			assert_true(n < QUESTIONS_MAX);
			if (!read_test(test, algorithm, tag_octets, n)) {
				out_of_range++;
				continue;
			}
			invalid += questions[n].wrong != 0;
			n++;
		}
	}
	assert_int_equal(n + out_of_range,
			 json_integer_value(json_object_get(root, "numberOfTests")));
	json_decref(root);
	print_message(
		"# %s: %u vectors (%u of them with a wrong tag), %u out of our range (key over "
		"64 octets, no text)\n",
		hmac_algorithm_name(algorithm), n, invalid, out_of_range);
	assert_true(n >= 100 && invalid > 0 && invalid < n);
	ask_all(engine, questions, n);
}

static void
test_wycheproof_sha1(void **arg)
{
	(void)arg;
	check_file(HMAC_SHA1);
}

static void
test_wycheproof_sha256(void **arg)
{
	(void)arg;
	check_file(HMAC_SHA256);
}

static void
test_wycheproof_sha384(void **arg)
{
	(void)arg;
	check_file(HMAC_SHA384);
}

static void
test_wycheproof_sha512(void **arg)
{
	(void)arg;
	check_file(HMAC_SHA512);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc),
		cmocka_unit_test(test_wycheproof_sha1),
		cmocka_unit_test(test_wycheproof_sha256),
		cmocka_unit_test(test_wycheproof_sha384),
		cmocka_unit_test(test_wycheproof_sha512),
	};

	return cmocka_run_group_tests_name("hmac vectors", tests, setup, teardown);
}
