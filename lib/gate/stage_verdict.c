/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the HMACs are right; what is remembered of them; how often each key was used. Datapath.
 */
#include <rte_cycles.h>

#include "gate/worker.h"

/* Returns how many were wrong. */
static unsigned
compare(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;
	unsigned wrong = 0;

	for (unsigned k = 0; k < batch->miss.n; k++) {
		unsigned at = batch->miss.i[k], i = w->claim.i[at];
		const struct gate_pkt *p = &w->pkt[i];
		const uint8_t *field = p->frame + p->view.hmac_off + SRH_HMAC_HDR_LEN;
		unsigned len = hmac_field_len(p->view.hmac_len);

		if (unlikely(!batch->job[k].ok || !hmac_field_equal(batch->tag[at], field, len))) {
			w->verdict[i] = GATE_HMAC_MISMATCH;
			wrong++;
			continue;
		}
		w->verdict[i] = GATE_VERIFIED;
		if (w->memo != NULL)
			memo_learn(w->memo, batch->hash[at], &batch->header[at], field, len);
	}
	return wrong;
}

static void
note_use(struct gate_worker *w, const struct keyring_key *key, uint64_t verified, uint64_t failed,
	 uint64_t now)
{
	struct keyring_use *use = &w->uses[key->slot];

	if (verified != 0)
		gate_add(&use->verified, verified);
	if (failed != 0)
		gate_add(&use->failed, failed);
	__atomic_store_n(&use->last_used, now, __ATOMIC_RELAXED);
}

/* Written once for each run of packets with the same key. */
static void
note_runs(struct gate_worker *w, uint64_t now)
{
	for (unsigned k = 0; k < w->claim.n;) {
		const struct keyring_key *key = w->pkt[w->claim.i[k]].key;
		unsigned verified = 0, failed = 0;

		for (; k < w->claim.n && w->pkt[w->claim.i[k]].key == key; k++) {
			bool ok = w->verdict[w->claim.i[k]] == GATE_VERIFIED;

			verified += ok;
			failed += !ok;
		}
		note_use(w, key, verified, failed, now);
	}
}

void
stage_verdict(struct gate_worker *w)
{
	unsigned wrong = compare(w);

	if (w->claim.n == 0)
		return;
	if (w->key_runs == 1)
		note_use(w, w->pkt[w->claim.i[0]].key, w->claim.n - wrong, wrong, rte_rdtsc());
	else
		note_runs(w, rte_rdtsc());
}
