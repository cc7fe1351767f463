/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/looks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const counting[] = {"stats.get", "port.stats"};
#define N_COUNTING (sizeof(counting) / sizeof(counting[0]))

struct control_looks {
	struct look {
		json_t *result;
		double at; /* seconds */
	} look[N_COUNTING];
};

static double
now_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

struct control_looks *
control_looks_create(void)
{
	return calloc(1, sizeof(struct control_looks));
}

void
control_looks_destroy(struct control_looks *looks)
{
	for (size_t i = 0; looks && i < N_COUNTING; i++)
		json_decref(looks->look[i].result);
	free(looks);
}

/* N_COUNTING if it has no counters. */
static size_t
index_of(const char *method)
{
	size_t i = 0;

	while (i < N_COUNTING && strcmp(counting[i], method) != 0)
		i++;
	return i;
}

void
looks_compare(const struct control_looks *looks, const char *method, struct display *display)
{
	size_t i = index_of(method);

	if (!looks || i == N_COUNTING || !looks->look[i].result)
		return;
	display->before = looks->look[i].result;
	display->seconds = now_seconds() - looks->look[i].at;
}

void
looks_keep(struct control_looks *looks, const char *method, json_t *result)
{
	size_t i = index_of(method);

	if (!looks || i == N_COUNTING)
		return;
	json_decref(looks->look[i].result);
	looks->look[i].result = json_incref(result);
	looks->look[i].at = now_seconds();
}
