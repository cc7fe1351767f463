/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * segseal-bench time: does how long it takes tell how much of a forged HMAC is right? Each sample
 * is of one of two classes, drawn at random, that differ in how many octets of the HMAC are right;
 * the others are random. Welch's t of the two tells whether their times differ, over all samples
 * and without the slowest, which are the machine's doing ("dude, is my code constant time?",
 * Reparaz et al., 2017). A |t| of more than 4.5 says that they do. What compares octet by octet
 * stands there to show that it would be seen.
 *
 * The memo looks where the first eight octets of the HMAC say. Whether all eight are right may be
 * told by the caches, and is no way in: it takes 2^63 packets to find out, and of the other octets
 * nothing can be told. So with the memo on there are two pairs: within the eight, and behind them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "measure.h"
#include "rig.h"

#define SAMPLES_A_ROUND 4000u
#define FRAMES 512u /* of each class */
#define SEGMENTS 2u

/* How much is right. */
enum amount { NOTHING, FIRST_OCTET, EIGHT_OCTETS, BUT_THE_LAST, AMOUNTS };

struct timing {
	const struct bench_options *options;
	struct rig *rig;
	struct bench_row row;
	struct rig_table frames; /* amounts in turn: none of them lies apart */
	uint8_t fields[FRAMES][AMOUNTS][HMAC_FIELD_MAX];
	uint8_t right[HMAC_FIELD_MAX] __attribute__((aligned(64)));
	uint8_t given[HMAC_FIELD_MAX] __attribute__((aligned(64))); /* to be compared with it */
	unsigned field_len;
	struct rig_case gate;
	volatile int sink;
};

struct subject {
	const char *name;
	void (*before)(struct timing *t, enum amount amount, unsigned i);
	void (*run)(struct timing *t);
	enum rig_memo memo;
	enum amount class[2];
};

static uint64_t
draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* --- what is timed --- */

static void
choose_field(struct timing *t, enum amount amount, unsigned i)
{
	memcpy(t->given, t->fields[i][amount], HMAC_FIELD_MAX);
}

static void
choose_frame(struct timing *t, enum amount amount, unsigned i)
{
	t->gate.next = i * AMOUNTS + amount;
	rig_fill(&t->gate);
}

static void
compare(struct timing *t)
{
	t->sink = hmac_field_equal(t->right, t->given, t->field_len);
}

/* As it must not be done. */
static void
compare_octets(struct timing *t)
{
	unsigned i = 0;

	while (i < t->field_len && t->right[i] == t->given[i])
		i++;
	t->sink = i == t->field_len;
}

static void
verify(struct timing *t)
{
	rig_run(&t->gate);
}

/* --- forgeries --- */

static struct packet_spec
spec_of(const struct timing *t, const uint8_t secret[32])
{
	return (struct packet_spec){.flow = 1, /* one and the same header */
				    .key_id = 1,
				    .algorithm = t->row.algorithm,
				    .profile = t->row.profile,
				    .segments = SEGMENTS,
				    .sealed = true,
				    .secret = secret,
				    .secret_len = 32};
}

/* Leave so many octets as they are, and make no other right. */
static void
forge(uint8_t *field, unsigned len, unsigned right, uint64_t *state)
{
	for (unsigned i = right; i < len; i++)
		field[i] ^= 1 + (draw(state) >> 32) % 255;
}

static void
make_forgeries(struct timing *t)
{
	uint64_t state = 88172645463325252u;
	uint8_t secret[32];

	rig_secret(1, secret);
	for (unsigned i = 0; i < FRAMES * AMOUNTS; i++) {
		const struct packet_spec spec = spec_of(t, secret);
		uint8_t *frame = t->frames.frames[i], *field;
		unsigned len = packet_make(&spec, frame);

		field = packet_hmac(frame, len, &t->field_len);
		const unsigned right[AMOUNTS] = {0, 1, 8, t->field_len - 1};

		t->frames.len[i] = (uint16_t)len;
		memcpy(t->right, field, t->field_len);
		forge(field, t->field_len, right[i % AMOUNTS], &state);
		memcpy(t->fields[i / AMOUNTS][i % AMOUNTS], field, t->field_len);
	}
}

/* The memo knows the right one. */
static void
teach(struct timing *t)
{
	uint8_t frame[1][PACKET_FRAME_MAX], secret[32];
	uint16_t len;
	struct rig_table table = {frame, &len, 1};
	struct rig_case once = {.rig = t->rig,
				.memo = RIG_MEMO_ON,
				.port = RIG_VERIFY,
				.table = &table,
				.burst = 1};

	rig_secret(1, secret);
	const struct packet_spec spec = spec_of(t, secret);

	len = (uint16_t)packet_make(&spec, frame[0]);
	rig_fill(&once);
	rig_run(&once);
	if (once.n_passed != 1)
		abort();
}

/* --- statistics --- */

struct moments {
	double n, mean, m2;
};

static void
moments_add(struct moments *m, double x)
{
	double delta = x - m->mean;

	m->n++;
	m->mean += delta / m->n;
	m->m2 += delta * (x - m->mean);
}

