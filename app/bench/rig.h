/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gate as a worker of segseal runs it, fed from a table of frames: a burst is copied into mbufs
 * before each run, which is not measured, as a driver would have put it there.
 */
#ifndef SEGSEAL_BENCH_RIG_H
#define SEGSEAL_BENCH_RIG_H

#include <stdint.h>

#include "gate/gate.h"
#include "packet.h"

enum rig_port { RIG_PASS, RIG_VERIFY, RIG_REFUSE, RIG_STRIP, RIG_INSERT, RIG_TRANSLATE };
#define RIG_INSERT_KEY                                                                             \
	(KEYRING_CAPACITY - 1u) /* of the last two, outside what rig_keys() makes                  \
				 */
#define RIG_MBUFS 512u		/* that go round, as a receive ring's do */
#define RIG_KEYS_MAX 65000u

enum rig_memo { RIG_MEMO_OFF, RIG_MEMO_ON, RIG_MEMO_SMALL, RIG_MEMOS };
#define RIG_MEMO_ENTRIES 131072u
#define RIG_MEMO_ENTRIES_SMALL 1024u

struct rig;

/* NULL after a line on stderr. */
struct rig *rig_open(void);
void rig_close(struct rig *rig);

/* The keyring holds exactly keys 1..n <= RIG_KEYS_MAX of these, key k's secret made from k. */
int rig_keys(struct rig *rig, unsigned n, enum hmac_algorithm algorithm, enum hmac_profile profile);
/* One more; -1 after a line on stderr. */
int rig_key(struct rig *rig, uint32_t id, enum hmac_algorithm algorithm, enum hmac_profile profile);
void rig_secret(uint32_t id, uint8_t secret[32]);

/* Frames to come, one after the other and from the beginning again. */
struct rig_table {
	uint8_t (*frames)[PACKET_FRAME_MAX];
	uint16_t *len;
	unsigned n;
};

/* Of n frames, all zero. */
void rig_table_alloc(struct rig_table *table, unsigned n);
void rig_table_free(struct rig_table *table);

/* What goes through: to be measured with rig_fill() before rig_run(). */
struct rig_case {
	struct rig *rig;
	enum rig_memo memo;
	enum rig_port port; /* whose settings do what it is called */
	const struct rig_table *table;
	unsigned burst;
	unsigned next; /* of the table */
	uint16_t n_passed, n_dropped;
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	struct gate_dropped dropped[GATE_BURST_MAX];
};

void rig_fill(void *rig_case);
void rig_run(void *rig_case);
/* Let the whole table through once or more, so that caches and memo are as they will be. */
void rig_warm(struct rig_case *rig_case);

void rig_counters(const struct rig_case *rig_case, struct gate_counters *counters);
void rig_memo(const struct rig_case *rig_case, struct memo_stats *stats);
/* Whether every packet buffer is where it was: what was edited was edited in its place. */
bool rig_is_whole(const struct rig *rig);

#endif
