/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include <intel-ipsec-mb.h>
#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "gateway.h"
#include "handlers.h"

static json_t *
forward(struct control_call *call, const json_t *params, bool on)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	if (gateway_forward(gateway, on) != 0)
		return control_fail(call, EBUSY, "a worker does not respond");
	return handlers_result(call, json_pack("{s:b}", "running", on));
}

json_t *
handle_start(struct control_call *call, const json_t *params)
{
	return forward(call, params, true);
}

json_t *
handle_stop(struct control_call *call, const json_t *params)
{
	return forward(call, params, false);
}

json_t *
handle_quit(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	gateway->quit = true;
	return handlers_result(call, json_object());
}

json_t *
handle_version(struct control_call *call, const json_t *params)
{
	if (!handlers_no_params(call, params))
		return NULL;
	return handlers_result(call, json_pack("{s:s, s:s, s:s, s:[s, s, s, s, s, s, s, s, s, s]}",
					       "version", SEGSEAL_VERSION, "dpdk", rte_version(),
					       "ipsec_mb", imb_get_version_str(), "capabilities",
					       "keys", "ports", "sids", "stats", "workers",
					       "engine", "icmp", "log", "trace", "capture"));
}

static json_t *
worker_queues(const struct gateway *gateway, unsigned index)
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
worker_info(const struct gateway *gateway, unsigned index)
{
	struct worker *worker = &gateway->workers[index];
	const struct gateway_load *cleared = &gateway->load_cleared[index];
	uint64_t packets = atomic_load(&worker->load.packets) - cleared->packets;
	uint64_t bursts = atomic_load(&worker->load.bursts) - cleared->bursts;
	uint64_t busy = atomic_load(&worker->load.busy_cycles) - cleared->busy_cycles;
	uint64_t all = rte_rdtsc() - cleared->tsc;
	struct memo_stats memo = {0};

	if (worker->gate != NULL)
		gate_worker_memo(worker->gate, &memo);
	return json_pack(
		"{s:i, s:i, s:i, s:b, s:o, s:I, s:I, s:I, s:I, s:I}", "worker", (int)index, "lcore",
		(int)worker->lcore, "socket", (int)rte_lcore_to_socket_id(worker->lcore), "running",
		gateway->launched && gateway->forwarding, "queues", worker_queues(gateway, index),
		"packets", (json_int_t)packets, "bursts", (json_int_t)bursts, "cycles_per_packet",
		(json_int_t)(packets != 0 ? busy / packets : 0), "busy_percent",
		(json_int_t)(all != 0 ? busy * 100 / all : 0), "memo_hits",
		(json_int_t)(memo.hits - cleared->memo_hits));
}

json_t *
handle_worker_list(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	json_t *list = json_array();

	for (unsigned i = 0; i < gateway->n_workers; i++)
		if (json_array_append_new(list, worker_info(gateway, i)) != 0) {
			json_decref(list);
			return handlers_result(call, NULL);
		}
	return handlers_result(call, json_pack("{s:o}", "workers", list));
}
