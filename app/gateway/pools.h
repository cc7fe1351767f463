/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools of packet buffers. Made by control, used by workers and drivers, freed with the EAL. */
#ifndef SEGSEAL_GATEWAY_POOLS_H
#define SEGSEAL_GATEWAY_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include <rte_mempool.h>

/*
 * A pool of n buffers of room octets each, headroom included, on a NUMA node (-1: any). NULL with
 * error, which says what to do.
 */
struct rte_mempool *pools_packets(const char *name, unsigned n, uint16_t room, int socket,
				  char *error, size_t error_size);

/*
 * The pool from which the gate takes buffers for headers that it cannot edit in place: n of them,
 * or, if n is 0, enough for in_flight packets that may lie in transmit queues at once.
 */
struct rte_mempool *pools_edit(const char *name, unsigned n, unsigned in_flight, unsigned workers,
			       int socket, char *error, size_t error_size);

#endif
