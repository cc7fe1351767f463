/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is to be stripped from each packet and put into it, and whether that can be: all that can
 * make an edit impossible, but for buffers, is found here, before anything is written. Datapath.
 */
#include "gate/worker.h"

static bool
all_zero(const uint8_t *p, unsigned len)
{
	uint8_t any = 0;

	for (unsigned i = 0; i < len; i++)
		any |= p[i];
	return any == 0;
}

/* Whether the HMAC TLV lies where this key's profile would put it or look for it, in its size. */
static bool
form_fits(const struct srh_view *view, const struct keyring_key *key)
{
	if (view->hmac_len != key->tlv_length)
		return false;
	if (key->profile == HMAC_LINUX)
		return view->hmac_off + SRH_HMAC_MAX_LEN == gate_srh_end(view);
	return (view->hmac_off - view->srh_off) % 8 == 0;
}

/* An HMAC TLV is there: fill it in if it waits for that, else leave it. */
static void
plan_fill(struct gate_worker *w, struct gate_pkt *p)
{
	const struct srh_view *view = &p->view;

	if (view->key_id != w->port.insert_key ||
	    !all_zero(p->frame + view->hmac_off + SRH_HMAC_HDR_LEN, hmac_field_len(view->hmac_len)))
		p->seal = SEAL_PRESENT;
	else if (w->insert_key == NULL)
		p->verdict = GATE_INSERT_KEY_UNKNOWN;
	else if (!form_fits(view, w->insert_key))
		p->verdict = GATE_HMAC_MALFORMED;
	else
		p->seal = SEAL_FILL;
}

/* Whether the packet without the TLV that is stripped has room for the one that is put in. */
static enum srh_fit
fits(const struct gate_pkt *p, unsigned grow)
{
	struct srh_view view = p->view;

	view.srh_len -= p->cut;
	view.chain_end -= p->cut;
	view.ip_payload -= p->cut;
	view.tlvs -= p->cut != 0;
	return srh_fits(&view, grow);
}

static void
plan_insert(struct gate_worker *w, struct gate_pkt *p)
{
	uint32_t grow;

	if (unlikely(w->insert_key == NULL)) {
		p->verdict = GATE_INSERT_KEY_UNKNOWN;
		return;
	}
	if (unlikely(p->view.fragmentable)) {
		p->verdict = GATE_FRAGMENTED;
		return;
	}
	grow = gate_tlv_size(w->insert_key->tlv_length);
	switch (fits(p, grow)) {
	case SRH_FITS:
		break;
	case SRH_FULL:
		p->verdict = GATE_SRH_FULL;
		return;
	case SRH_TOO_BIG:
		p->verdict = GATE_TOO_BIG;
		return;
	}
	if (w->port.max_len != 0 && p->m->pkt_len - p->cut + grow > w->port.max_len)
		p->verdict = GATE_TOO_BIG;
	else
		p->seal = SEAL_INSERT;
}

static inline void
plan(struct gate_worker *w, unsigned i)
{
	struct gate_pkt *p = &w->pkt[i];

	if (p->status != SRH_FOUND || gate_is_drop(p->verdict))
		return;
	if (w->port.strip && p->verdict == GATE_VERIFIED) {
		if (unlikely(p->view.fragmentable)) {
			p->verdict = GATE_FRAGMENTED;
			return;
		}
		p->cut = gate_tlv_size(p->view.hmac_len);
	}
	if (w->port.insert_key != 0) {
		if (p->view.hmac_off != 0 && p->cut == 0)
			plan_fill(w, p);
		else
			plan_insert(w, p);
	}
	if (gate_is_drop(p->verdict))
		return;
	if (p->seal == SEAL_INSERT || p->seal == SEAL_FILL)
		gate_list_add(&w->seal, i);
	else if (p->cut == 0)
		return;
	gate_list_add(&w->edit, i);
}

void
stage_plan(struct gate_worker *w)
{
	w->seal.n = 0;
	w->edit.n = 0;
	if (!w->port.strip && w->port.insert_key == 0)
		return;
	for (unsigned i = 0; i < w->n; i++)
		plan(w, i);
}
