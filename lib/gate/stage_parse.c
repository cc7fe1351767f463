/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each packet's SRH lies. Datapath. */
#include <rte_prefetch.h>

#include "gate/worker.h"
#include "srh/plain.h"

#define PREFETCH_AHEAD 4u

/* The header chain lies across segments: judge a copy of it, if it cannot be seen in one piece. */
static enum srh_status
find_in_segments(struct gate_worker *w, unsigned i)
{
	struct gate_pkt *p = &w->pkt[i];
	struct rte_mbuf *m = w->pkts[i];
	uint32_t len = RTE_MIN(m->pkt_len, GATE_SCRATCH_LEN);

	/* Never written to: stage_room() gives the headers a place of their own first. */
	p->frame = (uint8_t *)(uintptr_t)rte_pktmbuf_read(m, 0, len, w->scratch[i]);
	return srh_find(p->frame, len, m->pkt_len, &p->view);
}

static inline void
prefetch_packet(const struct rte_mbuf *m)
{
	rte_prefetch0(rte_pktmbuf_mtod(m, void *));
	rte_prefetch0(rte_pktmbuf_mtod_offset(m, void *, RTE_CACHE_LINE_SIZE));
}

static __rte_noinline enum srh_status
find(struct gate_worker *w, unsigned i)
{
	struct gate_pkt *p = &w->pkt[i];
	const struct rte_mbuf *m = w->pkts[i];
	enum srh_status status = srh_find(p->frame, m->data_len, m->pkt_len, &p->view);

	return status == SRH_MORE ? find_in_segments(w, i) : status;
}

void
stage_parse(struct gate_worker *w)
{
	unsigned n = w->n, found = 0;

	for (unsigned i = 0; i < PREFETCH_AHEAD && i < n; i++)
		prefetch_packet(w->pkts[i]);
	for (unsigned i = 0; i < n; i++) {
		struct gate_pkt *p = &w->pkt[i];
		const struct rte_mbuf *m = w->pkts[i];
		enum srh_status status;

		if (i + PREFETCH_AHEAD < n)
			prefetch_packet(w->pkts[i + PREFETCH_AHEAD]);
		p->frame = rte_pktmbuf_mtod(m, uint8_t *);
		status = srh_find_plain(p->frame, m->data_len, &p->view);
		if (unlikely(status == SRH_MORE))
			status = find(w, i);
		w->status[i] = (uint8_t)status;
		found += status == SRH_FOUND;
	}
	w->found = (uint16_t)found;
}
