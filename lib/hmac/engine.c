/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "hmac/engine.h"
#include "hmac/pages.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define GROUPS (HMAC_ALGORITHMS * HMAC_CLASSES)
#define NO_GROUP GROUPS /* jobs that no manager may see */

static const IMB_HASH_ALG imb_hash[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = IMB_AUTH_HMAC_SHA_1,
	[HMAC_SHA256] = IMB_AUTH_HMAC_SHA_256,
	[HMAC_SHA384] = IMB_AUTH_HMAC_SHA_384,
	[HMAC_SHA512] = IMB_AUTH_HMAC_SHA_512,
};

_Static_assert(HMAC_BATCH_MAX <= IMB_MAX_BURST_SIZE, "a batch fits one call");

/* --- creation, control --- */

static void
fill_slots(struct hmac_engine *engine)
{
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		for (unsigned i = 0; i < HMAC_BATCH_MAX; i++) {
			IMB_JOB *slot = &engine->slots[a][i];

			slot->cipher_mode = IMB_CIPHER_NULL;
			slot->cipher_direction = IMB_DIR_ENCRYPT;
			slot->chain_order = IMB_ORDER_HASH_CIPHER;
			slot->hash_alg = imb_hash[a];
			slot->auth_tag_output_len_in_bytes = hmac_digest_len(a);
		}
	}
}

struct hmac_engine *
hmac_engine_create(int socket, const char **error)
{
	struct hmac_engine *engine = hmac_pages_alloc(sizeof(*engine), socket);

	*error = "no memory for an HMAC engine";
	if (!engine)
		return NULL;
	engine->forced = -1;
	fill_slots(engine);
	if (engine_managers_open(engine, socket) == 0)
		*error = "IPsec-MB has no multi-buffer manager for this CPU";
	else
		*error = engine_selftest(engine);
	if (*error) {
		hmac_engine_destroy(engine);
		return NULL;
	}
	engine->calibrated = engine_calibrate(engine);
	engine_plan(engine);
	return engine;
}

void
hmac_engine_destroy(struct hmac_engine *engine)
{
	if (!engine)
		return;
	engine_managers_close(engine);
	hmac_pages_free(engine, sizeof(*engine));
}

/* --- running, datapath --- */

/* Which lanes finish together: jobs of one algorithm and one number of compressions. */
static inline unsigned
group_of(const struct hmac_job *job)
{
	unsigned algorithm = job->key->algorithm;
	unsigned len = job->text_len;
	unsigned blocks;

	if (UNLIKELY(algorithm >= HMAC_ALGORITHMS || len - 1 >= HMAC_TEXT_MAX))
		return NO_GROUP;
	blocks = algorithm < HMAC_SHA384 ? (len + 72) >> 6 : (len + 144) >> 7;
	return algorithm * HMAC_CLASSES + (blocks < HMAC_CLASSES ? blocks : HMAC_CLASSES) - 1;
}

static void
fail(struct hmac_job *job)
{
	job->ok = false;
	memset(job->tag, 0, HMAC_TAG_MAX);
}

/* Have n jobs of one algorithm computed by one manager: jobs[order[i]], or jobs[i] without order.
 */
static void
submit(struct hmac_engine *engine, unsigned m, unsigned algorithm, struct hmac_job *jobs,
       const uint8_t *order, unsigned n)
{
	struct engine_manager *manager = &engine->managers[m];
	IMB_JOB *slots = engine->slots[algorithm];
	unsigned done = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct hmac_job *job = &jobs[order ? order[i] : i];
		IMB_JOB *slot = &slots[i];

		slot->src = job->text;
		slot->msg_len_to_hash_in_bytes = job->text_len;
		slot->auth_tag_output = job->tag;
		slot->u.HMAC._hashed_auth_key_xor_ipad = job->key->inner;
		slot->u.HMAC._hashed_auth_key_xor_opad = job->key->outer;
		slot->status = IMB_STATUS_BEING_PROCESSED;
		memset(job->tag, 0, HMAC_TAG_MAX); /* and so it stays behind the digest */
	}
	if (LIKELY(!manager->broken))
		done = IMB_SUBMIT_HASH_BURST_NOCHECK(manager->imb, slots, n, imb_hash[algorithm]);
	if (UNLIKELY(done != n))
		manager->broken = true;
	for (unsigned i = 0; i < n; i++) {
		struct hmac_job *job = &jobs[order ? order[i] : i];

		job->ok = slots[i].status == IMB_STATUS_COMPLETED && done == n;
		if (UNLIKELY(!job->ok))
			fail(job);
	}
}

