/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC TLVs of verified packets, taken out. Datapath. */
#include "gate/worker.h"

#define SRH_FLAGS_OFF 5u

static void
strip(struct gate_pkt *p)
{
	srh_close(p->frame, &p->view, p->view.hmac_off, p->cut);
	p->frame = (uint8_t *)rte_pktmbuf_adj(p->m, p->cut);
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
		struct gate_pkt *p = &w->pkt[w->edit.i[k]];

		if (p->cut != 0 && !gate_is_drop(p->verdict))
			strip(p);
	}
}