/* Of the samples that took at most so long; 0 if a class has too few of them. */
static double
welch(const uint32_t *samples, const uint8_t *class, unsigned n, uint32_t most)
{
	struct moments m[2] = {{0}};
	double variance;

	for (unsigned i = 0; i < n; i++)
		if (samples[i] <= most)
			moments_add(&m[class[i]], samples[i]);
	if (m[0].n < 100 || m[1].n < 100)
		return 0;
	variance = m[0].m2 / (m[0].n - 1) / m[0].n + m[1].m2 / (m[1].n - 1) / m[1].n;
	return variance > 0 ? fabs(m[0].mean - m[1].mean) / sqrt(variance) : 0;
}

static int
by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The greatest |t| over all samples, and without the slowest 1, 5, 10, 25 and 50 of a hundred. */
static double
judge(struct timing *t, const uint32_t *samples, const uint8_t *class, unsigned n)
{
	static const unsigned kept[] = {100, 99, 95, 90, 75, 50};
	uint32_t *sorted = malloc(n * sizeof(*sorted));
	const unsigned median = n / 2;
	double greatest = 0;

	if (sorted == NULL)
		abort();
	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_size);
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		greatest = fmax(greatest, welch(samples, class, n,
						sorted[(uint64_t)(n - 1) * kept[i] / 100]));
	t->row.cycles = sorted[median];
	t->row.min_cycles = sorted[0];
	free(sorted);
	return greatest;
}

/* --- all of it --- */

static void
sample(struct timing *t, const struct subject *s)
{
	unsigned n = t->options->rounds * SAMPLES_A_ROUND;
	uint32_t *samples = malloc(n * sizeof(*samples));
	uint8_t *class = malloc(n);
	uint64_t state = 0x9e3779b97f4a7c15u;

	if (samples == NULL || class == NULL)
		abort();
	t->gate.memo = s->memo;
	for (unsigned i = 0; i < n; i++) {
		uint64_t r = draw(&state) >> 20;
		uint64_t start;

		class[i] = r % 2;
		s->before(t, s->class[class[i]], (unsigned)(r / 2 % FRAMES));
		start = measure_now();
		s->run(t);
		samples[i] = (uint32_t)(measure_now() - start);
	}
	t->row.name = s->name;
	t->row.t = judge(t, samples, class, n);
	t->row.samples = n;
	bench_report(t->options, &t->row);
	free(samples);
	free(class);
}

/* Whether the gate refuses what is made here, all of it. */
static int
check(struct timing *t, uint64_t refused)
{
	struct gate_counters counters;

	for (unsigned memo = RIG_MEMO_OFF; memo <= RIG_MEMO_ON; memo++) {
		t->gate.memo = memo;
		rig_counters(&t->gate, &counters);
		if (counters.v[GATE_HMAC_MISMATCH] == refused && counters.v[GATE_RX] == refused)
			continue;
		fprintf(stderr, "segseal-bench: time: of %ju forged packets %ju were refused\n",
			(uintmax_t)counters.v[GATE_RX], (uintmax_t)counters.v[GATE_HMAC_MISMATCH]);
		return -1;
	}
	return 0;
}

static int
each(struct timing *t)
{
	static const struct subject subjects[] = {
		{"octet by octet",
		 choose_field,
		 compare_octets,
		 RIG_MEMO_OFF,
		 {NOTHING, BUT_THE_LAST}},
		{"comparison", choose_field, compare, RIG_MEMO_OFF, {NOTHING, BUT_THE_LAST}},
		{"verify, memo off", choose_frame, verify, RIG_MEMO_OFF, {NOTHING, FIRST_OCTET}},
		{"verify, memo off, the last",
		 choose_frame,
		 verify,
		 RIG_MEMO_OFF,
		 {NOTHING, BUT_THE_LAST}},
		{"verify, memo on", choose_frame, verify, RIG_MEMO_ON, {NOTHING, FIRST_OCTET}},
		{"verify, memo on, the last",
		 choose_frame,
		 verify,
		 RIG_MEMO_ON,
		 {EIGHT_OCTETS, BUT_THE_LAST}},
	};

	if (rig_keys(t->rig, 1, t->row.algorithm, t->row.profile) < 0)
		return -1;
	make_forgeries(t);
	teach(t);
	for (unsigned i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		sample(t, &subjects[i]);
	return 0;
}

int
bench_time(const struct bench_options *options)
{
	static struct timing timing; /* aligned as it asks to be */
	struct timing *t = &timing;
	uint64_t refused = 0;
	int failed = 0;

	t->rig = rig_open();
	if (t->rig == NULL)
		return -1;
	t->options = options;
	t->gate = (struct rig_case){
		.rig = t->rig, .port = RIG_REFUSE, .table = &t->frames, .burst = 1};
	rig_table_alloc(&t->frames, FRAMES * AMOUNTS);
	for (unsigned a = 0; a < options->algorithms.n; a++) {
		for (unsigned p = 0; p < options->profiles.n; p++) {
			t->row = (struct bench_row){.bench = "time",
						    .algorithm = options->algorithms.v[a],
						    .profile = options->profiles.v[p],
						    .segments = SEGMENTS,
						    .burst = 1};
			failed |= each(t);
			refused += 2ull * options->rounds * SAMPLES_A_ROUND;
			failed |= check(t, refused);
		}
	}
	rig_table_free(&t->frames);
	rig_close(t->rig);
	return failed ? -1 : 0;
}
