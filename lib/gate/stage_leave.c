/* SPDX-License-Identifier: BSD-3-Clause */
/* Count, and part those that go on from those that do not. Datapath. */
#include "gate/worker.h"

/* Where an ICMPv6 error about this drop points to. */
static uint16_t
error_offset(const struct gate_worker *w, unsigned i)
{
	const struct srh_view *view = &w->pkt[i].view;

	switch (w->verdict[i]) {
	case GATE_KEY_UNKNOWN:
	case GATE_DA_MISMATCH:
	case GATE_HMAC_MISMATCH:
	case GATE_HMAC_MALFORMED:
		if (w->status[i] == SRH_FOUND)
			return view->hmac_off - view->ip_off;
		break;
	default:
		break;
	}
	return view->err_off;
}

/* Drops apart, in order; what goes on closes up. */
static uint16_t
part(struct gate_worker *w, uint64_t *count, struct gate_dropped *dropped)
{
	uint16_t on = 0, off = 0;

	for (unsigned i = 0; i < w->n; i++) {
		enum gate_verdict verdict = w->verdict[i];

		count[verdict]++;
		if (!gate_is_drop(verdict)) {
			w->pkts[on++] = w->pkts[i];
			continue;
		}
		dropped[off++] = (struct gate_dropped){
			.pkt = w->pkts[i],
			.key_id = w->pkt[i].view.key_id,
			.err_off = error_offset(w, i),
			.verdict = (uint8_t)verdict,
		};
	}
	return on;
}

static void
flush(uint64_t *counters, const uint64_t *count)
{
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		if (count[v] != 0)
			gate_add(&counters[v], count[v]);
	}
}

static void
count_edits(const struct gate_worker *w, uint64_t *counters)
{
	unsigned inserted = gate_count_octets(w->seal, w->n, SEAL_INSERT) +
			    gate_count_octets(w->seal, w->n, SEAL_FILL);

	gate_add(&counters[GATE_INSERTED], inserted);
	gate_add(&counters[GATE_ALREADY_SEALED], gate_count_octets(w->seal, w->n, SEAL_PRESENT));
	gate_add(&counters[GATE_STRIPPED], w->n - gate_count_octets(w->cut, w->n, 0));
}

uint16_t
stage_leave(struct gate_worker *w, uint16_t port, struct gate_dropped *dropped, uint16_t *n_dropped)
{
	uint64_t *counters = w->counters[port].v;
	enum gate_verdict first = w->verdict[0];
	uint16_t on = w->n;

	gate_add(&counters[GATE_RX], w->n);
	if (w->port.strip || w->port.insert_key != 0)
		count_edits(w, counters);
	if (likely(!gate_is_drop(first) && gate_count_octets(w->verdict, w->n, first) == w->n)) {
		gate_add(&counters[first], w->n);
	} else {
		uint64_t count[GATE_VERDICT_COUNT] = {0};

		on = part(w, count, dropped);
		flush(counters, count);
	}
	*n_dropped = w->n - on;
	return on;
}
