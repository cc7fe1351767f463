/* SPDX-License-Identifier: BSD-3-Clause */
/* The memo answers for exactly what it learned, under exactly the generation, and nothing else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hmac/memo.h"

#define FLOWS 4096u

struct flow {
	struct memo_header header;
	uint8_t src[16];
	uint8_t list[(MEMO_SEGMENTS + 2) * 16];
	uint8_t hmac[HMAC_FIELD_MAX];
	unsigned len;
};

static uint64_t state = 7;

static uint64_t
random_64(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state ^ state >> 29;
}

static void
random_octets(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(random_64() >> 40);
}

static void
make_flow(struct flow *f, unsigned segments, unsigned len)
{
	random_octets(f->src, sizeof(f->src));
	random_octets(f->list, sizeof(f->list));
	random_octets(f->hmac, sizeof(f->hmac));
	f->len = len;
	f->header = (struct memo_header){
		.generation = random_64() | 1,
		.word = (random_64() & ~0xffull) | (segments - 1),
		.src = f->src,
		.list = f->list,
		.segments = segments,
	};
}

static bool
proved_at(struct memo *memo, uint64_t hash, const struct flow *f)
{
	return memo_proved(memo, hash, memo_ways(memo, hash), &f->header, f->hmac, f->len);
}

static bool
proved(struct memo *memo, const struct flow *f)
{
	return proved_at(memo, memo_hash_hmac(memo, f->hmac), f);
}

static void
learn(struct memo *memo, const struct flow *f)
{
	memo_learn(memo, memo_hash_hmac(memo, f->hmac), &f->header, f->hmac, f->len);
}

static uint64_t
header_hash(const struct memo *memo, const struct memo_header *header)
{
	return memo_hash_header(memo, memo_hash_key(memo, header->word, header->generation),
				header);
}

static const uint8_t *
sealed(struct memo *memo, const struct flow *f)
{
	uint64_t hash = header_hash(memo, &f->header);

	return memo_sealed(memo, hash, memo_ways(memo, hash), &f->header);
}

static struct memo *
create(uint32_t entries)
{
	struct memo *memo = memo_create(entries, -1);

	assert_non_null(memo);
	return memo;
}

static void
test_sizes(void **arg)
{
	static const uint32_t sizes[][2] = {{1, 8}, {8, 8}, {9, 16}, {1000, 1024}, {65536, 65536}};

	(void)arg;
	errno = 0;
	assert_null(memo_create(0, -1));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(memo_create(MEMO_ENTRIES_MAX + 1, -1));
	assert_int_equal(errno, EINVAL);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct memo *memo = create(sizes[i][0]);

		assert_int_equal(memo_capacity(memo), sizes[i][1]);
		memo_destroy(memo);
	}
	memo_destroy(NULL);
	assert_int_equal(sizeof(struct memo_entry), 256);
}

static void
test_empty_answers_nothing(void **arg)
{
	struct memo *memo = create(64);
	struct flow zero = {.len = 32};

	(void)arg;
	zero.header = (struct memo_header){0, 0, zero.src, zero.list, 1};
	for (unsigned i = 0; i < 1000; i++) {
		struct flow f;

		make_flow(&f, 1 + i % MEMO_SEGMENTS, 32);
		assert_false(proved(memo, &f));
		assert_null(sealed(memo, &f));
	}
	/* Empty entries are all zero, and so is this header. */
	for (uint64_t hash = 0; hash < 1000; hash++) {
		assert_false(proved_at(memo, hash << 48 | hash, &zero));
		assert_false(proved_at(memo, hash, &zero));
	}
	memo_destroy(memo);
}

