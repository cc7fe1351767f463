/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to lib/gate: what all workers read and control alone writes. A port's settings are one
 * 64-bit word, so that a worker sees them as a whole, or not yet.
 */
#ifndef SEGSEAL_GATE_SHARED_H
#define SEGSEAL_GATE_SHARED_H

#include <stdint.h>

#include <rte_common.h>
#include <rte_rcu_qsbr.h>

#include "gate/gate.h"
#include "gate/sids.h"

struct gate {
	struct keyring *keyring;
	struct sids *sids;
	unsigned workers;
	uint64_t ports[GATE_PORTS_MAX] __rte_cache_aligned; /* gate_port_pack() */
};

/* insert_key 32 bits | max_len 29 | strip 1 | verify 2 */
static inline uint64_t
gate_port_pack(const struct gate_port *port)
{
	return (uint64_t)port->insert_key << 32 | (uint64_t)port->max_len << 3 |
	       (uint64_t)port->strip << 2 | (uint64_t)port->verify;
}

static inline struct gate_port
gate_port_unpack(uint64_t word)
{
	return (struct gate_port){
		.verify = (enum gate_verify)(word & 3),
		.strip = word >> 2 & 1,
		.max_len = word >> 3 & GATE_MAX_LEN,
		.insert_key = (uint32_t)(word >> 32),
	};
}

static inline struct gate_port
gate_port_load(const struct gate *gate, uint16_t port)
{
	return gate_port_unpack(__atomic_load_n(&gate->ports[port], __ATOMIC_RELAXED));
}

#endif
