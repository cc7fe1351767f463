/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each claim authenticates, and whether exactly that was proved before under this key. What
 * was not becomes a job for the engine. Datapath.
 */
#include "gate/batch.h"
#include "gate/worker.h"

static inline const uint8_t *
hmac_field(const struct gate_pkt *p)
{
	return p->frame + p->view.hmac_off + SRH_HMAC_HDR_LEN;
}

static void
recall(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;

	for (unsigned k = 0; k < w->claim.n; k++) {
		batch->hash[k] = memo_hash_hmac(w->memo, hmac_field(&w->pkt[w->claim.i[k]]));
		memo_prefetch(w->memo, batch->hash[k]);
	}
	for (unsigned k = 0; k < w->claim.n; k++)
		batch->ways[k] = memo_ways(w->memo, batch->hash[k]);
	for (unsigned k = 0; k < w->claim.n; k++) {
		struct gate_pkt *p = &w->pkt[w->claim.i[k]];

		if (likely(memo_proved(w->memo, batch->hash[k], batch->ways[k], &batch->header[k],
				       hmac_field(p), hmac_field_len(p->view.hmac_len))))
			p->verdict = GATE_VERIFIED;
		else
			batch_miss(batch, k, p->key);
	}
}

void
stage_memo(struct gate_worker *w)
{
	batch_begin(&w->batch);
	for (unsigned k = 0; k < w->claim.n; k++) {
		const struct gate_pkt *p = &w->pkt[w->claim.i[k]];

		memo_header_of(&w->batch.header[k], p->key->generation, p->key->profile, p->frame,
			       &p->view);
	}
	if (w->memo != NULL) {
		recall(w);
		return;
	}
	for (unsigned k = 0; k < w->claim.n; k++)
		batch_miss(&w->batch, k, w->pkt[w->claim.i[k]].key);
}
