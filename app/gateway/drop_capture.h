/* SPDX-License-Identifier: BSD-3-Clause */
/* Dropped packets into a pcapng file, the reason as their comment. Control thread. */
#ifndef SEGSEAL_GATEWAY_DROP_CAPTURE_H
#define SEGSEAL_GATEWAY_DROP_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "drop_filter.h"

struct gateway;

struct drop_capture {
	FILE *file; /* NULL: not running */
	char *path; /* of the last */
	struct drop_filter filter;
	uint64_t limit; /* packets; 0 = no limit */
	uint64_t packets;
	uint64_t missed; /* wanted, and not handed over; while running: at the start */
	int interface[GATE_PORTS_MAX]; /* in the file; -1 = none yet */
	int n_interfaces;
};

/*
 * Write what the filter takes into a new file: 0, or a negative errno with error: -EBUSY while one
 * is running, -EEXIST, others as open().
 */
int drop_capture_start(struct gateway *gateway, const char *path, const struct drop_filter *filter,
		       uint64_t limit, char *error, size_t error_size);
/* Nothing if none is running. */
void drop_capture_stop(struct gateway *gateway);
/* Stop, and forget the path of the last. */
void drop_capture_close(struct gateway *gateway);
uint64_t drop_capture_missed(const struct gateway *gateway);
uint32_t drop_capture_wanted(const struct drop_capture *capture);
void drop_capture_take(struct gateway *gateway, const struct punt_record *record,
		       const uint8_t *frame, uint32_t len, uint64_t wall);
/* Let others see what was written so far. */
void drop_capture_flush(struct gateway *gateway);

#endif
