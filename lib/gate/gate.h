/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bursts of packets to verdicts: verify the HMAC TLV, strip it, insert one, by the settings of the
 * port that a packet came in by.
 *
 * struct gate is shared by all threads and written by control only; struct gate_worker belongs to
 * one worker lcore, which reports quiescent states on the RCU variable itself. gate_burst() is
 * datapath: no lock, no system call, no allocation but mbufs from the edit pool.
 */
#ifndef SEGSEAL_GATE_H
#define SEGSEAL_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>
#include <rte_rcu_qsbr.h>

#include "gate/verdicts.h"
#include "hmac/hmac.h"
#include "hmac/memo.h"
#include "keyring/keyring.h"

#define GATE_PORTS_MAX 32u
#define GATE_BURST_MAX 128u
#define GATE_MAX_LEN ((1u << 29) - 1u) /* gate_port.max_len at most */
#define GATE_EDIT_ROOM                                                                             \
	4608u /* data room that an mbuf of the edit pool must have at least, past                  \
	       * RTE_PKTMBUF_HEADROOM: a whole header chain and one HMAC TLV */

enum gate_verify { GATE_VERIFY_OFF, GATE_VERIFY_IF_PRESENT, GATE_VERIFY_REQUIRE };

struct gate_port {
	enum gate_verify verify;
	bool strip;
	uint32_t insert_key; /* Key ID; 0 = off */
	uint32_t max_len;    /* octets of a frame that the peer port takes, VLAN tags aside; 0 = no
				limit */
};

struct gate_conf {
	const char *name; /* unique in the process */
	struct keyring *keyring;
	struct rte_rcu_qsbr *rcu;
	unsigned workers;
	int socket;
};

struct gate;
struct gate_worker;

/* --- control --- */

/* NULL with rte_errno set. All ports: verify off, strip off, insert off. */
struct gate *gate_create(const struct gate_conf *conf);
void gate_destroy(struct gate *gate);

/* Settings take effect as a whole, from some burst on. -EINVAL for a port or a value out of
 * range. */
int gate_port_set(struct gate *gate, uint16_t port, const struct gate_port *settings);
int gate_port_get(const struct gate *gate, uint16_t port, struct gate_port *settings);

/*
 * Protected prefixes, longest match; with none every SRH is judged. -EEXIST, -ENOENT, -ENOSPC,
 * -EINVAL (depth > 128, or host bits set), -ENOMEM, -EBUSY while thousands of changes wait for a
 * worker that does not report. Changed while workers run: takes effect when the call returns, keeps
 * nobody waiting.
 */
int gate_sid_add(struct gate *gate, const uint8_t prefix[16], uint8_t depth);
int gate_sid_del(struct gate *gate, const uint8_t prefix[16], uint8_t depth);
int gate_sid_each(const struct gate *gate,
		  int (*each)(const uint8_t prefix[16], uint8_t depth, void *arg), void *arg);

struct gate_worker_conf {
	struct gate *gate;
	unsigned index;		       /* 0..workers-1, the keyring's worker index too */
	struct rte_mempool *edit_pool; /* mbufs of GATE_EDIT_ROOM, for headers that lie across
					* segments, are shared, or need more headroom */
	uint32_t memo_entries;	       /* headers remembered; 0 = memo off */
	int socket;
};

/* NULL with *error (static text): an engine's known-answer test failed, or no memory. */
struct gate_worker *gate_worker_create(const struct gate_worker_conf *conf, const char **error);
void gate_worker_destroy(struct gate_worker *worker);

struct gate_counters {
	uint64_t v[GATE_VERDICT_COUNT];
};

/* This worker's counters of packets that came in by port: 64-bit relaxed loads. Any thread. */
void gate_worker_counters(const struct gate_worker *worker, uint16_t port,
			  struct gate_counters *counters);

/* Hits, misses and evictions of this worker's memo; all 0 if it is off. Any thread. */
void gate_worker_memo(const struct gate_worker *worker, struct memo_stats *stats);
/* This worker's engine, to show or force its managers while the worker does not run. */
struct hmac_engine *gate_worker_engine(struct gate_worker *worker);

/* NULL for a value out of range. */
const char *gate_verdict_name(enum gate_verdict verdict);
const char *gate_verdict_help(enum gate_verdict verdict);
static inline bool
gate_is_drop(enum gate_verdict verdict)
{
	return verdict >= GATE_FIRST_DROP;
}

/* --- worker --- */

struct gate_dropped {
	struct rte_mbuf *pkt; /* as it came in; the caller frees it */
	uint32_t key_id;      /* 0 if none was read */
	uint16_t err_off;     /* pointer of an ICMPv6 Parameter Problem, from the IPv6 header */
	uint8_t verdict;
};

/*
 * Judge and edit n <= GATE_BURST_MAX packets received on port. Those that go on are left in
 * pkts[0..return) in the order they came, edited, to be sent; those that do not are in
 * dropped[0..*n_dropped), n entries of room, counted but not freed. rx, verdicts and drops are
 * counted here; tx and tx_full by gate_count().
 */
uint16_t gate_burst(struct gate_worker *worker, uint16_t port, struct rte_mbuf **pkts, uint16_t n,
		    struct gate_dropped *dropped, uint16_t *n_dropped);

/* Count n packets that came in by port: GATE_TX when sent, GATE_TX_FULL when not taken. */
void gate_count(struct gate_worker *worker, uint16_t port, enum gate_verdict verdict, uint64_t n);

#endif
