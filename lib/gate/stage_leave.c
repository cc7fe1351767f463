/* SPDX-License-Identifier: BSD-3-Clause */
/* Count, and part those that go on from those that do not. Datapath. */
#include "gate/worker.h"

/* Where an ICMPv6 error about this drop points to. */
static uint16_t
error_offset(const struct gate_pkt *p)
{
	switch (p->verdict) {
	case GATE_KEY_UNKNOWN:
	case GATE_DA_MISMATCH:
	case GATE_HMAC_MISMATCH:
	case GATE_HMAC_MALFORMED:
		if (p->status == SRH_FOUND)
			return p->view.hmac_off - p->view.ip_off;
		break;
	default:
		break;
	}
	return p->view.err_off;
}

static void
note_drop(struct gate_dropped *dropped, const struct gate_pkt *p)
{
	*dropped = (struct gate_dropped){
		.pkt = p->m,
		.key_id = p->view.key_id,
		.err_off = error_offset(p),
		.verdict = p->verdict,
	};
}

uint16_t
stage_leave(struct gate_worker *w, uint16_t port, struct rte_mbuf **pkts,
	    struct gate_dropped *dropped, uint16_t *n_dropped)
{
	uint64_t *counters = w->counters[port].v;
	uint16_t count[GATE_VERDICT_COUNT] = {0};
	uint16_t on = 0, off = 0;

	for (unsigned i = 0; i < w->n; i++) {
		const struct gate_pkt *p = &w->pkt[i];

		count[p->verdict]++;
		if (unlikely(gate_is_drop(p->verdict))) {
			note_drop(&dropped[off++], p);
			continue;
		}
		count[GATE_STRIPPED] += p->cut != 0;
		count[GATE_INSERTED] += p->seal == SEAL_INSERT || p->seal == SEAL_FILL;
		count[GATE_ALREADY_SEALED] += p->seal == SEAL_PRESENT;
		pkts[on++] = p->m;
	}
	count[GATE_RX] = w->n;
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		if (count[v] != 0)
			gate_add(&counters[v], count[v]);
	}
	*n_dropped = off;
	return on;
}
