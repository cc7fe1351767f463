/* SPDX-License-Identifier: BSD-3-Clause */
#include "gateway.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "counters.h"
#include "log.h"
#include "pools.h"

LOG_MODULE(gateway);

static int
open_rcu(struct gateway *gateway)
{
	size_t size = rte_rcu_qsbr_get_memsize(gateway->n_workers);

	gateway->rcu = rte_zmalloc("rcu", size, RTE_CACHE_LINE_SIZE);
	if (gateway->rcu == NULL)
		return -1;
	return rte_rcu_qsbr_init(gateway->rcu, gateway->n_workers);
}

static int
open_tables(struct gateway *gateway)
{
	const struct keyring_conf keyring = {
		.name = "segseal",
		.workers = gateway->n_workers,
		.rcu = gateway->rcu,
		.socket = (int)rte_socket_id(),
		.keep_secrets = gateway->options->keep_secrets,
	};

	gateway->keyring = keyring_create(&keyring);
	if (gateway->keyring == NULL)
		return -1;
	const struct gate_conf gate = {
		.name = "segseal",
		.keyring = gateway->keyring,
		.rcu = gateway->rcu,
		.workers = gateway->n_workers,
		.socket = (int)rte_socket_id(),
	};

	gateway->gate = gate_create(&gate);
	return gateway->gate == NULL ? -1 : 0;
}

static void
log_change(void *arg, const struct control_peer *peer, const char *method, const char *params,
	   const char *error)
{
	struct gateway *gateway = arg;

	if (!gateway->launched) /* the configuration file says it already */
		return;
	if (params == NULL)
		params = "";
	if (error != NULL)
		LOG(NOTICE, "uid %d pid %d: %s %s: refused: %s", (int)peer->uid, (int)peer->pid,
		    method, params, error);
	else
		LOG(INFO, "uid %d pid %d: %s %s", (int)peer->uid, (int)peer->pid, method, params);
	if (error == NULL && control_server_subscribers(gateway->server) > 0)
		events_tell(gateway, EVENT_CHANGE,
			    json_pack("{s:s, s:s, s:I, s:I}", "method", method, "params", params,
				      "uid", (json_int_t)peer->uid, "pid", (json_int_t)peer->pid));
}

int
gateway_open(struct gateway *gateway, const struct options *options, unsigned n_workers,
	     char *error, size_t error_size)
{
	gateway->options = options;
	gateway->n_workers = n_workers;
	gateway->forwarding = true;
	gateway->alerts.drop_rate = DROP_RATE_DEFAULT;
	pthread_mutex_init(&gateway->lock, NULL);
	if (open_rcu(gateway) != 0 || open_tables(gateway) != 0) {
		snprintf(error, error_size, "no memory for the tables (%s): give more with -m",
			 rte_strerror(rte_errno));
		return -1;
	}
	gateway->workers =
		rte_zmalloc("workers", n_workers * sizeof(*gateway->workers), RTE_CACHE_LINE_SIZE);
	gateway->load_cleared = calloc(n_workers, sizeof(*gateway->load_cleared));
	if (gateway->workers == NULL || gateway->load_cleared == NULL ||
	    health_open(gateway) != 0 || events_open(gateway) != 0) {
		snprintf(error, error_size, "no memory for %u workers", n_workers);
		return -1;
	}
	/* Of a replay, the summary is all that is said. */
	if (drops_open(gateway, gateway->ports.devices) != 0) {
		snprintf(error, error_size, "no memory for dropped packets");
		return -1;
	}
	gateway->server = control_server_create(gateway_methods, gateway);
	if (gateway->server == NULL) {
		snprintf(error, error_size, "control server: %s", strerror(errno));
		return -1;
	}
	control_server_set_log(gateway->server, log_change);
	return 0;
}

void
gateway_close(struct gateway *gateway)
{
	control_server_destroy(gateway->server);
	drops_close(gateway);
	for (unsigned i = 0; gateway->workers != NULL && i < gateway->n_workers; i++)
		if (gateway->workers[i].gate != NULL)
			gate_worker_destroy(gateway->workers[i].gate);
	if (gateway->gate != NULL)
		gate_destroy(gateway->gate);
	if (gateway->keyring != NULL)
		keyring_destroy(gateway->keyring);
	plan_free(gateway->plan);
	rte_free(gateway->workers);
	rte_free(gateway->rcu);
	free(gateway->load_cleared);
	health_close(gateway);
	events_close(gateway);
	free(gateway->key_file);
	pthread_mutex_destroy(&gateway->lock);
}

