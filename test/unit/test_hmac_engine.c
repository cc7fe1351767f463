/* SPDX-License-Identifier: BSD-3-Clause */
/* The batch engine: every manager, every batch size, any mix gives what one job alone gives. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hmac/engine.h"

#define KEYS 37u

static struct hmac_engine *engine;
static struct hmac_key keys[HMAC_ALGORITHMS][KEYS];
static uint8_t texts[HMAC_BATCH_MAX][HMAC_TEXT_MAX];
static uint8_t tags[HMAC_BATCH_MAX][HMAC_TAG_MAX];
static uint8_t want[HMAC_BATCH_MAX][HMAC_TAG_MAX];
static struct hmac_job jobs[HMAC_BATCH_MAX + 1];
static uint64_t state = 1;

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
	if (!engine) {
		print_error("%s\n", error);
		return -1;
	}
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned k = 0; k < KEYS; k++) {
			uint8_t secret[HMAC_SECRET_MAX];
			unsigned len = 1 + random_below(HMAC_SECRET_MAX);

			for (unsigned i = 0; i < len; i++)
				secret[i] = (uint8_t)random_below(256);
			if (hmac_key_prepare(&keys[a][k], a, secret, len) < 0)
				return -1;
		}
	}
	for (unsigned i = 0; i < HMAC_BATCH_MAX; i++)
		for (unsigned k = 0; k < HMAC_TEXT_MAX; k++)
			texts[i][k] = (uint8_t)random_below(256);
	return 0;
}

static int
teardown(void **arg)
{
	(void)arg;
	hmac_engine_destroy(engine);
	return 0;
}

static unsigned
managers(void)
{
	unsigned n = 0;

	while (hmac_engine_manager_name(engine, n))
		n++;
	return n;
}

/* What the first manager says about one job at a time; vectors and openssl tests say that it is
 * right. */
static void
set_job(unsigned i, unsigned algorithm, unsigned len)
{
	jobs[i] = (struct hmac_job){
		.key = &keys[algorithm][random_below(KEYS)],
		.text = texts[i],
		.text_len = (uint16_t)len,
		.tag = want[i],
	};
	hmac_engine_force_manager(engine, 0);
	hmac_run(engine, &jobs[i], 1);
	assert_true(jobs[i].ok);
	hmac_engine_force_manager(engine, -1);
	jobs[i].tag = tags[i];
}

static void
run_and_check(unsigned n)
{
	memset(tags, 0xee, sizeof(tags));
	for (unsigned i = 0; i < n; i++)
		jobs[i].ok = false;
	hmac_run(engine, jobs, n);
	for (unsigned i = 0; i < n; i++) {
		assert_true(jobs[i].ok);
		assert_memory_equal(tags[i], want[i], HMAC_TAG_MAX);
	}
	for (unsigned i = n; i < HMAC_BATCH_MAX; i++)
		for (unsigned k = 0; k < HMAC_TAG_MAX; k++)
			assert_int_equal(tags[i][k], 0xee);
}

static void
check_on_each_manager(unsigned n)
{
	for (int m = -1; m < (int)managers(); m++) {
		assert_int_equal(hmac_engine_force_manager(engine, m), 0);
		run_and_check(n);
	}
	hmac_engine_force_manager(engine, -1);
}

static void
test_one_algorithm(void **arg)
{
	static const uint16_t lens[] = {38, 54, 55, 56, 70, 111, 112, 118, 246, 248};

	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned l = 0; l < sizeof(lens) / sizeof(lens[0]); l++) {
			for (unsigned i = 0; i < HMAC_BATCH_MAX; i++)
				set_job(i, a, lens[l]);
			for (unsigned n = 1; n <= HMAC_BATCH_MAX; n += n < 36 ? 1 : 23)
				check_on_each_manager(n);
		}
	}
}

static void
test_mixes_of_every_size(void **arg)
{
	(void)arg;
	for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++) {
		for (unsigned i = 0; i < n; i++)
			set_job(i, random_below(HMAC_ALGORITHMS),
				1 + random_below(random_below(4) ? 300 : HMAC_TEXT_MAX));
		check_on_each_manager(n);
	}
}

static void
test_every_length(void **arg)
{
	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned len = 1; len <= HMAC_TEXT_MAX; len++) {
			unsigned i = (len - 1) % HMAC_BATCH_MAX;

			set_job(i, a, len);
			if (i + 1 == HMAC_BATCH_MAX || len == HMAC_TEXT_MAX)
				check_on_each_manager(i + 1);
		}
	}
}

