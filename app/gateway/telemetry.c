/* SPDX-License-Identifier: BSD-3-Clause */
#include "telemetry.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_telemetry.h>

#include "dpdk_compat.h"
#include "gateway.h"

#define KEYS_MAX 256 /* Key IDs that one answer has room for */

static pthread_mutex_t watched_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gateway *watched;

/* The gateway, locked; NULL if there is none (any more). */
static struct gateway *
look(void)
{
	pthread_mutex_lock(&watched_lock);
	if (watched != NULL)
		pthread_mutex_lock(&watched->lock);
	else
		pthread_mutex_unlock(&watched_lock);
	return watched;
}

static void
look_away(struct gateway *gateway)
{
	pthread_mutex_unlock(&gateway->lock);
	pthread_mutex_unlock(&watched_lock);
}

/* "": *id = -1. False for what is not a number. */
static bool
parse_id(const char *params, int64_t *id)
{
	char *end;

	*id = -1;
	if (params == NULL || *params == '\0')
		return true;
	if (*params < '0' || *params > '9')
		return false;
	errno = 0;
	*id = strtoll(params, &end, 0);
	return *end == '\0' && errno == 0 && *id <= UINT32_MAX;
}

static int
add_counters(struct rte_tel_data *data, const struct gate_counters *counters)
{
	struct rte_tel_data *drops = rte_tel_data_alloc();
	int rc = drops == NULL ? -ENOMEM : 0;

	if (rc != 0)
		return rc;
	rte_tel_data_start_dict(data);
	rte_tel_data_start_dict(drops);
	for (unsigned i = 0; i < GATE_VERDICT_COUNT && rc == 0; i++)
		rc = rte_tel_data_add_dict_uint(gate_is_drop(i) ? drops : data,
						gate_verdict_name(i), counters->v[i]);
	if (rc == 0)
		rc = rte_tel_data_add_dict_container(data, "drops", drops, 0);
	if (rc != 0)
		rte_tel_data_free(drops);
	return rc;
}

static int
add_icmp(struct rte_tel_data *data, const struct gateway *gateway)
{
	struct rte_tel_data *icmp = rte_tel_data_alloc();
	int rc;

	if (icmp == NULL)
		return -ENOMEM;
	rte_tel_data_start_dict(icmp);
	rte_tel_data_add_dict_uint(icmp, "sent", icmp_errors_sent(gateway));
	rte_tel_data_add_dict_uint(icmp, "limited", icmp_errors_limited(gateway));
	rc = rte_tel_data_add_dict_container(data, "icmp", icmp, 0);
	if (rc != 0)
		rte_tel_data_free(icmp);
	return rc;
}

static int
stats(const char *command, const char *params, struct rte_tel_data *data)
{
	struct gate_counters counters;
	int64_t port;
	int rc = -ENODEV;

	(void)command;
	if (!parse_id(params, &port))
		return -EINVAL;
	struct gateway *gateway = look();

	if (gateway == NULL)
		return -ENODEV;
	if (port < 0 || ports_get(&gateway->ports, (unsigned)port) != NULL) {
		gateway_count(gateway);
		counters = port < 0 ? gateway_all_counters(gateway)
				    : gateway_port_counters(gateway, (unsigned)port);
		rc = add_counters(data, &counters);
		if (rc == 0 && port < 0 && icmp_errors_used(gateway))
			rc = add_icmp(data, gateway);
	}
	look_away(gateway);
	return rc;
}