static void
run_group(struct hmac_engine *engine, unsigned group, struct hmac_job *jobs, const uint8_t *order,
	  unsigned n)
{
	unsigned algorithm = group / HMAC_CLASSES;
	const struct engine_plan *plan = engine->plan[algorithm][group % HMAC_CLASSES];

	if (UNLIKELY(engine->forced >= 0)) {
		submit(engine, (unsigned)engine->forced, algorithm, jobs, order, n);
		return;
	}
	while (n > 0) {
		unsigned take = plan[n].take;

		submit(engine, plan[n].manager, algorithm, jobs, order, take);
		if (order)
			order += take;
		else
			jobs += take;
		n -= take;
	}
}

/* Counting sort by group, then a group at a time. */
static void
run_mixed(struct hmac_engine *engine, const uint8_t *groups, struct hmac_job *jobs, unsigned n)
{
	uint8_t start[GROUPS + 2] = {0}; /* of each group in order */
	uint8_t order[HMAC_BATCH_MAX];
	unsigned g;

	for (unsigned i = 0; i < n; i++)
		start[groups[i] + 1]++;
	for (g = 0; g <= GROUPS; g++)
		start[g + 1] = (uint8_t)(start[g + 1] + start[g]);
	for (unsigned i = 0; i < n; i++)
		order[start[groups[i]]++] = (uint8_t)i;
	/* start[g] is where group g ends now. */
	for (g = 0; g < GROUPS; g++) {
		unsigned from = g ? start[g - 1] : 0;

		if (start[g] != from)
			run_group(engine, g, jobs, order + from, start[g] - from);
	}
	for (unsigned i = start[GROUPS - 1]; i < n; i++)
		fail(&jobs[order[i]]);
}

void
hmac_run(struct hmac_engine *engine, struct hmac_job *jobs, unsigned n)
{
	uint8_t groups[HMAC_BATCH_MAX];
	unsigned other = 0;

	if (UNLIKELY(n - 1 >= HMAC_BATCH_MAX)) {
		for (unsigned i = 0; i < n; i++)
			fail(&jobs[i]);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		groups[i] = (uint8_t)group_of(&jobs[i]);
		other |= groups[i] ^ groups[0];
	}
	if (LIKELY(other == 0 && groups[0] != NO_GROUP))
		run_group(engine, groups[0], jobs, NULL, n);
	else
		run_mixed(engine, groups, jobs, n);
}

/* --- what it is made of --- */

const char *
hmac_engine_manager_name(const struct hmac_engine *engine, unsigned manager)
{
	return manager < engine->n_managers ? engine->managers[manager].name : NULL;
}

int
hmac_engine_force_manager(struct hmac_engine *engine, int manager)
{
	if (manager < -1 || manager >= (int)engine->n_managers)
		return -EINVAL;
	engine->forced = manager;
	return 0;
}

bool
hmac_engine_calibrated(const struct hmac_engine *engine)
{
	return engine->calibrated;
}

int
hmac_engine_choice(const struct hmac_engine *engine, enum hmac_algorithm algorithm, unsigned blocks,
		   unsigned n, struct hmac_choice *choice)
{
	/* No compressions at all wraps to a class that does not exist. */
	unsigned class = (blocks < HMAC_CLASSES ? blocks : HMAC_CLASSES) - 1;
	const struct engine_plan *plan;

	if ((unsigned)algorithm >= HMAC_ALGORITHMS || class >= HMAC_CLASSES)
		return -EINVAL;
	if (n == 0 || n > HMAC_BATCH_MAX)
		return -EINVAL;
	plan = &engine->plan[algorithm][class][n];
	choice->manager = engine->forced >= 0 ? (unsigned)engine->forced : plan->manager;
	choice->take = engine->forced >= 0 ? n : plan->take;
	choice->cycles = 0;
	if (engine->calibrated)
		choice->cycles =
			engine_cost(engine, choice->manager, algorithm, class, choice->take);
	return 0;
}
