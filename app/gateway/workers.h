/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What workers have done and how they are, for whoever tells of it. Control thread, or one that
 * holds the gateway's lock.
 */
#ifndef SEGSEAL_GATEWAY_WORKERS_H
#define SEGSEAL_GATEWAY_WORKERS_H

#include <stdint.h>

#include "worker.h"

struct gateway;

/* What one worker had done at a TSC. */
struct load {
	uint64_t tsc;
	uint64_t packets;
	uint64_t busy_cycles;
	uint64_t bursts[WORKER_BURST_SIZES];
	uint64_t memo_hits;
	uint64_t memo_misses;
	uint64_t memo_evictions;
};

void load_read(struct worker *worker, struct load *load);

struct worker_view {
	unsigned worker;
	unsigned lcore;
	int socket;
	const char *state;    /* "starting", "polling", "stopped", "stuck" */
	int64_t heartbeat_ms; /* since the end of its last loop; -1 before it began */
	struct load load;     /* since the last clear; tsc: cycles since then */
	uint64_t bursts;      /* of all sizes */
	uint64_t cycles_per_packet;
	unsigned busy_percent;
};

void worker_view(const struct gateway *gateway, unsigned index, struct worker_view *view);

/* "1", "2-3", "4-7", ... "128": packets in a burst of this size. */
const char *worker_burst_size(unsigned size);

#endif
