/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The HMACs that are to be put in: those of headers that were sealed before are recalled, the
 * others computed. Of the header as it will be, although nothing of it is written yet. Datapath.
 */
#include <string.h>

#include "gate/batch.h"
#include "gate/seal.h"
#include "gate/worker.h"

#define IPV6_SA_OFF 8u

static inline struct memo_header
header_to_be(const struct seal_form *form, const struct gate_pkt *p)
{
	const struct srh_view *view = &p->view;

	return (struct memo_header){
		.generation = form->generation,
		.word = (seal_tlv(form, view) & SEAL_TLV_COVERED) | seal_le_flags(form, view),
		.src = p->frame + view->ip_off + IPV6_SA_OFF,
		.list = p->frame + view->srh_off + SRH_FIXED_LEN,
		.segments = view->last_entry + 1u,
	};
}

/* The HMAC of header k, found under hash in these ways, if it was sealed before; a job if not. The
 * copy outlives what memo_learn() may push out. */
static inline bool
recall_one(struct gate_worker *w, unsigned k, uint64_t hash, uint32_t ways,
	   const struct memo_header *header)
{
	struct gate_batch *batch = &w->batch;
	const struct memo_entry *entry = memo_find(w->memo, hash, ways, header, NULL, 0);

	if (likely(entry != NULL)) {
		memcpy(batch->tag[k], entry->hmac, HMAC_FIELD_MAX);
		return true;
	}
	batch->hash[k] = hash;
	batch->header[k] = *header;
	batch_miss(batch, k, header, w->insert_key);
	return false;
}

static inline uint64_t
hash_of_key(const struct memo *memo, const struct seal_form *form)
{
	return memo_hash_key(memo, form->tlv & SEAL_TLV_COVERED, form->generation);
}

/* As in stage_memo.c. */
static unsigned
recall_far(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;
	const struct seal_form form = seal_form_of(w->insert_key);
	const uint64_t key_hash = hash_of_key(w->memo, &form);
	unsigned n = w->seals.n, hits = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned i = w->seals.i[k];

		batch->header[k] = header_to_be(&form, &w->pkt[i]);
		batch->hash[k] = memo_hash_header(w->memo, key_hash, &batch->header[k]);
		memo_prefetch(w->memo, batch->hash[k]);
	}
	for (unsigned k = 0; k < n; k++)
		batch->ways[k] = memo_ways(w->memo, batch->hash[k]);
	for (unsigned k = 0; k < n; k++) {
		struct memo_header header = batch->header[k];

		hits += recall_one(w, k, batch->hash[k], batch->ways[k], &header);
	}
	return hits;
}

/* Header k, whose segments are known where this is inlined. */
static __rte_always_inline bool
recall_one_near(struct gate_worker *w, unsigned k, const struct seal_form *form, uint64_t key_hash,
		uint32_t segments)
{
	unsigned i = w->seals.i[k];
	struct memo_header header = header_to_be(form, &w->pkt[i]);
	uint64_t hash;

	header.segments = segments;
	hash = memo_hash_header(w->memo, key_hash, &header);
	return recall_one(w, k, hash, memo_match(w->memo, hash), &header);
}

static unsigned
recall_near(struct gate_worker *w)
{
	const struct seal_form form = seal_form_of(w->insert_key);
	const uint64_t key_hash = hash_of_key(w->memo, &form);
	unsigned n = w->seals.n, hits = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned last_entry = w->pkt[w->seals.i[k]].view.last_entry;

		switch (last_entry) {
		case 0:
			hits += recall_one_near(w, k, &form, key_hash, 1);
			break;
		case 1:
			hits += recall_one_near(w, k, &form, key_hash, 2);
			break;
		case 2:
			hits += recall_one_near(w, k, &form, key_hash, 3);
			break;
		default:
			hits += recall_one_near(w, k, &form, key_hash, last_entry + 1);
			break;
		}
	}
	return hits;
}

static void
recall(struct gate_worker *w)
{
	unsigned hits = memo_is_far(w->memo) ? recall_far(w) : recall_near(w);

	memo_count(w->memo, hits, w->seals.n - hits);
}

static void
miss_all(struct gate_worker *w)
{
	const struct seal_form form = seal_form_of(w->insert_key);

	for (unsigned k = 0; k < w->seals.n; k++) {
		unsigned i = w->seals.i[k];
		struct memo_header header = header_to_be(&form, &w->pkt[i]);

		batch_miss(&w->batch, k, &header, w->insert_key);
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
	if (w->memo == NULL)
		miss_all(w);
	else
		recall(w);
	if (batch->miss.n != 0)
		compute(w);
}
