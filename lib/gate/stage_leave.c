/* SPDX-License-Identifier: BSD-3-Clause */
/* Count, and part those that go on from those that do not. Datapath. */
#include "gate/worker.h"

/* Drops for which an ICMPv6 error points to the HMAC TLV, if there is a view of it. */
static inline bool
points_to_hmac(enum gate_verdict verdict)
{
	return verdict == GATE_KEY_UNKNOWN || verdict == GATE_DA_MISMATCH ||
	       verdict == GATE_HMAC_MISMATCH || verdict == GATE_HMAC_MALFORMED;
}

static inline void
drop(const struct gate_worker *w, unsigned i, enum gate_verdict verdict, bool at_hmac,
     struct gate_dropped *dropped)
{
	const struct srh_view *view = &w->pkt[i].view;

	at_hmac &= w->status[i] == SRH_FOUND;
	dropped->pkt = w->pkts[i];
	dropped->key_id = view->key_id;
	dropped->err_off = at_hmac ? view->hmac_off - view->ip_off : view->err_off;
	dropped->verdict = (uint8_t)verdict;
}

/* Drops apart, in order; what goes on closes up. */
static uint16_t
part(struct gate_worker *w, uint64_t *count, struct gate_dropped *dropped)
{
	uint16_t on = 0, off = 0;

	for (unsigned i = 0; i < w->n; i++) {
		enum gate_verdict verdict = w->verdict[i];

		count[verdict]++;
		if (gate_is_drop(verdict))
			drop(w, i, verdict, points_to_hmac(verdict), &dropped[off++]);
		else
			w->pkts[on++] = w->pkts[i];
	}
	return on;
}

/* A flood of one kind is not to cost more than good traffic. */
static void
drop_all(const struct gate_worker *w, enum gate_verdict verdict, struct gate_dropped *dropped)
{
	bool at_hmac = points_to_hmac(verdict);

	for (unsigned i = 0; i < w->n; i++)
		drop(w, i, verdict, at_hmac, &dropped[i]);
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
	if (likely(gate_count_octets(w->verdict, w->n, first) == w->n)) {
		gate_add(&counters[first], w->n);
		if (gate_is_drop(first)) {
			drop_all(w, first, dropped);
			on = 0;
		}
	} else {
		uint64_t count[GATE_VERDICT_COUNT] = {0};

		on = part(w, count, dropped);
		flush(counters, count);
	}
	*n_dropped = w->n - on;
	return on;
}
