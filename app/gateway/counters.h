/* SPDX-License-Identifier: BSD-3-Clause */
/* Verdict counters as sums, as JSON and as a list for people. Control side. */
#ifndef SEGSEAL_GATEWAY_COUNTERS_H
#define SEGSEAL_GATEWAY_COUNTERS_H

#include <stdio.h>

#include <jansson.h>

#include "gate/gate.h"

void counters_add(struct gate_counters *sum, const struct gate_counters *counters);
void counters_subtract(struct gate_counters *from, const struct gate_counters *counters);

/* {"rx":..,"tx":..,...,"drops":{..}} with every counter; a new reference, NULL without memory. */
json_t *counters_json(const struct gate_counters *counters);

/* rx and tx, then what is not zero, one counter a line with its meaning. */
void counters_print(FILE *out, const struct gate_counters *counters);

#endif
