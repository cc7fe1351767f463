/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A verdict never changes with the manager that hashes, the size of the burst, or the memo: the
 * same traffic, valid and tampered, of many keys that change on the way, through each combination,
 * packet by packet the same as one at a time on one manager without memo.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate_lab.h"

#define PACKETS 2400u
#define PHASES 6u
#define FLOWS 160u
#define NOBODY 999

/* A packet as it comes in and what became of it the first time. */
struct entry {
	uint8_t *in, *out;
	uint32_t in_len, out_len;
	struct lab_layout layout;
	enum gate_verdict verdict;
	uint32_t key_id;
	uint16_t err_off;
};

static struct entry entries[PACKETS];
static uint64_t seed = 20240607;

static unsigned
below(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % n);
}

/* --- traffic --- */

static struct packet_spec
random_flow(uint32_t flow)
{
	struct packet_spec spec = {
		.segments = 1 + below(below(4) == 0 ? 20 : 4),
		.tags = below(4) == 0,
		.reduced = below(8) == 0,
		.hmac = below(8) == 0 ? HMAC_NOT : HMAC_GOOD,
		.key_id = packet_keys[below(PACKET_KEYS)].id,
		.name_id = below(16) == 0 ? NOBODY : 0,
		.flow = flow,
		.payload = below(100),
	};

	spec.segments_left = below(spec.segments);
	if (spec.reduced && packet_key(spec.key_id)->profile == HMAC_RFC8754)
		spec.dres = 0x8000;
	if (below(4) == 0) {
		spec.tlvs[0] = 4;
		spec.tlvs[1] = 6;
		spec.n_tlvs = 8;
	}
	return spec;
}

static struct lab_layout
random_layout(uint32_t len)
{
	struct lab_layout layout = {.headroom = below(4) == 0 ? 16 : 0};

	if (below(8) == 0)
		layout.split[0] = 1 + below(len);
	layout.shared = below(16) == 0;
	return layout;
}

static void
traffic(void)
{
	static struct packet_spec flows[FLOWS];
	static struct packet p;

	for (unsigned f = 0; f < FLOWS; f++)
		flows[f] = random_flow(f);
	for (unsigned i = 0; i < PACKETS; i++) {
		struct packet_spec spec = flows[below(FLOWS)];
		struct entry *e = &entries[i];

		if (spec.hmac == HMAC_GOOD && below(8) == 0)
			spec.hmac = below(2) ? HMAC_BAD : HMAC_ZERO;
		packet_build(&p, &spec);
		if (below(6) == 0)
			p.octets[14 + below(p.len - 14)] ^= 1u << below(8);
		if (below(24) == 0)
			p.len = 14 + below(p.len - 14);
		e->in = malloc(p.len);
		memcpy(e->in, p.octets, p.len);
		e->in_len = p.len;
		e->layout = random_layout(p.len);
	}
}

/* --- the way through --- */

static void
change_key(uint32_t id, uint8_t octet)
{
	struct keyring_spec spec = *packet_key(id);

	spec.secret[1] ^= octet;
	assert_int_equal(keyring_set(lab.keyring, &spec), 0);
}

/* What control does between phases, and the port's settings then. */
static struct gate_port
begin_phase(unsigned phase)
{
	static const struct gate_port ports[PHASES] = {
		{.verify = GATE_VERIFY_IF_PRESENT},
		{.verify = GATE_VERIFY_REQUIRE, .strip = true},
		{.verify = GATE_VERIFY_IF_PRESENT, .strip = true, .insert_key = 203},
		{.verify = GATE_VERIFY_REQUIRE, .insert_key = 102},
		{.insert_key = 203, .max_len = 300},
		{.verify = GATE_VERIFY_REQUIRE},
	};

	switch (phase) {
	case 1: /* others' secrets under known IDs, and one ID gone */
		change_key(103, 1);
		change_key(102, 1);
		assert_int_equal(keyring_del(lab.keyring, 104), 0);
		break;
	case 2: /* back again: equal keys of other generations */
		change_key(103, 0);
		change_key(104, 0);
		break;
	case 4:
		change_key(203, 7);
		break;
	case 5: {
		struct keyring_spec spec = *packet_key(101);

		spec.profile = HMAC_RFC8754;
		assert_int_equal(keyring_set(lab.keyring, &spec), 0);
		break;
	}
	default:
		for (unsigned k = 0; k < PACKET_KEYS; k++)
			change_key(packet_keys[k].id, 0);
		break;
	}
	return ports[phase];
}

typedef void (*visit)(struct entry *entry, const struct lab_result *result);

static void
all_through(unsigned burst, visit visit)
{
	static struct lab_result results[GATE_BURST_MAX];
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	const unsigned phase_len = PACKETS / PHASES;

	for (unsigned phase = 0; phase < PHASES; phase++) {
		struct gate_port port = begin_phase(phase);
		unsigned end = (phase + 1) * phase_len;

		for (unsigned i = phase * phase_len, n; i < end; i += n) {
			n = RTE_MIN(burst, end - i);
			for (unsigned k = 0; k < n; k++)
				pkts[k] = lab_mbuf(entries[i + k].in, entries[i + k].in_len,
						   &entries[i + k].layout);
			lab_burst(&port, pkts, n, results);
			for (unsigned k = 0; k < n; k++)
				visit(&entries[i + k], &results[k]);
		}
	}
}

