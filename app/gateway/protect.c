/* SPDX-License-Identifier: BSD-3-Clause */
#include "protect.h"

#include <sys/prctl.h>
#include <sys/resource.h>

/* The leak checker of a sanitizer build traces its own process. */
#if defined(__SANITIZE_ADDRESS__)
#define TRACED_BY_ITSELF 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRACED_BY_ITSELF 1
#endif
#endif
#ifndef TRACED_BY_ITSELF
#define TRACED_BY_ITSELF 0
#endif

void
protect_core(void)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
}

void
protect_memory(void)
{
	if (!TRACED_BY_ITSELF)
		(void)prctl(PR_SET_DUMPABLE, 0);
}
