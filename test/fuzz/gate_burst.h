/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets as mbufs, through one worker in one burst, each held to what the oracle says of it. */
#ifndef SEGSEAL_FUZZ_GATE_BURST_H
#define SEGSEAL_FUZZ_GATE_BURST_H

#include <rte_mbuf.h>

#include "gate_rig.h"

struct burst_one {
	const uint8_t *frame;
	size_t len;
	struct rig_layout layout;
	const struct oracle_result *result;
	struct rte_mbuf *in, *held; /* the burst's own */
};

/* Make the packet buffers, once; returns those for edited headers. */
struct rte_mempool *burst_open(void);
/* n <= GATE_BURST_MAX. */
void burst_check(const struct gate_port *port, struct gate *gate, struct gate_worker *worker,
		 struct burst_one *ones, unsigned n);

#endif
