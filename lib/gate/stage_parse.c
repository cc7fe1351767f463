/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each packet's SRH lies. Datapath. */
#include <rte_prefetch.h>

#include "gate/worker.h"

#define PREFETCH_AHEAD 4u

/* The header chain lies across segments: judge a copy of it, if it cannot be seen in one piece. */
static void
parse_copy(struct gate_worker *w, unsigned i, struct gate_pkt *p)
{
	uint32_t len = RTE_MIN(p->m->pkt_len, GATE_SCRATCH_LEN);

	/* Never written to: stage_room() gives the headers a place of their own first. */
	p->frame = (uint8_t *)(uintptr_t)rte_pktmbuf_read(p->m, 0, len, w->scratch[i]);
	p->status = srh_find(p->frame, len, p->m->pkt_len, &p->view);
}

void
stage_parse(struct gate_worker *w, struct rte_mbuf **pkts)
{
	for (unsigned i = 0; i < PREFETCH_AHEAD && i < w->n; i++)
		rte_prefetch0(rte_pktmbuf_mtod(pkts[i], void *));
	for (unsigned i = 0; i < w->n; i++) {
		struct gate_pkt *p = &w->pkt[i];

		if (i + PREFETCH_AHEAD < w->n)
			rte_prefetch0(rte_pktmbuf_mtod(pkts[i + PREFETCH_AHEAD], void *));
		p->m = pkts[i];
		p->frame = rte_pktmbuf_mtod(p->m, uint8_t *);
		p->key = NULL;
		p->verdict = GATE_UNCHECKED;
		p->seal = SEAL_NOT;
		p->cut = 0;
		p->status = srh_find(p->frame, p->m->data_len, p->m->pkt_len, &p->view);
		if (unlikely(p->status == SRH_MORE))
			parse_copy(w, i, p);
	}
}
