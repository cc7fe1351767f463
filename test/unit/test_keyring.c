/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding, replacing, deleting, and what readers may still hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_errno.h>

#include "eal.h"
#include "keyring_fixture.h"

/* --- life --- */

static void
assert_refused(struct keyring_conf conf, int error)
{
	rte_errno = 0;
	assert_null(keyring_create(&conf));
	assert_int_equal(rte_errno, error);
}

static void
test_create_refuses_bad_conf(void **state)
{
	struct keyring_conf conf = conf_of(8);

	(void)state;
	conf.rcu = NULL;
	assert_refused(conf, EINVAL);
	conf = conf_of(8);
	conf.name = NULL;
	assert_refused(conf, EINVAL);
	conf.name = "";
	assert_refused(conf, EINVAL);
	conf.name = "a name of 21 letters.";
	assert_refused(conf, EINVAL);
	conf = conf_of(UINT32_MAX);
	assert_refused(conf, EINVAL);
}

static void
test_create_refuses_name_in_use(void **state)
{
	unsigned before = eal_allocations();

	(void)state;
	assert_refused(conf_of(8), EEXIST);
	assert_int_equal(eal_allocations(), before);
}

static void
test_create_and_destroy_leave_nothing(void **state)
{
	unsigned before = eal_allocations();

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(create(100), 0);
		assert_int_equal(add(1, 0), 0);
		assert_int_equal(add(2, 0), 0);
		assert_int_equal(keyring_del(keyring, 2), 0);
		keyring_destroy(keyring);
	}
	keyring_destroy(NULL);
	assert_int_equal(eal_allocations(), before);
}

static void
test_keys_stay_out_of_core_dumps(void **state)
{
	const struct keyring_key *key;

	(void)state;
	assert_int_equal(add(1, 0), 0);
	key = keyring_lookup(keyring, 1);
	assert_non_null(key);
	assert_true(mapping_has_flag(key, " dd"));
	assert_true(mapping_has_flag(key, " dc"));
	assert_int_equal((uintptr_t)key % 64, 0);
}

/* --- add, set, del --- */

static void
test_add(void **state)
{
	(void)state;
	assert_null(keyring_lookup(keyring, 7));
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++)
		for (unsigned p = 0; p < HMAC_PROFILES; p++) {
			struct keyring_spec spec = numbered(a * 10 + p + 1, a);

			spec.algorithm = a;
			spec.profile = p;
			assert_int_equal(keyring_add(keyring, &spec), 0);
			assert_key(keyring_lookup(keyring, spec.id), &spec);
		}
	assert_int_equal(keyring_count(keyring), 8);
	assert_null(keyring_lookup(keyring, 0));
	assert_null(keyring_lookup(keyring, 7));
}

static void
assert_add_refused(struct keyring_spec spec, int error)
{
	assert_int_equal(keyring_add(keyring, &spec), error);
	assert_int_equal(keyring_set(keyring, &spec), error);
	assert_null(keyring_lookup(keyring, spec.id));
	assert_int_equal(keyring_count(keyring), 0);
}

static void
test_add_refuses_bad_spec(void **state)
{
	struct keyring_spec spec = spec_of(0, "a secret");

	(void)state;
	assert_add_refused(spec, -EINVAL);
	spec = spec_of(1, "");
	assert_add_refused(spec, -EINVAL);
	spec = spec_of(1, "a secret");
	spec.secret_len = HMAC_SECRET_MAX + 1;
	assert_add_refused(spec, -EINVAL);
	spec = spec_of(1, "a secret");
	spec.algorithm = HMAC_ALGORITHMS;
	assert_add_refused(spec, -EINVAL);
	spec = spec_of(1, "a secret");
	spec.profile = HMAC_PROFILES;
	assert_add_refused(spec, -EINVAL);
}

static void
test_shortest_and_longest(void **state)
{
	struct keyring_spec spec = spec_of(UINT32_MAX, "x");

	(void)state;
	assert_int_equal(keyring_add(keyring, &spec), 0);
	assert_key(keyring_lookup(keyring, UINT32_MAX), &spec);
	spec.id = 1;
	spec.secret_len = HMAC_SECRET_MAX;
	memset(spec.secret, 0, sizeof(spec.secret));
	assert_int_equal(keyring_add(keyring, &spec), 0);
	assert_key(keyring_lookup(keyring, 1), &spec);
}