static int
add_port(struct rte_tel_data *data, const struct gateway *gateway, unsigned id)
{
	static const char *const verify[] = {"off", "if-present", "require"};
	const struct port *port = &gateway->ports.port[id];
	struct gate_port gate = {0};

	(void)gate_port_get(gateway->gate, (uint16_t)id, &gate);
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_uint(data, "port", id);
	rte_tel_data_add_dict_string(data, "name", port->name);
	rte_tel_data_add_dict_string(data, "driver", port->driver);
	rte_tel_data_add_dict_string(data, "link",
				     ports_link(&gateway->ports, id).up ? "up" : "down");
	rte_tel_data_add_dict_int(data, "peer", port->peer);
	rte_tel_data_add_dict_uint(data, "mtu", port->mtu);
	rte_tel_data_add_dict_uint(data, "rx_queues", port->rx_queues);
	rte_tel_data_add_dict_uint(data, "tx_queues", port->tx_queues);
	rte_tel_data_add_dict_string(data, "verify", verify[gate.verify]);
	rte_tel_data_add_dict_string(data, "strip", gate.strip ? "on" : "off");
	return rte_tel_data_add_dict_uint(data, "insert", gate.insert_key);
}

/* The numbers of all ports, or what one is. */
static int
ports(const char *command, const char *params, struct rte_tel_data *data)
{
	int64_t id;
	int rc = 0;

	(void)command;
	if (!parse_id(params, &id))
		return -EINVAL;
	struct gateway *gateway = look();

	if (gateway == NULL)
		return -ENODEV;
	if (id >= 0) {
		rc = ports_get(&gateway->ports, (unsigned)id) == NULL
			     ? -ENODEV
			     : add_port(data, gateway, (unsigned)id);
	} else {
		rte_tel_data_start_array(data, RTE_TEL_UINT_VAL);
		for (unsigned i = 0; i < GATE_PORTS_MAX; i++)
			if (ports_get(&gateway->ports, i) != NULL)
				rte_tel_data_add_array_uint(data, i);
	}
	look_away(gateway);
	return rc;
}

static int
add_key(struct rte_tel_data *data, const struct keyring_info *info)
{
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_uint(data, "id", info->id);
	rte_tel_data_add_dict_string(data, "algorithm", hmac_algorithm_name(info->algorithm));
	rte_tel_data_add_dict_string(data, "profile", hmac_profile_name(info->profile));
	rte_tel_data_add_dict_string(data, "fingerprint", info->fingerprint);
	rte_tel_data_add_dict_string(data, "state", keyring_state_name(info->state));
	rte_tel_data_add_dict_uint(data, "verified", info->use.verified);
	rte_tel_data_add_dict_uint(data, "failed", info->use.failed);
	return rte_tel_data_add_dict_uint(data, "inserted", info->use.inserted);
}

struct ids {
	struct rte_tel_data *data;
	unsigned n;
	unsigned states[KEYRING_EXPIRED + 1]; /* keys that are in each */
};

static int
count_key(const struct keyring_info *info, void *arg)
{
	struct ids *ids = arg;

	ids->states[info->state]++;
	if (ids->n++ < KEYS_MAX)
		rte_tel_data_add_array_uint(ids->data, info->id);
	return 0;
}

static int
add_keys(struct rte_tel_data *data, struct keyring *keyring)
{
	struct rte_tel_data *states = rte_tel_data_alloc();
	struct ids ids = {.data = rte_tel_data_alloc()};
	int rc;

	if (states == NULL || ids.data == NULL) {
		rte_tel_data_free(states);
		rte_tel_data_free(ids.data);
		return -ENOMEM;
	}
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_uint(data, "count", keyring_count(keyring));
	rte_tel_data_start_array(ids.data, RTE_TEL_UINT_VAL);
	(void)keyring_each(keyring, count_key, &ids);
	rte_tel_data_start_dict(states);
	for (unsigned i = 0; i <= KEYRING_EXPIRED; i++)
		rte_tel_data_add_dict_uint(states, keyring_state_name(i), ids.states[i]);
	rc = rte_tel_data_add_dict_container(data, "states", states, 0);
	if (rc != 0)
		rte_tel_data_free(states);
	if (rc == 0)
		rc = rte_tel_data_add_dict_container(data, "ids", ids.data, 0);
	else
		rte_tel_data_free(ids.data);
	return rc;
}