/* Asserts that f is proved as it is, and not with any one bit of octets[0..len) changed. */
static void
check_each_bit(struct memo *memo, uint64_t hash, struct flow *f, void *octets, size_t len)
{
	uint8_t *p = octets;

	for (size_t bit = 0; bit < 8 * len; bit++) {
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(proved_at(memo, hash, f));
		p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_true(proved_at(memo, hash, f));
}

static void
test_every_bit_counts(void **arg)
{
	struct memo *memo = create(64);

	(void)arg;
	for (unsigned segments = 1; segments <= MEMO_SEGMENTS; segments++) {
		for (unsigned len = 24; len <= 32; len += 8) {
			struct flow f;
			uint64_t hash;

			make_flow(&f, segments, len);
			/* The same index for all, so that it is the comparison that tells. */
			hash = memo_hash_hmac(memo, f.hmac);
			assert_false(proved(memo, &f));
			learn(memo, &f);
			assert_true(proved(memo, &f));
			check_each_bit(memo, hash, &f, f.src, sizeof(f.src));
			check_each_bit(memo, hash, &f, f.list, 16 * segments);
			check_each_bit(memo, hash, &f, f.hmac, len);
			check_each_bit(memo, hash, &f, &f.header.generation, 8);
			check_each_bit(memo, hash, &f, &f.header.word, 8);
			/* What is not authenticated does not count. */
			random_octets(f.list + 16 * segments, 16);
			random_octets(f.hmac + len, HMAC_FIELD_MAX - len);
			assert_true(proved(memo, &f));
		}
	}
	memo_destroy(memo);
}

static void
test_sealed_every_bit_counts(void **arg)
{
	struct memo *memo = create(64);

	(void)arg;
	for (unsigned segments = 1; segments <= MEMO_SEGMENTS; segments++) {
		uint8_t *parts[4];
		size_t lens[4];
		struct flow f;
		uint64_t hash;

		make_flow(&f, segments, segments % 2 ? 24 : 32);
		hash = header_hash(memo, &f.header);
		assert_null(sealed(memo, &f));
		memo_learn(memo, hash, &f.header, f.hmac, f.len);
		assert_non_null(sealed(memo, &f));
		assert_memory_equal(sealed(memo, &f), f.hmac, f.len);
		for (unsigned i = f.len; i < HMAC_FIELD_MAX; i++)
			assert_int_equal(sealed(memo, &f)[i], 0);
		parts[0] = f.src, lens[0] = sizeof(f.src);
		parts[1] = f.list, lens[1] = 16 * segments;
		parts[2] = (uint8_t *)&f.header.generation, lens[2] = 8;
		parts[3] = (uint8_t *)&f.header.word, lens[3] = 8;
		for (unsigned p = 0; p < 4; p++) {
			for (size_t bit = 0; bit < 8 * lens[p]; bit++) {
				parts[p][bit / 8] ^= (uint8_t)(1u << bit % 8);
				assert_null(
					memo_sealed(memo, hash, memo_ways(memo, hash), &f.header));
				assert_int_not_equal(header_hash(memo, &f.header), hash);
				parts[p][bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
		}
	}
	memo_destroy(memo);
}

static void
test_too_long_is_not_remembered(void **arg)
{
	struct memo *memo = create(64);
	struct memo_stats stats;
	struct flow f;

	(void)arg;
	make_flow(&f, MEMO_SEGMENTS + 1, 32);
	learn(memo, &f);
	assert_false(proved(memo, &f));
	memo_learn(memo, header_hash(memo, &f.header), &f.header, f.hmac, f.len);
	assert_null(sealed(memo, &f));
	memo_read_stats(memo, &stats);
	assert_int_equal(stats.hits, 0);
	assert_int_equal(stats.misses, 2);
	/* Nor answered for by a shorter one that begins alike. */
	f.header.segments = MEMO_SEGMENTS;
	learn(memo, &f);
	assert_true(proved(memo, &f));
	f.header.segments = MEMO_SEGMENTS + 1;
	assert_false(proved(memo, &f));
	memo_destroy(memo);
}

/* Headers that fall on one index and one tag stand beside each other. */
static void
test_same_index_and_tag(void **arg)
{
	struct memo *memo = create(64);
	struct flow flows[MEMO_WAYS];
	uint64_t hash = random_64();
	struct memo_stats stats;

	(void)arg;
	for (unsigned i = 0; i < MEMO_WAYS; i++) {
		make_flow(&flows[i], 2, 32);
		memo_learn(memo, hash, &flows[i].header, flows[i].hmac, 32);
		for (unsigned k = 0; k <= i; k++)
			assert_true(proved_at(memo, hash, &flows[k]));
		for (unsigned k = 0; k <= i; k++)
			assert_memory_equal(
				memo_sealed(memo, hash, memo_ways(memo, hash), &flows[k].header),
				flows[k].hmac, 32);
	}
	memo_read_stats(memo, &stats);
	assert_int_equal(stats.evictions, 0);
	memo_destroy(memo);
}

static void
test_learning_twice_takes_no_room(void **arg)
{
	struct memo *memo = create(8);
	struct flow flows[MEMO_WAYS];
	struct memo_stats stats;

	(void)arg;
	for (unsigned i = 0; i < MEMO_WAYS; i++)
		make_flow(&flows[i], 3, 32);
	for (unsigned round = 0; round < 50; round++)
		for (unsigned i = 0; i < MEMO_WAYS; i++)
			learn(memo, &flows[i]);
	for (unsigned i = 0; i < MEMO_WAYS; i++)
		assert_true(proved(memo, &flows[i]));
	memo_read_stats(memo, &stats);
	assert_int_equal(stats.evictions, 0);
	assert_int_equal(stats.hits, MEMO_WAYS);
	assert_int_equal(stats.misses, 0);
	memo_destroy(memo);
}

static void
test_old_generation_is_never_answered(void **arg)
{
	struct memo *memo = create(64);
	struct flow f;

	(void)arg;
	make_flow(&f, 2, 32);
	learn(memo, &f);
	for (unsigned i = 0; i < 100; i++) {
		f.header.generation++;
		assert_false(proved(memo, &f));
	}
	/* Learned again under the new one, it takes the place of the old. */
	learn(memo, &f);
	assert_true(proved(memo, &f));
	f.header.generation -= 100;
	assert_false(proved(memo, &f));
	memo_destroy(memo);
}

/* A key that is replaced by itself makes the same HMACs as before, which lie in the same sets. */
static void
test_replaced_key_takes_no_room(void **arg)
{
	struct memo *memo = create(8);
	struct memo_stats stats;
	struct flow f;

	(void)arg;
	make_flow(&f, 2, 32);
	for (unsigned i = 0; i < 100; i++) {
		f.header.generation++;
		assert_false(proved(memo, &f));
		learn(memo, &f);
		assert_true(proved(memo, &f));
		/* One way to look at, and no more. */
		assert_int_equal(
			__builtin_popcount(memo_ways(memo, memo_hash_hmac(memo, f.hmac)) & 0x5555u),
			1);
	}
	memo_read_stats(memo, &stats);
	assert_int_equal(stats.evictions, 0);
	memo_destroy(memo);
}

static void
test_full_memo_evicts_and_counts(void **arg)
{
	struct flow *flows = calloc(FLOWS, sizeof(*flows));
	struct memo *memo = create(FLOWS / 4);
	struct memo_stats stats;
	unsigned there = 0;

	(void)arg;
	assert_non_null(flows);
	for (unsigned i = 0; i < FLOWS; i++) {
		make_flow(&flows[i], 1 + i % MEMO_SEGMENTS, i % 3 ? 32 : 24);
		learn(memo, &flows[i]);
		assert_true(proved(memo, &flows[i]));
	}
	for (unsigned i = 0; i < FLOWS; i++)
		there += proved(memo, &flows[i]);
	memo_read_stats(memo, &stats);
	/* What is there was learned and not given up for another. */
	assert_int_equal(there + stats.evictions, FLOWS);
	assert_in_range(there, FLOWS / 5, FLOWS / 4);
	assert_int_equal(stats.hits, FLOWS + there);
	assert_int_equal(stats.misses, FLOWS - there);
	memo_destroy(memo);
	free(flows);
}

/* Half as many flows as there is room for stay nearly all, whatever they look like. */
static void
test_flows_spread(void **arg)
{
	static const char *const kinds[] = {"random", "source counts up", "last segment counts up",
					    "key id counts up"};
	struct flow *flows = calloc(FLOWS, sizeof(*flows));

	(void)arg;
	assert_non_null(flows);
	for (unsigned kind = 0; kind < 4; kind++) {
		struct memo *memo = create(2 * FLOWS);
		unsigned there = 0;

		make_flow(&flows[0], 2, 32);
		for (unsigned i = 0; i < FLOWS; i++) {
			struct flow *f = &flows[i];

			if (kind == 0)
				make_flow(f, 2, 32);
			else
				*f = flows[0];
			f->header.src = f->src;
			f->header.list = f->list;
			if (kind == 1)
				memcpy(f->src + 14, &(uint16_t){(uint16_t)i}, 2);
			if (kind == 2)
				memcpy(f->list + 8, &(uint32_t){i << 16}, 4);
			if (kind == 3)
				f->header.word = flows[0].header.word ^ (uint64_t)i << 48;
			memo_learn(memo, header_hash(memo, &f->header), &f->header, f->hmac, 32);
		}
		for (unsigned i = 0; i < FLOWS; i++)
			there += sealed(memo, &flows[i]) != NULL;
		if (there < FLOWS * 95 / 100)
			fail_msg("%s: %u of %u", kinds[kind], there, FLOWS);
		memo_destroy(memo);
	}
	free(flows);
}

/* Two memos do not put the same header in the same place: the seed is their own. */
static void
test_seed_differs(void **arg)
{
	struct memo *a = create(65536), *b = create(65536);
	unsigned same = 0, same_header = 0;

	(void)arg;
	for (unsigned i = 0; i < 1000; i++) {
		struct flow f;

		make_flow(&f, 2, 32);
		same += memo_set(a, memo_hash_hmac(a, f.hmac)) - a->entries ==
			memo_set(b, memo_hash_hmac(b, f.hmac)) - b->entries;
		same_header += memo_set(a, header_hash(a, &f.header)) - a->entries ==
			       memo_set(b, header_hash(b, &f.header)) - b->entries;
	}
	assert_in_range(same, 0, 10);
	assert_in_range(same_header, 0, 10);
	memo_destroy(a);
	memo_destroy(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_empty_answers_nothing),
		cmocka_unit_test(test_every_bit_counts),
		cmocka_unit_test(test_sealed_every_bit_counts),
		cmocka_unit_test(test_too_long_is_not_remembered),
		cmocka_unit_test(test_same_index_and_tag),
		cmocka_unit_test(test_learning_twice_takes_no_room),
		cmocka_unit_test(test_old_generation_is_never_answered),
		cmocka_unit_test(test_replaced_key_takes_no_room),
		cmocka_unit_test(test_full_memo_evicts_and_counts),
		cmocka_unit_test(test_flows_spread),
		cmocka_unit_test(test_seed_differs),
	};

	return cmocka_run_group_tests_name("hmac memo", tests, NULL, NULL);
}
