/* SPDX-License-Identifier: BSD-3-Clause */
/* One IPsec-MB manager for each instruction set that this CPU has. Control threads. */
#include "hmac/engine.h"
#include "hmac/pages.h"

static const struct {
	const char *name;
	void (*init)(IMB_MGR *);
	uint64_t needs; /* features without which init must not be called */
} known[] = {
	/* Narrow first: the order is the rule of thumb when nothing could be measured. */
	{"sse", init_mb_mgr_sse, IMB_CPUFLAGS_SSE},
#if IMB_VERSION_NUM < IMB_VERSION(2, 0, 0)
	{"avx", init_mb_mgr_avx, IMB_CPUFLAGS_AVX},
#endif
	{"avx2", init_mb_mgr_avx2, IMB_CPUFLAGS_AVX2},
	{"avx512", init_mb_mgr_avx512, IMB_CPUFLAGS_AVX512},
};

_Static_assert(sizeof(known) / sizeof(known[0]) <= ENGINE_MANAGERS_MAX, "room for all managers");

static bool
self_test_failed(const IMB_MGR *imb)
{
	return (imb->features & IMB_FEATURE_SELF_TEST) &&
	       !(imb->features & IMB_FEATURE_SELF_TEST_PASS);
}

unsigned
engine_managers_open(struct hmac_engine *engine, int socket)
{
	uint64_t have = imb_get_feature_flags();
	size_t size = imb_get_mb_mgr_size();

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		IMB_MGR *imb;
		void *memory;

		if ((have & known[i].needs) != known[i].needs)
			continue;
		memory = hmac_pages_alloc(size, socket);
		imb = memory ? imb_set_pointers_mb_mgr(memory, 0, 1) : NULL;
		if (!imb) {
			hmac_pages_free(memory, size);
			continue;
		}
		known[i].init(imb);
		if (imb_get_errno(imb) != 0 || self_test_failed(imb)) {
			hmac_pages_free(memory, size);
			continue;
		}
		engine->managers[engine->n_managers++] =
			(struct engine_manager){.imb = imb, .name = known[i].name};
	}
	return engine->n_managers;
}

void
engine_managers_close(struct hmac_engine *engine)
{
	for (unsigned i = 0; i < engine->n_managers; i++)
		hmac_pages_free(engine->managers[i].imb, imb_get_mb_mgr_size());
	engine->n_managers = 0;
}
