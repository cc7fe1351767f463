/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of dropped packets from a worker to control, and of packets that control made to a
 * worker, which sends them. One struct punt for each worker: two rings with one writer and one
 * reader each. What control does not want costs the worker one load for a burst that has drops.
 */
#ifndef SEGSEAL_GATEWAY_PUNT_H
#define SEGSEAL_GATEWAY_PUNT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_ring.h>

#include "gate/gate.h"
#include "plan.h"

#define PUNT_UP 256u   /* entries of the ring to control, one of them unused */
#define PUNT_DOWN 64u  /* and of the one to the worker */
#define PUNT_BURST 32u /* packets of one burst that go to control at most */

/* A dropped packet on its way; whoever takes it out of the ring frees pkt. */
struct punt_record {
	struct rte_mbuf *pkt;
	uint32_t key_id;
	uint16_t err_off;
	uint8_t verdict;
	uint8_t port; /* that it came in by */
};

static_assert(sizeof(struct punt_record) % 4 == 0, "a ring element");
static_assert(GATE_PORTS_MAX <= 256, "a port is an octet");
static_assert(GATE_VERDICT_COUNT - GATE_FIRST_DROP <= 32, "a reason is a bit");

struct punt {
	struct rte_ring *up;
	struct rte_ring *down;

	/* Written by control. */
	_Atomic uint32_t wanted __rte_cache_aligned; /* punt_bit() of each reason */

	/* Written by the worker. */
	_Atomic uint64_t held_back __rte_cache_aligned; /* wanted, but too many */
	_Atomic uint64_t sent;				/* of control's packets */
} __rte_cache_aligned;

static inline uint32_t
punt_bit(enum gate_verdict verdict)
{
	return 1u << (verdict - GATE_FIRST_DROP);
}

/* --- control --- */

/* NULL without memory. */
struct punt *punt_create(unsigned worker, int socket);
/* Frees what is in the rings, too; the worker has ended. NULL is fine. */
void punt_destroy(struct punt *punt);
/* Up to n records; returns how many. */
unsigned punt_drain(struct punt *punt, struct punt_record *records, unsigned n);
/* Have the worker send pkt by pkt->port; false if too many wait, and pkt stays the caller's. */
bool punt_send(struct punt *punt, struct rte_mbuf *pkt);

/* --- worker --- */

/* Give on what is wanted of a burst's drops and free the others; punt may be NULL. */
void punt_dropped(struct punt *punt, uint16_t port, const struct gate_dropped *dropped, uint16_t n);
/* Send what control has left, each by the queue of this worker's that leads to its port. */
void punt_transmit(struct punt *punt, const struct plan_worker *plan);

static inline bool
punt_has_work(const struct punt *punt)
{
	return rte_ring_empty(punt->down) == 0;
}

#endif
