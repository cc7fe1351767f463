/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers' threads and plans: from the launch to the end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_launch.h>

#include "gateway.h"
#include "log.h"

LOG_MODULE(forwarding);

#define LAND_MS 5000u /* for a worker to end its last loop, which takes microseconds */

static void
give_plan(struct gateway *gateway, bool on)
{
	for (unsigned i = 0; i < gateway->n_workers; i++)
		worker_plan(&gateway->workers[i], on ? &gateway->plan->workers[i] : NULL);
}

int
gateway_launch(struct gateway *gateway, char *error, size_t error_size)
{
	gateway->plan = ports_plan(&gateway->ports, gateway->n_workers);
	if (gateway->plan == NULL) {
		snprintf(error, error_size, "no memory for the plan of the queues");
		return -1;
	}
	give_plan(gateway, gateway->forwarding);
	gateway_clear_load(gateway);
	drops_want(gateway); /* of the first packet, too */
	for (unsigned i = 0; i < gateway->n_workers; i++) {
		struct worker *worker = &gateway->workers[i];
		int rc = rte_rcu_qsbr_thread_register(gateway->rcu, i);

		atomic_store(&worker->load.heartbeat, rte_rdtsc());
		if (rc == 0)
			rc = rte_eal_remote_launch(worker_main, worker, worker->lcore);
		if (rc != 0) {
			snprintf(error, error_size, "lcore %u: cannot launch the worker: %s",
				 worker->lcore, strerror(-rc));
			return -1;
		}
		gateway->launched = true;
	}
	health_begin(gateway);
	return 0;
}

/* Whether the worker's thread has ended, within milliseconds. */
static bool
has_ended(const struct worker *worker, unsigned milliseconds)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < milliseconds; i++) {
		if (rte_eal_get_lcore_state(worker->lcore) != RUNNING)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

/* Nothing that the worker may be using can be freed, not even the keys: all of it goes with the
 * process. */
static void
leave_behind(struct gateway *gateway, const struct worker *worker)
{
	LOG(ERR, "worker %u on lcore %u does not end: the program ends without it", worker->index,
	    worker->lcore);
	control_server_destroy(gateway->server);
	_exit(STATUS_FAILED);
}

void
gateway_land(struct gateway *gateway)
{
	if (!gateway->launched)
		return;
	for (unsigned i = 0; i < gateway->n_workers; i++)
		atomic_store(&gateway->workers[i].quit, true);
	for (unsigned i = 0; i < gateway->n_workers; i++)
		if (!has_ended(&gateway->workers[i], LAND_MS))
			leave_behind(gateway, &gateway->workers[i]);
	rte_eal_mp_wait_lcore();
	for (unsigned i = 0; i < gateway->n_workers; i++)
		(void)rte_rcu_qsbr_thread_unregister(gateway->rcu, i);
	gateway->launched = false;
}

int
gateway_pause(struct gateway *gateway)
{
	if (!gateway->launched || !gateway->forwarding)
		return 0;
	for (unsigned i = 0; i < gateway->n_workers; i++)
		if (gateway->workers[i].stuck)
			return -ETIMEDOUT;
	give_plan(gateway, false);
	int rc = workers_settle(gateway->rcu);

	if (rc != 0)
		give_plan(gateway, true);
	return rc;
}

void
gateway_resume(struct gateway *gateway)
{
	if (gateway->launched && gateway->forwarding)
		give_plan(gateway, true);
}

int
gateway_pair(struct gateway *gateway, unsigned a, unsigned b, const struct gate_port *settings)
{
	struct ports ports = gateway->ports;

	ports_pair(&ports, a, b);
	struct plan *plan = ports_plan(&ports, gateway->n_workers);

	if (plan == NULL)
		return -ENOMEM;
	int rc = gateway_pause(gateway);

	if (rc != 0) {
		plan_free(plan);
		return rc;
	}
	plan_free(gateway->plan);
	gateway->plan = plan;
	gateway->ports = ports;
	if (settings != NULL)
		(void)gate_port_set(gateway->gate, (uint16_t)a, settings);
	ports_limit(&gateway->ports, gateway->gate);
	gateway_resume(gateway);
	return 0;
}

int
gateway_forward(struct gateway *gateway, bool on)
{
	if (!on) {
		int rc = gateway_pause(gateway);

		if (rc != 0)
			return rc;
	}
	gateway->forwarding = on;
	gateway_resume(gateway);
	return 0;
}
