/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which SRHs are judged, and what becomes of packets that have none. With no protected prefix
 * every SRH is in scope; with some, only what goes to one of them. Datapath.
 */
#include <string.h>

#include "gate/worker.h"

#define IPV6_DA_OFF 24u

/* Next Header values behind which a routing header may still come (RFC 8200 section 4.1). */
static bool
may_lead_to_routing(uint8_t next)
{
	switch (next) {
	case 0:	  /* Hop-by-Hop Options */
	case 43:  /* Routing */
	case 44:  /* Fragment */
	case 51:  /* Authentication */
	case 60:  /* Destination Options */
	case 135: /* Mobility */
	case 139: /* HIP */
	case 140: /* Shim6 */
		return true;
	default:
		return false;
	}
}

/*
 * Whether the first fragment of this packet can have shown a whole SRH to whoever judged it: the
 * chain goes on behind the Fragment header, and what came before this piece has room for one.
 */
static bool
first_fragment_had_srh(const struct srh_view *view)
{
	return may_lead_to_routing(view->frag_next) &&
	       view->frag_offset >= SRH_FIXED_LEN + SRH_SEGMENT_LEN;
}

/* The drop for a header chain that srh_find() refused. */
static enum gate_verdict
refusal(uint8_t status)
{
	switch (status) {
	case SRH_TRUNCATED:
		return GATE_SRH_TRUNCATED;
	case SRH_TLV_MALFORMED:
		return GATE_TLV_MALFORMED;
	case SRH_HMAC_MALFORMED:
		return GATE_HMAC_MALFORMED;
	case SRH_HMAC_DUPLICATE:
		return GATE_HMAC_DUPLICATE;
	case SRH_SECOND_ROUTING:
		return GATE_SECOND_ROUTING_HEADER;
	default:
		return GATE_SRH_MALFORMED;
	}
}

/* A packet that verification has nothing to do with: pass is what it counts as. */
static enum gate_verdict
leave_alone(const struct gate_worker *w, unsigned i, enum gate_verdict pass)
{
	switch (w->status[i]) {
	case SRH_FOUND:
		return pass;
	case SRH_NOT_IPV6:
		return GATE_NOT_IPV6;
	case SRH_ABSENT:
	case SRH_LATER_FRAGMENT:
		return pass == GATE_UNCHECKED ? GATE_NO_SRH : pass;
	default:
		/* It cannot be sealed, and must not get out unsealed by accident. */
		return w->port.insert_key != 0 ? refusal(w->status[i]) : pass;
	}
}

/* A packet in scope that has no SRH to judge. protected: it goes to a configured prefix. */
static enum gate_verdict
without_srh(const struct gate_worker *w, unsigned i, bool protected)
{
	bool required = protected && w->port.verify == GATE_VERIFY_REQUIRE;

	switch (w->status[i]) {
	case SRH_NOT_IPV6:
		return GATE_NOT_IPV6;
	case SRH_ABSENT:
		return required ? GATE_DROP_NO_SRH : GATE_NO_SRH;
	case SRH_LATER_FRAGMENT:
		return required && !first_fragment_had_srh(&w->pkt[i].view) ? GATE_DROP_NO_SRH
									    : GATE_NO_SRH;
	default:
		return refusal(w->status[i]);
	}
}

static inline void
judge_or_pass(struct gate_worker *w, unsigned i, bool protected)
{
	if (likely(w->status[i] == SRH_FOUND))
		gate_list_add(&w->judge, i);
	else
		w->verdict[i] = without_srh(w, i, protected);
}

static void
scope_none(struct gate_worker *w)
{
	if (likely(w->found == w->n)) {
		memset(w->verdict, GATE_UNCHECKED, w->n);
		return;
	}
	for (unsigned i = 0; i < w->n; i++)
		w->verdict[i] = leave_alone(w, i, GATE_UNCHECKED);
}

static void
scope_all(struct gate_worker *w)
{
	if (likely(w->found == w->n)) {
		gate_list_all(&w->judge, w->n);
		return;
	}
	for (unsigned i = 0; i < w->n; i++)
		judge_or_pass(w, i, false);
}

static void
scope_protected(struct gate_worker *w, const struct sids_table *sids)
{
	for (unsigned i = 0; i < w->n; i++) {
		const struct gate_pkt *p = &w->pkt[i];
		/* Without a whole IPv6 header there is no destination, and nothing to pass. */
		bool to_somewhere = p->view.ip_off != 0;
		bool protected =
			to_somewhere && sids_covers(sids, p->frame + p->view.ip_off + IPV6_DA_OFF);

		if (to_somewhere && !protected)
			w->verdict[i] = leave_alone(w, i, GATE_OUT_OF_SCOPE);
		else
			judge_or_pass(w, i, protected);
	}
}

void
stage_scope(struct gate_worker *w)
{
	const struct sids_table *sids;

	gate_list_begin(&w->judge);
	if (w->port.verify == GATE_VERIFY_OFF) {
		scope_none(w);
		return;
	}
	sids = sids_table(w->gate->sids);
	if (sids == NULL)
		scope_all(w);
	else
		scope_protected(w, sids);
}
