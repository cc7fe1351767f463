/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the program is made of, for its control thread. A replay has the same, less devices,
 * worker threads and socket.
 */
#ifndef SEGSEAL_GATEWAY_GATEWAY_H
#define SEGSEAL_GATEWAY_GATEWAY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <rte_rcu_qsbr.h>

#include "alerts.h"
#include "control/control.h"
#include "drops.h"
#include "events.h"
#include "gate/gate.h"
#include "health.h"
#include "keyring/keyring.h"
#include "options.h"
#include "plan.h"
#include "ports.h"
#include "worker.h"
#include "workers.h"

struct gateway {
	const struct options *options;
	struct rte_rcu_qsbr *rcu;
	struct keyring *keyring;
	struct gate *gate;
	struct control_server *server;
	struct ports ports;

	unsigned n_workers;
	struct worker *workers;
	bool launched; /* the workers' threads run */
	struct plan *plan;
	struct rte_mempool *edit_pool;
	struct drops drops;

	bool forwarding; /* what start and stop said last; true at first */
	bool quit;
	char *key_file; /* of the last key load, for SIGHUP; NULL = none */

	struct gate_counters counted[GATE_PORTS_MAX]; /* at the last gateway_count() */
	struct gate_counters cleared[GATE_PORTS_MAX]; /* at the last clear */
	struct load *load_cleared;		      /* of each worker, at the last clear */
	struct health health;
	struct alerts alerts;
	struct events events;

	/* Held by the control thread while it works; the telemetry thread takes it to look. */
	pthread_mutex_t lock;
};

/* Tables, server and worker objects without their threads; ports are found already. 0, or -1 with
 * error. */
int gateway_open(struct gateway *gateway, const struct options *options, unsigned n_workers,
		 char *error, size_t error_size);
void gateway_close(struct gateway *gateway);

/* Run the configuration file; what it shows goes to out (NULL: nowhere). 0, or -1 with error. */
int gateway_configure(struct gateway *gateway, FILE *out, char *error, size_t error_size);

/*
 * Make the worker's side of the gate, with an edit pool for in_flight packets. 0, or -1 with error.
 */
int gateway_arm(struct gateway *gateway, unsigned in_flight, char *error, size_t error_size);

/* Launch one worker on each worker lcore. 0, or -1 with error. */
int gateway_launch(struct gateway *gateway, char *error, size_t error_size);
/* Stop forwarding and join the workers. Ends the process if one does not end. */
void gateway_land(struct gateway *gateway);

/*
 * No worker touches a port from its return on, until gateway_resume(): 0, or -ETIMEDOUT (at once if
 * one is known to be stuck) and forwarding goes on. Before the launch there is nothing to do.
 */
int gateway_pause(struct gateway *gateway);
/* Forward again, unless forwarding is stopped. */
void gateway_resume(struct gateway *gateway);
/*
 * Make b the peer of a, and with it set a's gate settings (NULL: as they are), between two packets:
 * 0, or a negative errno and nothing changed.
 */
int gateway_pair(struct gateway *gateway, unsigned a, unsigned b, const struct gate_port *settings);
/* Start or stop forwarding: 0 or -ETIMEDOUT. */
int gateway_forward(struct gateway *gateway, bool on);

/* Make the table hold exactly the keys of this file: 0 with *n, or a negative errno with error. */
int gateway_load_keys(struct gateway *gateway, const char *path, unsigned *n, char *error,
		      size_t error_size);

/* Look at all workers' counters, between two bursts of each, where rx = tx + drops. */
void gateway_count(struct gateway *gateway);
/* As of the last gateway_count(), since they were cleared: of packets that came in by port. */
struct gate_counters gateway_port_counters(const struct gateway *gateway, unsigned port);
struct gate_counters gateway_all_counters(const struct gateway *gateway);
/* Count from here on. */
void gateway_clear_port(struct gateway *gateway, unsigned port);
void gateway_clear_load(struct gateway *gateway);

/* The methods of docs/api.md; control_arg() is the struct gateway. */
extern const struct control_method gateway_methods[];

#endif
