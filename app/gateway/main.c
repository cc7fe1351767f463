/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "live.h"
#include "options.h"
#include "protect.h"
#include "replay.h"

int
main(int argc, char **argv)
{
	struct options options;
	char error[256];

	protect_core();
	if (options_parse(&options, argc, argv, error, sizeof(error)) != 0) {
		fprintf(stderr, "segseal: %s\n", error);
		return STATUS_USAGE;
	}
	switch (options.mode) {
	case OPTIONS_HELP:
		options_usage(stdout);
		return STATUS_DONE;
	case OPTIONS_VERSION:
		printf("segseal %s\n", SEGSEAL_VERSION);
		return STATUS_DONE;
	case OPTIONS_REPLAY:
		return replay_run(&options, argv[0]);
	case OPTIONS_GATEWAY:
		break;
	}
	return live_run(&options, argv);
}
