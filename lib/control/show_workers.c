/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show.h"

/* The bursts of each size as columns beside the worker's number: {"sizes": [..]}. */
static json_t *
sizes_rows(const json_t *result)
{
	json_t *rows = json_array();
	size_t i;
	json_t *worker;

	json_array_foreach (json_object_get(result, "workers"), i, worker) {
		json_t *row = json_object();

		json_object_set(row, "worker", json_object_get(worker, "worker"));
		json_object_update(row, json_object_get(worker, "burst_sizes"));
		json_array_append_new(rows, row);
	}
	return json_pack("{s:o}", "sizes", rows);
}

void
show_workers(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"worker", "worker", COLUMN_NUMBER, NULL},
		{"lcore", "lcore", COLUMN_NUMBER, NULL},
		{"NUMA", "socket", COLUMN_NUMBER, NULL},
		{"state", "state", COLUMN_TEXT, NULL},
		{"heartbeat", "heartbeat_ms", COLUMN_AGE_MS, NULL},
		{"port:queue", "queues", COLUMN_QUEUES, NULL},
		{"packets", "packets", COLUMN_NUMBER, NULL},
		{"bursts", "bursts", COLUMN_NUMBER, NULL},
		{"cycles/packet", "cycles_per_packet", COLUMN_NUMBER, NULL},
		{"busy %", "busy_percent", COLUMN_NUMBER, NULL},
		{"memo hits", "memo_hits", COLUMN_NUMBER, NULL},
		{"misses", "memo_misses", COLUMN_NUMBER, NULL},
		{"evictions", "memo_evictions", COLUMN_NUMBER, NULL},
		{0},
	};
	static const struct column sizes[] = {
		{"worker", "worker", COLUMN_NUMBER, NULL},
		{"bursts of 1", "1", COLUMN_NUMBER, NULL},
		{"2-3", "2-3", COLUMN_NUMBER, NULL},
		{"4-7", "4-7", COLUMN_NUMBER, NULL},
		{"8-15", "8-15", COLUMN_NUMBER, NULL},
		{"16-31", "16-31", COLUMN_NUMBER, NULL},
		{"32-63", "32-63", COLUMN_NUMBER, NULL},
		{"64-127", "64-127", COLUMN_NUMBER, NULL},
		{"128 packets", "128", COLUMN_NUMBER, NULL},
		{0},
	};
	json_t *rows;

	display_table(display, result, "workers", columns);
	if (display->json)
		return;
	rows = sizes_rows(result);
	display_text(display, "%s", "");
	display_table(display, rows, "sizes", sizes);
	json_decref(rows);
}
