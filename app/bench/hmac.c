/* SPDX-License-Identifier: BSD-3-Clause */
/* segseal-bench hmac: all who can compute an HMAC, on the same texts. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "hmac_peers.h"
#include "measure.h"

static uint8_t texts[HMAC_BATCH_MAX][HMAC_TEXT_MAX] __attribute__((aligned(64)));
static uint8_t tags[HMAC_BATCH_MAX][HMAC_TAG_MAX] __attribute__((aligned(64)));
static const uint8_t secret[] = "0123456789abcdef0123456789abcdef";

static void
fill(struct hmac_work *work, enum hmac_algorithm algorithm, unsigned text_len, unsigned n)
{
	uint32_t x = 1;

	work->algorithm = algorithm;
	work->secret = secret;
	work->secret_len = sizeof(secret) - 1;
	work->n = n;
	work->text_len = text_len;
	work->tags = tags;
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < text_len; k++) {
			x = x * 1664525 + 1013904223;
			texts[i][k] = (uint8_t)(x >> 24);
		}
		work->text[i] = texts[i];
	}
}

/* Whether the peer computes what HMAC is. */
static bool
answers_right(const struct hmac_peer *peer, const struct hmac_work *work)
{
	memset(tags, 0, sizeof(tags));
	peer->run(peer->state);
	for (unsigned i = 0; i < work->n; i++) {
		uint8_t want[HMAC_TAG_MAX];

		if (hmac_compute(work->algorithm, work->secret, work->secret_len, work->text[i],
				 work->text_len, want) < 0 ||
		    memcmp(tags[i], want, hmac_digest_len(work->algorithm)) != 0)
			return false;
	}
	return true;
}

static int
run_case(const struct bench_options *options, const struct hmac_peer *peers, unsigned n_peers,
	 struct bench_row row)
{
	struct contestant contestants[PEERS_MAX];
	struct hmac_work work;
	unsigned n = 0;

	fill(&work, row.algorithm, hmac_text_len(row.profile, row.segments), row.burst);
	for (unsigned i = 0; i < n_peers; i++) {
		if (peers[i].load(peers[i].state, &work) < 0 || !answers_right(&peers[i], &work)) {
			fprintf(stderr, "segseal-bench: %s: wrong HMACs\n", peers[i].name);
			return -1;
		}
		contestants[n++] = (struct contestant){
			.run = peers[i].run, .arg = peers[i].state, .items = row.burst};
	}
	measure(contestants, n, options->rounds);
	for (unsigned i = 0; i < n; i++) {
		row.name = peers[i].name;
		row.cycles = contestants[i].median;
		row.min_cycles = contestants[i].least;
		bench_report(options, &row);
	}
	return 0;
}

int
bench_hmac(const struct bench_options *options)
{
	struct hmac_peer peers[PEERS_MAX];
	unsigned n = 0;
	int failed = 0;

	peers_segseal(peers, &n);
	peers_imb(peers, &n);
	peers_openssl(peers, &n);
	peers_cryptodev(peers, &n);
	for (unsigned a = 0; a < options->algorithms.n; a++)
		for (unsigned p = 0; p < options->profiles.n; p++)
			for (unsigned s = 0; s < options->segments.n; s++)
				for (unsigned b = 0; b < options->bursts.n; b++)
					failed |= run_case(
						options, peers, n,
						(struct bench_row){
							.bench = "hmac",
							.algorithm = options->algorithms.v[a],
							.profile = options->profiles.v[p],
							.segments = options->segments.v[s],
							.burst = options->bursts.v[b],
						});
	for (unsigned i = 0; i < n; i++)
		peers[i].close(peers[i].state);
	return failed;
}
