/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the batch engine; for lib/hmac/ and its tests and benchmarks only. */
#ifndef SEGSEAL_HMAC_ENGINE_H
#define SEGSEAL_HMAC_ENGINE_H

#include <intel-ipsec-mb.h>

#include "hmac/kernel.h"

#define ENGINE_MANAGERS_MAX 6u

/* One who computes: kernels of our own, or an IPsec-MB manager. */
struct engine_manager {
	const char *name;
	hmac_kernel kernels[HMAC_ALGORITHMS]; /* NULL: not by a kernel */
	IMB_MGR *imb;			      /* NULL: not by IPsec-MB */
	bool broken; /* did not complete what it was given: never asked again */
};

static inline bool
engine_manager_can(const struct engine_manager *manager, unsigned algorithm)
{
	return manager->imb || manager->kernels[algorithm];
}

/* The first take of n jobs go to this manager, the rest as plan[n - take] says. */
struct engine_plan {
	uint8_t manager;
	uint8_t take;
};

/* Batch sizes that calibration measures; what lies between is interpolated. */
#define ENGINE_SIZES 15u
extern const uint8_t engine_sizes[ENGINE_SIZES];

struct hmac_engine {
	struct engine_manager managers[ENGINE_MANAGERS_MAX];
	unsigned n_managers;
	int forced; /* manager for everything that it can, or -1 */
	bool calibrated;
	struct engine_plan plan[HMAC_ALGORITHMS][HMAC_CLASSES][HMAC_BATCH_MAX + 1];
	/* TSC cycles of one call */
	uint32_t cost[ENGINE_MANAGERS_MAX][HMAC_ALGORITHMS][HMAC_CLASSES][ENGINE_SIZES];
	/* Of IPsec-MB; filled once but for what changes with a job. */
	IMB_JOB slots[HMAC_ALGORITHMS][HMAC_BATCH_MAX] __attribute__((aligned(64)));
};

static inline unsigned
engine_class(unsigned blocks)
{
	return (blocks < HMAC_CLASSES ? blocks : HMAC_CLASSES) - 1;
}

/* managers.c: fill engine->managers with all that this CPU can run. Their number. */
unsigned engine_managers_open(struct hmac_engine *engine, int socket);
void engine_managers_close(struct hmac_engine *engine);

/* selftest.c: known-answer test of each algorithm on each manager. NULL or what failed. */
const char *engine_selftest(struct hmac_engine *engine);

/* calibrate.c: measure every manager; false if the clock gives no sense. Fills cost. */
bool engine_calibrate(struct hmac_engine *engine);

/* plan.c: from cost, or by rule of thumb if not calibrated. */
void engine_plan(struct hmac_engine *engine);
/* Estimated TSC cycles of one call with n jobs on this manager. */
uint32_t engine_cost(const struct hmac_engine *engine, unsigned manager,
		     enum hmac_algorithm algorithm, unsigned class, unsigned n);

/* submit.c: n jobs of one algorithm and number of compressions, all by one manager. Datapath. */
void engine_submit(struct hmac_engine *engine, unsigned manager, enum hmac_algorithm algorithm,
		   struct hmac_job *const *jobs, unsigned n, unsigned blocks);
/* No HMAC: not ok, and the tag all zero. */
void engine_fail(struct hmac_job *job);

#endif
