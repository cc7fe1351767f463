/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenSSL's EVP_MAC: with the raw key for each message, and with a context that keeps it. */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "hmac_peers.h"

struct state {
	EVP_MAC *mac;
	EVP_MAC_CTX *ctx;
	const struct hmac_work *work;
	OSSL_PARAM params[2];
};

static const char *const digests[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = "SHA1",
	[HMAC_SHA256] = "SHA256",
	[HMAC_SHA384] = "SHA384",
	[HMAC_SHA512] = "SHA512",
};

static int
load(void *arg, const struct hmac_work *work)
{
	struct state *s = arg;

	s->work = work;
	s->params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
							(char *)digests[work->algorithm], 0);
	s->params[1] = OSSL_PARAM_construct_end();
	return EVP_MAC_init(s->ctx, work->secret, work->secret_len, s->params) == 1 ? 0 : -1;
}

static void
compute(struct state *s, unsigned i)
{
	size_t len;

	EVP_MAC_update(s->ctx, s->work->text[i], s->work->text_len);
	EVP_MAC_final(s->ctx, s->work->tags[i], &len, HMAC_TAG_MAX);
}

static void
run_raw(void *arg)
{
	struct state *s = arg;

	for (unsigned i = 0; i < s->work->n; i++) {
		EVP_MAC_init(s->ctx, s->work->secret, s->work->secret_len, NULL);
		compute(s, i);
	}
}

static void
run_prepared(void *arg)
{
	struct state *s = arg;

	for (unsigned i = 0; i < s->work->n; i++) {
		EVP_MAC_init(s->ctx, NULL, 0, NULL);
		compute(s, i);
	}
}

static void
close_mac(void *arg)
{
	struct state *s = arg;

	EVP_MAC_CTX_free(s->ctx);
	EVP_MAC_free(s->mac);
	free(s);
}

void
peers_openssl(struct hmac_peer *peers, unsigned *n)
{
	static const struct {
		const char *name;
		void (*run)(void *);
	} ways[] = {
		{"openssl raw key", run_raw},
		{"openssl prepared", run_prepared},
	};

	for (unsigned i = 0; i < 2; i++) {
		struct state *s = calloc(1, sizeof(*s));

		if (!s)
			return;
		s->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
		s->ctx = s->mac ? EVP_MAC_CTX_new(s->mac) : NULL;
		if (!s->ctx) {
			fprintf(stderr, "segseal-bench: %s: EVP_MAC is not to be had\n",
				ways[i].name);
			close_mac(s);
			continue;
		}
		peers[(*n)++] = (struct hmac_peer){ways[i].name, load, ways[i].run, close_mac, s};
	}
}
