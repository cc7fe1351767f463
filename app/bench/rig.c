/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#define EDIT_MBUFS 1023u
#define ROOM (RTE_PKTMBUF_HEADROOM + PACKET_FRAME_MAX)

struct rig {
	struct rte_rcu_qsbr *rcu;
	struct keyring *keyring;
	struct gate *gate;
	struct gate_worker *workers[RIG_MEMOS];
	struct rte_mempool *pool, *edit_pool;
	struct rte_mbuf *ring[RIG_MBUFS];
	unsigned at; /* of the ring */
};

static int
no_memory(const char *what)
{
	fprintf(stderr, "segseal-bench: no memory for %s: %s\n", what, rte_strerror(rte_errno));
	return -1;
}

static const struct gate_port ports[] = {
	[RIG_PASS] = {.verify = GATE_VERIFY_OFF},
	[RIG_VERIFY] = {.verify = GATE_VERIFY_REQUIRE},
	[RIG_REFUSE] = {.verify = GATE_VERIFY_REQUIRE},
	[RIG_STRIP] = {.verify = GATE_VERIFY_REQUIRE, .strip = true},
	[RIG_INSERT] = {.insert_key = RIG_INSERT_KEY},
	[RIG_TRANSLATE] = {.verify = GATE_VERIFY_REQUIRE,
			   .strip = true,
			   .insert_key = RIG_INSERT_KEY},
};

static int
open_tables(struct rig *rig)
{
	rig->rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(RIG_MEMOS), RTE_CACHE_LINE_SIZE);
	if (rig->rcu == NULL || rte_rcu_qsbr_init(rig->rcu, RIG_MEMOS) != 0)
		return no_memory("RCU");
	rig->keyring = keyring_create(&(struct keyring_conf){
		.name = "bench", .workers = RIG_MEMOS, .rcu = rig->rcu, .socket = SOCKET_ID_ANY});
	if (rig->keyring == NULL)
		return no_memory("keys");
	rig->gate = gate_create(&(struct gate_conf){.name = "bench",
						    .keyring = rig->keyring,
						    .rcu = rig->rcu,
						    .workers = RIG_MEMOS,
						    .socket = SOCKET_ID_ANY});
	if (rig->gate == NULL)
		return no_memory("the gate");
	for (unsigned port = 0; port < RTE_DIM(ports); port++)
		if (gate_port_set(rig->gate, (uint16_t)port, &ports[port]) != 0)
			return no_memory("the ports");
	return 0;
}

static int
open_pools(struct rig *rig)
{
	rig->pool = rte_pktmbuf_pool_create("bench", 2 * RIG_MBUFS - 1, 0, 0, ROOM, SOCKET_ID_ANY);
	rig->edit_pool =
		rte_pktmbuf_pool_create("bench_edit", EDIT_MBUFS, 0, 0,
					RTE_PKTMBUF_HEADROOM + GATE_EDIT_ROOM, SOCKET_ID_ANY);
	if (rig->pool == NULL || rig->edit_pool == NULL ||
	    rte_pktmbuf_alloc_bulk(rig->pool, rig->ring, RIG_MBUFS) != 0)
		return no_memory("packet buffers");
	return 0;
}

static int
open_workers(struct rig *rig)
{
	static const uint32_t entries[RIG_MEMOS] = {
		[RIG_MEMO_ON] = RIG_MEMO_ENTRIES, [RIG_MEMO_SMALL] = RIG_MEMO_ENTRIES_SMALL};

	for (unsigned i = 0; i < RIG_MEMOS; i++) {
		const char *error = "";

		rig->workers[i] =
			gate_worker_create(&(struct gate_worker_conf){.gate = rig->gate,
								      .index = i,
								      .edit_pool = rig->edit_pool,
								      .memo_entries = entries[i],
								      .socket = SOCKET_ID_ANY},
					   &error);
		if (rig->workers[i] == NULL) {
			fprintf(stderr, "segseal-bench: worker: %s\n", error);
			return -1;
		}
	}
	return 0;
}

struct rig *
rig_open(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (rig == NULL || open_tables(rig) != 0 || open_pools(rig) != 0 ||
	    open_workers(rig) != 0) {
		rig_close(rig);
		return NULL;
	}
	return rig;
}

