/* SPDX-License-Identifier: BSD-3-Clause */
/* segseal-bench verify and insert: the whole of gate_burst() on mbufs, beside it what the HMACs
 * alone cost others. */
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "bench.h"
#include "hmac_peers.h"
#include "measure.h"
#include "rig.h"

#define FLOWS 64u
#define FLOWS_MIXED 4096u
#define FLOWS_THRASH (16u * RIG_MEMO_ENTRIES_SMALL)
#define KEYS_MIXED (HMAC_ALGORITHMS * 2u)
#define SUBJECTS_MAX 8u

/* One contestant: which frames, what is done with them, and what must come of each. */
struct subject {
	const char *name;
	enum rig_memo memo;
	enum rig_port port;
	const struct rig_table *table;
	enum gate_verdict expected;
};

struct gate_bench {
	const struct bench_options *options;
	struct rig *rig;
	struct hmac_peer peers[PEERS_MAX];
	unsigned n_peers;
};

/* --- frames --- */

static void
table_put(struct rig_table *table, unsigned i, struct packet_spec spec)
{
	uint8_t secret[32];

	rig_secret(spec.key_id, secret);
	spec.flow = i;
	spec.secret = secret;
	spec.secret_len = sizeof(secret);
	table->len[i] = (uint16_t)packet_make(&spec, table->frames[i]);
}

static struct rig_table
table_of(const struct bench_row *row, unsigned flows, unsigned keys, bool sealed)
{
	struct rig_table table;

	rig_table_alloc(&table, flows);
	for (unsigned i = 0; i < flows; i++)
		table_put(&table, i,
			  (struct packet_spec){.key_id = 1 + i % keys,
					       .algorithm = row->algorithm,
					       .profile = row->profile,
					       .segments = row->segments,
					       .sealed = sealed});
	return table;
}

/* Each flow of another algorithm, profile and length. */
static struct rig_table
table_mixed(void)
{
	struct rig_table table;
	uint32_t x = 7;

	rig_table_alloc(&table, FLOWS_MIXED);
	for (unsigned i = 0; i < FLOWS_MIXED; i++) {
		x = x * 1664525 + 1013904223;
		unsigned kind = (x >> 16) % KEYS_MIXED;

		table_put(&table, i,
			  (struct packet_spec){.key_id = 1 + kind,
					       .algorithm = kind / 2,
					       .profile = kind % 2,
					       .segments = 1 + (x >> 24) % 10,
					       .sealed = true});
	}
	return table;
}

static void
spoil(struct rig_table *table)
{
	for (unsigned i = 0; i < table->n; i++) {
		unsigned field_len;

		packet_hmac(table->frames[i], table->len[i], &field_len)[i % 16] ^= 0x55;
	}
}

/* --- measuring --- */

static int
check(const struct rig_case *c, const struct subject *s, const struct gate_counters *before)
{
	struct gate_counters after;
	uint64_t rx, expected;

	rig_counters(c, &after);
	rx = after.v[GATE_RX] - before->v[GATE_RX];
	expected = after.v[s->expected] - before->v[s->expected];
	if (rx == expected && rig_is_whole(c->rig))
		return 0;
	fprintf(stderr, "segseal-bench: %s: of %ju packets %ju are %s\n", s->name, (uintmax_t)rx,
		(uintmax_t)expected, gate_verdict_name(s->expected));
	return -1;
}

/* The HMACs of the first frames, by who does nothing else. */
static unsigned
load_peers(struct gate_bench *b, const struct bench_row *row, const struct rig_table *table,
	   struct contestant *contestants)
{
	static uint8_t texts[HMAC_BATCH_MAX][HMAC_TEXT_MAX] __attribute__((aligned(64)));
	static uint8_t tags[HMAC_BATCH_MAX][HMAC_TAG_MAX] __attribute__((aligned(64)));
	static uint8_t secret[32];
	static struct hmac_work work;
	unsigned n = 0;

	rig_secret(1, secret);
	work = (struct hmac_work){.algorithm = row->algorithm,
				  .secret = secret,
				  .secret_len = sizeof(secret),
				  .n = row->burst,
				  .tags = tags};
	for (unsigned i = 0; i < row->burst; i++) {
		unsigned frame = i % table->n;

		work.text_len = packet_text(row->profile, table->frames[frame], table->len[frame],
					    texts[i]);
		work.text[i] = texts[i];
	}
	for (unsigned i = 0; i < b->n_peers; i++) {
		struct hmac_peer *peer = &b->peers[i];

		if (peer->load(peer->state, &work) == 0)
			contestants[n++] = (struct contestant){
				.run = peer->run, .arg = peer->state, .items = row->burst};
	}
	return n;
}

static void
report(const struct gate_bench *b, struct bench_row *row, const char *name,
       const struct contestant *c)
{
	row->name = name;
	row->cycles = c->median;
	row->min_cycles = c->least;
	bench_report(b->options, row);
}

