/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker has proved: every authenticated octet of a header, its HMAC, and the generation of
 * the key that proved it. All packets of a flow carry the same HMAC, so the second one need not be
 * hashed: it is compared. For insertion the other way round: the HMAC of a header that was sealed
 * before is copied.
 *
 * A memo belongs to one worker and has no lock. Only memo_learn() puts something in, and it may be
 * called only for an HMAC that was computed here or has just been verified. A key that was replaced
 * or deleted is never answered for, because its generation never comes back.
 *
 * Entries lie in sets of MEMO_WAYS; a set's line of tags says which entries are worth reading. The
 * index is a hash under a seed of this memo: nobody outside can aim at a set. A full set gives up
 * one entry at random, so no pattern of flows drives every one of them out.
 *
 * Once it holds more than the caches do (memo_is_far()), hide the latency of memory: walk a burst
 * three times, memo_prefetch() for all, memo_ways() for all, then memo_proved() or memo_sealed().
 * Before that, one walk with memo_match() for memo_ways() takes fewer steps.
 */
#ifndef SEGSEAL_HMAC_MEMO_H
#define SEGSEAL_HMAC_MEMO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <emmintrin.h>

#include "hmac/hmac.h"
#include "srh/srh.h"

#define MEMO_SEGMENTS 12u /* headers with longer lists are never remembered */
#define MEMO_WAYS 8u
#define MEMO_NEAR 2048u /* entries: of two lines each, a quarter of a MiB */
#define MEMO_SEEDS (4u + 2u * MEMO_SEGMENTS)
#define MEMO_ENTRIES_MAX (1u << 24)

struct memo_entry { /* four cache lines, of which two segments need the first two */
	uint64_t generation;
	uint64_t word;
	uint8_t src[16];
	uint8_t hmac[HMAC_FIELD_MAX]; /* zero behind the field's length */
	uint8_t list[MEMO_SEGMENTS][SRH_SEGMENT_LEN];
} __attribute__((aligned(64)));

struct memo_stats {
	uint64_t hits;
	uint64_t misses; /* asked for and not there, headers too long to be remembered included */
	uint64_t evictions; /* entries given up for others */
};

/* Private to the functions below. */
struct memo {
	struct memo_entry *entries;
	uint16_t (*tags)[MEMO_WAYS]; /* 0 = empty */
	uint64_t set_mask;
	uint64_t random;
	uint64_t filled; /* entries that hold something */
	struct memo_stats stats;
	uint64_t seed[MEMO_SEEDS];
} __attribute__((aligned(64)));

/* Room for at least entries headers (rounded up to a power of two, 8 or more) on a NUMA socket
 * (-1: any). NULL with errno set: -EINVAL for 0 or more than MEMO_ENTRIES_MAX, ENOMEM. Control. */
struct memo *memo_create(uint32_t entries, int socket);
void memo_destroy(struct memo *memo);
uint32_t memo_capacity(const struct memo *memo);
/* Any thread: 64-bit relaxed loads. */
void memo_read_stats(const struct memo *memo, struct memo_stats *stats);

/* --- worker --- */

/* The authenticated octets of one packet, where they lie. */
struct memo_header {
	uint64_t generation; /* of the key; its profile and algorithm go without saying */
	uint64_t word;	     /* Last Entry, Flags, D and reserved (linux: 0), HMAC Key ID, as they
			      * are on the wire */
	const uint8_t *src;  /* Source Address */
	const uint8_t *list; /* Segment List */
	uint32_t segments;   /* Last Entry + 1 */
};

/* Name the octets of the frame that view was made from: view->hmac_off set, SRH contiguous. The
 * header points into the frame. */
static inline void
memo_header_of(struct memo_header *header, uint64_t generation, enum hmac_profile profile,
	       const uint8_t *frame, const struct srh_view *view)
{
	uint64_t tlv;
	uint16_t le_flags;

	memcpy(&tlv, frame + view->hmac_off, sizeof(tlv));
	memcpy(&le_flags, frame + view->srh_off + 4, sizeof(le_flags));
	tlv &= profile == HMAC_LINUX ? 0xffffffff00000000u : 0xffffffffffff0000u;
	header->generation = generation;
	header->word = tlv | le_flags;
	header->src = frame + view->ip_off + 8;
	header->list = frame + view->srh_off + SRH_FIXED_LEN;
	header->segments = view->last_entry + 1u;
}

