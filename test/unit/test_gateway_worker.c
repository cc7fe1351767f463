/* SPDX-License-Identifier: BSD-3-Clause */
/* How control waits for workers: those that answer, and those that do not. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "eal.h"
#include "gateway/worker.h"

#define WORKERS 2u

static struct rte_rcu_qsbr *rcu;
static struct worker workers[WORKERS];
static pthread_t threads[WORKERS];

/* In place of the gate: packets are not what this is about. */
uint16_t
gate_burst(struct gate_worker *worker, uint16_t port, struct rte_mbuf **pkts, uint16_t n,
	   struct gate_dropped *dropped, uint16_t *n_dropped)
{
	(void)worker, (void)port, (void)pkts, (void)dropped;
	*n_dropped = 0;
	return n;
}

void
gate_count(struct gate_worker *worker, uint16_t port, enum gate_verdict verdict, uint64_t n)
{
	(void)worker, (void)port, (void)verdict, (void)n;
}

void
gate_worker_counters(const struct gate_worker *worker, uint16_t port,
		     struct gate_counters *counters)
{
	(void)worker;
	memset(counters, 0, sizeof(*counters));
	counters->v[GATE_RX] = 100u + port;
}

static void *
run(void *worker)
{
	worker_main(worker);
	return NULL;
}

static int
setup(void **state)
{
	(void)state;
	memset(workers, 0, sizeof(workers));
	if (rte_rcu_qsbr_init(rcu, WORKERS) != 0)
		return -1;
	for (unsigned i = 0; i < WORKERS; i++) {
		workers[i].index = i;
		workers[i].rcu = rcu;
		if (rte_rcu_qsbr_thread_register(rcu, i) != 0 ||
		    pthread_create(&threads[i], NULL, run, &workers[i]) != 0)
			return -1;
	}
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKERS; i++) {
		atomic_store(&workers[i].quit, true);
		pthread_join(threads[i], NULL);
		rte_rcu_qsbr_thread_unregister(rcu, i);
	}
	return 0;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
test_workers_settle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(workers_settle(rcu), 0);
}

static void
test_workers_count(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		memset(workers[0].counters, 0, sizeof(workers[0].counters));
		assert_int_equal(workers_count(workers, WORKERS), 0);
		for (unsigned w = 0; w < WORKERS; w++) {
			assert_true(worker_has_counted(&workers[w]));
			for (unsigned port = 0; port < GATE_PORTS_MAX; port++)
				assert_int_equal(workers[w].counters[port].v[GATE_RX], 100 + port);
		}
	}
}

static void
test_plans_without_queues(void **state)
{
	const struct plan_worker none = {0, NULL};

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		worker_plan(&workers[0], i % 2 == 0 ? &none : NULL);
		assert_int_equal(workers_settle(rcu), 0);
	}
	worker_plan(&workers[0], NULL);
	assert_int_equal(workers_settle(rcu), 0);
	assert_int_equal(atomic_load(&workers[0].load.packets), 0);
}

/* A worker that is stuck in a driver. */
static void
test_one_that_does_not_respond(void **state)
{
	struct worker stuck[1] = {{.rcu = rcu, .index = 0}};
	double began;

	(void)state;
	assert_int_equal(rte_rcu_qsbr_init(rcu, 1), 0);
	assert_int_equal(rte_rcu_qsbr_thread_register(rcu, 0), 0);
	rte_rcu_qsbr_thread_online(rcu, 0);
	began = seconds();
	assert_int_equal(workers_settle(rcu), -ETIMEDOUT);
	assert_true(seconds() - began >= 0.9 && seconds() - began < 20);
	began = seconds();
	assert_int_equal(workers_count(stuck, 1), -ETIMEDOUT);
	assert_true(seconds() - began >= 0.9 && seconds() - began < 20);
	assert_false(worker_has_counted(&stuck[0]));

	/* It comes back. */
	rte_rcu_qsbr_quiescent(rcu, 0);
	rte_rcu_qsbr_thread_offline(rcu, 0);
	assert_int_equal(workers_settle(rcu), 0);
	rte_rcu_qsbr_thread_unregister(rcu, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_workers_settle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_workers_count, setup, teardown),
		cmocka_unit_test_setup_teardown(test_plans_without_queues, setup, teardown),
		cmocka_unit_test(test_one_that_does_not_respond),
	};

	if (eal_start() != 0)
		return 1;
	rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(WORKERS), RTE_CACHE_LINE_SIZE);
	if (rcu == NULL)
		return 1;
	int rc = cmocka_run_group_tests_name("gateway-worker", tests, NULL, NULL);

	rte_free(rcu);
	rte_eal_cleanup();
	return rc;
}