static void
test_add_refuses_id_in_use(void **state)
{
	const struct keyring_key *key;

	(void)state;
	assert_int_equal(add(5, 0), 0);
	key = keyring_lookup(keyring, 5);
	assert_int_equal(add(5, 1), -EEXIST);
	assert_ptr_equal(keyring_lookup(keyring, 5), key);
	assert_version(5, 0);
}

static void
test_add_refuses_more_than_capacity(void **state)
{
	(void)state;
	for (uint32_t id = 1; id <= 8; id++)
		assert_int_equal(add(id, 0), 0);
	assert_int_equal(add(9, 0), -ENOSPC);
	assert_int_equal(set(9, 0), -ENOSPC);
	assert_null(keyring_lookup(keyring, 9));
	assert_int_equal(set(8, 1), 0);
	assert_int_equal(keyring_del(keyring, 1), 0);
	assert_int_equal(add(9, 0), 0);
	assert_int_equal(keyring_count(keyring), 8);
	assert_version(8, 1);
	assert_version(9, 0);
}

static void
test_set_replaces(void **state)
{
	uint64_t generation, before = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(set(5, i), 0);
		assert_version(5, i);
		assert_int_equal(keyring_count(keyring), 1);
		generation = keyring_lookup(keyring, 5)->generation;
		assert_true(generation > before);
		before = generation;
	}
	assert_int_equal(keyring_del(keyring, 5), 0);
	assert_int_equal(add(5, 0), 0);
	assert_true(keyring_lookup(keyring, 5)->generation > before);
}

static void
test_set_that_fails_leaves_the_old(void **state)
{
	struct keyring_spec spec;
	uint64_t generation;

	(void)state;
	assert_int_equal(set(5, 0), 0);
	generation = keyring_lookup(keyring, 5)->generation;
	spec = spec_of(5, "");
	assert_int_equal(keyring_set(keyring, &spec), -EINVAL);
	assert_version(5, 0);
	assert_int_equal(keyring_lookup(keyring, 5)->generation, generation);
}

static void
test_del(void **state)
{
	(void)state;
	assert_int_equal(keyring_del(keyring, 5), -ENOENT);
	assert_int_equal(add(5, 0), 0);
	assert_int_equal(add(6, 0), 0);
	assert_int_equal(keyring_del(keyring, 5), 0);
	assert_null(keyring_lookup(keyring, 5));
	assert_int_equal(keyring_del(keyring, 5), -ENOENT);
	assert_int_equal(keyring_del(keyring, 0), -ENOENT);
	assert_version(6, 0);
	assert_int_equal(keyring_count(keyring), 1);
}

static void
test_lookup_bulk(void **state)
{
	const struct keyring_key *keys[200];
	uint32_t ids[200];

	(void)state;
	for (uint32_t id = 1; id <= 8; id++)
		assert_int_equal(add(id, 0), 0);
	for (unsigned n = 0; n <= 200; n++) {
		memset(keys, 0xff, sizeof(keys));
		for (unsigned i = 0; i < n; i++)
			ids[i] = (i * 7 + n) % 13;
		keyring_lookup_bulk(keyring, ids, n, keys);
		for (unsigned i = 0; i < n; i++) {
			assert_ptr_equal(keys[i], keyring_lookup(keyring, ids[i]));
			assert_int_equal(keys[i] != NULL, ids[i] >= 1 && ids[i] <= 8);
		}
		for (unsigned i = n; i < 200; i++)
			assert_int_equal((uintptr_t)keys[i], UINTPTR_MAX);
	}
}

static void
test_far_from_so_many_keys_on(void **state)
{
	(void)state;
	for (uint32_t id = 1; id <= KEYRING_NEAR; id++)
		assert_int_equal(add(id, 0), 0);
	assert_false(keyring_is_far(keyring));
	assert_int_equal(add(KEYRING_NEAR + 1, 0), 0);
	assert_true(keyring_is_far(keyring));
	assert_int_equal(set(1, 1), 0);
	assert_true(keyring_is_far(keyring));
	assert_int_equal(keyring_del(keyring, 7), 0);
	assert_false(keyring_is_far(keyring));
}

