/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "eal.h"

#define MEMORY_MB 1024u

/* Whether enough huge pages of 2 MiB are free and mounted for hugetlbfs to hand out. */
static bool
hugepages(void)
{
	unsigned long v, free_pages = 0;
	char word[64];
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return false;
	while (fscanf(f, "%63s %lu%*[^\n]", word, &v) == 2)
		if (strcmp(word, "HugePages_Free:") == 0)
			free_pages = v;
	fclose(f);
	return free_pages >= MEMORY_MB / 2 && access("/dev/hugepages", W_OK) == 0;
}

int
bench_eal_start(int core)
{
	char lcores[16], prefix[32], memory[16];
	bool huge = hugepages();
	/* No files in the runtime folder, either way. */
	char *argv[] = {
		"segseal-bench",
		"-l",
		lcores,
		"--file-prefix",
		prefix,
		"-m",
		memory,
		"--no-pci",
		"--no-telemetry",
		"--log-level",
		"3",
		huge ? "--in-memory" : "--no-shconf",
		huge ? NULL : "--no-huge",
		NULL,
	};
	int argc = 0;

	snprintf(lcores, sizeof(lcores), "%d", core);
	snprintf(prefix, sizeof(prefix), "bench%d", (int)getpid());
	snprintf(memory, sizeof(memory), "%u", MEMORY_MB);
	while (argv[argc])
		argc++;
	if (rte_eal_init(argc, argv) < 0) {
		fprintf(stderr, "segseal-bench: DPDK does not start: %s\n",
			rte_strerror(rte_errno));
		return -1;
	}
	return 0;
}

void
bench_eal_stop(void)
{
	char folder[PATH_MAX];

	/* Empty, but there. */
	snprintf(folder, sizeof(folder), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	(void)rmdir(folder);
}
