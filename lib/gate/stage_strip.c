/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC TLVs of verified packets, taken out. Datapath. */
#include "gate/worker.h"

#define SRH_FLAGS_OFF 5u

static inline void
strip(struct gate_pkt *p, struct rte_mbuf *m, uint8_t cut)
{
	srh_close(p->frame, &p->view, p->view.hmac_off, cut);
	p->frame = (uint8_t *)rte_pktmbuf_adj(m, cut);
	if (p->key->profile == HMAC_LINUX) {
		p->view.flags &= (uint8_t)~SRH_FLAG_LINUX_HMAC;
		p->frame[p->view.srh_off + SRH_FLAGS_OFF] = p->view.flags;
	}
}

void
stage_strip(struct gate_worker *w)
{
	if (!w->port.strip)
		return;
	for (unsigned k = 0; k < w->edit.n; k++) {
		unsigned i = w->edit.i[k];

		if (likely(w->cut[i] != 0))
			strip(&w->pkt[i], w->pkts[i], w->cut[i]);
	}
}
