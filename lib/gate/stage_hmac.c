/* SPDX-License-Identifier: BSD-3-Clause */
/* The HMACs that claims have to match. Datapath. */
#include "gate/worker.h"

void
stage_hmac(struct gate_worker *w)
{
	if (w->batch.miss.n != 0)
		hmac_run(w->engine, w->batch.job, w->batch.miss.n);
}