/* One text hashed in every lane of a batch by different keys, and by the same: nothing crosses. */
static void
test_lanes_do_not_mix(void **arg)
{
	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned i = 0; i < HMAC_BATCH_MAX; i++) {
			set_job(i, a, 54);
			jobs[i].key = &keys[a][i % KEYS];
			jobs[i].text = texts[0];
		}
		hmac_run(engine, jobs, HMAC_BATCH_MAX);
		for (unsigned i = KEYS; i < HMAC_BATCH_MAX; i++) {
			assert_memory_equal(tags[i], tags[i - KEYS], HMAC_TAG_MAX);
			assert_memory_not_equal(tags[i], tags[i - 1], hmac_digest_len(a));
		}
	}
}

static void
assert_failed(unsigned i)
{
	assert_false(jobs[i].ok);
	for (unsigned k = 0; k < HMAC_TAG_MAX; k++)
		assert_int_equal(tags[i][k], 0);
}

static void
test_lengths_out_of_range(void **arg)
{
	static const uint16_t bad[] = {0, HMAC_TEXT_MAX + 1, UINT16_MAX};

	(void)arg;
	for (unsigned n = 1; n <= 20; n++) {
		for (unsigned i = 0; i < n; i++)
			set_job(i, random_below(HMAC_ALGORITHMS), 54);
		for (unsigned b = 0; b < 3; b++) {
			unsigned victim = random_below(n);
			uint16_t len = jobs[victim].text_len;

			memset(tags, 0xee, sizeof(tags));
			jobs[victim].text_len = bad[b];
			hmac_run(engine, jobs, n);
			jobs[victim].text_len = len;
			for (unsigned i = 0; i < n; i++) {
				if (i == victim) {
					assert_failed(i);
					continue;
				}
				assert_true(jobs[i].ok);
				assert_memory_equal(tags[i], want[i], HMAC_TAG_MAX);
			}
		}
	}
}

static void
test_unknown_algorithm(void **arg)
{
	struct hmac_key wrong;

	(void)arg;
	set_job(0, HMAC_SHA256, 54);
	wrong = *jobs[0].key;
	wrong.algorithm = HMAC_ALGORITHMS;
	jobs[0].key = &wrong;
	hmac_run(engine, jobs, 1);
	assert_failed(0);
}

static void
test_more_than_a_batch(void **arg)
{
	static uint8_t extra[HMAC_TAG_MAX];

	(void)arg;
	for (unsigned i = 0; i < HMAC_BATCH_MAX; i++)
		set_job(i, HMAC_SHA256, 54);
	jobs[HMAC_BATCH_MAX] = jobs[0];
	jobs[HMAC_BATCH_MAX].tag = extra;
	hmac_run(engine, jobs, HMAC_BATCH_MAX + 1);
	for (unsigned i = 0; i < HMAC_BATCH_MAX; i++)
		assert_failed(i);
	assert_false(jobs[HMAC_BATCH_MAX].ok);
}

/* --- a library that does not do what it should --- */

static unsigned calls;

static uint32_t
does_nothing(IMB_MGR *imb, IMB_JOB *slots, const uint32_t n, const IMB_HASH_ALG hash)
{
	(void)imb;
	(void)slots;
	(void)hash;
	calls++;
	return n;
}

static uint32_t
completes_all_but_one(IMB_MGR *imb, IMB_JOB *slots, const uint32_t n, const IMB_HASH_ALG hash)
{
	(void)imb;
	(void)hash;
	calls++;
	for (unsigned i = 0; i + 1 < n; i++) {
		memset(slots[i].auth_tag_output, 0x77, 20);
		slots[i].status = IMB_STATUS_COMPLETED;
	}
	return n - 1;
}

static uint32_t
one_has_an_error(IMB_MGR *imb, IMB_JOB *slots, const uint32_t n, const IMB_HASH_ALG hash)
{
	(void)imb;
	(void)hash;
	for (unsigned i = 0; i < n; i++) {
		memset(slots[i].auth_tag_output, 0x77, 20);
		slots[i].status = i == 1 ? IMB_STATUS_INVALID_ARGS : IMB_STATUS_COMPLETED;
	}
	return n;
}

static unsigned
first_imb(void)
{
	unsigned m = 0;

	while (!engine->managers[m].imb)
		assert_true(++m < managers());
	return m;
}

