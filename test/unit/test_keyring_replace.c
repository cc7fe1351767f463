/* SPDX-License-Identifier: BSD-3-Clause */
/* keyring_replace_all(): the whole table or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keyring_fixture.h"

#define UNSET 12345u

static unsigned bad;

static int
replace(const struct keyring_spec *specs, unsigned n)
{
	bad = UNSET;
	return keyring_replace_all(keyring, specs, n, &bad);
}

static uint64_t
generation(uint32_t id)
{
	const struct keyring_key *key = keyring_lookup(keyring, id);

	assert_non_null(key);
	return key->generation;
}

static void
test_fills_an_empty_table(void **state)
{
	struct keyring_spec specs[] = {numbered(3, 0), numbered(1, 0), numbered(2, 0)};

	(void)state;
	assert_int_equal(replace(specs, 3), 0);
	assert_int_equal(keyring_count(keyring), 3);
	for (uint32_t id = 1; id <= 3; id++)
		assert_version(id, 0);
}

static void
test_empties_a_table(void **state)
{
	const struct keyring_key *key;

	(void)state;
	assert_int_equal(replace(NULL, 0), 0);
	assert_int_equal(add(1, 0), 0);
	assert_int_equal(add(2, 0), 0);
	key = keyring_lookup(keyring, 2);
	assert_int_equal(replace(NULL, 0), 0);
	assert_int_equal(keyring_count(keyring), 0);
	assert_null(keyring_lookup(keyring, 1));
	assert_null(keyring_lookup(keyring, 2));
	assert_wiped(key);
	assert_int_equal(add(1, 1), 0);
	assert_version(1, 1);
}

/* 1 stays, 2 changes, 3 goes, 4 comes. */
static void
test_keeps_what_did_not_change(void **state)
{
	struct keyring_spec specs[] = {numbered(4, 0), numbered(1, 0), numbered(2, 1)};
	const struct keyring_key *kept;
	struct keyring_info info;
	uint64_t first, second;

	(void)state;
	for (uint32_t id = 1; id <= 3; id++)
		assert_int_equal(add(id, 0), 0);
	kept = keyring_lookup(keyring, 1);
	keyring_use(keyring, 1)[kept->slot].verified = 5;
	keyring_use(keyring, 1)[keyring_lookup(keyring, 2)->slot].verified = 6;
	first = generation(1);
	second = generation(2);

	assert_int_equal(replace(specs, 3), 0);
	assert_int_equal(keyring_count(keyring), 3);
	assert_ptr_equal(keyring_lookup(keyring, 1), kept);
	assert_int_equal(generation(1), first);
	assert_true(generation(2) > second);
	assert_version(1, 0);
	assert_version(2, 1);
	assert_null(keyring_lookup(keyring, 3));
	assert_version(4, 0);
	assert_int_equal(keyring_info(keyring, 1, &info), 0);
	assert_int_equal(info.use.verified, 5);
	assert_int_equal(keyring_info(keyring, 2, &info), 0);
	assert_int_equal(info.use.verified, 0);
}

static void
assert_is_a_change(struct keyring_spec from, struct keyring_spec to)
{
	uint64_t before;

	assert_int_equal(replace(&from, 1), 0);
	before = generation(from.id);
	assert_int_equal(replace(&from, 1), 0);
	assert_int_equal(generation(from.id), before);
	assert_int_equal(replace(&to, 1), 0);
	assert_true(generation(from.id) > before);
	assert_key(keyring_lookup(keyring, to.id), &to);
}

static void
test_what_counts_as_a_change(void **state)
{
	struct keyring_spec from = spec_of(1, "a secret"), to;

	(void)state;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		from.algorithm = a;
		to = from;
		to.algorithm = (a + 1) % HMAC_ALGORITHMS;
		assert_is_a_change(from, to);
		to = from;
		to.profile = HMAC_RFC8754;
		assert_is_a_change(from, to);
		/* For HMAC the same key; not for who reads the list. */
		to = from;
		to.secret_len++;
		assert_int_equal(to.secret[to.secret_len - 1], 0);
		assert_is_a_change(from, to);
		for (unsigned i = 0; i < from.secret_len; i++) {
			to = from;
			to.secret[i] ^= 1;
			assert_is_a_change(from, to);
		}
	}
}

/* --- errors --- */

static const struct keyring_key *before[9];

static void
table_of_eight(void)
{
	for (uint32_t id = 1; id <= 8; id++) {
		assert_int_equal(add(id, 0), 0);
		before[id] = keyring_lookup(keyring, id);
	}
}

static void
assert_nothing_changed(void)
{
	assert_int_equal(keyring_count(keyring), 8);
	for (uint32_t id = 1; id <= 8; id++) {
		assert_ptr_equal(keyring_lookup(keyring, id), before[id]);
		assert_version(id, 0);
	}
}

static void
test_refuses_an_id_twice(void **state)
{
	struct keyring_spec specs[] = {numbered(11, 0), numbered(1, 1),	 numbered(12, 0),
				       numbered(13, 0), numbered(12, 1), numbered(1, 1)};

	(void)state;
	table_of_eight();
	assert_int_equal(replace(specs, 6), -EEXIST);
	assert_int_equal(bad, 4);
	assert_nothing_changed();
	assert_null(keyring_lookup(keyring, 11));
	assert_null(keyring_lookup(keyring, 12));
	specs[4].id = 14;
	assert_int_equal(replace(specs, 6), -EEXIST);
	assert_int_equal(bad, 5);
	assert_nothing_changed();
	assert_int_equal(replace(specs, 5), 0);
	assert_int_equal(keyring_count(keyring), 5);
}

