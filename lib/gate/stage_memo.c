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

/* Whether claim k, found under hash in these ways, was proved before; a job if not. header is its
 * header, segments the number of its segments, known where this is inlined. */
static __rte_always_inline bool
recall_one(struct gate_worker *w, unsigned k, uint64_t hash, uint32_t ways, uint32_t segments)
{
	struct gate_batch *batch = &w->batch;
	unsigned i = w->claim.i[k];
	const struct gate_pkt *p = &w->pkt[i];
	struct memo_header header;

	memo_header_of(&header, p->key->generation, p->key->profile, p->frame, &p->view);
	header.segments = segments;
	if (likely(memo_find(w->memo, hash, ways, &header, hmac_field(p),
			     hmac_field_len(p->view.hmac_len)) != NULL)) {
		w->verdict[i] = GATE_VERIFIED;
		return true;
	}
	batch->hash[k] = hash;
	batch->header[k] = header;
	batch_miss(batch, k, &header, p->key);
	return false;
}

static inline unsigned
segments_of(const struct gate_worker *w, unsigned k)
{
	return w->pkt[w->claim.i[k]].view.last_entry + 1u;
}

static inline uint64_t
hash_claim(const struct gate_worker *w, unsigned k)
{
	return memo_hash_hmac(w->memo, hmac_field(&w->pkt[w->claim.i[k]]));
}

/* The memo's lines come from far: fetch all tags, then all entries, then compare, so that the whole
 * burst waits for memory once. */
static unsigned
recall_far(struct gate_worker *w)
{
	struct gate_batch *batch = &w->batch;
	unsigned n = w->claim.n, hits = 0;

	for (unsigned k = 0; k < n; k++) {
		batch->hash[k] = hash_claim(w, k);
		memo_prefetch(w->memo, batch->hash[k]);
	}
	for (unsigned k = 0; k < n; k++)
		batch->ways[k] = memo_ways(w->memo, batch->hash[k]);
	for (unsigned k = 0; k < n; k++)
		hits += recall_one(w, k, batch->hash[k], batch->ways[k], segments_of(w, k));
	return hits;
}

static unsigned
recall_near(struct gate_worker *w)
{
	unsigned hits = 0;

	for (unsigned k = 0; k < w->claim.n; k++) {
		unsigned segments = segments_of(w, k);
		uint64_t hash = hash_claim(w, k);
		uint32_t ways = memo_match(w->memo, hash);

		switch (segments) {
		case 1:
			hits += recall_one(w, k, hash, ways, 1);
			break;
		case 2:
			hits += recall_one(w, k, hash, ways, 2);
			break;
		case 3:
			hits += recall_one(w, k, hash, ways, 3);
			break;
		default:
			hits += recall_one(w, k, hash, ways, segments);
			break;
		}
	}
	return hits;
}

static void
recall(struct gate_worker *w)
{
	unsigned hits = memo_is_far(w->memo) ? recall_far(w) : recall_near(w);

	memo_count(w->memo, hits, w->claim.n - hits);
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
		struct memo_header header;

		memo_header_of(&header, p->key->generation, p->key->profile, p->frame, &p->view);
		batch_miss(batch, k, &header, p->key);
	}
}
