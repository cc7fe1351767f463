/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's crypto devices in software: one operation per message, enqueued and dequeued in a burst.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cryptodev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "hmac_peers.h"

#define POLLS_MAX 1000000u

struct state {
	const char *device;
	uint8_t id;
	struct rte_mempool *sessions;
	struct rte_mempool *mbufs;
	struct rte_mempool *ops_pool;
	void *session;
	unsigned n;
	struct rte_mbuf *messages[HMAC_BATCH_MAX];
	struct rte_crypto_op *ops[HMAC_BATCH_MAX];
	struct rte_crypto_op *done[HMAC_BATCH_MAX];
};

static const enum rte_crypto_auth_algorithm auth[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = RTE_CRYPTO_AUTH_SHA1_HMAC,
	[HMAC_SHA256] = RTE_CRYPTO_AUTH_SHA256_HMAC,
	[HMAC_SHA384] = RTE_CRYPTO_AUTH_SHA384_HMAC,
	[HMAC_SHA512] = RTE_CRYPTO_AUTH_SHA512_HMAC,
};

static int
make_session(struct state *s, const struct hmac_work *work)
{
	struct rte_crypto_sym_xform xform = {
		.type = RTE_CRYPTO_SYM_XFORM_AUTH,
		.auth =
			{
				.op = RTE_CRYPTO_AUTH_OP_GENERATE,
				.algo = auth[work->algorithm],
				.key = {.data = work->secret, .length = (uint16_t)work->secret_len},
				.digest_length = (uint16_t)hmac_digest_len(work->algorithm),
			},
	};

	if (s->session)
		rte_cryptodev_sym_session_free(s->id, s->session);
	s->session = rte_cryptodev_sym_session_create(s->id, &xform, s->sessions);
	return s->session ? 0 : -1;
}

static int
load(void *arg, const struct hmac_work *work)
{
	struct state *s = arg;

	if (make_session(s, work) < 0)
		return -1;
	s->n = work->n;
	for (unsigned i = 0; i < work->n; i++) {
		struct rte_crypto_op *op = s->ops[i];

		rte_pktmbuf_reset(s->messages[i]);
		memcpy(rte_pktmbuf_append(s->messages[i], (uint16_t)work->text_len), work->text[i],
		       work->text_len);
		op->sym->m_src = s->messages[i];
		op->sym->m_dst = NULL;
		op->sym->auth.data.offset = 0;
		op->sym->auth.data.length = work->text_len;
		op->sym->auth.digest.data = work->tags[i];
		op->sym->auth.digest.phys_addr = (rte_iova_t)(uintptr_t)work->tags[i];
		rte_crypto_op_attach_sym_session(op, s->session);
	}
	return 0;
}

static void
run(void *arg)
{
	struct state *s = arg;
	unsigned sent = 0, got = 0;

	for (unsigned polls = 0; got < s->n && polls < POLLS_MAX; polls++) {
		if (sent < s->n)
			sent += rte_cryptodev_enqueue_burst(s->id, 0, s->ops + sent,
							    (uint16_t)(s->n - sent));
		got += rte_cryptodev_dequeue_burst(s->id, 0, s->done, (uint16_t)(s->n - got));
	}
}

static void
close_device(void *arg)
{
	struct state *s = arg;

	if (s->session)
		rte_cryptodev_sym_session_free(s->id, s->session);
	if (s->ops_pool && s->mbufs) {
		for (unsigned i = 0; i < HMAC_BATCH_MAX; i++) {
			rte_crypto_op_free(s->ops[i]);
			rte_pktmbuf_free(s->messages[i]);
		}
	}
	rte_cryptodev_stop(s->id);
	rte_cryptodev_close(s->id);
	rte_eal_hotplug_remove("vdev", s->device);
	rte_mempool_free(s->ops_pool);
	rte_mempool_free(s->mbufs);
	rte_mempool_free(s->sessions);
	free(s);
}

static int
configure(struct state *s)
{
	struct rte_cryptodev_config config = {.socket_id = SOCKET_ID_ANY, .nb_queue_pairs = 1};
	struct rte_cryptodev_qp_conf queue = {.nb_descriptors = 4 * HMAC_BATCH_MAX};
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "%s_s", s->device);
	s->sessions = rte_cryptodev_sym_session_pool_create(
		name, 16, rte_cryptodev_sym_get_private_session_size(s->id), 0, 0, SOCKET_ID_ANY);
	snprintf(name, sizeof(name), "%s_m", s->device);
	s->mbufs = rte_pktmbuf_pool_create(name, 2 * HMAC_BATCH_MAX, 0, 0,
					   RTE_PKTMBUF_HEADROOM + HMAC_TEXT_MAX, SOCKET_ID_ANY);
	snprintf(name, sizeof(name), "%s_o", s->device);
	s->ops_pool = rte_crypto_op_pool_create(name, RTE_CRYPTO_OP_TYPE_SYMMETRIC,
						2 * HMAC_BATCH_MAX, 0, 0, SOCKET_ID_ANY);
	queue.mp_session = s->sessions;
	if (!s->sessions || !s->mbufs || !s->ops_pool ||
	    rte_cryptodev_configure(s->id, &config) < 0 ||
	    rte_cryptodev_queue_pair_setup(s->id, 0, &queue, SOCKET_ID_ANY) < 0 ||
	    rte_cryptodev_start(s->id) < 0 ||
	    rte_pktmbuf_alloc_bulk(s->mbufs, s->messages, HMAC_BATCH_MAX) < 0 ||
	    rte_crypto_op_bulk_alloc(s->ops_pool, RTE_CRYPTO_OP_TYPE_SYMMETRIC, s->ops,
				     HMAC_BATCH_MAX) != HMAC_BATCH_MAX)
		return -1;
	return 0;
}

static void
open_device(const char *device, const char *name, struct hmac_peer *peers, unsigned *n)
{
	struct state *s;
	int id;

	if (rte_eal_hotplug_add("vdev", device, "") < 0) {
		fprintf(stderr, "segseal-bench: %s: no such device here\n", name);
		return;
	}
	id = rte_cryptodev_get_dev_id(device);
	s = calloc(1, sizeof(*s));
	if (!s || id < 0) {
		free(s);
		return;
	}
	s->device = device;
	s->id = (uint8_t)id;
	if (configure(s) < 0) {
		fprintf(stderr, "segseal-bench: %s: cannot be set up: %s\n", name,
			rte_strerror(rte_errno));
		free(s);
		return;
	}
	peers[(*n)++] = (struct hmac_peer){name, load, run, close_device, s};
}

void
peers_cryptodev(struct hmac_peer *peers, unsigned *n)
{
	open_device("crypto_aesni_mb0", "cryptodev aesni_mb", peers, n);
	open_device("crypto_openssl0", "cryptodev openssl", peers, n);
}
