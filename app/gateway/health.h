/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks after the workers: one that does not end its loop for long is stuck (in a driver, or off
 * its CPU). That is told when it begins and when it ends, and nobody waits for such a worker
 * meanwhile. Control thread.
 */
#ifndef SEGSEAL_GATEWAY_HEALTH_H
#define SEGSEAL_GATEWAY_HEALTH_H

#include <stdint.h>

#include "watchdog.h"

#define STUCK_AFTER_MS 1000u
#define STUCK_AFTER_MIN_MS 100u
#define STUCK_AFTER_MAX_MS 3600000u

struct gateway;

struct health {
	struct watchdog *watchdogs; /* one a worker */
	uint32_t stuck_after_ms;
	uint64_t due; /* milliseconds: the next look */
};

/* 0, or -1 without memory. */
int health_open(struct gateway *gateway);
void health_close(struct gateway *gateway);
/* The workers have just been launched. */
void health_begin(struct gateway *gateway);
/* Look at each worker; milliseconds until it wants to be called again. */
int health_poll(struct gateway *gateway);

#endif
