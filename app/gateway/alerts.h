/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at links and at how fast packets are dropped, and tells of what has changed. Control
 * thread.
 */
#ifndef SEGSEAL_GATEWAY_ALERTS_H
#define SEGSEAL_GATEWAY_ALERTS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/gate.h"
#include "ports.h"

#define DROP_RATE_DEFAULT 1000u
#define DROP_RATE_MAX 1000000000u

struct gateway;

struct alerts {
	uint64_t due; /* milliseconds: the next look; 0 = there was none yet */
	struct port_link link[GATE_PORTS_MAX];

	uint32_t drop_rate; /* packets a second for one reason above which it is told */
	uint64_t counted;   /* milliseconds: when dropped was */
	struct gate_counters dropped;
	bool above[GATE_VERDICT_COUNT];
};

/* Milliseconds until it wants to be called again, -1 never. */
int alerts_poll(struct gateway *gateway);

#endif