static void
note(struct entry *e, const struct lab_result *r)
{
	e->verdict = gate_is_drop(r->verdict) ? r->verdict : GATE_TX;
	e->key_id = r->key_id;
	e->err_off = r->err_off;
	e->out = malloc(r->len + 1);
	memcpy(e->out, r->octets, r->len);
	e->out_len = r->len;
}

static void
compare(struct entry *e, const struct lab_result *r)
{
	enum gate_verdict verdict = gate_is_drop(r->verdict) ? r->verdict : GATE_TX;

	if (verdict != e->verdict)
		fail_msg("packet %u: %s, was %s", (unsigned)(e - entries),
			 gate_verdict_name(verdict), gate_verdict_name(e->verdict));
	assert_int_equal(r->key_id, e->key_id);
	assert_int_equal(r->err_off, e->err_off);
	assert_int_equal(r->len, e->out_len);
	assert_memory_equal(r->octets, e->out, e->out_len);
}

static struct gate_counters
counted(unsigned burst, visit visit)
{
	struct gate_counters before, after;

	gate_worker_counters(lab.worker, LAB_PORT, &before);
	all_through(burst, visit);
	gate_worker_counters(lab.worker, LAB_PORT, &after);
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++)
		after.v[v] -= before.v[v];
	return after;
}

static struct gate_counters reference;

static void
one_at_a_time(void **state)
{
	(void)state;
	traffic();
	assert_int_equal(hmac_engine_force_manager(gate_worker_engine(lab.worker), 0), 0);
	reference = counted(1, note);
	/* The traffic is worth the name. */
	assert_true(reference.v[GATE_VERIFIED] > PACKETS / 4);
	assert_true(reference.v[GATE_HMAC_MISMATCH] > PACKETS / 16);
	assert_true(reference.v[GATE_INSERTED] > PACKETS / 16);
	assert_true(reference.v[GATE_STRIPPED] > PACKETS / 16);
	assert_true(reference.v[GATE_KEY_UNKNOWN] > PACKETS / 64);
	assert_true(reference.v[GATE_TOO_BIG] > 0);
}

/* All sizes of burst, with what there is of keys and this much of a memo. */
static void
each_burst(void)
{
	static const unsigned bursts[] = {1, 2, 5, 8, 16, 31, 32, 64, GATE_BURST_MAX};

	for (unsigned b = 0; b < RTE_DIM(bursts); b++) {
		struct gate_counters c = counted(bursts[b], compare);

		assert_memory_equal(&c, &reference, sizeof(c));
	}
}

/* Managers by index; one past the last is the engine's own choice. */
static void
each_combination(void **state)
{
	static const uint32_t memos[] = {0, 8, 64, 4096};

	(void)state;
	for (unsigned m = 0; m < RTE_DIM(memos); m++) {
		for (int manager = -1;; manager++) {
			struct hmac_engine *engine;

			lab_worker(memos[m]);
			engine = gate_worker_engine(lab.worker);
			if (manager >= 0 && hmac_engine_manager_name(engine, manager) == NULL)
				break;
			assert_int_equal(hmac_engine_force_manager(engine, manager), 0);
			each_burst();
		}
		if (memos[m] != 0) {
			struct memo_stats stats;

			lab_worker(memos[m]);
			all_through(32, compare);
			gate_worker_memo(lab.worker, &stats);
			assert_true(stats.hits > 0 && stats.misses > 0);
			assert_true(memos[m] > FLOWS || stats.evictions > 0);
		}
	}
}

/* Keys are looked up in another way when there are many. */
static void
among_many_keys(void **state)
{
	static const uint32_t memos[] = {0, 64, 4096};

	(void)state;
	assert_false(keyring_is_far(lab.keyring));
	for (uint32_t k = 0; k < KEYRING_NEAR; k++) {
		struct keyring_spec spec = *packet_key(101);

		spec.id = 100000 + k;
		assert_int_equal(keyring_add(lab.keyring, &spec), 0);
	}
	assert_true(keyring_is_far(lab.keyring));
	for (unsigned m = 0; m < RTE_DIM(memos); m++) {
		lab_worker(memos[m]);
		each_burst();
	}
}

static void
nothing_is_left(void **state)
{
	(void)state;
	assert_int_equal(lab_mbufs_out(), 0);
	for (unsigned i = 0; i < PACKETS; i++) {
		free(entries[i].in);
		free(entries[i].out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(each_combination),
		cmocka_unit_test(among_many_keys),
		cmocka_unit_test(nothing_is_left),
	};

	return cmocka_run_group_tests_name("gate-same", tests, lab_open, lab_close);
}
