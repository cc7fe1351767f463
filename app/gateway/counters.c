/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters.h"

#include <inttypes.h>

void
counters_add(struct gate_counters *sum, const struct gate_counters *counters)
{
	for (unsigned i = 0; i < GATE_VERDICT_COUNT; i++)
		sum->v[i] += counters->v[i];
}

void
counters_subtract(struct gate_counters *from, const struct gate_counters *counters)
{
	for (unsigned i = 0; i < GATE_VERDICT_COUNT; i++)
		from->v[i] -= counters->v[i];
}

json_t *
counters_json(const struct gate_counters *counters)
{
	json_t *all = json_object();
	json_t *drops = json_object();
	int failed = 0;

	for (unsigned i = 0; i < GATE_VERDICT_COUNT; i++)
		failed |= json_object_set_new(gate_is_drop(i) ? drops : all, gate_verdict_name(i),
					      json_integer((json_int_t)counters->v[i]));
	failed |= json_object_set_new(all, "drops", drops);
	if (failed) {
		json_decref(all);
		return NULL;
	}
	return all;
}

static void
print_counter(FILE *out, const char *indent, enum gate_verdict verdict, uint64_t value)
{
	fprintf(out, "%s%-*s %12" PRIu64 "  %s\n", indent, *indent ? 22 : 24,
		gate_verdict_name(verdict), value, gate_verdict_help(verdict));
}

void
counters_print(FILE *out, const struct gate_counters *counters)
{
	uint64_t drops = 0;

	for (unsigned i = 0; i < GATE_FIRST_DROP; i++)
		if (counters->v[i] != 0 || i == GATE_RX || i == GATE_TX)
			print_counter(out, "", i, counters->v[i]);
	for (unsigned i = GATE_FIRST_DROP; i < GATE_VERDICT_COUNT; i++)
		drops += counters->v[i];
	fprintf(out, "%-24s %12" PRIu64 "  packets dropped, by reason:\n", "drops", drops);
	for (unsigned i = GATE_FIRST_DROP; i < GATE_VERDICT_COUNT; i++)
		if (counters->v[i] != 0)
			print_counter(out, "  ", i, counters->v[i]);
}
