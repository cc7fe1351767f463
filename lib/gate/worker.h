/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to lib/gate: what a worker carries through the walk, and the walk's stages in the order
 * that a packet meets them. All of it belongs to one worker thread; nothing here is shared but
 * struct gate, which is read once for each burst, and the counters, which others may read.
 *
 * Each stage takes the worker, works on what the stages before it left, and gives on lists of
 * indices into pkt[], so that a stage visits only the packets that concern it. No stage reaches
 * back: what a stage decided stays decided. Nothing of a packet is written before stage_strip(),
 * and from there on nothing can fail.
 */
#ifndef SEGSEAL_GATE_WORKER_H
#define SEGSEAL_GATE_WORKER_H

#include <assert.h>

#include <emmintrin.h>

#include <rte_common.h>
#include <rte_mbuf.h>

#include "gate/gate.h"
#include "gate/shared.h"
#include "hmac/memo.h"
#include "srh/srh.h"

/* As much of a frame as srh_find() may want to see. */
#define GATE_SCRATCH_LEN (SRH_MAX_CHAIN_LEN + 64u)

/* A text and what brings the next one to a cache line of its own. */
#define GATE_TEXT_ROOM ((size_t)RTE_ALIGN_MUL_CEIL(HMAC_TEXT_MAX, RTE_CACHE_LINE_SIZE))

/* What the insertion has to do with a packet. */
enum gate_seal {
	SEAL_NOT,     /* nothing: no SRH, or the port does not insert */
	SEAL_INSERT,  /* a new HMAC TLV */
	SEAL_FILL,    /* the all-zero HMAC of an HMAC TLV that is there */
	SEAL_PRESENT, /* nothing: has an HMAC already */
};

/* One packet on its way; a cache line. */
struct gate_pkt {
	uint8_t *frame; /* the header chain in one piece: in the mbuf's first segment, or a copy */
	const struct keyring_key *key; /* of the HMAC TLV; set for claims */
	struct srh_view view;
} __rte_cache_aligned;

static_assert(sizeof(struct gate_pkt) == RTE_CACHE_LINE_SIZE, "a descriptor is a cache line");
static_assert(GATE_BURST_MAX <= 256, "indices are octets");
static_assert(GATE_BURST_MAX <= HMAC_BATCH_MAX, "a burst is one batch");

/* Some packets of the burst, in order. */
struct gate_list {
	uint16_t n;
	const uint8_t *i; /* own, or shared by all lists that hold every packet */
	uint8_t own[GATE_BURST_MAX];
};

/* HMACs to be known, by the position in a list: recalled from the memo, or else computed. */
struct gate_batch {
	struct memo_header header[GATE_BURST_MAX];
	uint64_t hash[GATE_BURST_MAX];
	uint32_t ways[GATE_BURST_MAX];
	struct gate_list miss; /* positions whose HMAC has to be computed: job[k] for miss.i[k] */
	struct hmac_job job[GATE_BURST_MAX];
	uint32_t text_used;
	uint8_t tag[GATE_BURST_MAX][HMAC_TAG_MAX] __rte_cache_aligned; /* by position */
	uint8_t text[GATE_BURST_MAX * GATE_TEXT_ROOM] __rte_cache_aligned;
};

struct gate_port_counters {
	uint64_t v[GATE_VERDICT_COUNT];
} __rte_cache_aligned;

struct gate_worker {
	const struct gate *gate;
	struct hmac_engine *engine;
	struct memo *memo; /* NULL = off */
	struct rte_mempool *edit_pool;
	struct keyring_use *uses;
	unsigned index;

	/* of this burst */
	struct gate_port port;
	struct rte_mbuf **pkts;
	uint16_t n;
	uint16_t found;			      /* packets with SRH_FOUND */
	uint16_t key_runs;		      /* of claims; 1: all have the same key */
	const struct keyring_key *insert_key; /* NULL if unknown */
	struct gate_list judge;		      /* SRHs whose HMAC is to be verified */
	struct gate_list claim;		      /* those that name a key, in its form */
	struct gate_list edit;		      /* packets that will be written to */
	struct gate_list seals;		      /* those of them that are to get an HMAC */

