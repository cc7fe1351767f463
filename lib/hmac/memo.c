/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <sys/random.h>

#include "hmac/memo.h"
#include "hmac/pages.h"

static size_t
entries_size(uint64_t sets)
{
	return sets * MEMO_WAYS * sizeof(struct memo_entry);
}

static size_t
tags_size(uint64_t sets)
{
	return sets * MEMO_WAYS * sizeof(uint16_t);
}

struct memo *
memo_create(uint32_t entries, int socket)
{
	struct memo *memo;
	uint64_t sets = 1;

	if (entries == 0 || entries > MEMO_ENTRIES_MAX) {
		errno = EINVAL;
		return NULL;
	}
	while (sets * MEMO_WAYS < entries)
		sets *= 2;
	memo = hmac_pages_alloc(sizeof(*memo), socket);
	if (!memo)
		goto no_memory;
	memo->set_mask = sets - 1;
	memo->entries = hmac_pages_alloc(entries_size(sets), socket);
	memo->tags = hmac_pages_alloc(tags_size(sets), socket);
	if (!memo->entries || !memo->tags)
		goto no_memory;
	if (getrandom(memo->seed, sizeof(memo->seed), 0) != (ssize_t)sizeof(memo->seed) ||
	    getrandom(&memo->random, sizeof(memo->random), 0) != (ssize_t)sizeof(memo->random)) {
		memo_destroy(memo);
		errno = EIO;
		return NULL;
	}
	memo->seed[1] |= 1; /* a multiplier that loses no bit */
	return memo;

no_memory:
	memo_destroy(memo);
	errno = ENOMEM;
	return NULL;
}

void
memo_destroy(struct memo *memo)
{
	if (!memo)
		return;
	hmac_pages_free(memo->entries, entries_size(memo->set_mask + 1));
	hmac_pages_free(memo->tags, tags_size(memo->set_mask + 1));
	hmac_pages_free(memo, sizeof(*memo));
}

uint32_t
memo_capacity(const struct memo *memo)
{
	return (uint32_t)(memo->set_mask + 1) * MEMO_WAYS;
}

void
memo_read_stats(const struct memo *memo, struct memo_stats *stats)
{
	stats->hits = __atomic_load_n(&memo->stats.hits, __ATOMIC_RELAXED);
	stats->misses = __atomic_load_n(&memo->stats.misses, __ATOMIC_RELAXED);
	stats->evictions = __atomic_load_n(&memo->stats.evictions, __ATOMIC_RELAXED);
}

/* An empty way, or one to give up. Where the search begins depends on the hash: if all began at the
 * first, few lines of the first level cache would serve the first way of every set. */
static unsigned
pick_way(struct memo *memo, uint64_t hash, const uint16_t tags[MEMO_WAYS])
{
	for (unsigned i = 0; i < MEMO_WAYS; i++) {
		unsigned way = ((hash >> 40) + i) % MEMO_WAYS;

		if (tags[way] == 0) {
			memo->filled++;
			return way;
		}
	}
	__atomic_store_n(&memo->stats.evictions, memo->stats.evictions + 1, __ATOMIC_RELAXED);
	memo->random = memo->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(memo->random >> 61);
}

/*
 * The way that holds this header already, or MEMO_WAYS: several packets of a new flow come in one
 * burst, and each of them is learned; and a key that was replaced leaves behind what it proved,
 * which nobody asks for again and which would stand in the way of each hit after it.
 */
static unsigned
way_of(const struct memo *memo, uint64_t hash, struct memo_header header)
{
	const struct memo_entry *set = memo_set(memo, hash);

	for (uint32_t ways = memo_ways(memo, hash) & 0x5555u; ways; ways &= ways - 1) {
		unsigned way = (unsigned)__builtin_ctz(ways) >> 1;

		header.generation = set[way].generation;
		if (memo_is_zero(memo_header_diff(&set[way], &header)))
			return way;
	}
	return MEMO_WAYS;
}

void
memo_learn(struct memo *memo, uint64_t hash, const struct memo_header *header, const uint8_t *hmac,
	   unsigned len)
{
	uint16_t *tags = memo->tags[hash & memo->set_mask];
	struct memo_entry *e;
	unsigned way;

	if (header->segments > MEMO_SEGMENTS || len > HMAC_FIELD_MAX)
		return;
	way = way_of(memo, hash, *header);
	if (way == MEMO_WAYS)
		way = pick_way(memo, hash, tags);
	e = memo_set(memo, hash) + way;
	tags[way] = memo_tag(hash);
	e->generation = header->generation;
	e->word = header->word;
	memcpy(e->src, header->src, sizeof(e->src));
	memcpy(e->hmac, hmac, len);
	memset(e->hmac + len, 0, HMAC_FIELD_MAX - len);
	memcpy(e->list, header->list, (size_t)header->segments * SRH_SEGMENT_LEN);
}
