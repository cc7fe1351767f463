/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure what a batch costs on each manager, a few milliseconds in all. Control threads.
 *
 * Two lengths are measured for each algorithm and the other classes lie on the line through them:
 * a compression costs the same wherever it stands.
 */
#include <string.h>

#include <x86intrin.h>

#include "hmac/engine.h"

#define ROUNDS 4u /* far enough apart that no one interruption spoils all */
#define NEAR 1u	  /* compressions of the two measured lengths */
#define FAR 4u
#define TEXT_MAX (FAR * 128u)

const uint8_t engine_sizes[ENGINE_SIZES] = {1, 2, 3, 4, 5, 6, 8, 12, 15, 16, 17, 24, 32, 48, 64};

#define SIZE_MAX_MEASURED 64u

struct bench {
	struct hmac_key keys[HMAC_ALGORITHMS];
	uint8_t text[SIZE_MAX_MEASURED][TEXT_MAX];
	uint8_t tags[SIZE_MAX_MEASURED][HMAC_TAG_MAX] __attribute__((aligned(64)));
	struct hmac_job jobs[SIZE_MAX_MEASURED];
};

static uint64_t
now(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}

/* The longest text of so many compressions. */
static unsigned
text_len(enum hmac_algorithm algorithm, unsigned blocks)
{
	return algorithm < HMAC_SHA384 ? 64 * blocks - 9 : 128 * blocks - 17;
}

/* Cycles of one call, or 0 if the clock went backwards or stood still. */
static uint32_t
measure(struct hmac_engine *engine, struct bench *bench, unsigned n)
{
	uint64_t start = now();
	uint64_t end;

	hmac_run(engine, bench->jobs, n);
	end = now();
	return end > start && end - start < UINT32_MAX / 2 ? (uint32_t)(end - start) : 0;
}

static void
measure_sizes(struct hmac_engine *engine, struct bench *bench, uint32_t least[ENGINE_SIZES])
{
	hmac_run(engine, bench->jobs, SIZE_MAX_MEASURED / 4); /* code and data into the caches */
	for (unsigned s = 0; s < ENGINE_SIZES; s++) {
		uint32_t cycles;

		if (engine_sizes[s] < 4) /* so short that what is left of the call before counts */
			hmac_run(engine, bench->jobs, engine_sizes[s]);
		cycles = measure(engine, bench, engine_sizes[s]);

		if (cycles && (least[s] == 0 || cycles < least[s]))
			least[s] = cycles;
	}
}

static void
set_jobs(struct bench *bench, enum hmac_algorithm algorithm, unsigned blocks)
{
	for (unsigned i = 0; i < SIZE_MAX_MEASURED; i++) {
		bench->jobs[i] = (struct hmac_job){
			.key = &bench->keys[algorithm],
			.text = bench->text[i],
			.text_len = (uint16_t)text_len(algorithm, blocks),
			.tag = bench->tags[i],
		};
	}
}

/* A clock that can be trusted says that more work takes longer. */
static bool
makes_sense(const uint32_t near[ENGINE_SIZES], const uint32_t far[ENGINE_SIZES])
{
	for (unsigned s = 0; s < ENGINE_SIZES; s++)
		if (near[s] == 0 || far[s] == 0)
			return false;
	return near[0] < near[ENGINE_SIZES - 1] && near[ENGINE_SIZES - 1] < far[ENGINE_SIZES - 1];
}

static void
fill_classes(struct hmac_engine *engine, unsigned m, unsigned a, const uint32_t near[ENGINE_SIZES],
	     const uint32_t far[ENGINE_SIZES])
{
	for (unsigned class = 0; class < HMAC_CLASSES; class ++) {
		unsigned blocks = class + 1;

		for (unsigned s = 0; s < ENGINE_SIZES; s++) {
			uint32_t step = far[s] > near[s] ? (far[s] - near[s]) / (FAR - NEAR) : 0;

			engine->cost[m][a][class][s] = near[s] + step * (blocks - NEAR);
		}
	}
}

bool
engine_calibrate(struct hmac_engine *engine)
{
	static const uint8_t secret[] = "calibration";
	uint32_t least[ENGINE_MANAGERS_MAX][HMAC_ALGORITHMS][2][ENGINE_SIZES];
	struct bench bench;

	memset(least, 0, sizeof(least));
	memset(&bench, 0x5a, sizeof(bench));
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++)
		if (hmac_key_prepare(&bench.keys[a], a, secret, sizeof(secret)) < 0)
			return false;
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
			for (unsigned far = 0; far < 2; far++) {
				set_jobs(&bench, a, far ? FAR : NEAR);
				for (unsigned m = 0; m < engine->n_managers; m++) {
					if (!engine_manager_can(&engine->managers[m], a))
						continue;
					hmac_engine_force_manager(engine, (int)m);
					measure_sizes(engine, &bench, least[m][a][far]);
				}
			}
		}
	}
	hmac_engine_force_manager(engine, -1);
	for (unsigned m = 0; m < engine->n_managers; m++) {
		for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
			if (!engine_manager_can(&engine->managers[m], a))
				continue;
			if (!makes_sense(least[m][a][0], least[m][a][1]))
				return false;
			fill_classes(engine, m, a, least[m][a][0], least[m][a][1]);
		}
	}
	return true;
}
