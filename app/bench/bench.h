/* SPDX-License-Identifier: BSD-3-Clause */
/* What the benches share: options, and how results are told. */
#ifndef SEGSEAL_BENCH_H
#define SEGSEAL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "hmac/hmac.h"

#define LIST_MAX 16u

struct list {
	unsigned v[LIST_MAX];
	unsigned n;
};

struct bench_options {
	bool json;
	unsigned rounds;
	int core; /* that measures */
	struct list algorithms;
	struct list profiles;
	struct list segments;
	struct list bursts;
	struct list flows;
};

/* --- benches: 0, or -1 after a line on stderr --- */

int bench_hmac(const struct bench_options *options);
int bench_verify(const struct bench_options *options);
int bench_insert(const struct bench_options *options);
int bench_time(const struct bench_options *options);

/* --- results --- */

struct bench_row {
	const char *bench;	       /* "hmac" */
	const char *name;	       /* of the case or contestant */
	enum hmac_algorithm algorithm; /* HMAC_ALGORITHMS = all, with both profiles and 1..10
					* segments */
	enum hmac_profile profile;
	unsigned segments;
	unsigned burst;
	unsigned flows; /* 0 = does not apply */
	unsigned keys;	/* the same */
	double cycles;	/* median */
	double min_cycles;
	unsigned samples; /* that t is of; 0 = does not apply */
	double t;	  /* |t| of Welch's test */
};

void bench_report(const struct bench_options *options, const struct bench_row *row);
/* A line of text between rows; not in JSON. */
void bench_note(const struct bench_options *options, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
