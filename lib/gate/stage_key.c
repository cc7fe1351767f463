/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the HMAC TLV's Key ID to the key, and what the key's profile says of the TLV: whether it is
 * an HMAC at all, its form, and whether the destination is what the segment list says. Datapath.
 */
#include <string.h>

#include <rte_prefetch.h>

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

/* Outside of its accept window a key is none. */
static inline const struct keyring_key *
if_accepted(const struct keyring_key *key)
{
	return key != NULL && likely(keyring_may(key, KEYRING_MAY_ACCEPT)) ? key : NULL;
}

/* The Key IDs of all HMAC TLVs, one for each run of the same. */
static __rte_noinline unsigned
list_ids(const struct gate_worker *w, uint32_t *ids)
{
	uint32_t id = 0; /* never a key's: nothing is looked up for a packet without a TLV */
	unsigned runs = 0;

	for (unsigned k = 0; k < w->judge.n; k++) {
		const struct srh_view *view = &w->pkt[w->judge.i[k]].view;

		if (view->hmac_off == 0 || view->key_id == id)
			continue;
		id = view->key_id;
		ids[runs++] = id;
	}
	return runs;
}

/* Let the whole burst wait for memory once, for what it needs of its keys. */
static void
look_up_far(const struct gate_worker *w, const uint32_t *ids, unsigned n,
	    const struct keyring_key **keys)
{
	keyring_lookup_bulk(w->gate->keyring, ids, n, keys);
	for (unsigned r = 0; r < n; r++) {
		if (unlikely(keys[r] == NULL))
			continue;
		rte_prefetch0(&keys[r]->id);
		/* What the memo knows needs no more than that. */
		if (w->memo == NULL) {
			rte_prefetch0(keys[r]->hmac.inner);
			rte_prefetch0(keys[r]->hmac.outer);
		}
	}
	for (unsigned r = 0; r < n; r++) {
		keys[r] = if_accepted(keys[r]);
		if (likely(keys[r] != NULL))
			__builtin_prefetch(&w->uses[keys[r]->slot], 1);
	}
}

/* Returns the number of runs. keys: those of the runs, NULL if they are to be looked up here. */
static __rte_always_inline unsigned
claim_all(struct gate_worker *w, const struct keyring_key *const *keys)
{
	const struct keyring_key *key = NULL;
	uint32_t id = 0; /* never a key's: without one nothing is looked up */
	unsigned runs = 0;

	for (unsigned k = 0; k < w->judge.n; k++) {
		unsigned i = w->judge.i[k];
		struct gate_pkt *p = &w->pkt[i];

		if (p->view.hmac_off == 0) {
			w->verdict[i] = absent(w);
			continue;
		}
		if (p->view.key_id != id) {
			id = p->view.key_id;
			key = keys != NULL ? keys[runs]
					   : if_accepted(keyring_lookup(w->gate->keyring, id));
			runs++;
		}
		claim_or_refuse(w, i, p, key);
	}
	return runs;
}

static unsigned
claim_far(struct gate_worker *w)
{
	const struct keyring_key *keys[GATE_BURST_MAX];
	uint32_t ids[GATE_BURST_MAX];
	unsigned n = list_ids(w, ids);

	look_up_far(w, ids, n, keys);
	return claim_all(w, keys);
}

void
stage_key(struct gate_worker *w)
{
	gate_list_begin(&w->claim);
	if (keyring_is_far(w->gate->keyring))
		w->key_runs = (uint16_t)claim_far(w);
	else
		w->key_runs = (uint16_t)claim_all(w, NULL);
}
