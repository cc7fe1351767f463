/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker: what it holds, and a burst's way through the stages. */
#include <rte_errno.h>
#include <rte_malloc.h>

#include "gate/worker.h"

#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)

const uint8_t gate_everyone[GATE_BURST_MAX] = {
	SIXTEEN(0),  SIXTEEN(16), SIXTEEN(32), SIXTEEN(48),
	SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112),
};

/* --- control --- */

static bool
fill(struct gate_worker *w, const struct gate_worker_conf *conf, const char **error)
{
	w->gate = conf->gate;
	w->index = conf->index;
	w->edit_pool = conf->edit_pool;
	w->uses = keyring_use(conf->gate->keyring, conf->index);
	w->engine = hmac_engine_create(conf->socket, error);
	if (w->engine == NULL)
		return false;
	if (conf->memo_entries != 0) {
		w->memo = memo_create(conf->memo_entries, conf->socket);
		if (w->memo == NULL) {
			*error = "no memory for the memo, or too many entries";
			return false;
		}
	}
	return true;
}

struct gate_worker *
gate_worker_create(const struct gate_worker_conf *conf, const char **error)
{
	struct gate_worker *w;

	if (conf->gate == NULL || conf->index >= conf->gate->workers) {
		*error = "no such worker";
		return NULL;
	}
	if (conf->edit_pool == NULL ||
	    rte_pktmbuf_data_room_size(conf->edit_pool) < RTE_PKTMBUF_HEADROOM + GATE_EDIT_ROOM) {
		*error = "packet buffers for edited headers are too small";
		return NULL;
	}
	w = rte_zmalloc_socket("gate_worker", sizeof(*w), RTE_CACHE_LINE_SIZE, conf->socket);
	if (w == NULL) {
		*error = "no memory for a worker";
		return NULL;
	}
	if (!fill(w, conf, error)) {
		gate_worker_destroy(w);
		return NULL;
	}
	return w;
}

void
gate_worker_destroy(struct gate_worker *w)
{
	if (w == NULL)
		return;
	if (w->memo != NULL)
		memo_destroy(w->memo);
	if (w->engine != NULL)
		hmac_engine_destroy(w->engine);
	/* HMACs that would verify. */
	hmac_wipe(w->batch.tag, sizeof(w->batch.tag));
	rte_free(w);
}

void
gate_worker_counters(const struct gate_worker *w, uint16_t port, struct gate_counters *counters)
{
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++)
		counters->v[v] = port < GATE_PORTS_MAX ? __atomic_load_n(&w->counters[port].v[v],
									 __ATOMIC_RELAXED)
						       : 0;
}

void
gate_worker_memo(const struct gate_worker *w, struct memo_stats *stats)
{
	*stats = (struct memo_stats){0};
	if (w->memo != NULL)
		memo_read_stats(w->memo, stats);
}

struct hmac_engine *
gate_worker_engine(struct gate_worker *w)
{
	return w->engine;
}

/* --- worker --- */

void
gate_count(struct gate_worker *w, uint16_t port, enum gate_verdict verdict, uint64_t n)
{
	gate_add(&w->counters[port].v[verdict], n);
}

uint16_t
gate_burst(struct gate_worker *w, uint16_t port, struct rte_mbuf **pkts, uint16_t n,
	   struct gate_dropped *dropped, uint16_t *n_dropped)
{
	assert(port < GATE_PORTS_MAX && n <= GATE_BURST_MAX);

	w->port = gate_port_load(w->gate, port);
	w->pkts = pkts;
	w->n = n;
	*n_dropped = 0;
	if (n == 0)
		return 0;
	if (w->port.verify == GATE_VERIFY_OFF && w->port.insert_key == 0) {
		gate_count(w, port, GATE_RX, n);
		gate_count(w, port, GATE_UNCHECKED, n);
		return n;
	}
	w->insert_key = w->port.insert_key != 0
				? keyring_lookup(w->gate->keyring, w->port.insert_key)
				: NULL;
	/* Outside of its send window a key is none: nothing leaves unsealed instead. */
	if (w->insert_key != NULL && unlikely(!keyring_may(w->insert_key, KEYRING_MAY_SEND)))
		w->insert_key = NULL;
	stage_parse(w);
	stage_scope(w);
	if (w->judge.n != 0) {
		stage_key(w);
		stage_memo(w);
		stage_hmac(w);
		stage_verdict(w);
	}
	if (w->port.strip || w->port.insert_key != 0) {
		stage_plan(w);
		stage_seal(w);
		stage_room(w);
		stage_strip(w);
		stage_insert(w);
	}
	return stage_leave(w, port, dropped, n_dropped);
}
