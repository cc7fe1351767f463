/* SPDX-License-Identifier: BSD-3-Clause */
/* The bare IPsec-MB hash burst call on each manager, with nothing around it: jobs filled, no
 * status looked at. This is what lib/hmac cannot be faster than on the same manager. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hmac/engine.h"
#include "hmac_peers.h"

struct state {
	struct hmac_engine *engine; /* for its managers and filled slots */
	unsigned manager;
	char name[32];
	struct hmac_key key;
	unsigned n;
	enum hmac_algorithm algorithm;
};

static int
load(void *arg, const struct hmac_work *work)
{
	struct state *s = arg;

	s->n = work->n;
	s->algorithm = work->algorithm;
	for (unsigned i = 0; i < work->n; i++) {
		IMB_JOB *slot = &s->engine->slots[work->algorithm][i];

		slot->src = work->text[i];
		slot->msg_len_to_hash_in_bytes = work->text_len;
		slot->auth_tag_output = work->tags[i];
		slot->u.HMAC._hashed_auth_key_xor_ipad = s->key.inner;
		slot->u.HMAC._hashed_auth_key_xor_opad = s->key.outer;
	}
	return hmac_key_prepare(&s->key, work->algorithm, work->secret, work->secret_len);
}

static void
run(void *arg)
{
	struct state *s = arg;
	IMB_JOB *slots = s->engine->slots[s->algorithm];

	(void)IMB_SUBMIT_HASH_BURST_NOCHECK(s->engine->managers[s->manager].imb, slots, s->n,
					    slots[0].hash_alg);
}

static void
close_engine(void *arg)
{
	struct state *s = arg;

	hmac_engine_destroy(s->engine);
	free(s);
}

void
peers_imb(struct hmac_peer *peers, unsigned *n)
{
	for (unsigned m = 0;; m++) {
		struct state *s = aligned_alloc(64, sizeof(*s));
		const char *error = "no memory";

		if (!s || !(s->engine = hmac_engine_create(-1, &error))) {
			fprintf(stderr, "segseal-bench: ipsec-mb: %s\n", error);
			free(s);
			return;
		}
		if (!hmac_engine_manager_name(s->engine, m)) {
			close_engine(s);
			return;
		}
		if (!s->engine->managers[m].imb) { /* one of our own */
			close_engine(s);
			continue;
		}
		s->manager = m;
		snprintf(s->name, sizeof(s->name), "%s", hmac_engine_manager_name(s->engine, m));
		peers[(*n)++] = (struct hmac_peer){s->name, load, run, close_engine, s};
	}
}
