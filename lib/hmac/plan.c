/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From measured costs to what is done with a group of n jobs: the cheapest way to cut it into
 * calls, found by looking at every cut of every smaller group. Control threads.
 */
#include "hmac/engine.h"

#define NEVER (UINT32_MAX / 2)
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

	for (unsigned m = 0; m < engine->n_managers; m++) {
		bool can = engine_manager_can(&engine->managers[m], a);

		for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++)
			call[m][n] = can ? engine_cost(engine, m, a, class, n) : NEVER;
	}
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

/* Managers stand narrow before wide and ours before the library's: the first that can, it is. For
 * SHA-1 and SHA-256 that is the SHA instructions where there are any. */
static void
plan_thumb(const struct hmac_engine *engine, unsigned a,
	   struct engine_plan plan[HMAC_BATCH_MAX + 1])
{
	unsigned m = 0;

	while (!engine_manager_can(&engine->managers[m], a))
		m++;
	/* Nothing of ours: the library's widest. */
	if (engine->managers[m].imb)
		m = engine->n_managers - 1;
	for (unsigned n = 1; n <= HMAC_BATCH_MAX; n++) {
		plan[n].manager = (uint8_t)m;
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
