/* SPDX-License-Identifier: BSD-3-Clause */
/* segseal-bench: measures the pieces and the whole, with their peers beside them. */
#include <string.h>

#include "bench.h"
#include "eal.h"
#include "options.h"
#include "script.h"

static const struct {
	const char *name;
	int (*run)(const struct bench_options *options);
} benches[] = {
	{"hmac", bench_hmac},
	{"verify", bench_verify},
	{"insert", bench_insert},
	{"time", bench_time},
};

int
main(int argc, char **argv)
{
	struct bench_options options;
	const char *wanted;
	unsigned ran = 0;
	int failed = 0;
	int rc;

	/* Its options are others than ours: the name of the bench has to come first. */
	if (argc > 1 && script_has(argv[1]))
		return script_run(argv);
	rc = options_read(argc, argv, &options, &wanted);
	if (rc != 0)
		return rc < 0 ? 2 : 0;
	if (script_has(wanted))
		return script_run(argv);
	for (unsigned i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
		if (strcmp(wanted, "all") != 0 && strcmp(wanted, benches[i].name) != 0)
			continue;
		if (ran++ == 0 && bench_eal_start(options.core) < 0)
			return 1;
		failed |= benches[i].run(&options);
	}
	if (ran == 0) {
		fprintf(stderr, "segseal-bench: %s: no such bench\n", wanted);
		return 2;
	}
	bench_eal_stop();
	return failed ? 1 : 0;
}