static inline uint64_t
memo_load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t
memo_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Index of a header that carries an HMAC: 8 octets or more at hmac. The HMAC of a header that is
 * in the memo is itself a pseudorandom function of all that was authenticated. */
static inline uint64_t
memo_hash_hmac(const struct memo *memo, const uint8_t *hmac)
{
	return memo_fold(memo_load(hmac) ^ memo->seed[0], memo->seed[1]);
}

/* What the key puts into memo_hash_header(): once for all headers that are to get an HMAC from it.
 */
static inline uint64_t
memo_hash_key(const struct memo *memo, uint64_t word, uint64_t generation)
{
	return memo_fold(word ^ memo->seed[2], generation ^ memo->seed[3]);
}

/*
 * Index of a header that is to get an HMAC: key_hash is memo_hash_key() of its generation and of
 * its word, or of the part of it that does not change with the packet. Of the header, src, list and
 * segments are looked at.
 */
static inline uint64_t
memo_hash_header(const struct memo *memo, uint64_t key_hash, const struct memo_header *header)
{
	const uint64_t *seed = memo->seed;
	uint32_t n = header->segments < MEMO_SEGMENTS ? header->segments : MEMO_SEGMENTS;
	uint64_t h = key_hash;

	h += memo_fold(memo_load(header->src) ^ seed[0], memo_load(header->src + 8) ^ seed[1]);
	for (uint32_t i = 0; i < n; i++)
		h += memo_fold(memo_load(header->list + 16 * i) ^ seed[4 + 2 * i],
			       memo_load(header->list + 16 * i + 8) ^ seed[5 + 2 * i]);
	/* What counts up in the middle of one half may leave a sum's low bits nearly alone. */
	return memo_fold(h, seed[1]);
}

static inline uint16_t
memo_tag(uint64_t hash)
{
	return (uint16_t)(hash >> 48) | 1;
}

static inline struct memo_entry *
memo_set(const struct memo *memo, uint64_t hash)
{
	return memo->entries + (hash & memo->set_mask) * MEMO_WAYS;
}

/* Whether what it holds no longer fits in the second level cache along with all else. */
static inline bool
memo_is_far(const struct memo *memo)
{
	return memo->filled > MEMO_NEAR;
}

/* First step: fetch the set's tags. */
static inline void
memo_prefetch(const struct memo *memo, uint64_t hash)
{
	__builtin_prefetch(memo->tags[hash & memo->set_mask]);
}

/* Second step: the ways of the set that may hold it, two bits each. */
static inline uint32_t
memo_match(const struct memo *memo, uint64_t hash)
{
	__m128i tags = _mm_load_si128((const __m128i *)memo->tags[hash & memo->set_mask]);
	__m128i same = _mm_cmpeq_epi16(tags, _mm_set1_epi16((short)memo_tag(hash)));

	return (uint32_t)_mm_movemask_epi8(same);
}

/* The same, and fetches the first of them. */
static inline uint32_t
memo_ways(const struct memo *memo, uint64_t hash)
{
	uint32_t ways = memo_match(memo, hash);

	if (ways) {
		const struct memo_entry *e = memo_set(memo, hash) + (__builtin_ctz(ways) >> 1);

		__builtin_prefetch(e);
		__builtin_prefetch((const uint8_t *)e + 64);
	}
	return ways;
}

static inline __m128i
memo_diff(const uint8_t *a, const uint8_t *b)
{
	return _mm_xor_si128(_mm_loadu_si128((const __m128i *)a),
			     _mm_loadu_si128((const __m128i *)b));
}

static inline bool
memo_is_zero(__m128i v)
{
	return _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) == 0xffff;
}

