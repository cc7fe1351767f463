/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TSC cycles of short pieces of code: several contestants take turns, so that what disturbs the
 * machine disturbs all of them, and each is judged by its median and its least.
 */
#ifndef SEGSEAL_BENCH_MEASURE_H
#define SEGSEAL_BENCH_MEASURE_H

#include <stdint.h>

#include <x86intrin.h>

#define MEASURE_ROUNDS_MAX 1001u

struct contestant {
	void (*run)(void *arg);	   /* measured */
	void (*before)(void *arg); /* run before each run(), not measured; NULL = none */
	void *arg;
	unsigned items; /* handled by one run; the results are per item */
	double median, least;
};

/* The clock with everything before it done and nothing after it begun. */
static inline uint64_t
measure_now(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}

/* Let all of them run in turn, rounds times after a warm-up, and fill in their results. */
void measure(struct contestant *contestants, unsigned n, unsigned rounds);

#endif