/* All subjects in turn, and the peers if there are frames to load them with. */
static int
run(struct gate_bench *b, struct bench_row row, const struct subject *subjects, unsigned n,
    const struct rig_table *for_peers)
{
	static struct rig_case cases[SUBJECTS_MAX];
	struct gate_counters before[SUBJECTS_MAX];
	struct contestant contestants[SUBJECTS_MAX + PEERS_MAX];
	unsigned all = n;
	int failed = 0;

	for (unsigned i = 0; i < n; i++) {
		cases[i] = (struct rig_case){.rig = b->rig,
					     .memo = subjects[i].memo,
					     .port = subjects[i].port,
					     .table = subjects[i].table,
					     .burst = row.burst};
		contestants[i] = (struct contestant){
			.run = rig_run, .before = rig_fill, .arg = &cases[i], .items = row.burst};
		rig_warm(&cases[i]);
		rig_counters(&cases[i], &before[i]);
	}
	if (for_peers != NULL)
		all += load_peers(b, &row, for_peers, contestants + n);
	measure(contestants, all, b->options->rounds);
	for (unsigned i = 0; i < n; i++)
		failed |= check(&cases[i], &subjects[i], &before[i]);
	for (unsigned i = 0; i < n; i++) {
		row.flows = subjects[i].table->n;
		report(b, &row, subjects[i].name, &contestants[i]);
	}
	row.flows = 0;
	row.keys = 0;
	for (unsigned i = n; i < all; i++)
		report(b, &row, b->peers[i - n].name, &contestants[i]);
	return failed;
}

/* --- verify --- */

static int
verify_plain(struct gate_bench *b, const struct bench_row *row)
{
	struct rig_table good = table_of(row, FLOWS, 1, true), bad = table_of(row, FLOWS, 1, true);
	int failed;

	spoil(&bad);
	const struct subject subjects[] = {
		{"memo off", RIG_MEMO_OFF, RIG_VERIFY, &good, GATE_VERIFIED},
		{"memo off, all invalid", RIG_MEMO_OFF, RIG_REFUSE, &bad, GATE_HMAC_MISMATCH},
		{"memo hit", RIG_MEMO_ON, RIG_VERIFY, &good, GATE_VERIFIED},
		{"memo on, all invalid", RIG_MEMO_ON, RIG_REFUSE, &bad, GATE_HMAC_MISMATCH},
		{"verify off", RIG_MEMO_OFF, RIG_PASS, &good, GATE_UNCHECKED},
	};

	failed = run(b, *row, subjects, RTE_DIM(subjects), &good);
	rig_table_free(&good);
	rig_table_free(&bad);
	return failed;
}

static int
verify_flows(struct gate_bench *b, const struct bench_row *row)
{
	int failed = 0;

	for (unsigned f = 0; f < b->options->flows.n; f++) {
		struct rig_table table = table_of(row, b->options->flows.v[f], 1, true);
		const struct subject subjects[] = {
			{"flows, memo off", RIG_MEMO_OFF, RIG_VERIFY, &table, GATE_VERIFIED},
			{"flows, memo hit", RIG_MEMO_ON, RIG_VERIFY, &table, GATE_VERIFIED},
		};

		failed |= run(b, *row, subjects, RTE_DIM(subjects), NULL);
		rig_table_free(&table);
	}
	struct rig_table table = table_of(row, FLOWS_THRASH, 1, true);
	const struct subject thrash = {"flows, memo too small", RIG_MEMO_SMALL, RIG_VERIFY, &table,
				       GATE_VERIFIED};

	failed |= run(b, *row, &thrash, 1, NULL);
	rig_table_free(&table);
	return failed;
}

static int
verify_keys(struct gate_bench *b, struct bench_row row)
{
	static const unsigned keys[] = {1, 1000, RIG_KEYS_MAX};
	int failed = 0;

	for (unsigned k = 0; k < RTE_DIM(keys); k++) {
		struct rig_table table = table_of(&row, RTE_MAX(FLOWS, keys[k]), keys[k], true);
		const struct subject subjects[] = {
			{"keys, memo off", RIG_MEMO_OFF, RIG_VERIFY, &table, GATE_VERIFIED},
			{"keys, memo hit", RIG_MEMO_ON, RIG_VERIFY, &table, GATE_VERIFIED},
		};

		row.keys = keys[k];
		failed |= rig_keys(b->rig, keys[k], row.algorithm, row.profile) < 0 ||
			  run(b, row, subjects, RTE_DIM(subjects), NULL) < 0;
		rig_table_free(&table);
	}
	return failed ? -1 : 0;
}

