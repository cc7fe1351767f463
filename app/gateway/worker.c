/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <errno.h>
#include <sched.h>

#include <rte_bitops.h>
#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_pause.h>

#include "linear.h"

#define RX_CALL 32u		/* what a driver's vector receive function gives at most */
#define TX_RETRIES 32u		/* transmit calls in a row that take nothing */
#define IDLE_US 50u		/* between looks at the plan while forwarding is stopped */
#define PATIENCE_NS 1000000000l /* for a worker to finish a loop: it takes microseconds */

_Static_assert(GATE_BURST_MAX < 1u << WORKER_BURST_SIZES, "each size of burst is counted");

/* Up to GATE_BURST_MAX packets if they are there: the more at once, the cheaper the HMAC. */
static inline uint16_t
receive(const struct plan_queue *queue, struct rte_mbuf **pkts)
{
	uint16_t n = 0;
	uint16_t got;

	do {
		got = rte_eth_rx_burst(queue->rx_port, queue->rx_queue, pkts + n,
				       (uint16_t)(GATE_BURST_MAX - n));
		n += got;
	} while (got >= RX_CALL && n < GATE_BURST_MAX);
	return n;
}

static inline void
transmit(struct worker *worker, const struct plan_queue *queue, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t sent = 0;
	unsigned retries = 0;

	if (unlikely(queue->tx_linear)) {
		uint16_t kept = linear_keep(pkts, n);

		if (unlikely(kept < n))
			gate_count(worker->gate, queue->rx_port, GATE_TX_FULL, n - kept);
		n = kept;
	}
	while (sent < n) {
		uint16_t took = rte_eth_tx_burst(queue->tx_port, queue->tx_queue, pkts + sent,
						 (uint16_t)(n - sent));

		sent += took;
		if (unlikely(took == 0)) {
			if (retries++ == TX_RETRIES)
				break;
			rte_pause();
		}
	}
	if (sent > 0)
		gate_count(worker->gate, queue->rx_port, GATE_TX, sent);
	if (unlikely(sent < n)) {
		gate_count(worker->gate, queue->rx_port, GATE_TX_FULL, n - sent);
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	}
}

static inline void
add(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, old + n, memory_order_relaxed);
}

/* Returns the number of packets received. */
static inline uint16_t
forward(struct worker *worker, const struct plan_queue *queue)
{
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	struct gate_dropped dropped[GATE_BURST_MAX];
	uint16_t n_dropped = 0;
	uint16_t n = receive(queue, pkts);

	if (n == 0)
		return 0;
	uint16_t n_passed = gate_burst(worker->gate, queue->rx_port, pkts, n, dropped, &n_dropped);

	if (n_passed > 0)
		transmit(worker, queue, pkts, n_passed);
	if (n_dropped > 0)
		punt_dropped(worker->punt, queue->rx_port, dropped, n_dropped);
	return n;
}

/* Returns the TSC at its end. */
static uint64_t
forward_all(struct worker *worker, const struct plan_worker *plan)
{
	uint64_t before = rte_rdtsc();

	for (unsigned i = 0; i < plan->n; i++) {
		uint16_t n = forward(worker, &plan->queues[i]);
		uint64_t now = rte_rdtsc();

		if (n > 0) {
			add(&worker->load.packets, n);
			add(&worker->load.bursts[rte_fls_u32(n) - 1], 1);
			add(&worker->load.busy_cycles, now - before);
		}
		before = now;
	}
	if (unlikely(worker->punt != NULL && punt_has_work(worker->punt)))
		punt_transmit(worker->punt, plan);
	return before;
}

static void
give_counters(struct worker *worker, unsigned asked)
{
	for (uint16_t port = 0; port < GATE_PORTS_MAX; port++)
		gate_worker_counters(worker->gate, port, &worker->counters[port]);
	atomic_store_explicit(&worker->counters_given, asked, memory_order_release);
}

int
worker_main(void *arg)
{
	struct worker *worker = arg;
	unsigned given = 0;

	rte_rcu_qsbr_thread_online(worker->rcu, worker->index);
	while (!atomic_load_explicit(&worker->quit, memory_order_relaxed)) {
		const struct plan_worker *plan =
			atomic_load_explicit(&worker->plan, memory_order_acquire);

		uint64_t now;

		if (likely(plan != NULL && plan->n > 0)) {
			now = forward_all(worker, plan);
		} else {
			rte_delay_us_sleep(IDLE_US);
			now = rte_rdtsc();
		}
		atomic_store_explicit(&worker->load.heartbeat, now, memory_order_relaxed);

		unsigned asked =
			atomic_load_explicit(&worker->counters_asked, memory_order_acquire);

		if (unlikely(asked != given)) {
			give_counters(worker, asked);
			given = asked;
		}
		rte_rcu_qsbr_quiescent(worker->rcu, worker->index);
	}
	rte_rcu_qsbr_thread_offline(worker->rcu, worker->index);
	return 0;
}

void
worker_plan(struct worker *worker, const struct plan_worker *plan)
{
	atomic_store_explicit(&worker->plan, plan, memory_order_release);
}

struct patience {
	struct timespec end;
};

static struct patience
patience_begin(void)
{
	struct patience patience;

	clock_gettime(CLOCK_MONOTONIC, &patience.end);
	patience.end.tv_sec += PATIENCE_NS / 1000000000l;
	return patience;
}

/* Gives the CPU away for a moment: a worker may share it. False when patience is at its end. */
static bool
patience_wait(const struct patience *patience)
{
	const struct timespec nap = {0, 20000};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec > patience->end.tv_sec ||
	    (now.tv_sec == patience->end.tv_sec && now.tv_nsec >= patience->end.tv_nsec))
		return false;
	nanosleep(&nap, NULL);
	return true;
}

int
workers_settle(struct rte_rcu_qsbr *rcu)
{
	struct patience patience = patience_begin();
	uint64_t token = rte_rcu_qsbr_start(rcu);

	while (rte_rcu_qsbr_check(rcu, token, false) != 1)
		if (!patience_wait(&patience))
			return -ETIMEDOUT;
	return 0;
}

bool
worker_has_counted(struct worker *worker)
{
	return atomic_load_explicit(&worker->counters_given, memory_order_acquire) ==
	       atomic_load_explicit(&worker->counters_asked, memory_order_relaxed);
}

int
workers_count(struct worker *workers, unsigned n)
{
	struct patience patience = patience_begin();
	int rc = 0;

	for (unsigned i = 0; i < n; i++)
		atomic_fetch_add_explicit(&workers[i].counters_asked, 1, memory_order_release);
	for (unsigned i = 0; i < n; i++)
		while (!worker_has_counted(&workers[i])) {
			if (workers[i].stuck) {
				rc = -ETIMEDOUT;
				break;
			}
			if (!patience_wait(&patience))
				return -ETIMEDOUT;
		}
	return rc;
}