static void
test_fails_closed(void **arg)
{
	struct engine_manager *manager = &engine->managers[first_imb()];
	submit_hash_burst_t real = manager->imb->submit_hash_burst_nocheck;

	(void)arg;
	for (unsigned i = 0; i < 8; i++)
		set_job(i, HMAC_SHA256, 54);
	hmac_engine_force_manager(engine, (int)first_imb());

	manager->imb->submit_hash_burst_nocheck = does_nothing;
	memset(tags, 0xee, sizeof(tags));
	hmac_run(engine, jobs, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_failed(i);

	manager->imb->submit_hash_burst_nocheck = one_has_an_error;
	hmac_run(engine, jobs, 8);
	assert_failed(1);
	assert_true(jobs[0].ok && jobs[2].ok);

	manager->imb->submit_hash_burst_nocheck = completes_all_but_one;
	calls = 0;
	hmac_run(engine, jobs, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_failed(i);

	/* What it kept of those jobs is unknown: it is never called again. */
	hmac_run(engine, jobs, 8);
	assert_int_equal(calls, 1);
	for (unsigned i = 0; i < 8; i++)
		assert_failed(i);

	manager->broken = false;
	manager->imb->submit_hash_burst_nocheck = real;
	run_and_check(8);
	hmac_engine_force_manager(engine, -1);
}

static uint32_t
wrong_answers(IMB_MGR *imb, IMB_JOB *slots, const uint32_t n, const IMB_HASH_ALG hash)
{
	(void)imb;
	(void)hash;
	for (unsigned i = 0; i < n; i++)
		slots[i].status = IMB_STATUS_COMPLETED;
	return n;
}

/* Right but for one bit of the last tag. */
static hmac_kernel real_kernel;

static void
wrong_kernel(struct hmac_job *const *list, unsigned n, unsigned blocks)
{
	real_kernel(list, n, blocks);
	list[n - 1]->tag[3] ^= 0x10;
}

static void
test_known_answers_are_checked(void **arg)
{
	(void)arg;
	assert_null(engine_selftest(engine));
	for (unsigned m = 0; m < managers(); m++) {
		IMB_MGR *imb = engine->managers[m].imb;
		submit_hash_burst_t real;

		for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
			real_kernel = engine->managers[m].kernels[a];
			if (!real_kernel)
				continue;
			engine->managers[m].kernels[a] = wrong_kernel;
			assert_non_null(engine_selftest(engine));
			engine->managers[m].kernels[a] = real_kernel;
		}
		if (imb) {
			real = imb->submit_hash_burst_nocheck;
			imb->submit_hash_burst_nocheck = wrong_answers;
			assert_non_null(engine_selftest(engine));
			imb->submit_hash_burst_nocheck = real;
		}
		assert_null(engine_selftest(engine));
	}
}

/* Without a clock that gives sense there still is somebody for everything. */
static void
test_without_calibration(void **arg)
{
	struct hmac_choice choice;

	(void)arg;
	engine->calibrated = false;
	engine_plan(engine);
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++) {
			assert_int_equal(hmac_engine_choice(engine, a, 1, n, &choice), 0);
			assert_int_equal(choice.take, n);
			assert_int_equal(choice.cycles, 0);
			assert_true(engine_manager_can(&engine->managers[choice.manager], a));
		}
		for (unsigned i = 0; i < HMAC_BATCH_MAX; i++)
			set_job(i, a, 70);
		run_and_check(HMAC_BATCH_MAX);
	}
	engine->calibrated = engine_calibrate(engine);
	engine_plan(engine);
}

/* Every plan ends, and gives work only to those who can do it. */
static void
test_plans(void **arg)
{
	struct hmac_choice choice;

	(void)arg;
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned blocks = 1; blocks <= HMAC_CLASSES + 1; blocks++) {
			for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++) {
				assert_int_equal(hmac_engine_choice(engine, a, blocks, n, &choice),
						 0);
				assert_in_range(choice.take, 1, n);
				assert_true(
					engine_manager_can(&engine->managers[choice.manager], a));
				if (hmac_engine_calibrated(engine))
					assert_true(choice.cycles > 0);
			}
			assert_int_equal(hmac_engine_choice(engine, a, blocks, 0, &choice),
					 -EINVAL);
			assert_int_equal(
				hmac_engine_choice(engine, a, blocks, HMAC_BATCH_MAX + 1, &choice),
				-EINVAL);
		}
		assert_int_equal(hmac_engine_choice(engine, a, 0, 1, &choice), -EINVAL);
	}
	assert_int_equal(hmac_engine_choice(engine, HMAC_ALGORITHMS, 1, 1, &choice), -EINVAL);
}

static void
test_managers(void **arg)
{
	(void)arg;
	assert_true(managers() >= 1);
	assert_int_equal(hmac_engine_force_manager(engine, -2), -EINVAL);
	assert_int_equal(hmac_engine_force_manager(engine, (int)managers()), -EINVAL);
	assert_int_equal(hmac_engine_force_manager(engine, -1), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_algorithm),
		cmocka_unit_test(test_mixes_of_every_size),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_lanes_do_not_mix),
		cmocka_unit_test(test_lengths_out_of_range),
		cmocka_unit_test(test_unknown_algorithm),
		cmocka_unit_test(test_more_than_a_batch),
		cmocka_unit_test(test_fails_closed),
		cmocka_unit_test(test_known_answers_are_checked),
		cmocka_unit_test(test_without_calibration),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_managers),
	};

	return cmocka_run_group_tests_name("hmac engine", tests, setup, teardown);
}
