/* SPDX-License-Identifier: BSD-3-Clause */
/* What control shows of keys: list, counters, fingerprints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keyring_fixture.h"

static struct keyring_use *
use_of(unsigned worker, uint32_t id)
{
	return &keyring_use(keyring, worker)[keyring_lookup(keyring, id)->slot];
}

static struct keyring_info
info_of(uint32_t id)
{
	struct keyring_info info;

	memset(&info, 0xee, sizeof(info));
	assert_int_equal(keyring_info(keyring, id, &info), 0);
	assert_int_equal(info.id, id);
	return info;
}

static void
assert_unused(uint32_t id)
{
	struct keyring_info info = info_of(id);

	assert_int_equal(info.use.verified, 0);
	assert_int_equal(info.use.failed, 0);
	assert_int_equal(info.use.inserted, 0);
	assert_int_equal(info.use.last_used, 0);
}

static void
test_info(void **state)
{
	struct keyring_spec spec = numbered(7, 0);
	struct keyring_info info;

	(void)state;
	assert_int_equal(keyring_info(keyring, 7, &info), -ENOENT);
	spec.algorithm = HMAC_SHA512;
	spec.profile = HMAC_RFC8754;
	assert_int_equal(keyring_add(keyring, &spec), 0);
	info = info_of(7);
	assert_int_equal(info.algorithm, HMAC_SHA512);
	assert_int_equal(info.profile, HMAC_RFC8754);
	assert_int_equal(info.secret_len, spec.secret_len);
	assert_int_equal(info.generation, keyring_lookup(keyring, 7)->generation);
	assert_unused(7);
	assert_int_equal(keyring_del(keyring, 7), 0);
	assert_int_equal(keyring_info(keyring, 7, &info), -ENOENT);
}

/* --- counters --- */

static void
test_counters_are_summed_over_workers(void **state)
{
	struct keyring_info info;

	(void)state;
	assert_int_equal(add(1, 0), 0);
	assert_int_equal(add(2, 0), 0);
	for (unsigned w = 0; w < 3; w++)
		*use_of(w, 1) = (struct keyring_use){.verified = 10 + w,
						     .failed = 100 + w,
						     .inserted = 1000 + w,
						     .last_used = 5000 - w};
	info = info_of(1);
	assert_int_equal(info.use.verified, 33);
	assert_int_equal(info.use.failed, 303);
	assert_int_equal(info.use.inserted, 3003);
	assert_int_equal(info.use.last_used, 5000);
	assert_unused(2);
}

/* Every key that ever comes into a used slot starts from zero, whoever had the slot before. */
static void
test_counters_do_not_outlive_the_key(void **state)
{
	(void)state;
	assert_int_equal(add(1, 0), 0);
	for (unsigned i = 1; i < 500; i++) {
		struct keyring_info info;

		use_of(i % 3, 1)->verified += i;
		use_of(i % 3, 1)->failed += 2 * i;
		use_of(i % 3, 1)->inserted += 3 * i;
		use_of(i % 3, 1)->last_used = i;
		info = info_of(1);
		assert_int_equal(info.use.verified, i);
		assert_int_equal(info.use.failed, 2 * i);
		assert_int_equal(info.use.inserted, 3 * i);
		assert_int_equal(info.use.last_used, i);
		if (i % 2 == 0) {
			assert_int_equal(set(1, i), 0);
		} else {
			assert_int_equal(keyring_del(keyring, 1), 0);
			assert_int_equal(add(1, i), 0);
		}
		assert_unused(1);
	}
}

/* A worker that still has the old key counts for the old key. */
static void
test_late_counts_go_to_the_old_key(void **state)
{
	const struct keyring_key *old;

	(void)state;
	assert_int_equal(add(1, 0), 0);
	reader_start();
	old = keyring_lookup(keyring, 1);
	assert_int_equal(set(1, 1), 0);
	keyring_use(keyring, 0)[old->slot].failed = 3;
	assert_unused(1);
	reader_report();
	assert_int_equal(keyring_reclaim(keyring), 0);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(set(1, i), 0);
		assert_unused(1);
		reader_report();
	}
	reader_stop();
}

