/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, sizes, what hmac_key_prepare() refuses, and that secrets are gone when they should be. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hmac/hmac.h"

static void
test_names(void **arg)
{
	static const char *const algorithms[] = {"sha1", "sha256", "sha384", "sha512"};
	static const char *const wrong[] = {"",	       "sha", "SHA256", "sha2567",
					    "sha-256", "md5", " sha1"};
	enum hmac_algorithm algorithm = HMAC_SHA384;
	enum hmac_profile profile = HMAC_RFC8754;

	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		assert_string_equal(hmac_algorithm_name(a), algorithms[a]);
		assert_int_equal(hmac_algorithm_parse(algorithms[a], &algorithm), 0);
		assert_int_equal(algorithm, a);
	}
	assert_null(hmac_algorithm_name(HMAC_ALGORITHMS));
	assert_string_equal(hmac_profile_name(HMAC_LINUX), "linux");
	assert_string_equal(hmac_profile_name(HMAC_RFC8754), "rfc8754");
	assert_null(hmac_profile_name(HMAC_PROFILES));
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		algorithm = HMAC_SHA384;
		assert_int_equal(hmac_algorithm_parse(wrong[i], &algorithm), -EINVAL);
		assert_int_equal(algorithm, HMAC_SHA384);
		assert_int_equal(hmac_profile_parse(wrong[i], &profile), -EINVAL);
		assert_int_equal(profile, HMAC_RFC8754);
	}
	assert_int_equal(hmac_profile_parse("linux", &profile), 0);
	assert_int_equal(profile, HMAC_LINUX);
}

static void
test_sizes(void **arg)
{
	static const uint8_t digests[] = {20, 32, 48, 64};

	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		assert_int_equal(hmac_digest_len(a), digests[a]);
		assert_int_equal(hmac_tlv_length(HMAC_LINUX, a), 38);
		assert_int_equal(hmac_tlv_length(HMAC_RFC8754, a), a == HMAC_SHA1 ? 30 : 38);
	}
	assert_int_equal(hmac_digest_len(HMAC_ALGORITHMS), 0);
	assert_int_equal(hmac_field_len(38), 32);
	assert_int_equal(hmac_field_len(30), 24);
	assert_int_equal(hmac_text_len(HMAC_LINUX, 2), 54);
	assert_int_equal(hmac_text_len(HMAC_RFC8754, 2), 56);
	assert_true(hmac_text_len(HMAC_RFC8754, 128) <= HMAC_TEXT_MAX);
}

/* The table of compressions that the cost of an HMAC goes by. */
static void
test_blocks(void **arg)
{
	static const uint8_t segments[] = {1, 2, 3, 4, 5, 6, 7, 10, 14};
	static const uint8_t linux_blocks[] = {1, 1, 2, 2, 2, 2, 3, 3, 4};
	static const uint8_t rfc_blocks[] = {1, 2, 2, 2, 2, 3, 3, 4, 5};

	(void)arg;
	for (unsigned i = 0; i < sizeof(segments); i++) {
		assert_int_equal(
			hmac_text_blocks(HMAC_SHA256, hmac_text_len(HMAC_LINUX, segments[i])),
			linux_blocks[i]);
		assert_int_equal(
			hmac_text_blocks(HMAC_SHA1, hmac_text_len(HMAC_RFC8754, segments[i])),
			rfc_blocks[i]);
	}
	assert_int_equal(hmac_text_blocks(HMAC_SHA256, 55), 1);
	assert_int_equal(hmac_text_blocks(HMAC_SHA256, 56), 2);
	assert_int_equal(hmac_text_blocks(HMAC_SHA384, 111), 1);
	assert_int_equal(hmac_text_blocks(HMAC_SHA512, 112), 2);
}

static void
test_prepare_refuses(void **arg)
{
	struct hmac_key key, before;
	uint8_t secret[HMAC_SECRET_MAX + 1] = {1};

	(void)arg;
	memset(&key, 0x3c, sizeof(key));
	before = key;
	assert_int_equal(hmac_key_prepare(&key, HMAC_SHA256, secret, 0), -EINVAL);
	assert_int_equal(hmac_key_prepare(&key, HMAC_SHA256, secret, sizeof(secret)), -EINVAL);
	assert_int_equal(hmac_key_prepare(&key, HMAC_SHA256, secret, SIZE_MAX), -EINVAL);
	assert_int_equal(hmac_key_prepare(&key, HMAC_ALGORITHMS, secret, 1), -EINVAL);
	assert_int_equal(hmac_key_prepare(&key, HMAC_SHA256, NULL, 1), -EINVAL);
	assert_memory_equal(&key, &before, sizeof(key));
}

