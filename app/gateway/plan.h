/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which worker receives from which queues, and by which queue it sends: receive queues are spread
 * over the workers, and no two workers share a transmit queue. Pure: made by control, read by
 * workers, never changed once a worker has it.
 */
#ifndef SEGSEAL_GATEWAY_PLAN_H
#define SEGSEAL_GATEWAY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/gate.h"

struct plan_port {
	int peer; /* port that packets leave by; -1 = none, and nothing is received */
	uint16_t rx_queues;
	uint16_t tx_queues; /* how many workers can send by this port */
	bool tx_linear;	    /* takes packets in one segment only */
};

struct plan_queue {
	uint16_t rx_port;
	uint16_t rx_queue;
	uint16_t tx_port;
	uint16_t tx_queue;
	bool tx_linear;
};

struct plan_worker {
	unsigned n;
	struct plan_queue *queues;
};

struct plan {
	unsigned n_workers;
	struct plan_worker workers[];
};

/*
 * ports[0..n_ports), n_ports <= GATE_PORTS_MAX. peer is mutual: ports[ports[i].peer].peer == i, so
 * that only one port's packets leave by each port. NULL without memory. Free with plan_free().
 */
struct plan *plan_create(const struct plan_port *ports, unsigned n_ports, unsigned n_workers);
void plan_free(struct plan *plan);

#endif
