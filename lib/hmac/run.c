/* SPDX-License-Identifier: BSD-3-Clause */
/* From a batch of anything to groups whose lanes finish together. Datapath. */
#include "hmac/engine.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A group is an algorithm and a number of compressions. */
#define BLOCKS_MAX 34u
#define GROUPS (HMAC_ALGORITHMS * BLOCKS_MAX)
#define NO_GROUP GROUPS /* jobs that nobody may see */

_Static_assert((HMAC_TEXT_MAX + 72) / 64 < BLOCKS_MAX, "every text has a group");

static inline unsigned
group_of(const struct hmac_job *job)
{
	unsigned algorithm = job->key->algorithm;
	unsigned len = job->text_len;

	if (UNLIKELY(algorithm >= HMAC_ALGORITHMS || len - 1 >= HMAC_TEXT_MAX))
		return NO_GROUP;
	/* hmac_text_blocks(), without its division by a variable */
	return algorithm * BLOCKS_MAX +
	       (algorithm < HMAC_SHA384 ? (len + 72) >> 6 : (len + 144) >> 7);
}

static void
run_group(struct hmac_engine *engine, unsigned group, struct hmac_job *const *jobs, unsigned n)
{
	unsigned algorithm = group / BLOCKS_MAX;
	unsigned blocks = group % BLOCKS_MAX;
	const struct engine_plan *plan = engine->plan[algorithm][engine_class(blocks)];

	if (UNLIKELY(engine->forced >= 0) &&
	    engine_manager_can(&engine->managers[engine->forced], algorithm)) {
		engine_submit(engine, (unsigned)engine->forced, algorithm, jobs, n, blocks);
		return;
	}
	while (n > 0) {
		unsigned take = plan[n].take;

		engine_submit(engine, plan[n].manager, algorithm, jobs, take, blocks);
		jobs += take;
		n -= take;
	}
}

/* Counting sort by group, then a group at a time. */
static void
run_mixed(struct hmac_engine *engine, const uint8_t *groups, struct hmac_job *jobs, unsigned n)
{
	uint8_t end[GROUPS + 2] = {0}; /* where each group begins in order, then where it ends */
	struct hmac_job *order[HMAC_BATCH_MAX];
	unsigned from = 0;

	for (unsigned i = 0; i < n; i++)
		end[groups[i] + 1]++;
	for (unsigned g = 0; g <= GROUPS; g++)
		end[g + 1] = (uint8_t)(end[g + 1] + end[g]);
	for (unsigned i = 0; i < n; i++)
		order[end[groups[i]]++] = &jobs[i];
	for (unsigned g = 0; g < GROUPS; g++) {
		if (end[g] != from)
			run_group(engine, g, order + from, end[g] - from);
		from = end[g];
	}
	for (unsigned i = from; i < n; i++)
		engine_fail(order[i]);
}

void
hmac_run(struct hmac_engine *engine, struct hmac_job *jobs, unsigned n)
{
	struct hmac_job *order[HMAC_BATCH_MAX];
	uint8_t groups[HMAC_BATCH_MAX];
	unsigned other = 0;

	if (UNLIKELY(n - 1 >= HMAC_BATCH_MAX)) {
		for (unsigned i = 0; i < n; i++)
			engine_fail(&jobs[i]);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		order[i] = &jobs[i];
		groups[i] = (uint8_t)group_of(&jobs[i]);
		other |= groups[i] ^ groups[0];
	}
	if (LIKELY(other == 0 && groups[0] != NO_GROUP))
		run_group(engine, groups[0], order, n);
	else
		run_mixed(engine, groups, jobs, n);
}
