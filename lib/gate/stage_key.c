/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the HMAC TLV's Key ID to the key, and what the key's profile says of the TLV: whether it is
 * an HMAC at all, its form, and whether the destination is what the segment list says. Datapath.
 */
#include <string.h>

#include "gate/worker.h"

#define IPV6_DA_OFF 24u

static enum gate_verdict
absent(const struct gate_worker *w)
{
	return w->port.verify == GATE_VERIFY_REQUIRE ? GATE_HMAC_MISSING : GATE_NO_HMAC;
}

/* RFC 8754 section 2.1.2: 8n-aligned from the SRH's start. */
static inline bool
aligned(const struct srh_view *view)
{
	return (view->hmac_off - view->srh_off) % 8 == 0;
}

/* Whether any key at all could have made this TLV: an HMAC of 8, 16, 24 or 32 octets. */
static bool
possible_form(const struct srh_view *view)
{
	unsigned field = view->hmac_len - 6u;

	return aligned(view) && field % 8 == 0 && field >= 8 && field <= HMAC_FIELD_MAX;
}

/* RFC 8754 section 2.1.2.1, the first two steps of checking. */
static inline bool
destination_ok(const struct gate_pkt *p)
{
	const struct srh_view *view = &p->view;

	if (view->segments_left > view->last_entry)
		return view->hmac_dres & SRH_D_BIT;
	return memcmp(p->frame + view->ip_off + IPV6_DA_OFF,
		      p->frame + view->srh_off + SRH_FIXED_LEN +
			      view->segments_left * SRH_SEGMENT_LEN,
		      SRH_SEGMENT_LEN) == 0;
}

static inline void
claim_or_refuse(struct gate_worker *w, unsigned i, struct gate_pkt *p,
		const struct keyring_key *key)
{
	p->key = key;
	if (unlikely(key == NULL)) {
		w->verdict[i] = possible_form(&p->view) ? GATE_KEY_UNKNOWN : GATE_HMAC_MALFORMED;
	} else if (key->profile == HMAC_LINUX) {
		if (likely(p->view.hmac_linux))
			gate_list_add(&w->claim, i);
		else
			w->verdict[i] = absent(w);
	} else if (p->view.hmac_len != key->tlv_length || !aligned(&p->view)) {
		w->verdict[i] = GATE_HMAC_MALFORMED;
	} else if (!destination_ok(p)) {
		w->verdict[i] = GATE_DA_MISMATCH;
	} else {
		gate_list_add(&w->claim, i);
	}
}

void
stage_key(struct gate_worker *w)
{
	const struct keyring_key *key = NULL;
	uint32_t id = 0; /* never a key's: without one nothing is looked up */
	unsigned runs = 0;

	gate_list_begin(&w->claim);
	for (unsigned k = 0; k < w->judge.n; k++) {
		unsigned i = w->judge.i[k];
		struct gate_pkt *p = &w->pkt[i];

		if (p->view.hmac_off == 0) {
			w->verdict[i] = absent(w);
			continue;
		}
		if (p->view.key_id != id) {
			id = p->view.key_id;
			key = keyring_lookup(w->gate->keyring, id);
			/* Outside of its accept window a key is none. */
			if (key != NULL && unlikely(!keyring_may(key, KEYRING_MAY_ACCEPT)))
				key = NULL;
			runs++;
		}
		claim_or_refuse(w, i, p, key);
	}
	w->key_runs = (uint16_t)runs;
}
