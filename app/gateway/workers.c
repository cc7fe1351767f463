/* SPDX-License-Identifier: BSD-3-Clause */
#include "workers.h"

#include <rte_cycles.h>
#include <rte_lcore.h>

#include "gateway.h"

static uint64_t
look(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void
load_read(struct worker *worker, struct load *load)
{
	struct memo_stats memo = {0};

	if (worker->gate != NULL)
		gate_worker_memo(worker->gate, &memo);
	*load = (struct load){
		.tsc = rte_rdtsc(),
		.packets = look(&worker->load.packets),
		.busy_cycles = look(&worker->load.busy_cycles),
		.memo_hits = memo.hits,
		.memo_misses = memo.misses,
		.memo_evictions = memo.evictions,
	};
	for (unsigned i = 0; i < WORKER_BURST_SIZES; i++)
		load->bursts[i] = look(&worker->load.bursts[i]);
}

static void
load_subtract(struct load *load, const struct load *from)
{
	load->tsc -= from->tsc;
	load->packets -= from->packets;
	load->busy_cycles -= from->busy_cycles;
	load->memo_hits -= from->memo_hits;
	load->memo_misses -= from->memo_misses;
	load->memo_evictions -= from->memo_evictions;
	for (unsigned i = 0; i < WORKER_BURST_SIZES; i++)
		load->bursts[i] -= from->bursts[i];
}

static const char *
state(const struct gateway *gateway, const struct worker *worker)
{
	if (!gateway->launched)
		return "starting";
	if (worker->stuck)
		return "stuck";
	return gateway->forwarding ? "polling" : "stopped";
}

static int64_t
heartbeat_ms(const struct worker *worker)
{
	uint64_t last = look(&worker->load.heartbeat);
	uint64_t now = rte_rdtsc();

	if (last == 0)
		return -1;
	return last < now ? (int64_t)((now - last) / (rte_get_tsc_hz() / 1000)) : 0;
}

void
worker_view(const struct gateway *gateway, unsigned index, struct worker_view *view)
{
	struct worker *worker = &gateway->workers[index];

	*view = (struct worker_view){
		.worker = index,
		.lcore = worker->lcore,
		.socket = (int)rte_lcore_to_socket_id(worker->lcore),
		.state = state(gateway, worker),
		.heartbeat_ms = heartbeat_ms(worker),
	};
	load_read(worker, &view->load);
	load_subtract(&view->load, &gateway->load_cleared[index]);
	for (unsigned i = 0; i < WORKER_BURST_SIZES; i++)
		view->bursts += view->load.bursts[i];
	if (view->load.packets != 0)
		view->cycles_per_packet = view->load.busy_cycles / view->load.packets;
	if (view->load.tsc != 0)
		view->busy_percent = (unsigned)(view->load.busy_cycles * 100 / view->load.tsc);
}

const char *
worker_burst_size(unsigned size)
{
	static const char *const names[WORKER_BURST_SIZES] = {
		"1", "2-3", "4-7", "8-15", "16-31", "32-63", "64-127", "128",
	};

	return names[size];
}