	/* One octet for each packet: sixteen are looked at in one step. */
	uint8_t status[GATE_BURST_MAX] __rte_cache_aligned; /* enum srh_status */
	uint8_t verdict[GATE_BURST_MAX];		    /* enum gate_verdict, pass or drop */
	uint8_t seal[GATE_BURST_MAX];			    /* enum gate_seal */
	uint8_t cut[GATE_BURST_MAX]; /* octets of HMAC TLV that are to be stripped */

	struct gate_pkt pkt[GATE_BURST_MAX];
	struct gate_batch batch;
	struct gate_port_counters counters[GATE_PORTS_MAX];
	uint8_t scratch[GATE_BURST_MAX][GATE_SCRATCH_LEN] __rte_cache_aligned;
};

extern const uint8_t gate_everyone[GATE_BURST_MAX]; /* 0, 1, 2, .. */

static inline void
gate_list_begin(struct gate_list *list)
{
	list->n = 0;
	list->i = list->own;
}

static inline void
gate_list_add(struct gate_list *list, unsigned i)
{
	list->own[list->n++] = (uint8_t)i;
}

static inline void
gate_list_all(struct gate_list *list, uint16_t n)
{
	list->n = n;
	list->i = gate_everyone;
}

/* How many of n octets are v. a is readable up to the next multiple of 16. */
static inline unsigned
gate_count_octets(const uint8_t *a, unsigned n, uint8_t v)
{
	const __m128i want = _mm_set1_epi8((char)v);
	unsigned count = 0;

	for (unsigned i = 0; i < n; i += 16) {
		__m128i some = _mm_load_si128((const __m128i *)(a + i));
		uint32_t same = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(some, want));

		if (n - i < 16)
			same &= (1u << (n - i)) - 1;
		count += (unsigned)__builtin_popcount(same);
	}
	return count;
}

/* From here on nothing is done to packet i. */
static inline void
gate_drop(struct gate_worker *w, unsigned i, enum gate_verdict verdict)
{
	w->verdict[i] = (uint8_t)verdict;
	w->seal[i] = SEAL_NOT;
	w->cut[i] = 0;
}

static inline uint32_t
gate_srh_end(const struct srh_view *view)
{
	return (uint32_t)view->srh_off + view->srh_len;
}

/* Octets of the whole HMAC TLV. */
static inline uint8_t
gate_tlv_size(uint8_t tlv_length)
{
	return tlv_length + 2u;
}

/* Only the owner writes a counter, so that it need not be locked; others may read it meanwhile. */
static inline void
gate_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* --- the walk --- */

/* Find each packet's SRH: view, status, frame. */
void stage_parse(struct gate_worker *w);
/* Which of them are to be judged; a verdict for all others. */
void stage_scope(struct gate_worker *w);
/* Key of each HMAC TLV; its form, its presence by the key's profile, the destination: claim. */
void stage_key(struct gate_worker *w);
/* What each claim authenticates; those proved before are verified, the others become jobs. */
void stage_memo(struct gate_worker *w);
/* Compute the HMACs of the others. */
void stage_hmac(struct gate_worker *w);
/* Compare, learn, count the keys' use: every claim has its verdict. */
void stage_verdict(struct gate_worker *w);
/* What is to be stripped and sealed, and whether it can be. */
void stage_plan(struct gate_worker *w);
/* Recall or compute the HMACs that are to be put in. */
void stage_seal(struct gate_worker *w);
/* Make the headers that will be edited ours alone, in one piece, with enough room before them. */
void stage_room(struct gate_worker *w);
/* Take HMAC TLVs out. */
void stage_strip(struct gate_worker *w);
/* Put HMAC TLVs in. */
void stage_insert(struct gate_worker *w);
/* Count, and part those that go on from those that do not. */
uint16_t stage_leave(struct gate_worker *w, uint16_t port, struct gate_dropped *dropped,
		     uint16_t *n_dropped);

#endif