/* --- what readers may still hold --- */

static void
test_deleted_key_is_wiped_when_readers_are_through(void **state)
{
	const struct keyring_key *key;
	struct keyring_spec spec = numbered(5, 0);
	uint64_t mark;

	(void)state;
	assert_int_equal(add(5, 0), 0);
	assert_true(keyring_settled(keyring, keyring_mark(keyring)));
	reader_start();
	key = keyring_lookup(keyring, 5);
	assert_int_equal(keyring_del(keyring, 5), 0);
	mark = keyring_mark(keyring);
	assert_false(keyring_settled(keyring, mark));
	assert_int_equal(keyring_reclaim(keyring), 1);
	assert_key(key, &spec);
	reader_report();
	assert_true(keyring_settled(keyring, mark));
	assert_wiped(key);
	assert_int_equal(keyring_reclaim(keyring), 0);
	reader_stop();
}

static void
test_replaced_key_is_wiped_when_readers_are_through(void **state)
{
	const struct keyring_key *key;
	struct keyring_spec spec = numbered(5, 0);

	(void)state;
	assert_int_equal(add(5, 0), 0);
	reader_start();
	key = keyring_lookup(keyring, 5);
	assert_int_equal(set(5, 1), 0);
	assert_int_equal(keyring_reclaim(keyring), 1);
	assert_key(key, &spec);
	assert_version(5, 1);
	reader_report();
	assert_int_equal(keyring_reclaim(keyring), 0);
	assert_wiped(key);
	assert_version(5, 1);
	reader_stop();
}

static void
test_a_mark_waits_for_nothing_later(void **state)
{
	uint64_t first, second;

	(void)state;
	assert_int_equal(add(5, 0), 0);
	assert_int_equal(add(6, 0), 0);
	reader_start();
	assert_int_equal(keyring_del(keyring, 5), 0);
	first = keyring_mark(keyring);
	reader_report();
	assert_int_equal(keyring_del(keyring, 6), 0);
	second = keyring_mark(keyring);
	assert_true(keyring_settled(keyring, first));
	assert_false(keyring_settled(keyring, second));
	assert_int_equal(keyring_reclaim(keyring), 1);
	reader_stop();
	assert_true(keyring_settled(keyring, second));
	assert_int_equal(keyring_reclaim(keyring), 0);
}

static void
test_busy_while_a_reader_is_stuck(void **state)
{
	unsigned changes = 0;
	int rc;

	(void)state;
	for (uint32_t id = 1; id <= 7; id++)
		assert_int_equal(add(id, 0), 0);
	reader_start();
	while ((rc = set(1, changes + 1)) == 0)
		changes++;
	assert_int_equal(rc, -EBUSY);
	assert_true(changes >= 8);
	assert_int_equal(add(8, 0), -EBUSY);
	assert_null(keyring_lookup(keyring, 8));
	assert_int_equal(keyring_reclaim(keyring), changes);
	assert_version(1, changes);
	/* Deleting asks for nothing. */
	assert_int_equal(keyring_del(keyring, 2), 0);
	assert_null(keyring_lookup(keyring, 2));
	reader_report();
	assert_int_equal(set(1, 0), 0);
	assert_int_equal(add(8, 0), 0);
	assert_version(1, 0);
	assert_version(8, 0);
	reader_stop();
	assert_int_equal(keyring_reclaim(keyring), 0);
}

/* --- all of its size --- */

static void
fill(uint32_t first, unsigned version)
{
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++)
		if (add(first + i, version) != 0)
			fail_msg("key %u of %u", i, KEYRING_CAPACITY);
	assert_int_equal(keyring_count(keyring), KEYRING_CAPACITY);
	assert_int_equal(add(first + KEYRING_CAPACITY, version), -ENOSPC);
}

