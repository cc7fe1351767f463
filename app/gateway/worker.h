/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: one lcore that receives, judges, edits and sends, run to completion, burst by burst.
 * It never waits for anybody; the control thread waits for it, by the RCU variable.
 */
#ifndef SEGSEAL_GATEWAY_WORKER_H
#define SEGSEAL_GATEWAY_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_rcu_qsbr.h>

#include "gate/gate.h"
#include "plan.h"
#include "punt.h"

#define WORKER_BURST_SIZES 8u /* of a burst's size: 1, 2-3, 4-7, .. 128 */

/* Written by the worker, read by control: 64-bit relaxed. Since the start. */
struct worker_load {
	_Atomic uint64_t heartbeat; /* TSC at the end of the last loop */
	_Atomic uint64_t packets;
	_Atomic uint64_t busy_cycles;		     /* TSC cycles spent on bursts */
	_Atomic uint64_t bursts[WORKER_BURST_SIZES]; /* receives that gave packets, by size */
};

struct worker {
	/* Set before launch. */
	struct gate_worker *gate;
	struct rte_rcu_qsbr *rcu;
	unsigned index; /* the gate's, the keyring's and the RCU variable's */
	unsigned lcore;
	struct punt *punt; /* NULL: dropped packets go to nobody */

	bool stuck; /* control's own note: it has not ended its loop for long; see health.h */

	/* Written by control, read by the worker once a loop. */
	const struct plan_worker *_Atomic plan __rte_cache_aligned; /* NULL = do not forward */
	atomic_bool quit;
	atomic_uint counters_asked;

	/* Written by the worker. */
	struct worker_load load __rte_cache_aligned;
	atomic_uint counters_given;
	struct gate_counters counters[GATE_PORTS_MAX]; /* as of counters_given */
} __rte_cache_aligned;

/* The thread: an lcore_function_t, arg is the struct worker. */
int worker_main(void *arg);

/* --- control --- */

/* Let worker forward by plan (NULL: not at all) from its next loop on. */
void worker_plan(struct worker *worker, const struct plan_worker *plan);

/*
 * Wait until every worker has finished the loop that it was in, so that nothing handed out before
 * is in use: -ETIMEDOUT if one does not within a second.
 */
int workers_settle(struct rte_rcu_qsbr *rcu);

/*
 * Have each worker copy its counters between two bursts, where rx = tx + drops holds exactly, and
 * wait for it. -ETIMEDOUT if one does not within a second, or at once if only stuck ones do not.
 */
int workers_count(struct worker *workers, unsigned n);
/* Whether this worker has answered the last workers_count(). */
bool worker_has_counted(struct worker *worker);

#endif