/* Zero padding makes "a" and "a\0" the same key (RFC 2104), and nothing else. */
static void
test_prepare_depends_on_all_octets(void **arg)
{
	uint8_t secret[HMAC_SECRET_MAX];

	(void)arg;
	memset(secret, 0x41, sizeof(secret));
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		struct hmac_key whole, other;

		assert_int_equal(hmac_key_prepare(&whole, a, secret, sizeof(secret)), 0);
		assert_int_equal(whole.algorithm, a);
		assert_memory_not_equal(whole.inner, whole.outer, sizeof(whole.inner));
		for (unsigned i = 0; i < sizeof(secret); i++) {
			secret[i] ^= 1;
			assert_int_equal(hmac_key_prepare(&other, a, secret, sizeof(secret)), 0);
			secret[i] ^= 1;
			assert_memory_not_equal(whole.inner, other.inner, 20);
			assert_memory_not_equal(whole.outer, other.outer, 20);
		}
	}
}

static void
test_wipe(void **arg)
{
	static const uint8_t secret[] = "to be forgotten";
	struct {
		uint8_t before[64];
		struct hmac_key key;
		uint8_t after[64];
	} *p = aligned_alloc(64, sizeof(*p));
	const volatile uint8_t *octets;

	(void)arg;
	assert_non_null(p);
	memset(p, 0xa5, sizeof(*p));
	assert_int_equal(hmac_key_prepare(&p->key, HMAC_SHA512, secret, sizeof(secret)), 0);
	hmac_key_wipe(&p->key);
	octets = (const volatile uint8_t *)&p->key;
	for (size_t i = 0; i < sizeof(p->key); i++)
		assert_int_equal(octets[i], 0);
	for (size_t i = 0; i < sizeof(p->before); i++) {
		assert_int_equal(p->before[i], 0xa5);
		assert_int_equal(p->after[i], 0xa5);
	}
	hmac_wipe(p->before + 3, 5);
	for (size_t i = 0; i < sizeof(p->before); i++)
		assert_int_equal(p->before[i], i >= 3 && i < 8 ? 0 : 0xa5);
	free(p);
}

/* --- what preparing a key leaves on the stack --- */

#define STACK_SIZE (1024u * 1024u)

struct preparation {
	enum hmac_algorithm algorithm;
	uint8_t *secret; /* on the heap: only what the library puts on the stack is looked for */
	struct hmac_key *key;
};

static void *
prepare(void *arg)
{
	const struct preparation *p = arg;

	if (hmac_key_prepare(p->key, p->algorithm, p->secret, HMAC_SECRET_MAX) < 0)
		return arg;
	return NULL;
}

static bool
holds(const uint8_t *stack, const uint8_t *octets, size_t len)
{
	return stack && octets && memmem(stack, STACK_SIZE, octets, len) != NULL;
}

static void
test_prepare_leaves_no_secret(void **arg)
{
	uint8_t *stack = aligned_alloc(4096, STACK_SIZE);
	uint8_t *secret = malloc(HMAC_SECRET_MAX);
	struct hmac_key *key = aligned_alloc(64, sizeof(*key));
	uint8_t pad[HMAC_SECRET_MAX];

	(void)arg;
	assert_non_null(stack);
	assert_non_null(secret);
	assert_non_null(key);
	for (unsigned i = 0; i < HMAC_SECRET_MAX; i++)
		secret[i] = (uint8_t)(31 * i + 11);
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		struct preparation p = {a, secret, key};
		pthread_attr_t attr;
		pthread_t thread;
		void *failed;

		memset(stack, 0, STACK_SIZE);
		pthread_attr_init(&attr);
		assert_int_equal(pthread_attr_setstack(&attr, stack, STACK_SIZE), 0);
		assert_int_equal(pthread_create(&thread, &attr, prepare, &p), 0);
		assert_int_equal(pthread_join(thread, &failed), 0);
		pthread_attr_destroy(&attr);
		assert_null(failed);
		for (unsigned i = 0; i + 8 <= HMAC_SECRET_MAX; i++) {
			assert_false(holds(stack, secret + i, 8));
			for (unsigned k = 0; k < 8; k++)
				pad[k] = secret[i + k] ^ 0x36;
			assert_false(holds(stack, pad, 8));
			for (unsigned k = 0; k < 8; k++)
				pad[k] = secret[i + k] ^ 0x5c;
			assert_false(holds(stack, pad, 8));
		}
		for (unsigned i = 0; i + 8 <= hmac_digest_len(a); i += 4) {
			assert_false(holds(stack, key->inner + i, 8));
			assert_false(holds(stack, key->outer + i, 8));
		}
	}
	hmac_key_wipe(key);
	free(key);
	free(secret);
	free(stack);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_prepare_refuses),
		cmocka_unit_test(test_prepare_depends_on_all_octets),
		cmocka_unit_test(test_wipe),
		cmocka_unit_test(test_prepare_leaves_no_secret),
	};

	return cmocka_run_group_tests_name("hmac key", tests, NULL, NULL);
}