static int
verify_mixed(struct gate_bench *b, unsigned burst)
{
	struct rig_table table = table_mixed();
	const struct subject subjects[] = {
		{"mixed, memo off", RIG_MEMO_OFF, RIG_VERIFY, &table, GATE_VERIFIED},
		{"mixed, memo hit", RIG_MEMO_ON, RIG_VERIFY, &table, GATE_VERIFIED},
	};
	int failed = 0;

	for (unsigned kind = 0; kind < KEYS_MIXED; kind++)
		failed |= rig_key(b->rig, 1 + kind, kind / 2, kind % 2);
	if (!failed)
		failed = run(b,
			     (struct bench_row){.bench = "verify",
						.algorithm = HMAC_ALGORITHMS,
						.burst = burst,
						.keys = KEYS_MIXED},
			     subjects, RTE_DIM(subjects), NULL);
	rig_table_free(&table);
	return failed;
}

/* --- insert --- */

static int
insert_plain(struct gate_bench *b, const struct bench_row *row)
{
	struct rig_table plain = table_of(row, FLOWS, 1, false);
	struct rig_table sealed = table_of(row, FLOWS, 1, true);
	const struct subject subjects[] = {
		{"memo off", RIG_MEMO_OFF, RIG_INSERT, &plain, GATE_INSERTED},
		{"memo hit", RIG_MEMO_ON, RIG_INSERT, &plain, GATE_INSERTED},
		{"strip, memo hit", RIG_MEMO_ON, RIG_STRIP, &sealed, GATE_STRIPPED},
		{"translate, memo off", RIG_MEMO_OFF, RIG_TRANSLATE, &sealed, GATE_INSERTED},
		{"translate, memo hit", RIG_MEMO_ON, RIG_TRANSLATE, &sealed, GATE_INSERTED},
		{"verify off", RIG_MEMO_OFF, RIG_PASS, &plain, GATE_UNCHECKED},
	};
	int failed = run(b, *row, subjects, RTE_DIM(subjects), &sealed);

	rig_table_free(&plain);
	rig_table_free(&sealed);
	return failed;
}

static int
insert_flows(struct gate_bench *b, const struct bench_row *row)
{
	int failed = 0;

	for (unsigned f = 0; f < b->options->flows.n; f++) {
		struct rig_table table = table_of(row, b->options->flows.v[f], 1, false);
		const struct subject subjects[] = {
			{"flows, memo off", RIG_MEMO_OFF, RIG_INSERT, &table, GATE_INSERTED},
			{"flows, memo hit", RIG_MEMO_ON, RIG_INSERT, &table, GATE_INSERTED},
		};

		failed |= run(b, *row, subjects, RTE_DIM(subjects), NULL);
		rig_table_free(&table);
	}
	return failed;
}

/* --- both --- */

/* What stands in the list if it does, else its last. */
static unsigned
one_of(const struct list *list, unsigned wanted)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->v[i] == wanted)
			return wanted;
	return list->v[list->n - 1];
}

static int
set_keys(struct gate_bench *b, const struct bench_row *row)
{
	if (rig_keys(b->rig, 1, row->algorithm, row->profile) < 0)
		return -1;
	return strcmp(row->bench, "insert") == 0
		       ? rig_key(b->rig, RIG_INSERT_KEY, row->algorithm, row->profile)
		       : 0;
}

static int
each(struct gate_bench *b, struct bench_row row)
{
	const struct bench_options *options = b->options;
	bool verify = strcmp(row.bench, "verify") == 0;
	int failed = 0;

	if (set_keys(b, &row) < 0)
		return -1;
	for (unsigned s = 0; s < options->segments.n; s++) {
		for (unsigned n = 0; n < options->bursts.n; n++) {
			row.segments = RTE_MIN(options->segments.v[s], PACKET_SEGMENTS_MAX);
			row.burst = options->bursts.v[n];
			failed |= verify ? verify_plain(b, &row) : insert_plain(b, &row);
		}
	}
	row.segments = RTE_MIN(one_of(&options->segments, 2), PACKET_SEGMENTS_MAX);
	row.burst = one_of(&options->bursts, 64);
	failed |= verify ? verify_flows(b, &row) | verify_keys(b, row) : insert_flows(b, &row);
	return failed;
}

static int
bench_gate(const struct bench_options *options, const char *name)
{
	struct gate_bench b = {.options = options, .rig = rig_open()};
	int failed = 0;

	if (b.rig == NULL)
		return -1;
	peers_imb(b.peers, &b.n_peers);
	peers_cryptodev(b.peers, &b.n_peers);
	for (unsigned a = 0; a < options->algorithms.n; a++)
		for (unsigned p = 0; p < options->profiles.n; p++)
			failed |= each(&b, (struct bench_row){
						   .bench = name,
						   .algorithm = options->algorithms.v[a],
						   .profile = options->profiles.v[p],
						   .keys = 1,
					   });
	if (strcmp(name, "verify") == 0)
		failed |= verify_mixed(&b, one_of(&options->bursts, 64));
	for (unsigned i = 0; i < b.n_peers; i++)
		b.peers[i].close(b.peers[i].state);
	rig_close(b.rig);
	return failed ? -1 : 0;
}

int
bench_verify(const struct bench_options *options)
{
	return bench_gate(options, "verify");
}

int
bench_insert(const struct bench_options *options)
{
	return bench_gate(options, "insert");
}
