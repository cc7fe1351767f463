/* SPDX-License-Identifier: BSD-3-Clause */
/* The next few dropped packets, and in words what each stage found in them. Control thread. */
#ifndef SEGSEAL_GATEWAY_TRACE_H
#define SEGSEAL_GATEWAY_TRACE_H

#include <stdint.h>

#include <jansson.h>

#include "drop_filter.h"

#define TRACE_MAX 100u /* packets kept; the oldest go first */

struct gateway;

struct trace {
	unsigned waiting; /* packets that are still to be kept */
	struct drop_filter filter;
	uint64_t number; /* of the last */
	json_t *packets; /* array; NULL: none yet */
};

/* Keep the next n packets that the filter takes. */
void trace_add(struct trace *trace, unsigned n, const struct drop_filter *filter);
/* Wait for no more, forget those that were kept. */
void trace_clear(struct trace *trace);
uint32_t trace_wanted(const struct trace *trace);
void trace_take(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
		uint32_t len, uint64_t wall);

/*
 * What the stages find in a packet, walked again with the keys and settings as they are now: array
 * of lines, never with an HMAC in it. trace_walk.c.
 */
json_t *trace_walk(const struct gateway *gateway, const struct punt_record *record,
		   const uint8_t *frame, uint32_t len);

#endif