int
gateway_configure(struct gateway *gateway, FILE *out, char *error, size_t error_size)
{
	struct control_session session = {
		.transport = control_local_transport,
		.transport_arg = gateway->server,
		.out = out,
		.interactive = false,
	};

	if (gateway->options->config == NULL)
		return 0;
	return control_run_file(&session, gateway->options->config, error, error_size) < 0 ? -1 : 0;
}

int
gateway_arm(struct gateway *gateway, unsigned in_flight, char *error, size_t error_size)
{
	struct rte_mempool *pool = pools_edit("edit", gateway->options->edit_mbufs, in_flight,
					      gateway->n_workers, -1, error, error_size);
	unsigned lcore = rte_get_next_lcore(-1, 1, 0);

	if (pool == NULL)
		return -1;
	gateway->edit_pool = pool;
	for (unsigned i = 0; i < gateway->n_workers; i++) {
		struct worker *worker = &gateway->workers[i];
		const char *why = NULL;

		/* A replay has no worker lcore. */
		worker->lcore = lcore < RTE_MAX_LCORE ? lcore : rte_lcore_id();
		worker->index = i;
		worker->rcu = gateway->rcu;
		const struct gate_worker_conf conf = {
			.gate = gateway->gate,
			.index = i,
			.edit_pool = pool,
			.memo_entries = gateway->options->memo_entries,
			.socket = (int)rte_lcore_to_socket_id(worker->lcore),
		};

		worker->gate = gate_worker_create(&conf, &why);
		if (worker->gate == NULL) {
			snprintf(error, error_size, "worker on lcore %u: %s", worker->lcore, why);
			return -1;
		}
		if (gateway->ports.devices) {
			worker->punt = punt_create(i, conf.socket);
			if (worker->punt == NULL) {
				snprintf(error, error_size, "worker on lcore %u: no memory",
					 worker->lcore);
				return -1;
			}
		}
		if (lcore < RTE_MAX_LCORE)
			lcore = rte_get_next_lcore(lcore, 1, 0);
	}
	return 0;
}

int
gateway_load_keys(struct gateway *gateway, const char *path, unsigned *n, char *error,
		  size_t error_size)
{
	struct keyring_spec *specs;
	unsigned bad = 0;
	char *kept = strdup(path);
	int rc = kept == NULL ? -ENOMEM : 0;

	if (rc == 0)
		rc = keyring_file_read(path, &specs, n, error, error_size);
	else
		snprintf(error, error_size, "%s: %s", path, strerror(ENOMEM));
	if (rc != 0) {
		free(kept);
		return rc;
	}
	rc = keyring_replace_all(gateway->keyring, specs, *n, &bad);
	if (rc == -ENOSPC)
		snprintf(error, error_size, "%s: the table does not hold %u keys", path, *n);
	else if (rc != 0)
		snprintf(error, error_size, "%s: key %u: %s", path, bad < *n ? specs[bad].id : 0,
			 strerror(-rc));
	keyring_specs_free(specs, *n);
	if (rc != 0) {
		free(kept);
		return rc;
	}
	free(gateway->key_file);
	gateway->key_file = kept;
	return 0;
}

void
gateway_count(struct gateway *gateway)
{
	if (gateway->launched)
		(void)workers_count(gateway->workers, gateway->n_workers);
	memset(gateway->counted, 0, sizeof(gateway->counted));
	for (unsigned i = 0; i < gateway->n_workers; i++) {
		struct worker *worker = &gateway->workers[i];
		bool given = gateway->launched && worker_has_counted(worker);

		for (uint16_t port = 0; port < GATE_PORTS_MAX; port++) {
			struct gate_counters direct;

			if (!given && worker->gate != NULL)
				gate_worker_counters(worker->gate, port, &direct);
			else if (!given)
				continue;
			counters_add(&gateway->counted[port],
				     given ? &worker->counters[port] : &direct);
		}
	}
}

struct gate_counters
gateway_port_counters(const struct gateway *gateway, unsigned port)
{
	struct gate_counters counters = gateway->counted[port];

	counters_subtract(&counters, &gateway->cleared[port]);
	return counters;
}

struct gate_counters
gateway_all_counters(const struct gateway *gateway)
{
	struct gate_counters sum = {{0}};

	for (unsigned port = 0; port < GATE_PORTS_MAX; port++) {
		struct gate_counters counters = gateway_port_counters(gateway, port);

		counters_add(&sum, &counters);
	}
	return sum;
}

void
gateway_clear_port(struct gateway *gateway, unsigned port)
{
	gateway->cleared[port] = gateway->counted[port];
}

void
gateway_clear_load(struct gateway *gateway)
{
	for (unsigned i = 0; i < gateway->n_workers; i++)
		load_read(&gateway->workers[i], &gateway->load_cleared[i]);
}