void
rig_close(struct rig *rig)
{
	if (rig == NULL)
		return;
	for (unsigned i = 0; i < RIG_MEMOS; i++)
		gate_worker_destroy(rig->workers[i]);
	gate_destroy(rig->gate);
	keyring_destroy(rig->keyring);
	rte_free(rig->rcu);
	rte_mempool_free(rig->pool);
	rte_mempool_free(rig->edit_pool);
	free(rig);
}

/* --- keys --- */

void
rig_secret(uint32_t id, uint8_t secret[32])
{
	uint32_t x = id * 2654435761u + 1;

	for (unsigned i = 0; i < 32; i++) {
		x = x * 1664525 + 1013904223;
		secret[i] = (uint8_t)(x >> 24);
	}
}

static struct keyring_spec
spec_of(uint32_t id, enum hmac_algorithm algorithm, enum hmac_profile profile)
{
	struct keyring_spec spec = {
		.id = id, .algorithm = algorithm, .profile = profile, .secret_len = 32};

	rig_secret(id, spec.secret);
	return spec;
}

int
rig_key(struct rig *rig, uint32_t id, enum hmac_algorithm algorithm, enum hmac_profile profile)
{
	struct keyring_spec spec = spec_of(id, algorithm, profile);
	int rc = keyring_set(rig->keyring, &spec);

	if (rc != 0)
		fprintf(stderr, "segseal-bench: key %u: %s\n", id, strerror(-rc));
	return rc != 0 ? -1 : 0;
}

int
rig_keys(struct rig *rig, unsigned n, enum hmac_algorithm algorithm, enum hmac_profile profile)
{
	struct keyring_spec *specs = calloc(n, sizeof(*specs));
	unsigned bad = 0;
	int rc = -ENOMEM;

	if (specs != NULL) {
		for (unsigned i = 0; i < n; i++)
			specs[i] = spec_of(i + 1, algorithm, profile);
		(void)keyring_reclaim(rig->keyring);
		rc = keyring_replace_all(rig->keyring, specs, n, &bad);
	}
	free(specs);
	if (rc != 0)
		fprintf(stderr, "segseal-bench: %u keys: key %u: %s\n", n, bad + 1, strerror(-rc));
	return rc != 0 ? -1 : 0;
}

/* --- packets --- */

void
rig_table_alloc(struct rig_table *table, unsigned n)
{
	table->n = n;
	table->frames = calloc(n, sizeof(*table->frames));
	table->len = calloc(n, sizeof(*table->len));
	if (table->frames == NULL || table->len == NULL)
		abort();
}

void
rig_table_free(struct rig_table *table)
{
	free(table->frames);
	free(table->len);
	*table = (struct rig_table){0};
}

void
rig_fill(void *arg)
{
	struct rig_case *c = arg;
	struct rig *rig = c->rig;

	for (unsigned i = 0; i < c->burst; i++) {
		struct rte_mbuf *m = rig->ring[rig->at];
		unsigned len = c->table->len[c->next];

		rte_pktmbuf_reset(m);
		m->port = (uint16_t)c->port;
		m->data_len = (uint16_t)len;
		m->pkt_len = len;
		memcpy(rte_pktmbuf_mtod(m, void *), c->table->frames[c->next], len);
		c->pkts[i] = m;
		rig->at = (rig->at + 1) % RIG_MBUFS;
		c->next = c->next + 1 == c->table->n ? 0 : c->next + 1;
	}
}

void
rig_run(void *arg)
{
	struct rig_case *c = arg;

	c->n_passed = gate_burst(c->rig->workers[c->memo], (uint16_t)c->port, c->pkts,
				 (uint16_t)c->burst, c->dropped, &c->n_dropped);
	rte_rcu_qsbr_quiescent(c->rig->rcu, c->memo);
}

void
rig_warm(struct rig_case *c)
{
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < c->table->n; i += c->burst) {
			rig_fill(c);
			rig_run(c);
		}
	}
}

void
rig_counters(const struct rig_case *c, struct gate_counters *counters)
{
	gate_worker_counters(c->rig->workers[c->memo], (uint16_t)c->port, counters);
}

void
rig_memo(const struct rig_case *c, struct memo_stats *stats)
{
	gate_worker_memo(c->rig->workers[c->memo], stats);
}

bool
rig_is_whole(const struct rig *rig)
{
	return rte_mempool_in_use_count(rig->pool) == RIG_MBUFS &&
	       rte_mempool_in_use_count(rig->edit_pool) == 0;
}
