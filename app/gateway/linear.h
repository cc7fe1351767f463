/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets for a port that sends one segment only. Worker. */
#ifndef SEGSEAL_GATEWAY_LINEAR_H
#define SEGSEAL_GATEWAY_LINEAR_H

#include <stdint.h>

#include <rte_mbuf.h>

/*
 * Make each of pkts[0..n) one segment, in the room that its first one has. Those that it can be
 * done with are left in pkts[0..return), in order; the others are freed.
 */
uint16_t linear_keep(struct rte_mbuf **pkts, uint16_t n);

#endif
