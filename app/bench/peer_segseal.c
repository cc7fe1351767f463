/* SPDX-License-Identifier: BSD-3-Clause */
/* lib/hmac three ways: key prepared for each message, prepared once, and prepared and batched. */
#include <stdio.h>
#include <stdlib.h>

#include "hmac_peers.h"

struct state {
	struct hmac_engine *engine;
	struct hmac_key key;
	const struct hmac_work *work;
	struct hmac_job jobs[HMAC_BATCH_MAX];
};

static int
load(void *arg, const struct hmac_work *work)
{
	struct state *s = arg;

	s->work = work;
	for (unsigned i = 0; i < work->n; i++) {
		s->jobs[i] = (struct hmac_job){
			.key = &s->key,
			.text = work->text[i],
			.text_len = (uint16_t)work->text_len,
			.tag = work->tags[i],
		};
	}
	return hmac_key_prepare(&s->key, work->algorithm, work->secret, work->secret_len);
}

static void
run_raw(void *arg)
{
	struct state *s = arg;
	const struct hmac_work *work = s->work;

	for (unsigned i = 0; i < work->n; i++) {
		hmac_key_prepare(&s->key, work->algorithm, work->secret, work->secret_len);
		hmac_run(s->engine, &s->jobs[i], 1);
	}
}

static void
run_single(void *arg)
{
	struct state *s = arg;

	for (unsigned i = 0; i < s->work->n; i++)
		hmac_run(s->engine, &s->jobs[i], 1);
}

static void
run_batch(void *arg)
{
	struct state *s = arg;

	hmac_run(s->engine, s->jobs, s->work->n);
}

static void
close_engine(void *arg)
{
	struct state *s = arg;

	hmac_engine_destroy(s->engine);
	free(s);
}

void
peers_segseal(struct hmac_peer *peers, unsigned *n)
{
	static const struct {
		const char *name;
		void (*run)(void *);
	} ways[] = {
		{"segseal raw key", run_raw},
		{"segseal prepared", run_single},
		{"segseal batch", run_batch},
	};

	for (unsigned i = 0; i < 3; i++) {
		struct state *s = aligned_alloc(64, sizeof(*s));
		const char *error = "no memory";

		if (!s || !(s->engine = hmac_engine_create(-1, &error))) {
			fprintf(stderr, "segseal-bench: %s: %s\n", ways[i].name, error);
			free(s);
			continue;
		}
		peers[(*n)++] =
			(struct hmac_peer){ways[i].name, load, ways[i].run, close_engine, s};
	}
}
