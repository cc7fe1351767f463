/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What control does with dropped packets: it asks the workers for those that something here wants,
 * and shows each to the log, the ICMPv6 errors, the trace and the capture. Control thread.
 */
#ifndef SEGSEAL_GATEWAY_DROPS_H
#define SEGSEAL_GATEWAY_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "drop_capture.h"
#include "drop_log.h"
#include "icmp_errors.h"
#include "trace.h"

struct gateway;

struct drops {
	struct icmp_errors icmp;
	struct drop_log log;
	struct trace trace;
	struct drop_capture capture;
	uint8_t *flat; /* one packet in one piece */
	/* Send control's own packet by a port: false if it cannot be. */
	bool (*send)(void *arg, uint16_t port, const uint8_t *frame, unsigned len);
	void *send_arg;
};

/* When: the clock of limits, and that of captures. Nanoseconds. */
struct drops_time {
	uint64_t now;
	uint64_t wall;
};

/* 0, or -1 without memory. log: whether drops are logged at first. */
int drops_open(struct gateway *gateway, bool log);
/* The workers have ended. */
void drops_close(struct gateway *gateway);

/* Take what workers have left, bounded; milliseconds until it wants to be called again, -1 never.
 */
int drops_poll(struct gateway *gateway);
/* One dropped packet; the caller frees it. */
void drops_take(struct gateway *gateway, const struct punt_record *record,
		const struct drops_time *time);
/* Let workers know what is wanted now; what a command has changed takes effect by it. */
void drops_want(struct gateway *gateway);

struct drops_time drops_time(void);
/* All workers' counters, summed over ports, since the start: for drops, which are never taken
 * back, right at any time. */
void drops_totals(const struct gateway *gateway, struct gate_counters *totals);
/* Packets that were wanted and did not come, since the start. */
uint64_t drops_held_back(const struct gateway *gateway);

#endif
