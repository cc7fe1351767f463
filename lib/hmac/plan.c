/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From measured costs to what is done with a group of n jobs: the cheapest way to cut it into
 * calls, found by looking at every cut of every smaller group. Control threads.
 */
#include "hmac/engine.h"

#define CUT 4u /* calls take a multiple of so many jobs, or all that is left */

uint32_t
engine_cost(const struct hmac_engine *engine, unsigned manager, enum hmac_algorithm algorithm,
	    unsigned class, unsigned n)
{
	const uint32_t *cost = engine->cost[manager][algorithm][class];
	unsigned s = 1;
	int64_t step;

	/* Between two sizes, or past the last of them on the same slope. */
	while (s < ENGINE_SIZES - 1 && engine_sizes[s] < n)
		s++;
	step = (int64_t)cost[s] - cost[s - 1];
	return (uint32_t)(cost[s - 1] + step * ((int64_t)n - engine_sizes[s - 1]) /
						(engine_sizes[s] - engine_sizes[s - 1]));
}

static void
plan_measured(const struct hmac_engine *engine, unsigned a, unsigned class,
	      struct engine_plan plan[HMAC_BATCH_MAX + 1])
{
	uint32_t call[ENGINE_MANAGERS_MAX][HMAC_BATCH_MAX + 1];
	uint32_t best[HMAC_BATCH_MAX + 1] = {0};

	for (unsigned m = 0; m < engine->n_managers; m++)
		for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++)
			call[m][n] = engine_cost(engine, m, a, class, n);
	for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++) {
		unsigned same = plan[n - 1].manager;

		best[n] = UINT32_MAX;
		for (unsigned m = 0; m < engine->n_managers; m++) {
			for (unsigned take = n; take > 0; take = (take - 1) / CUT * CUT) {
				uint32_t cycles = call[m][take] + best[n - take];

				if (cycles < best[n]) {
					best[n] = cycles;
					plan[n].manager = (uint8_t)m;
					plan[n].take = (uint8_t)take;
				}
			}
		}
		/* What is within the noise stays as for the size before, in one call. */
		if (n > 1 && call[same][n] <= best[n] + best[n] / 16) {
			plan[n].manager = (uint8_t)same;
			plan[n].take = (uint8_t)n;
		}
	}
}

/* SHA-1 and SHA-256 instructions beat any number of lanes on small batches and come near on large
 * ones; without them, and for the wide hashes, the widest manager it is. */
static void
plan_thumb(const struct hmac_engine *engine, unsigned a,
	   struct engine_plan plan[HMAC_BATCH_MAX + 1])
{
	bool narrow = a < HMAC_SHA384 && (engine->managers[0].imb->features & IMB_FEATURE_SHANI);

	for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++) {
		plan[n].manager = (uint8_t)(narrow ? 0 : engine->n_managers - 1);
		plan[n].take = (uint8_t)n;
	}
}

void
engine_plan(struct hmac_engine *engine)
{
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned class = 0; class < HMAC_CLASSES; class ++) {
			if (engine->calibrated)
				plan_measured(engine, a, class, engine->plan[a][class]);
			else
				plan_thumb(engine, a, engine->plan[a][class]);
		}
	}
}