/* How many keys there are, in which states, and the first IDs; or what one is. */
static int
keys(const char *command, const char *params, struct rte_tel_data *data)
{
	struct keyring_info info;
	int64_t id;
	int rc;

	(void)command;
	if (!parse_id(params, &id))
		return -EINVAL;
	struct gateway *gateway = look();

	if (gateway == NULL)
		return -ENODEV;
	if (id >= 0) {
		rc = keyring_info(gateway->keyring, (uint32_t)id, &info);
		rc = rc == 0 ? add_key(data, &info) : rc;
	} else {
		rc = add_keys(data, gateway->keyring);
	}
	look_away(gateway);
	return rc;
}

static int
add_worker(struct rte_tel_data *data, const struct gateway *gateway, unsigned index)
{
	struct rte_tel_data *sizes = rte_tel_data_alloc();
	struct worker_view view;

	if (sizes == NULL)
		return -ENOMEM;
	worker_view(gateway, index, &view);
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_uint(data, "worker", view.worker);
	rte_tel_data_add_dict_uint(data, "lcore", view.lcore);
	rte_tel_data_add_dict_string(data, "state", view.state);
	rte_tel_data_add_dict_int(data, "heartbeat_ms", view.heartbeat_ms);
	rte_tel_data_add_dict_uint(data, "packets", view.load.packets);
	rte_tel_data_add_dict_uint(data, "bursts", view.bursts);
	rte_tel_data_start_array(sizes, RTE_TEL_UINT_VAL);
	for (unsigned i = 0; i < WORKER_BURST_SIZES; i++)
		rte_tel_data_add_array_uint(sizes, view.load.bursts[i]);
	rte_tel_data_add_dict_uint(data, "cycles", view.load.tsc);
	rte_tel_data_add_dict_uint(data, "busy_cycles", view.load.busy_cycles);
	rte_tel_data_add_dict_uint(data, "cycles_per_packet", view.cycles_per_packet);
	rte_tel_data_add_dict_uint(data, "busy_percent", view.busy_percent);
	rte_tel_data_add_dict_uint(data, "memo_hits", view.load.memo_hits);
	rte_tel_data_add_dict_uint(data, "memo_misses", view.load.memo_misses);
	rte_tel_data_add_dict_uint(data, "memo_evictions", view.load.memo_evictions);
	int rc = rte_tel_data_add_dict_container(data, "burst_sizes", sizes, 0);

	if (rc != 0)
		rte_tel_data_free(sizes);
	return rc;
}

/* The numbers of all workers, or how one is. */
static int
workers(const char *command, const char *params, struct rte_tel_data *data)
{
	int64_t index;
	int rc = 0;

	(void)command;
	if (!parse_id(params, &index))
		return -EINVAL;
	struct gateway *gateway = look();

	if (gateway == NULL)
		return -ENODEV;
	if (index >= 0) {
		rc = index < gateway->n_workers ? add_worker(data, gateway, (unsigned)index)
						: -ENODEV;
	} else {
		rte_tel_data_start_array(data, RTE_TEL_UINT_VAL);
		for (unsigned i = 0; i < gateway->n_workers; i++)
			rte_tel_data_add_array_uint(data, i);
	}
	look_away(gateway);
	return rc;
}

void
telemetry_watch(struct gateway *gateway)
{
	static const struct {
		const char *command;
		telemetry_cb answer;
		const char *help;
	} commands[] = {
		{"/segseal/stats", stats, "Verdict counters. Parameters: port (optional)"},
		{"/segseal/ports", ports, "Ports, or one port's settings. Parameters: port"},
		{"/segseal/keys", keys, "Key IDs, or one key. Parameters: key id. No secrets"},
		{"/segseal/workers", workers, "Workers, or how one is. Parameters: worker"},
	};
	static bool registered;

	pthread_mutex_lock(&watched_lock);
	watched = gateway;
	pthread_mutex_unlock(&watched_lock);
	if (gateway == NULL || registered)
		return;
	registered = true;
	for (unsigned i = 0; i < RTE_DIM(commands); i++)
		(void)rte_telemetry_register_cmd(commands[i].command, commands[i].answer,
						 commands[i].help);
}
