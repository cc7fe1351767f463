/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include "gateway.h"
#include "wall.h"

void
trace_add(struct trace *trace, unsigned n, const struct drop_filter *filter)
{
	trace->waiting = n;
	trace->filter = *filter;
}

void
trace_clear(struct trace *trace)
{
	trace->waiting = 0;
	json_decref(trace->packets);
	trace->packets = NULL;
}

uint32_t
trace_wanted(const struct trace *trace)
{
	return trace->waiting > 0 ? drop_filter_bits(&trace->filter) : 0;
}

void
trace_take(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
	   uint32_t len, uint64_t wall)
{
	struct trace *trace = &gateway->drops.trace;
	json_t *packet;

	if (trace->waiting == 0 || !drop_filter_takes(&trace->filter, record))
		return;
	if (trace->packets == NULL)
		trace->packets = json_array();
	packet = json_pack("{s:I, s:o, s:i, s:I, s:s, s:o, s:o}", "number",
			   (json_int_t)(trace->number + 1), "time", wall_json(wall), "port",
			   record->port, "length", (json_int_t)len, "reason",
			   gate_verdict_name(record->verdict), "key",
			   record->key_id != 0 ? json_integer(record->key_id) : json_null(),
			   "steps", trace_walk(gateway, record, frame, len));
	if (packet == NULL || json_array_append_new(trace->packets, packet) != 0)
		return;
	trace->number++;
	trace->waiting--;
	if (json_array_size(trace->packets) > TRACE_MAX)
		json_array_remove(trace->packets, 0);
}
