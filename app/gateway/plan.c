/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* Of those that may, the worker with the fewest queues. */
static unsigned
least_loaded(const struct plan *plan, const int *rank, bool only_ranked)
{
	unsigned best = plan->n_workers;

	for (unsigned w = 0; w < plan->n_workers; w++) {
		if (only_ranked && rank[w] < 0)
			continue;
		if (best == plan->n_workers || plan->workers[w].n < plan->workers[best].n)
			best = w;
	}
	return best;
}

/* Spread the queues of one port over as many workers as the peer has transmit queues for. */
static int
plan_port(struct plan *plan, const struct plan_port *ports, unsigned port)
{
	const struct plan_port *peer = &ports[ports[port].peer];
	int rank[plan->n_workers]; /* transmit queue of a worker that has one of this port's */
	int senders = 0;

	for (unsigned w = 0; w < plan->n_workers; w++)
		rank[w] = -1;
	for (uint16_t queue = 0; queue < ports[port].rx_queues; queue++) {
		unsigned w = least_loaded(plan, rank, senders >= peer->tx_queues);
		struct plan_worker *worker = &plan->workers[w];
		struct plan_queue *queues =
			reallocarray(worker->queues, worker->n + 1, sizeof(*queues));

		if (queues == NULL)
			return -1;
		if (rank[w] < 0)
			rank[w] = senders++;
		queues[worker->n++] = (struct plan_queue){
			.rx_port = (uint16_t)port,
			.rx_queue = queue,
			.tx_port = (uint16_t)ports[port].peer,
			.tx_queue = (uint16_t)rank[w],
			.tx_linear = peer->tx_linear,
		};
		worker->queues = queues;
	}
	return 0;
}

struct plan *
plan_create(const struct plan_port *ports, unsigned n_ports, unsigned n_workers)
{
	struct plan *plan = calloc(1, sizeof(*plan) + n_workers * sizeof(plan->workers[0]));

	if (plan == NULL)
		return NULL;
	plan->n_workers = n_workers;
	for (unsigned port = 0; port < n_ports; port++) {
		if (ports[port].peer < 0 || ports[ports[port].peer].tx_queues == 0)
			continue;
		if (plan_port(plan, ports, port) < 0) {
			plan_free(plan);
			return NULL;
		}
	}
	return plan;
}

void
plan_free(struct plan *plan)
{
	if (plan == NULL)
		return;
	for (unsigned w = 0; w < plan->n_workers; w++)
		free(plan->workers[w].queues);
	free(plan);
}
