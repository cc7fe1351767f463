/* SPDX-License-Identifier: BSD-3-Clause */
#include "alerts.h"

#include <rte_common.h>

#include "gateway.h"
#include "log.h"

LOG_MODULE(alerts);

#define LOOK_MS 500u  /* between looks at links */
#define RATE_MS 1000u /* over which drops are averaged, at least */

static void
look_at_links(struct gateway *gateway, bool first)
{
	for (unsigned id = 0; id < GATE_PORTS_MAX; id++) {
		struct port_link *before = &gateway->alerts.link[id];

		if (ports_get(&gateway->ports, id) == NULL)
			continue;
		struct port_link now = ports_link(&gateway->ports, id);

		if (!first && (now.up != before->up || (now.up && now.mbps != before->mbps))) {
			LOG(NOTICE, "port %u: link %s", id, now.up ? "up" : "down");
			events_tell(gateway, EVENT_LINK,
				    json_pack("{s:i, s:s, s:i}", "port", (int)id, "state",
					      now.up ? "up" : "down", "speed_mbps", (int)now.mbps));
		}
		*before = now;
	}
}

static void
look_at_reason(struct gateway *gateway, unsigned verdict, uint64_t rate)
{
	struct alerts *alerts = &gateway->alerts;
	bool *above = &alerts->above[verdict];

	/* Back only at half of it, so that a rate about the limit is not told all the time. */
	if (*above ? rate > alerts->drop_rate / 2 : rate <= alerts->drop_rate)
		return;
	*above = !*above;
	events_tell(gateway, EVENT_DROPS,
		    json_pack("{s:s, s:s, s:I, s:I}", "reason", gate_verdict_name(verdict), "state",
			      *above ? "above" : "below", "rate", (json_int_t)rate, "limit",
			      (json_int_t)alerts->drop_rate));
}

static void
look_at_drops(struct gateway *gateway, uint64_t now)
{
	struct alerts *alerts = &gateway->alerts;
	struct gate_counters totals;

	if (now - alerts->counted < RATE_MS)
		return;
	drops_totals(gateway, &totals);
	for (unsigned v = GATE_FIRST_DROP; v < GATE_VERDICT_COUNT; v++)
		look_at_reason(gateway, v,
			       (totals.v[v] - alerts->dropped.v[v]) * 1000 /
				       (now - alerts->counted));
	alerts->dropped = totals;
	alerts->counted = now;
}

int
alerts_poll(struct gateway *gateway)
{
	struct alerts *alerts = &gateway->alerts;
	const uint64_t now = drops_time().now / 1000000u;

	if (!gateway->ports.devices)
		return -1;
	if (now >= alerts->due) {
		bool first = alerts->due == 0;

		look_at_links(gateway, first);
		if (first)
			alerts->counted = now;
		else
			look_at_drops(gateway, now);
		alerts->due = now + LOOK_MS;
	}
	return (int)(alerts->due - now);
}
