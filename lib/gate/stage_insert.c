/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC TLVs, put in or filled in. Datapath. */
#include <string.h>

#include <rte_cycles.h>

#include "gate/seal.h"
#include "gate/worker.h"

#define SRH_FLAGS_OFF 5u

/* Where the TLV goes: last as Linux looks for it, or first behind the segment list. There is room
 * in front: stage_room() saw to it. */
static inline uint16_t
open_room(struct gate_pkt *p, struct rte_mbuf *m, const struct seal_form *form)
{
	uint16_t at = srh_hmac_place(&p->view, form->last);

	m->data_off -= form->size;
	m->data_len += form->size;
	m->pkt_len += form->size;
	p->frame -= form->size;
	srh_open_gap(p->frame, &p->view, at, form->size);
	return at;
}

static inline void
write_tlv(struct gate_pkt *p, uint16_t at, const struct seal_form *form, const uint8_t *tag)
{
	uint64_t tlv = seal_tlv(form, &p->view);
	uint8_t *to = p->frame + at;

	memcpy(to, &tlv, sizeof(tlv));
	if (likely(form->size == SRH_HMAC_HDR_LEN + HMAC_FIELD_MAX))
		memcpy(to + SRH_HMAC_HDR_LEN, tag, HMAC_FIELD_MAX);
	else
		memcpy(to + SRH_HMAC_HDR_LEN, tag, HMAC_FIELD_MAX - 8);
	p->frame[p->view.srh_off + SRH_FLAGS_OFF] = seal_le_flags(form, &p->view) >> 8;
}

/* Every packet of the burst gets a new one. */
static void
insert_all(struct gate_worker *w, const struct seal_form form)
{
	for (unsigned i = 0; i < w->n; i++) {
		struct gate_pkt *p = &w->pkt[i];

		write_tlv(p, open_room(p, w->pkts[i], &form), &form, w->batch.tag[i]);
	}
}

static unsigned
insert_some(struct gate_worker *w, const struct seal_form form)
{
	unsigned n = 0;

	for (unsigned k = 0; k < w->seals.n; k++) {
		unsigned i = w->seals.i[k];
		struct gate_pkt *p = &w->pkt[i];

		if (unlikely(w->seal[i] == SEAL_NOT))
			continue;
		write_tlv(p,
			  w->seal[i] == SEAL_INSERT ? open_room(p, w->pkts[i], &form)
						    : p->view.hmac_off,
			  &form, w->batch.tag[k]);
		n++;
	}
	return n;
}

void
stage_insert(struct gate_worker *w)
{
	unsigned n = w->seals.n;
	struct keyring_use *use;

	if (n == 0)
		return;
	if (n == w->n && gate_count_octets(w->seal, n, SEAL_INSERT) == n)
		insert_all(w, seal_form_of(w->insert_key));
	else
		n = insert_some(w, seal_form_of(w->insert_key));
	if (n == 0)
		return;
	use = &w->uses[w->insert_key->slot];
	gate_add(&use->inserted, n);
	__atomic_store_n(&use->last_used, rte_rdtsc(), __ATOMIC_RELAXED);
}
