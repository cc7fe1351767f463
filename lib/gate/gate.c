/* SPDX-License-Identifier: BSD-3-Clause */
/* What workers share: port settings and protected prefixes. Control. */
#include <errno.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "gate/shared.h"

struct gate *
gate_create(const struct gate_conf *conf)
{
	struct gate *gate;

	if (conf->keyring == NULL || conf->rcu == NULL || conf->workers == 0) {
		rte_errno = EINVAL;
		return NULL;
	}
	gate = rte_zmalloc_socket(conf->name, sizeof(*gate), RTE_CACHE_LINE_SIZE, conf->socket);
	if (gate == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	gate->keyring = conf->keyring;
	gate->workers = conf->workers;
	gate->sids = sids_create(conf->rcu, conf->socket);
	if (gate->sids == NULL) {
		rte_free(gate);
		return NULL;
	}
	return gate;
}

void
gate_destroy(struct gate *gate)
{
	if (gate == NULL)
		return;
	sids_destroy(gate->sids);
	rte_free(gate);
}

int
gate_port_set(struct gate *gate, uint16_t port, const struct gate_port *settings)
{
	if (port >= GATE_PORTS_MAX || (unsigned)settings->verify > GATE_VERIFY_REQUIRE ||
	    settings->max_len > GATE_MAX_LEN)
		return -EINVAL;
	__atomic_store_n(&gate->ports[port], gate_port_pack(settings), __ATOMIC_RELAXED);
	return 0;
}

int
gate_port_get(const struct gate *gate, uint16_t port, struct gate_port *settings)
{
	if (port >= GATE_PORTS_MAX)
		return -EINVAL;
	*settings = gate_port_load(gate, port);
	return 0;
}

int
gate_sid_add(struct gate *gate, const uint8_t prefix[16], uint8_t depth)
{
	return sids_add(gate->sids, prefix, depth);
}

int
gate_sid_del(struct gate *gate, const uint8_t prefix[16], uint8_t depth)
{
	return sids_del(gate->sids, prefix, depth);
}

int
gate_sid_each(const struct gate *gate,
	      int (*each)(const uint8_t prefix[16], uint8_t depth, void *arg), void *arg)
{
	return sids_each(gate->sids, each, arg);
}
