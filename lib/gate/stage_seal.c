/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The HMACs that are to be put in: those of headers that were sealed before are recalled, the
 * others computed. Of the header as it will be, although nothing of it is written yet. Datapath.
 */
#include <string.h>

#include <rte_byteorder.h>

#include "gate/batch.h"
#include "gate/seal.h"
#include "gate/worker.h"

#define IPV6_SA_OFF 8u
#define MEMO_AHEAD 8u

static inline void
header_to_be(struct memo_header *header, const struct keyring_key *key, const struct gate_pkt *p)
{
	const struct srh_view *view = &p->view;

	header->generation = key->generation;
	header->word = (uint64_t)view->last_entry | (uint64_t)seal_flags(key, p) << 8 |
		       (uint64_t)rte_cpu_to_be_16(seal_dres(key, p)) << 16 |
		       (uint64_t)rte_cpu_to_be_32(key->id) << 32;
	header->src = p->frame + view->ip_off + IPV6_SA_OFF;
	header->list = p->frame + view->srh_off + SRH_FIXED_LEN;
	header->segments = view->last_entry + 1u;
}

/* The copies outlive what memo_learn() may push out. */
static void
recall(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;
	struct memo *memo = w->memo;
	unsigned n = w->seals.n;

	for (unsigned k = 0; k < n; k++) {
		batch->hash[k] = memo_hash_header(memo, &batch->header[k]);
		memo_prefetch(memo, batch->hash[k]);
	}
	for (unsigned k = 0; k < MEMO_AHEAD && k < n; k++)
		batch->ways[k] = memo_ways(memo, batch->hash[k]);
	for (unsigned k = 0; k < n; k++) {
		const uint8_t *sealed;

		if (k + MEMO_AHEAD < n)
			batch->ways[k + MEMO_AHEAD] = memo_ways(memo, batch->hash[k + MEMO_AHEAD]);
		sealed = memo_sealed(memo, batch->hash[k], batch->ways[k], &batch->header[k]);
		if (likely(sealed != NULL))
			memcpy(batch->tag[k], sealed, HMAC_FIELD_MAX);
		else
			batch_miss(batch, k, w->insert_key);
	}
}

static void
compute(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;
	unsigned field_len = hmac_field_len(w->insert_key->tlv_length);

	hmac_run(w->engine, batch->job, batch->miss.n);
	for (unsigned k = 0; k < batch->miss.n; k++) {
		unsigned at = batch->miss.i[k];

		if (unlikely(!batch->job[k].ok))
			/* Never seen: the engine refused. Without an HMAC it does not leave. */
			gate_drop(w, w->seals.i[at], GATE_INSERT_KEY_UNKNOWN);
		else if (w->memo != NULL)
			memo_learn(w->memo, batch->hash[at], &batch->header[at], batch->tag[at],
				   field_len);
	}
}

void
stage_seal(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;

	if (w->seals.n == 0)
		return;
	batch_begin(batch);
	for (unsigned k = 0; k < w->seals.n; k++) {
		unsigned i = w->seals.i[k];

		header_to_be(&batch->header[k], w->insert_key, &w->pkt[i]);
	}
	if (w->memo != NULL) {
		recall(w);
	} else {
		for (unsigned k = 0; k < w->seals.n; k++)
			batch_miss(batch, k, w->insert_key);
	}
	if (batch->miss.n != 0)
		compute(w);
}
