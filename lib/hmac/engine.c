/* SPDX-License-Identifier: BSD-3-Clause */
/* Making an engine and asking what it is made of. Control threads, unless said otherwise. */
#include <errno.h>

#include "hmac/engine.h"
#include "hmac/pages.h"

static const IMB_HASH_ALG imb_hash[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = IMB_AUTH_HMAC_SHA_1,
	[HMAC_SHA256] = IMB_AUTH_HMAC_SHA_256,
	[HMAC_SHA384] = IMB_AUTH_HMAC_SHA_384,
	[HMAC_SHA512] = IMB_AUTH_HMAC_SHA_512,
};

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
	if (engine_managers_open(engine, socket) == 0) {
		*error = "IPsec-MB has no multi-buffer manager for this CPU";
		goto failed;
	}
	engine_plan(engine);
	*error = engine_selftest(engine);
	if (*error)
		goto failed;
	engine->calibrated = engine_calibrate(engine);
	engine_plan(engine);
	return engine;

failed:
	hmac_engine_destroy(engine);
	return NULL;
}

void
hmac_engine_destroy(struct hmac_engine *engine)
{
	if (!engine)
		return;
	engine_managers_close(engine);
	hmac_pages_free(engine, sizeof(*engine));
}

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
	const struct engine_plan *plan;
	unsigned class;

	if ((unsigned)algorithm >= HMAC_ALGORITHMS || n == 0 || n > HMAC_BATCH_MAX || blocks == 0)
		return -EINVAL;
	class = engine_class(blocks);
	plan = &engine->plan[algorithm][class][n];
	choice->manager = plan->manager;
	choice->take = plan->take;
	if (engine->forced >= 0 &&
	    engine_manager_can(&engine->managers[engine->forced], algorithm)) {
		choice->manager = (unsigned)engine->forced;
		choice->take = n;
	}
	choice->cycles = 0;
	if (engine->calibrated)
		choice->cycles =
			engine_cost(engine, choice->manager, algorithm, class, choice->take);
	return 0;
}
