/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define SAMPLE_CYCLES 4000u /* a sample shorter than this is mostly clock */
#define REPEAT_MAX 256u

/* What two readings of the clock cost with nothing in between. */
static uint64_t
clock_cycles(void)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < 1000; i++) {
		uint64_t start = measure_now();
		uint64_t cycles = measure_now() - start;

		if (cycles < least)
			least = cycles;
	}
	return least;
}

static uint64_t
sample(const struct contestant *c, unsigned repeat, uint64_t clock)
{
	uint64_t start, sum = 0;

	if (c->before) {
		for (unsigned i = 0; i < repeat; i++) {
			c->before(c->arg);
			start = measure_now();
			c->run(c->arg);
			sum += measure_now() - start - clock;
		}
		return sum;
	}
	start = measure_now();
	for (unsigned i = 0; i < repeat; i++)
		c->run(c->arg);
	return measure_now() - start - clock;
}

static unsigned
repeats(const struct contestant *c, uint64_t clock)
{
	uint64_t cycles = UINT64_MAX;

	for (unsigned i = 0; i < 5; i++) {
		uint64_t once = sample(c, 1, clock);

		if (once < cycles)
			cycles = once;
	}
	if (cycles >= SAMPLE_CYCLES)
		return 1;
	return cycles < SAMPLE_CYCLES / REPEAT_MAX ? REPEAT_MAX
						   : SAMPLE_CYCLES / (unsigned)cycles + 1;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void
measure(struct contestant *contestants, unsigned n, unsigned rounds)
{
	double *samples = calloc((size_t)n * rounds, sizeof(*samples));
	unsigned *repeat = calloc(n, sizeof(*repeat));
	uint64_t clock = clock_cycles();

	if (!samples || !repeat)
		abort();
	for (unsigned i = 0; i < n; i++)
		repeat[i] = repeats(&contestants[i], clock);
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < n; i++) {
			const struct contestant *c = &contestants[i];

			(void)sample(c, 1, clock); /* the one before left its data in the caches */
			samples[(size_t)i * rounds + round] =
				(double)sample(c, repeat[i], clock) / repeat[i] / c->items;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		double *mine = samples + (size_t)i * rounds;

		qsort(mine, rounds, sizeof(*mine), by_size);
		contestants[i].median = mine[rounds / 2];
		contestants[i].least = mine[0];
	}
	free(samples);
	free(repeat);
}
