/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers: what they do, and from when on one that does nothing is called stuck. */
#include "gateway.h"
#include "handlers.h"

static json_t *
queues_json(const struct gateway *gateway, unsigned index)
{
	json_t *queues = json_array();

	if (gateway->plan == NULL)
		return queues;
	const struct plan_worker *plan = &gateway->plan->workers[index];

	for (unsigned i = 0; i < plan->n; i++)
		json_array_append_new(queues,
				      json_pack("{s:i, s:i}", "port", plan->queues[i].rx_port,
						"queue", plan->queues[i].rx_queue));
	return queues;
}

static json_t *
sizes_json(const struct load *load)
{
	json_t *sizes = json_object();

	for (unsigned i = 0; i < WORKER_BURST_SIZES; i++)
		json_object_set_new(sizes, worker_burst_size(i),
				    json_integer((json_int_t)load->bursts[i]));
	return sizes;
}

static json_t *
worker_json(const struct gateway *gateway, unsigned index)
{
	struct worker_view view;

	worker_view(gateway, index, &view);
	return json_pack(
		"{s:i, s:i, s:i, s:b, s:s, s:o, s:o, s:I, s:I, s:o, s:I, s:I, s:I, s:i, s:I, s:I, "
		"s:I}",
		"worker", (int)view.worker, "lcore", (int)view.lcore, "socket", view.socket,
		"running", gateway->launched && gateway->forwarding, "state", view.state,
		"heartbeat_ms",
		view.heartbeat_ms < 0 ? json_null() : json_integer((json_int_t)view.heartbeat_ms),
		"queues", queues_json(gateway, index), "packets", (json_int_t)view.load.packets,
		"bursts", (json_int_t)view.bursts, "burst_sizes", sizes_json(&view.load), "cycles",
		(json_int_t)view.load.tsc, "busy_cycles", (json_int_t)view.load.busy_cycles,
		"cycles_per_packet", (json_int_t)view.cycles_per_packet, "busy_percent",
		(int)view.busy_percent, "memo_hits", (json_int_t)view.load.memo_hits, "memo_misses",
		(json_int_t)view.load.memo_misses, "memo_evictions",
		(json_int_t)view.load.memo_evictions);
}

json_t *
handle_worker_list(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	json_t *list = json_array();

	for (unsigned i = 0; i < gateway->n_workers; i++)
		if (json_array_append_new(list, worker_json(gateway, i)) != 0) {
			json_decref(list);
			return handlers_result(call, NULL);
		}
	return handlers_result(call, json_pack("{s:o, s:b, s:I}", "workers", list, "forwarding",
					       gateway->forwarding, "stuck_after_ms",
					       (json_int_t)gateway->health.stuck_after_ms));
}

json_t *
handle_worker_set(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"stuck_after_ms", NULL};
	struct gateway *gateway = control_arg(call);
	uint64_t value;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "stuck_after_ms", STUCK_AFTER_MIN_MS,
				STUCK_AFTER_MAX_MS, &value))
		return NULL;
	gateway->health.stuck_after_ms = (uint32_t)value;
	return handlers_result(call, json_object());
}
