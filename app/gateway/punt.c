/* SPDX-License-Identifier: BSD-3-Clause */
#include "punt.h"

#include <stdio.h>

#include <rte_branch_prediction.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_ring_elem.h>

/* --- control --- */

struct punt *
punt_create(unsigned worker, int socket)
{
	struct punt *punt = rte_zmalloc_socket("punt", sizeof(*punt), RTE_CACHE_LINE_SIZE, socket);
	char name[RTE_RING_NAMESIZE];

	if (punt == NULL)
		return NULL;
	snprintf(name, sizeof(name), "punt_up%u", worker);
	punt->up = rte_ring_create_elem(name, sizeof(struct punt_record), PUNT_UP, socket,
					RING_F_SP_ENQ | RING_F_SC_DEQ);
	snprintf(name, sizeof(name), "punt_down%u", worker);
	punt->down = rte_ring_create(name, PUNT_DOWN, socket, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (punt->up == NULL || punt->down == NULL) {
		punt_destroy(punt);
		return NULL;
	}
	return punt;
}

void
punt_destroy(struct punt *punt)
{
	struct punt_record record;
	void *pkt;

	if (punt == NULL)
		return;
	while (punt->up != NULL && punt_drain(punt, &record, 1) == 1)
		rte_pktmbuf_free(record.pkt);
	while (punt->down != NULL && rte_ring_sc_dequeue(punt->down, &pkt) == 0)
		rte_pktmbuf_free(pkt);
	rte_ring_free(punt->up);
	rte_ring_free(punt->down);
	rte_free(punt);
}

unsigned
punt_drain(struct punt *punt, struct punt_record *records, unsigned n)
{
	return rte_ring_sc_dequeue_burst_elem(punt->up, records, sizeof(*records), n, NULL);
}

bool
punt_send(struct punt *punt, struct rte_mbuf *pkt)
{
	return rte_ring_sp_enqueue(punt->down, pkt) == 0;
}

/* --- worker --- */

static inline void
add(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, old + n, memory_order_relaxed);
}

/* Returns how many are left in pkts, to be freed. */
static __attribute__((noinline)) uint16_t
give_on(struct punt *punt, uint32_t wanted, uint16_t port, const struct gate_dropped *dropped,
	uint16_t n, struct rte_mbuf **pkts)
{
	struct punt_record records[PUNT_BURST];
	unsigned taken = 0, given, over = 0;
	uint16_t left = 0;

	for (uint16_t i = 0; i < n; i++) {
		const struct gate_dropped *d = &dropped[i];
		bool want = (wanted & punt_bit(d->verdict)) != 0;

		if (!want || taken == PUNT_BURST) {
			over += want;
			pkts[left++] = d->pkt;
			continue;
		}
		records[taken++] = (struct punt_record){
			.pkt = d->pkt,
			.key_id = d->key_id,
			.err_off = d->err_off,
			.verdict = d->verdict,
			.port = (uint8_t)port,
		};
	}
	given = rte_ring_sp_enqueue_burst_elem(punt->up, records, sizeof(records[0]), taken, NULL);
	over += taken - given;
	for (; given < taken; given++)
		pkts[left++] = records[given].pkt;
	if (over > 0)
		add(&punt->held_back, over);
	return left;
}

void
punt_dropped(struct punt *punt, uint16_t port, const struct gate_dropped *dropped, uint16_t n)
{
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	uint32_t wanted =
		punt != NULL ? atomic_load_explicit(&punt->wanted, memory_order_relaxed) : 0;

	if (unlikely(wanted != 0)) {
		n = give_on(punt, wanted, port, dropped, n, pkts);
	} else {
		for (uint16_t i = 0; i < n; i++)
			pkts[i] = dropped[i].pkt;
	}
	rte_pktmbuf_free_bulk(pkts, n);
}

static bool
transmit_one(const struct plan_worker *plan, struct rte_mbuf *pkt)
{
	for (unsigned i = 0; i < plan->n; i++) {
		const struct plan_queue *queue = &plan->queues[i];

		if (queue->tx_port == pkt->port)
			return rte_eth_tx_burst(queue->tx_port, queue->tx_queue, &pkt, 1) == 1;
	}
	return false; /* the plan has changed meanwhile */
}

void
punt_transmit(struct punt *punt, const struct plan_worker *plan)
{
	void *pkts[PUNT_DOWN];
	unsigned n = rte_ring_sc_dequeue_burst(punt->down, pkts, PUNT_DOWN, NULL);
	unsigned sent = 0;

	for (unsigned i = 0; i < n; i++) {
		if (transmit_one(plan, pkts[i])) /* NOLINT: the ring filled n of them */
			sent++;
		else
			rte_pktmbuf_free(pkts[i]);
	}
	if (sent > 0)
		add(&punt->sent, sent);
}
