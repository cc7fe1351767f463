/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each claim authenticates, and whether exactly that was proved before under this key. What
 * was not becomes a job for the engine. Datapath.
 */
#include "gate/batch.h"
#include "gate/worker.h"

#define MEMO_AHEAD 8u

static inline const uint8_t *
hmac_field(const struct gate_pkt *p)
{
	return p->frame + p->view.hmac_off + SRH_HMAC_HDR_LEN;
}

/* The memo's lines come from far when it is large: hash and fetch all tags first, then fetch
 * entries some packets ahead of where they are compared. */
static void
recall(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;
	struct memo *memo = w->memo;
	unsigned n = w->claim.n;

	for (unsigned k = 0; k < n; k++) {
		batch->hash[k] = memo_hash_hmac(memo, hmac_field(&w->pkt[w->claim.i[k]]));
		memo_prefetch(memo, batch->hash[k]);
	}
	for (unsigned k = 0; k < MEMO_AHEAD && k < n; k++)
		batch->ways[k] = memo_ways(memo, batch->hash[k]);
	for (unsigned k = 0; k < n; k++) {
		unsigned i = w->claim.i[k];
		const struct gate_pkt *p = &w->pkt[i];
		struct memo_header header;

		if (k + MEMO_AHEAD < n)
			batch->ways[k + MEMO_AHEAD] = memo_ways(memo, batch->hash[k + MEMO_AHEAD]);
		memo_header_of(&header, p->key->generation, p->key->profile, p->frame, &p->view);
		if (likely(memo_proved(memo, batch->hash[k], batch->ways[k], &header, hmac_field(p),
				       hmac_field_len(p->view.hmac_len)))) {
			w->verdict[i] = GATE_VERIFIED;
		} else {
			batch->header[k] = header;
			batch_miss(batch, k, p->key);
		}
	}
}

void
stage_memo(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;

	batch_begin(batch);
	if (w->memo != NULL) {
		recall(w);
		return;
	}
	for (unsigned k = 0; k < w->claim.n; k++) {
		const struct gate_pkt *p = &w->pkt[w->claim.i[k]];

		memo_header_of(&batch->header[k], p->key->generation, p->key->profile, p->frame,
			       &p->view);
		batch_miss(batch, k, p->key);
	}
}
