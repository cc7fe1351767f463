/* SPDX-License-Identifier: BSD-3-Clause */
/* A group of jobs to a kernel of our own or to IPsec-MB's hash burst. Datapath. */
#include <string.h>

#include "hmac/engine.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

_Static_assert(HMAC_BATCH_MAX <= IMB_MAX_BURST_SIZE, "a batch fits one call");

void
engine_fail(struct hmac_job *job)
{
	job->ok = false;
	memset(job->tag, 0, HMAC_TAG_MAX);
}

static void
submit_imb(struct engine_manager *manager, IMB_JOB *slots, struct hmac_job *const *jobs, unsigned n)
{
	unsigned done = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct hmac_job *job = jobs[i];
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
		done = IMB_SUBMIT_HASH_BURST_NOCHECK(manager->imb, slots, n, slots[0].hash_alg);
	if (UNLIKELY(done != n))
		manager->broken = true;
	for (unsigned i = 0; i < n; i++) {
		jobs[i]->ok = slots[i].status == IMB_STATUS_COMPLETED && done == n;
		if (UNLIKELY(!jobs[i]->ok))
			engine_fail(jobs[i]);
	}
}

void
engine_submit(struct hmac_engine *engine, unsigned m, enum hmac_algorithm algorithm,
	      struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	struct engine_manager *manager = &engine->managers[m];
	hmac_kernel kernel = manager->kernels[algorithm];

	if (LIKELY(kernel != NULL)) {
		kernel(jobs, n, blocks);
		for (unsigned i = 0; i < n; i++)
			jobs[i]->ok = true;
	} else {
		submit_imb(manager, engine->slots[algorithm], jobs, n);
	}
}
