/* SPDX-License-Identifier: BSD-3-Clause */
#include "eal.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>

#include "options.h"

#define REPLAY_MEMORY "512" /* MiB that may be used; only what is touched is */
#define CORES_TEXT 4096

static void
usage_after_eal(const char *program)
{
	(void)program;
	printf("\n");
	options_usage(stdout);
}

int
eal_start(int argc, char **argv, char *error, size_t error_size)
{
	rte_set_application_usage_hook(usage_after_eal);
	if (rte_eal_init(argc, argv) >= 0)
		return 0;
	snprintf(error, error_size, "the EAL did not start: %s (its options come before --)",
		 rte_strerror(rte_errno));
	return -rte_errno;
}

/* One lcore that may run wherever this process may. */
static int
write_cores(char *text, size_t size)
{
	cpu_set_t set;
	size_t len = (size_t)snprintf(text, size, "0@(");

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return -errno;
	for (int cpu = 0; cpu < CPU_SETSIZE && len < size; cpu++)
		if (CPU_ISSET(cpu, &set))
			len += (size_t)snprintf(text + len, size - len, "%d,", cpu);
	if (len + 1 >= size)
		return -E2BIG;
	text[len - 1] = ')'; /* in place of the last comma */
	return 0;
}

int
eal_start_replay(const char *program, char *error, size_t error_size)
{
	char cores[CORES_TEXT];
	char prefix[32];
	int rc = write_cores(cores, sizeof(cores));

	if (rc != 0) {
		snprintf(error, error_size, "this process's CPUs: %s", strerror(-rc));
		return rc;
	}
	snprintf(prefix, sizeof(prefix), "segseal-replay-%d", (int)getpid());
	const char *args[] = {
		program,
		"--no-huge",
		"--no-pci",
		"--no-telemetry",
		"--no-shconf",
		"-m",
		REPLAY_MEMORY,
		"--lcores",
		cores,
		"--file-prefix",
		prefix,
		"--log-level=lib.eal:critical",
		"--log-level=segseal.*:warning",
	};
	char *argv[RTE_DIM(args) + 1] = {NULL};

	for (size_t i = 0; i < RTE_DIM(args); i++)
		argv[i] = (char *)(uintptr_t)args[i];
	/*
	 * Without shared configuration the EAL uses no file, but still makes a folder for them, and
	 * goes on (with the log line that is silenced above) where it cannot.
	 */
	if (setenv("RUNTIME_DIRECTORY", "/dev/null", 1) != 0) {
		snprintf(error, error_size, "%s", strerror(errno));
		return -errno;
	}
	if (rte_eal_init((int)RTE_DIM(args), argv) >= 0)
		return 0;
	snprintf(error, error_size, "DPDK's memory does not start: %s", rte_strerror(rte_errno));
	return -rte_errno;
}

void
eal_stop(void)
{
	(void)rte_eal_cleanup();
}
