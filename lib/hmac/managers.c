/* SPDX-License-Identifier: BSD-3-Clause */
/* All who can compute on this CPU: our kernels, and one IPsec-MB manager for each instruction set.
 * Control threads. */
#include "hmac/engine.h"
#include "hmac/pages.h"

/* Narrow first: the order is the rule of thumb when nothing could be measured. */
static const struct {
	const char *name;
	uint64_t needs; /* features */
	hmac_kernel kernels[HMAC_ALGORITHMS];
} ours[] = {
	{"sha-ni",
	 IMB_FEATURE_SHANI | IMB_FEATURE_SSE4_2,
	 {[HMAC_SHA1] = kernel_ni_sha1, [HMAC_SHA256] = kernel_ni_sha256}},
	{"avx512",
	 IMB_FEATURE_AVX512_SKX | IMB_FEATURE_BMI2,
	 {[HMAC_SHA1] = kernel_x16_sha1,
	  [HMAC_SHA256] = kernel_x16_sha256,
	  [HMAC_SHA384] = kernel_x8_sha384,
	  [HMAC_SHA512] = kernel_x8_sha512}},
};

static const struct {
	const char *name;
	void (*init)(IMB_MGR *);
	uint64_t needs; /* features without which init must not be called */
} library[] = {
	{"ipsec-mb sse", init_mb_mgr_sse, IMB_CPUFLAGS_SSE},
#if IMB_VERSION_NUM < IMB_VERSION(2, 0, 0)
	{"ipsec-mb avx", init_mb_mgr_avx, IMB_CPUFLAGS_AVX},
#endif
	{"ipsec-mb avx2", init_mb_mgr_avx2, IMB_CPUFLAGS_AVX2},
	{"ipsec-mb avx512", init_mb_mgr_avx512, IMB_CPUFLAGS_AVX512},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(COUNT(ours) + COUNT(library) <= ENGINE_MANAGERS_MAX, "room for all managers");

static bool
self_test_failed(const IMB_MGR *imb)
{
	return (imb->features & IMB_FEATURE_SELF_TEST) &&
	       !(imb->features & IMB_FEATURE_SELF_TEST_PASS);
}

/* A manager of IPsec-MB that is ready for use, or NULL. */
static IMB_MGR *
open_imb(void (*init)(IMB_MGR *), int socket)
{
	size_t size = imb_get_mb_mgr_size();
	void *memory = hmac_pages_alloc(size, socket);
	IMB_MGR *imb = memory ? imb_set_pointers_mb_mgr(memory, 0, 1) : NULL;

	if (imb) {
		init(imb);
		if (imb_get_errno(imb) == 0 && !self_test_failed(imb))
			return imb;
	}
	hmac_pages_free(memory, size);
	return NULL;
}

unsigned
engine_managers_open(struct hmac_engine *engine, int socket)
{
	uint64_t have = imb_get_feature_flags();
	unsigned n = 0;

	for (unsigned i = 0; i < COUNT(ours); i++) {
		struct engine_manager *manager = &engine->managers[n];

		if ((have & ours[i].needs) != ours[i].needs)
			continue;
		manager->name = ours[i].name;
		for (unsigned a = 0; a < HMAC_ALGORITHMS; a++)
			manager->kernels[a] = ours[i].kernels[a];
		n++;
	}
	engine->n_managers = n;
	/* Without IPsec-MB some algorithms have nobody. */
	for (unsigned i = 0; i < COUNT(library); i++) {
		IMB_MGR *imb = NULL;

		if ((have & library[i].needs) == library[i].needs)
			imb = open_imb(library[i].init, socket);
		if (imb)
			engine->managers[engine->n_managers++] =
				(struct engine_manager){.name = library[i].name, .imb = imb};
	}
	return engine->n_managers - n;
}

void
engine_managers_close(struct hmac_engine *engine)
{
	for (unsigned i = 0; i < engine->n_managers; i++)
		hmac_pages_free(engine->managers[i].imb, imb_get_mb_mgr_size());
	engine->n_managers = 0;
}
