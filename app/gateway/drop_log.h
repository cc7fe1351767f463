/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A log line for dropped packets: few a second for each reason, and how many were held back.
 * Control thread.
 */
#ifndef SEGSEAL_GATEWAY_DROP_LOG_H
#define SEGSEAL_GATEWAY_DROP_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "bucket.h"
#include "gate/gate.h"
#include "punt.h"

#define DROP_LOG_RATE 5u /* lines a second for each reason */

struct gateway;

struct drop_log {
	bool on;
	struct drop_log_reason {
		struct bucket bucket;
		uint64_t told; /* packets that a line was written for, or that one counted */
		uint64_t at;   /* nanoseconds: the last line */
		bool behind;   /* the limit was reached: there may be some to tell of */
	} reason[GATE_VERDICT_COUNT - GATE_FIRST_DROP];
};

/* From here on, or no more. */
void drop_log_set(struct gateway *gateway, bool on, uint64_t now);
uint32_t drop_log_wanted(struct drop_log *log, uint64_t now);
void drop_log_take(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
		   uint32_t len, uint64_t now);
/* Tell of those held back when none has come for a while. */
void drop_log_catch_up(struct gateway *gateway, uint64_t now);

#endif
