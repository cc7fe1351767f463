/* SPDX-License-Identifier: BSD-3-Clause */
#include "drop_log.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "gateway.h"
#include "log.h"
#include "srh/srh.h"

LOG_MODULE(drops);

#define QUIET_NS 2000000000ull /* after the last line of a reason, before it is summed up */
#define IPV6_SA_OFF 8u
#define IPV6_DA_OFF 24u

void
drop_log_set(struct gateway *gateway, bool on, uint64_t now)
{
	struct drop_log *log = &gateway->drops.log;
	struct gate_counters totals;

	if (on && !log->on) {
		drops_totals(gateway, &totals);
		for (unsigned v = GATE_FIRST_DROP; v < GATE_VERDICT_COUNT; v++)
			log->reason[v - GATE_FIRST_DROP] = (struct drop_log_reason){
				.bucket = bucket_make(DROP_LOG_RATE, now),
				.told = totals.v[v],
			};
	}
	log->on = on;
}

uint32_t
drop_log_wanted(struct drop_log *log, uint64_t now)
{
	uint32_t bits = 0;

	for (unsigned v = GATE_FIRST_DROP; log->on && v < GATE_VERDICT_COUNT; v++)
		if (bucket_has(&log->reason[v - GATE_FIRST_DROP].bucket, now))
			bits |= punt_bit(v);
	return bits;
}

/* Packets dropped for this reason that no line has told of. */
static uint64_t
untold(const struct gateway *gateway, unsigned verdict)
{
	struct gate_counters totals;
	uint64_t told = gateway->drops.log.reason[verdict - GATE_FIRST_DROP].told;

	drops_totals(gateway, &totals);
	return totals.v[verdict] > told ? totals.v[verdict] - told : 0;
}

/* "from A to B, Key ID N", as far as the packet has them. */
static void
describe(char *text, size_t size, const struct punt_record *record, const uint8_t *frame,
	 uint32_t len)
{
	char source[INET6_ADDRSTRLEN] = "?", destination[INET6_ADDRSTRLEN] = "?";
	struct srh_view view;
	int n;

	(void)srh_find(frame, len, len, &view);
	if (view.ip_off != 0) {
		inet_ntop(AF_INET6, frame + view.ip_off + IPV6_SA_OFF, source, sizeof(source));
		inet_ntop(AF_INET6, frame + view.ip_off + IPV6_DA_OFF, destination,
			  sizeof(destination));
	}
	n = snprintf(text, size, "from %s to %s", source, destination);
	if (record->key_id != 0 && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", Key ID %" PRIu32, record->key_id);
}

void
drop_log_take(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
	      uint32_t len, uint64_t now)
{
	struct drop_log *log = &gateway->drops.log;
	struct drop_log_reason *reason = &log->reason[record->verdict - GATE_FIRST_DROP];
	char text[2 * INET6_ADDRSTRLEN + 64];
	uint64_t held;

	if (!log->on)
		return;
	if (!bucket_has(&reason->bucket, now)) {
		reason->behind = true;
		return;
	}
	bucket_take(&reason->bucket);
	describe(text, sizeof(text), record, frame, len);
	/* Those of a burst that come after this one are not held back yet. */
	held = reason->behind ? untold(gateway, record->verdict) : 0;
	if (held > 1)
		LOG(WARNING, "port %u: dropped, %s: %s (%" PRIu64 " more held back)", record->port,
		    gate_verdict_name(record->verdict), text, held - 1);
	else
		LOG(WARNING, "port %u: dropped, %s: %s", record->port,
		    gate_verdict_name(record->verdict), text);
	reason->told += held > 1 ? held : 1;
	reason->at = now;
	/* The bucket is empty: whatever comes now is not seen at all. */
	reason->behind = !bucket_has(&reason->bucket, now);
}

void
drop_log_catch_up(struct gateway *gateway, uint64_t now)
{
	for (unsigned v = GATE_FIRST_DROP; v < GATE_VERDICT_COUNT; v++) {
		struct drop_log_reason *reason = &gateway->drops.log.reason[v - GATE_FIRST_DROP];
		uint64_t held;

		if (!reason->behind || now - reason->at < QUIET_NS)
			continue;
		held = untold(gateway, v);
		if (held > 0)
			LOG(WARNING, "dropped, %s: %" PRIu64 " more held back",
			    gate_verdict_name(v), held);
		reason->told += held;
		reason->behind = false;
	}
}
