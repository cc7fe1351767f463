/* SPDX-License-Identifier: BSD-3-Clause */
/* When a worker is called stuck, and when not any more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gateway/watchdog.h"

#define LIMIT 1000u
#define STEP 250u

static void
test_one_that_works(void **state)
{
	struct watchdog dog;
	uint64_t now = 5000;

	(void)state;
	watchdog_begin(&dog, 100, now);
	for (uint64_t i = 1; i < 1000; i++)
		assert_int_equal(watchdog_look(&dog, 100 + i, now += STEP, LIMIT), WATCHDOG_SAME);
	assert_false(dog.stuck);
	assert_int_equal(dog.silent, 0);
}

/* Told once when it begins, once when it ends. */
static void
test_stuck_and_back(void **state)
{
	struct watchdog dog;
	uint64_t now = 0;

	(void)state;
	watchdog_begin(&dog, 7, now);
	assert_int_equal(watchdog_look(&dog, 8, now += STEP, LIMIT), WATCHDOG_SAME);
	for (unsigned i = 1; i < LIMIT / STEP; i++)
		assert_int_equal(watchdog_look(&dog, 8, now += STEP, LIMIT), WATCHDOG_SAME);
	assert_false(dog.stuck);
	assert_int_equal(watchdog_look(&dog, 8, now += STEP, LIMIT), WATCHDOG_STUCK);
	assert_true(dog.stuck);
	assert_int_equal(dog.silent, LIMIT);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(watchdog_look(&dog, 8, now += STEP, LIMIT), WATCHDOG_SAME);
	assert_true(dog.stuck);

	assert_int_equal(watchdog_look(&dog, 9, now += STEP, LIMIT), WATCHDOG_BACK);
	assert_false(dog.stuck);
	assert_int_equal(dog.was_silent, LIMIT + 20 * STEP);
	assert_int_equal(dog.silent, 0);

	/* A second time takes as long as the first. */
	for (unsigned i = 1; i < LIMIT / STEP; i++)
		assert_int_equal(watchdog_look(&dog, 9, now += STEP, LIMIT), WATCHDOG_SAME);
	assert_int_equal(watchdog_look(&dog, 9, now += STEP, LIMIT), WATCHDOG_STUCK);
}

static void
test_silence_short_of_the_limit(void **state)
{
	struct watchdog dog;
	uint64_t now = 0;

	(void)state;
	watchdog_begin(&dog, 0, now);
	for (uint64_t beat = 1; beat < 100; beat++) {
		assert_int_equal(watchdog_look(&dog, beat, now += STEP, LIMIT), WATCHDOG_SAME);
		for (unsigned i = 1; i < LIMIT / STEP; i++)
			assert_int_equal(watchdog_look(&dog, beat, now += STEP, LIMIT),
					 WATCHDOG_SAME);
	}
}

/* Control was away for an hour, and perhaps the worker with it. */
static void
test_one_late_look(void **state)
{
	struct watchdog dog;

	(void)state;
	watchdog_begin(&dog, 7, 0);
	assert_int_equal(watchdog_look(&dog, 7, 3600000, LIMIT), WATCHDOG_SAME);
	assert_int_equal(watchdog_look(&dog, 8, 3600000 + STEP, LIMIT), WATCHDOG_SAME);

	watchdog_begin(&dog, 7, 0);
	assert_int_equal(watchdog_look(&dog, 7, 3600000, LIMIT), WATCHDOG_SAME);
	assert_int_equal(watchdog_look(&dog, 7, 3600000 + STEP, LIMIT), WATCHDOG_SAME);
	assert_int_equal(watchdog_look(&dog, 7, 3600000 + 2 * STEP, LIMIT), WATCHDOG_STUCK);
}

static void
test_limit_that_changes(void **state)
{
	struct watchdog dog;

	(void)state;
	watchdog_begin(&dog, 7, 0);
	for (uint64_t now = STEP; now < 4 * LIMIT; now += STEP)
		assert_int_equal(watchdog_look(&dog, 7, now, 4 * LIMIT), WATCHDOG_SAME);
	assert_int_equal(watchdog_look(&dog, 7, 4 * LIMIT - 1, LIMIT), WATCHDOG_STUCK);
	/* What is stuck goes on being it, whatever the limit is now. */
	assert_int_equal(watchdog_look(&dog, 7, 4 * LIMIT, 100 * LIMIT), WATCHDOG_SAME);
	assert_true(dog.stuck);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_that_works),
		cmocka_unit_test(test_stuck_and_back),
		cmocka_unit_test(test_silence_short_of_the_limit),
		cmocka_unit_test(test_one_late_look),
		cmocka_unit_test(test_limit_that_changes),
	};

	return cmocka_run_group_tests_name("gateway-watchdog", tests, NULL, NULL);
}
