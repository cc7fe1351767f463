/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/looks.h"

#include <stdbool.h>
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

static bool
is_clear(const char *method)
{
	return strcmp(method, "stats.clear") == 0 || strcmp(method, "port.stats.clear") == 0;
}

/* Whether a counter is less than it was. */
static bool
went_back(const json_t *before, const json_t *now)
{
	const char *name;
	json_t *value;
	size_t i;

	if (json_is_integer(before) && json_is_integer(now))
		return json_integer_value(now) < json_integer_value(before);
	/* Lists of ports: of the same ones. */
	if (!json_equal(json_object_get(before, "port"), json_object_get(now, "port")) &&
	    json_object_get(before, "port"))
		return false;
	json_object_foreach ((json_t *)before, name, value)
		if (went_back(value, json_object_get(now, name)))
			return true;
	json_array_foreach (before, i, value)
		if (went_back(value, json_array_get(now, i)))
			return true;
	return false;
}

void
looks_compare(const struct control_looks *looks, const char *method, const json_t *result,
	      struct display *display)
{
	size_t i = index_of(method);

	if (!looks || i == N_COUNTING || !looks->look[i].result ||
	    went_back(looks->look[i].result, result))
		return;
	display->before = looks->look[i].result;
	display->seconds = now_seconds() - looks->look[i].at;
}

void
looks_keep(struct control_looks *looks, const char *method, json_t *result)
{
	size_t i = index_of(method);

	if (looks && is_clear(method)) {
		for (size_t k = 0; k < N_COUNTING; k++) {
			json_decref(looks->look[k].result);
			looks->look[k].result = NULL;
		}
	}
	if (!looks || i == N_COUNTING)
		return;
	json_decref(looks->look[i].result);
	looks->look[i].result = json_incref(result);
	looks->look[i].at = now_seconds();
}
