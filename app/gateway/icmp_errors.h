/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMPv6 errors about dropped packets: whether, how often, and what for. Control thread. */
#ifndef SEGSEAL_GATEWAY_ICMP_ERRORS_H
#define SEGSEAL_GATEWAY_ICMP_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "bucket.h"
#include "gate/gate.h"
#include "punt.h"

#define ICMP_RATE_DEFAULT 100u

struct gateway;

struct icmp_errors {
	bool on;
	bool used; /* has been on */
	uint8_t source[16];
	struct bucket bucket;
	/* Since the last clear: */
	uint64_t made;
	uint64_t unanswerable;	 /* RFC 4443 forbids it */
	uint64_t limited_before; /* while it was on before */
	uint64_t base_dropped;	 /* what would be answered, dropped before it was on */
	uint64_t base_sent;
};

void icmp_errors_set_source(struct gateway *gateway, const uint8_t source[16], uint64_t now);
void icmp_errors_off(struct gateway *gateway);
void icmp_errors_set_rate(struct gateway *gateway, uint32_t rate, uint64_t now);

/* Reasons that are answered now, as punt_bit()s. */
uint32_t icmp_errors_wanted(struct icmp_errors *icmp, uint64_t now);
/* Answer a dropped packet, frame[0..len) in one piece, if it is to be answered. */
void icmp_errors_take(struct gateway *gateway, const struct punt_record *record,
		      const uint8_t *frame, uint32_t len, uint64_t now);

/* Errors sent, and packets that got none for there were too many, since the last clear. */
uint64_t icmp_errors_sent(const struct gateway *gateway);
uint64_t icmp_errors_limited(const struct gateway *gateway);
/* Whether they have been on: only then do results speak of them. */
bool icmp_errors_used(const struct gateway *gateway);
/* {"sent":..,"limited":..}; a new reference, NULL without memory. */
json_t *icmp_errors_json(const struct gateway *gateway);
void icmp_errors_clear(struct gateway *gateway);

#endif