static void
test_refuses_a_bad_spec(void **state)
{
	struct keyring_spec specs[] = {numbered(11, 0), numbered(1, 1), numbered(12, 0)};

	(void)state;
	table_of_eight();
	specs[2].secret_len = 0;
	assert_int_equal(replace(specs, 3), -EINVAL);
	assert_int_equal(bad, 2);
	assert_nothing_changed();
	specs[1].id = 0;
	assert_int_equal(replace(specs, 3), -EINVAL);
	assert_int_equal(bad, 1);
	assert_nothing_changed();
	assert_null(keyring_lookup(keyring, 11));
}

static void
test_refuses_more_than_capacity(void **state)
{
	struct keyring_spec specs[9];

	(void)state;
	table_of_eight();
	for (uint32_t i = 0; i < 9; i++)
		specs[i] = numbered(20 + i, 0);
	assert_int_equal(replace(specs, 9), -ENOSPC);
	assert_int_equal(bad, 8);
	assert_nothing_changed();
	assert_int_equal(replace(specs, 8), 0);
	assert_int_equal(keyring_count(keyring), 8);
}

/* --- readers --- */

static struct keyring_spec *
many(uint32_t first, unsigned version)
{
	struct keyring_spec *specs = calloc(KEYRING_CAPACITY, sizeof(*specs));

	assert_non_null(specs);
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++)
		specs[i] = numbered(first + i, version);
	return specs;
}

static void
assert_many(uint32_t first, const struct keyring_spec *specs)
{
	assert_int_equal(keyring_count(keyring), KEYRING_CAPACITY);
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++) {
		const struct keyring_key *key = keyring_lookup(keyring, first + i);

		if (key == NULL || key->id != first + i)
			fail_msg("key %u", i);
		if (i % 1024 == 0)
			assert_key(key, &specs[i]);
	}
}

/* The old keys all wait for a reader while as many new ones, under other IDs, are there. */
static void
test_full_table_by_other_ids(void **state)
{
	struct keyring_spec *old = many(1, 0), *new = many(1u << 20, 0);
	const struct keyring_key *held;

	(void)state;
	assert_int_equal(replace(old, KEYRING_CAPACITY), 0);
	assert_many(1, old);
	assert_true(keyring_is_far(keyring));
	reader_start();
	held = keyring_lookup(keyring, 77);
	assert_int_equal(replace(new, KEYRING_CAPACITY), 0);
	assert_many(1u << 20, new);
	assert_null(keyring_lookup(keyring, 77));
	assert_key(held, &old[76]);
	assert_int_equal(keyring_reclaim(keyring), KEYRING_CAPACITY);

	/* No slot is left even to look whether anything changed. */
	assert_int_equal(replace(old, KEYRING_CAPACITY), -EBUSY);
	assert_many(1u << 20, new);
	assert_null(keyring_lookup(keyring, 77));
	reader_report();
	assert_int_equal(keyring_reclaim(keyring), 0);
	assert_wiped(held);
	assert_int_equal(replace(old, KEYRING_CAPACITY), 0);
	assert_many(1, old);
	reader_stop();
	assert_int_equal(replace(old, KEYRING_NEAR), 0);
	assert_false(keyring_is_far(keyring));
	keyring_specs_free(old, KEYRING_CAPACITY);
	keyring_specs_free(new, KEYRING_CAPACITY);
}

/* Half of them fit, so the failure comes late. */
static void
test_busy_in_the_middle(void **state)
{
	struct keyring_spec specs[8];
	unsigned waiting;

	(void)state;
	table_of_eight();
	reader_start();
	for (unsigned i = 0; set(1, i) == 0; i++)
		;
	waiting = keyring_reclaim(keyring);
	reader_report();
	assert_int_equal(keyring_reclaim(keyring), 0);
	for (unsigned i = 0; i < waiting - 5; i++)
		assert_int_equal(set(1, 0), 0);
	before[1] = keyring_lookup(keyring, 1);
	for (uint32_t i = 0; i < 8; i++)
		specs[i] = numbered(4 + i, 1);
	assert_int_equal(replace(specs, 8), -EBUSY);
	assert_int_equal(bad, 5);
	assert_nothing_changed();
	assert_null(keyring_lookup(keyring, 9));
	reader_report();
	assert_int_equal(replace(specs, 8), 0);
	assert_int_equal(keyring_count(keyring), 8);
	for (uint32_t id = 4; id < 12; id++)
		assert_version(id, 1);
	reader_stop();
}

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fills_an_empty_table, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_empties_a_table, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_keeps_what_did_not_change, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_counts_as_a_change, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_refuses_an_id_twice, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_a_bad_spec, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_refuses_more_than_capacity, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_full_table_by_other_ids, setup_full_size,
						teardown),
		cmocka_unit_test_setup_teardown(test_busy_in_the_middle, setup_small, teardown),
	};

	return cmocka_run_group_tests_name("keyring-replace", tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
