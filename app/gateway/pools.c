/* SPDX-License-Identifier: BSD-3-Clause */
#include "pools.h"

#include <stdio.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "gate/gate.h"

#define CACHE 256u /* buffers that each lcore keeps at hand */

struct rte_mempool *
pools_packets(const char *name, unsigned n, uint16_t room, int socket, char *error,
	      size_t error_size)
{
	unsigned cache = RTE_MIN(CACHE, n / 4);
	struct rte_mempool *pool = rte_pktmbuf_pool_create(name, n, cache, 0, room,
							   socket < 0 ? SOCKET_ID_ANY : socket);

	if (pool == NULL)
		snprintf(error, error_size,
			 "no memory for %u packet buffers of %u octets (%s): give more with -m or "
			 "--socket-mem, or fewer with --mbufs",
			 n, room, rte_strerror(rte_errno));
	return pool;
}

struct rte_mempool *
pools_edit(const char *name, unsigned n, unsigned in_flight, unsigned workers, int socket,
	   char *error, size_t error_size)
{
	if (n == 0)
		n = in_flight + workers * (2 * GATE_BURST_MAX + 2 * CACHE);

	return pools_packets(name, n, RTE_PKTMBUF_HEADROOM + GATE_EDIT_ROOM, socket, error,
			     error_size);
}
