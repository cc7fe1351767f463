/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is to be stripped from each packet and put into it, and whether that can be: all that can
 * make an edit impossible, but for buffers, is found here, before anything is written. Datapath.
 */
#include <string.h>

#include <rte_ether.h>

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
plan_fill(struct gate_worker *w, unsigned i)
{
	const struct gate_pkt *p = &w->pkt[i];
	const struct srh_view *view = &p->view;

	if (view->key_id != w->port.insert_key ||
	    !all_zero(p->frame + view->hmac_off + SRH_HMAC_HDR_LEN, hmac_field_len(view->hmac_len)))
		w->seal[i] = SEAL_PRESENT;
	else if (w->insert_key == NULL)
		gate_drop(w, i, GATE_INSERT_KEY_UNKNOWN);
	else if (!form_fits(view, w->insert_key))
		gate_drop(w, i, GATE_HMAC_MALFORMED);
	else
		w->seal[i] = SEAL_FILL;
}

/* Whether the packet, without the cut octets that are stripped, has room for grow more. */
static inline enum srh_fit
fits(const struct srh_view *view, unsigned cut, unsigned grow)
{
	struct srh_view shorter;

	if (cut == 0)
		return srh_fits(view, grow);
	shorter = *view;
	shorter.srh_len -= cut;
	shorter.chain_end -= cut;
	shorter.ip_payload -= cut;
	shorter.tlvs--;
	return srh_fits(&shorter, grow);
}

/* Octets of VLAN tags, which an MTU does not count. */
static inline unsigned
tags_len(const struct srh_view *view)
{
	return view->ip_off - RTE_ETHER_HDR_LEN;
}

static inline void
plan_insert(struct gate_worker *w, unsigned i)
{
	const struct srh_view *view = &w->pkt[i].view;
	unsigned cut = w->cut[i], grow;

	if (unlikely(w->insert_key == NULL)) {
		gate_drop(w, i, GATE_INSERT_KEY_UNKNOWN);
		return;
	}
	if (unlikely(view->fragmentable)) {
		gate_drop(w, i, GATE_FRAGMENTED);
		return;
	}
	grow = gate_tlv_size(w->insert_key->tlv_length);
	switch (fits(view, cut, grow)) {
	case SRH_FITS:
		break;
	case SRH_FULL:
		gate_drop(w, i, GATE_SRH_FULL);
		return;
	case SRH_TOO_BIG:
		gate_drop(w, i, GATE_TOO_BIG);
		return;
	}
	if (w->port.max_len != 0 &&
	    w->pkts[i]->pkt_len - tags_len(view) - cut + grow > w->port.max_len)
		gate_drop(w, i, GATE_TOO_BIG);
	else
		w->seal[i] = SEAL_INSERT;
}

static inline void
plan_strip(struct gate_worker *w, unsigned i)
{
	if (unlikely(w->pkt[i].view.fragmentable))
		gate_drop(w, i, GATE_FRAGMENTED);
	else
		w->cut[i] = gate_tlv_size(w->pkt[i].view.hmac_len);
}

static inline void
plan(struct gate_worker *w, unsigned i, bool strip, bool insert)
{
	if (w->status[i] != SRH_FOUND || gate_is_drop(w->verdict[i]))
		return;
	if (strip && w->verdict[i] == GATE_VERIFIED) {
		plan_strip(w, i);
		if (unlikely(gate_is_drop(w->verdict[i])))
			return;
	}
	if (insert) {
		if (w->pkt[i].view.hmac_off != 0 && w->cut[i] == 0)
			plan_fill(w, i);
		else
			plan_insert(w, i);
	}
	if (w->seal[i] == SEAL_INSERT || w->seal[i] == SEAL_FILL)
		gate_list_add(&w->seals, i);
	else if (w->cut[i] == 0)
		return;
	gate_list_add(&w->edit, i);
}

/*
 * Whether every packet of the burst simply gets a new HMAC TLV, seen without a branch for each
 * rule. True says that plan() would find the same; false says nothing.
 */
static bool
all_get_one(const struct gate_worker *w, unsigned grow)
{
	bool all = true;

	static_assert(SRH_MAX_CHAIN_LEN >= SRH_MAX_LEN, "a chain so short fits its SRH, too");
	for (unsigned i = 0; i < w->n; i++) {
		const struct srh_view *view = &w->pkt[i].view;
		bool bare = (view->hmac_off | view->fragmentable | view->tlvs) == 0;

		all &= bare & (view->chain_end + grow <= SRH_MAX_LEN) &
		       (view->ip_payload + grow <= UINT16_MAX);
	}
	if (w->port.max_len == 0)
		return all;
	for (unsigned i = 0; i < w->n; i++)
		all &= w->pkts[i]->pkt_len - tags_len(&w->pkt[i].view) + grow <= w->port.max_len;
	return all;
}

void
stage_plan(struct gate_worker *w)
{
	const bool strip = w->port.strip, insert = w->port.insert_key != 0;

	gate_list_begin(&w->seals);
	gate_list_begin(&w->edit);
	memset(w->cut, 0, w->n);
	if (w->port.verify == GATE_VERIFY_OFF && w->found == w->n && w->insert_key != NULL &&
	    likely(all_get_one(w, gate_tlv_size(w->insert_key->tlv_length)))) {
		memset(w->seal, SEAL_INSERT, w->n);
		gate_list_all(&w->seals, w->n);
		gate_list_all(&w->edit, w->n);
		return;
	}
	memset(w->seal, SEAL_NOT, w->n);
	for (unsigned i = 0; i < w->n; i++)
		plan(w, i, strip, insert);
}