static void
test_each_worker_has_lines_of_its_own(void **state)
{
	(void)state;
	for (unsigned w = 0; w < 3; w++)
		assert_int_equal((uintptr_t)keyring_use(keyring, w) % 128, 0);
	assert_ptr_not_equal(keyring_use(keyring, 0), keyring_use(keyring, 1));
	assert_null(keyring_use(keyring, 3));
	assert_null(keyring_use(keyring, UINT32_MAX));
}

/* --- list --- */

static int
note(const struct keyring_info *info, void *arg)
{
	uint32_t **next = arg;

	*(*next)++ = info->id;
	return info->id == 77 ? 77 : 0;
}

static void
test_each_is_in_order(void **state)
{
	const uint32_t ids[] = {900, 5, UINT32_MAX, 1u << 31, 6};
	const uint32_t sorted[] = {5, 6, 900, 1u << 31, UINT32_MAX};
	uint32_t seen[8], *next = seen;

	(void)state;
	assert_int_equal(keyring_each(keyring, note, &next), 0);
	assert_ptr_equal(next, seen);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(add(ids[i], 0), 0);
	assert_int_equal(add(3, 0), 0);
	assert_int_equal(keyring_del(keyring, 3), 0);
	assert_int_equal(keyring_each(keyring, note, &next), 0);
	assert_int_equal(next - seen, 5);
	assert_memory_equal(seen, sorted, sizeof(sorted));
	assert_int_equal(add(77, 0), 0);
	next = seen;
	assert_int_equal(keyring_each(keyring, note, &next), 77);
	assert_int_equal(next - seen, 3);
}

static int
count_up(const struct keyring_info *info, void *arg)
{
	uint32_t *last = arg;

	assert_true(info->id > *last);
	*last = info->id;
	return 0;
}

static void
test_each_of_a_full_table(void **state)
{
	uint32_t last = 0;

	(void)state;
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++)
		assert_int_equal(add(i * 40503u % 65536u + 1, 0), 0);
	assert_int_equal(keyring_each(keyring, count_up, &last), 0);
	assert_int_equal(last, KEYRING_CAPACITY);
}

/* --- fingerprints --- */

/* By Python: hmac.new(b"a secret", b"segseal key fingerprint" + ID.to_bytes(4, "big") +
 * bytes([number of the algorithm]), algorithm).hexdigest()[:16] */
static const struct {
	enum hmac_algorithm algorithm;
	uint32_t id;
	const char *fingerprint;
} known[] = {
	{HMAC_SHA1, 0x1, "bf02eb0f5d50c71f"},	{HMAC_SHA1, 0x1234abcd, "37fbf246a33c07fd"},
	{HMAC_SHA256, 0x1, "3aa3304d0dffa55c"}, {HMAC_SHA256, 0x1234abcd, "23e16e1cc7d00ae3"},
	{HMAC_SHA384, 0x1, "265c999ebac1b7c3"}, {HMAC_SHA384, 0x1234abcd, "cd6158e1aef4ba48"},
	{HMAC_SHA512, 0x1, "347cece83f70f81a"}, {HMAC_SHA512, 0x1234abcd, "33994ec92aee3df4"},
};

static void
test_fingerprints_are_what_the_header_says(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct keyring_spec spec = spec_of(known[i].id, "a secret");

		spec.algorithm = known[i].algorithm;
		for (unsigned p = 0; p < HMAC_PROFILES; p++) {
			spec.profile = p;
			assert_int_equal(keyring_set(keyring, &spec), 0);
			assert_string_equal(info_of(spec.id).fingerprint, known[i].fingerprint);
		}
	}
}

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_info, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_counters_are_summed_over_workers, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_counters_do_not_outlive_the_key, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_late_counts_go_to_the_old_key, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_each_worker_has_lines_of_its_own, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_each_is_in_order, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_each_of_a_full_table, setup_full_size,
						teardown),
		cmocka_unit_test_setup_teardown(test_fingerprints_are_what_the_header_says,
						setup_small, teardown),
	};

	return cmocka_run_group_tests_name("keyring-info", tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
