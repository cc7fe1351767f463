/* SPDX-License-Identifier: BSD-3-Clause */
#include "linear.h"

#include <rte_branch_prediction.h>

uint16_t
linear_keep(struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t kept = 0;

	for (uint16_t i = 0; i < n; i++) {
		/* A shared first segment would grow for its other owner, too. */
		if (likely(pkts[i]->nb_segs == 1) ||
		    (RTE_MBUF_DIRECT(pkts[i]) && rte_mbuf_refcnt_read(pkts[i]) == 1 &&
		     rte_pktmbuf_linearize(pkts[i]) == 0))
			pkts[kept++] = pkts[i];
		else
			rte_pktmbuf_free(pkts[i]);
	}
	return kept;
}
