/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's environment for a test: no hugepages, no devices, no files left behind. */
#ifndef SEGSEAL_TEST_EAL_H
#define SEGSEAL_TEST_EAL_H

#include <stdio.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_malloc.h>

/* 0, or -1 with a reason on stderr. */
static inline int
eal_start(void)
{
	char prefix[64];
	char *argv[] = {"test",
			"--no-huge",
			"-m",
			"512",
			"--no-pci",
			"--no-telemetry",
			"--no-shconf",
			"--log-level=lib.eal:error",
			"--file-prefix",
			prefix};

	snprintf(prefix, sizeof(prefix), "segseal-test-%d", (int)getpid());
	if (rte_eal_init(RTE_DIM(argv), argv) >= 0)
		return 0;
	fprintf(stderr, "no DPDK environment: memory of 512 MB missing?\n");
	return -1;
}

/* Allocations alive on the DPDK heap, where no sanitizer looks. */
static inline unsigned
eal_allocations(void)
{
	struct rte_malloc_socket_stats stats;

	if (rte_malloc_get_socket_stats(0, &stats) < 0)
		return 0;
	return stats.alloc_count;
}

#endif