static void
assert_full(uint32_t first)
{
	const struct keyring_key *keys[64];
	uint32_t ids[64];

	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++)
		if (keyring_lookup(keyring, first + i) == NULL ||
		    keyring_lookup(keyring, first + i)->id != first + i)
			fail_msg("key %u of %u", i, KEYRING_CAPACITY);
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i += 64) {
		for (uint32_t k = 0; k < 64; k++)
			ids[k] = first + i + k;
		keyring_lookup_bulk(keyring, ids, 64, keys);
		for (uint32_t k = 0; k < 64; k++)
			if (keys[k] == NULL || keys[k]->id != ids[k])
				fail_msg("key %u of %u", i + k, KEYRING_CAPACITY);
	}
}

static void
empty(uint32_t first)
{
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++)
		if (keyring_del(keyring, first + i) != 0)
			fail_msg("key %u of %u", i, KEYRING_CAPACITY);
	assert_int_equal(keyring_count(keyring), 0);
	for (uint32_t i = 0; i < KEYRING_CAPACITY; i++)
		if (keyring_lookup(keyring, first + i) != NULL)
			fail_msg("key %u of %u", i, KEYRING_CAPACITY);
}

static void
test_fill_empty_refill(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 3; round++) {
		fill(1 + round * 1000, round);
		assert_full(1 + round * 1000);
		empty(1 + round * 1000);
		assert_int_equal(keyring_reclaim(keyring), 0);
	}
}

/* As many keys again as the capacity, while every deleted one still waits. */
static void
test_refill_while_all_deleted_keys_wait(void **state)
{
	(void)state;
	reader_start();
	fill(1, 0);
	empty(1);
	assert_int_equal(keyring_reclaim(keyring), KEYRING_CAPACITY);
	fill(1u << 30, 1);
	assert_full(1u << 30);
	assert_int_equal(keyring_del(keyring, 1u << 30), 0);
	assert_int_equal(add(1u << 30, 0), -EBUSY);
	reader_report();
	assert_int_equal(add(1u << 30, 0), 0);
	assert_full(1u << 30);
	reader_stop();
}

/* IDs that share their low bits, their high bits, or that count down. */
static void
test_any_ids_fit(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= KEYRING_CAPACITY / 4; i++) {
		assert_int_equal(add(i << 16, 0), 0);
		assert_int_equal(add(UINT32_MAX - i, 0), 0);
		assert_int_equal(add((i << 14) + 1, 0), 0);
		assert_int_equal(add(i, 0), 0);
	}
	assert_int_equal(keyring_count(keyring), KEYRING_CAPACITY);
	for (uint32_t i = 1; i <= KEYRING_CAPACITY / 4; i++) {
		assert_int_equal(keyring_lookup(keyring, i << 16)->id, i << 16);
		assert_int_equal(keyring_lookup(keyring, UINT32_MAX - i)->id, UINT32_MAX - i);
		assert_int_equal(keyring_lookup(keyring, (i << 14) + 1)->id, (i << 14) + 1);
		assert_int_equal(keyring_lookup(keyring, i)->id, i);
	}
}

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create_refuses_bad_conf),
		cmocka_unit_test_setup_teardown(test_create_refuses_name_in_use, setup_small,
						teardown),
		cmocka_unit_test(test_create_and_destroy_leave_nothing),
		cmocka_unit_test_setup_teardown(test_keys_stay_out_of_core_dumps, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_add, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_add_refuses_bad_spec, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_shortest_and_longest, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_add_refuses_id_in_use, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_add_refuses_more_than_capacity, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_set_replaces, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_set_that_fails_leaves_the_old, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_del, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_lookup_bulk, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_far_from_so_many_keys_on, setup_full_size,
						teardown),
		cmocka_unit_test_setup_teardown(test_deleted_key_is_wiped_when_readers_are_through,
						setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_replaced_key_is_wiped_when_readers_are_through,
						setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_a_mark_waits_for_nothing_later, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_busy_while_a_reader_is_stuck, setup_small,
						teardown),
		cmocka_unit_test_setup_teardown(test_fill_empty_refill, setup_full_size, teardown),
		cmocka_unit_test_setup_teardown(test_refill_while_all_deleted_keys_wait,
						setup_full_size, teardown),
		cmocka_unit_test_setup_teardown(test_any_ids_fit, setup_full_size, teardown),
	};

	return cmocka_run_group_tests_name("keyring", tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