/* What differs between an entry and a header with no more than MEMO_SEGMENTS; zero = nothing. */
static inline __m128i
memo_header_diff(const struct memo_entry *e, const struct memo_header *header)
{
	__m128i diff = _mm_xor_si128(
		_mm_load_si128((const __m128i *)e),
		_mm_set_epi64x((long long)header->word, (long long)header->generation));

	diff = _mm_or_si128(diff, memo_diff(e->src, header->src));
	for (uint32_t i = 0; i < header->segments; i++)
		diff = _mm_or_si128(diff, memo_diff(e->list[i], header->list + 16 * i));
	return diff;
}

/* The same for the HMAC field of len octets, 24 or 32: all of them, whatever they hold. */
static inline __m128i
memo_hmac_diff(const struct memo_entry *e, const uint8_t *hmac, unsigned len)
{
	__m128i low = memo_diff(e->hmac, hmac);
	__m128i high = len == HMAC_FIELD_MAX
			       ? memo_diff(e->hmac + 16, hmac + 16)
			       : _mm_xor_si128(_mm_loadl_epi64((const __m128i *)(e->hmac + 16)),
					       _mm_loadl_epi64((const __m128i *)(hmac + 16)));

	return _mm_or_si128(low, high);
}

/* Counters have one writer; others read them. */
static inline void
memo_count(struct memo *memo, uint64_t hits, uint64_t misses)
{
	__atomic_store_n(&memo->stats.hits, memo->stats.hits + hits, __ATOMIC_RELAXED);
	__atomic_store_n(&memo->stats.misses, memo->stats.misses + misses, __ATOMIC_RELAXED);
}

/*
 * Third step: the entry that holds exactly this header and, if hmac is not NULL, exactly this HMAC
 * field of len octets; NULL if there is none. ways is what memo_ways() or memo_match() said, with
 * no memo_learn() in between other than such as may only turn a hit into a miss or a miss into a
 * hit. The caller counts.
 */
static inline const struct memo_entry *
memo_find(const struct memo *memo, uint64_t hash, uint32_t ways, const struct memo_header *header,
	  const uint8_t *hmac, unsigned len)
{
	const struct memo_entry *set = memo_set(memo, hash);

	for (ways &= header->segments <= MEMO_SEGMENTS ? 0x5555u : 0; ways; ways &= ways - 1) {
		const struct memo_entry *e = set + (__builtin_ctz(ways) >> 1);
		__m128i diff = memo_header_diff(e, header);

		if (hmac)
			diff = _mm_or_si128(diff, memo_hmac_diff(e, hmac, len));
		if (memo_is_zero(diff))
			return e;
	}
	return NULL;
}

/* For verification: true iff exactly this header with exactly this HMAC field (len octets, 24 or
 * 32) was learned under this generation. */
static inline bool
memo_proved(struct memo *memo, uint64_t hash, uint32_t ways, const struct memo_header *header,
	    const uint8_t *hmac, unsigned len)
{
	const struct memo_entry *e = memo_find(memo, hash, ways, header, hmac, len);

	memo_count(memo, e != NULL, e == NULL);
	return e != NULL;
}

/* For insertion: the HMAC field (HMAC_FIELD_MAX octets, zero behind the field's length) of this
 * header under this generation, or NULL. Valid until the next memo_learn(). */
static inline const uint8_t *
memo_sealed(struct memo *memo, uint64_t hash, uint32_t ways, const struct memo_header *header)
{
	const struct memo_entry *e = memo_find(memo, hash, ways, header, NULL, 0);

	memo_count(memo, e != NULL, e == NULL);
	return e ? e->hmac : NULL;
}

/*
 * Remember a header with its HMAC field of len octets (24 or 32) that was proved or computed under
 * header->generation. hash: memo_hash_hmac() of the HMAC for verification, memo_hash_header() for
 * insertion. Nothing happens if it is there already or is too long.
 */
void memo_learn(struct memo *memo, uint64_t hash, const struct memo_header *header,
		const uint8_t *hmac, unsigned len);

#endif
