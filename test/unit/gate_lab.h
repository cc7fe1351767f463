/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A gate with one worker, its keys and mbufs, for the tests of lib/gate. Each burst that goes
 * through lab_burst() is held to what must always be so: every packet is counted once, order is
 * kept, dropped packets are untouched, no mbuf is lost, nothing is read behind a segment's end
 * (with AddressSanitizer).
 */
#ifndef SEGSEAL_TEST_GATE_LAB_H
#define SEGSEAL_TEST_GATE_LAB_H

#include <stdint.h>

#include "gate/gate.h"
#include "gate_packet.h"

#define LAB_PORT 3

struct lab {
	struct rte_rcu_qsbr *rcu;
	struct keyring *keyring;
	struct gate *gate;
	struct gate_worker *worker;
	struct rte_mempool *pool;	/* mbufs as they come in */
	struct rte_mempool *small_pool; /* mbufs with no data room, for external buffers */
	struct rte_mempool *edit_pool;
	bool seen[GATE_VERDICT_COUNT]; /* what was counted since lab_open() */
};

/* For cmocka_run_group_tests(): EAL, pools, keyring with packet_keys[], gate, worker (memo off). */
int lab_open(void **state);
int lab_close(void **state);
extern struct lab lab;

/* Replace the worker; memo_entries 0 = off. */
void lab_worker(uint32_t memo_entries);

/* How the octets of a packet lie in mbufs. */
struct lab_layout {
	unsigned headroom; /* of the first segment; LAB_NO_HEADROOM for none at all */
	uint32_t split[4]; /* offsets at which a new segment begins, ascending; 0 ends them */
	bool empty_first;  /* a segment of no octets in front */
	bool shared;	   /* another reference is held to each segment */
	bool indirect;	   /* attached to segments that someone else holds */
	bool external;	   /* attached to external buffers */
};
#define LAB_NO_HEADROOM 0xffffu

/* An mbuf of these octets with recognisable metadata; NULL layout: one segment, usual headroom. */
struct rte_mbuf *lab_mbuf(const uint8_t *octets, uint32_t len, const struct lab_layout *layout);

/* One packet's fate. */
struct lab_result {
	enum gate_verdict verdict;		 /* in a burst of one; else GATE_TX for any pass */
	bool inserted, stripped, already_sealed; /* in a burst of one */
	uint32_t key_id;
	uint16_t err_off;
	uint8_t octets[PACKET_ROOM]; /* as it came out */
	uint32_t len;
};

/* Put mbufs through the gate under these settings; frees them. result[i] tells of pkts[i]. */
void lab_burst(const struct gate_port *port, struct rte_mbuf **pkts, uint16_t n,
	       struct lab_result *result);
/* One packet of one segment. */
void lab_one(const struct gate_port *port, const struct packet *packet, struct lab_result *result);
/* Mbufs that are not in their pools. */
unsigned lab_mbufs_out(void);

#endif
