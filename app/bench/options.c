/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "options.h"

enum { OPT_ALGORITHMS = 256, OPT_PROFILES, OPT_SEGMENTS, OPT_BURSTS, OPT_FLOWS };

static const struct option long_options[] = {
	{"json", no_argument, NULL, 'j'},
	{"core", required_argument, NULL, 'c'},
	{"rounds", required_argument, NULL, 'r'},
	{"algorithms", required_argument, NULL, OPT_ALGORITHMS},
	{"profiles", required_argument, NULL, OPT_PROFILES},
	{"segments", required_argument, NULL, OPT_SEGMENTS},
	{"bursts", required_argument, NULL, OPT_BURSTS},
	{"flows", required_argument, NULL, OPT_FLOWS},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static void
usage(FILE *out)
{
	fputs("usage: segseal-bench hmac|verify|insert|time|all [options]\n"
	      "       segseal-bench gateway|keys|linux [options of scripts/bench, see its --help]\n"
	      "\n"
	      "TSC cycles per packet or operation; median of repeated runs, and the least.\n"
	      "\n"
	      "  -j, --json             one JSON object per line\n"
	      "  -c, --core N           the core that measures (default: the last)\n"
	      "  -r, --rounds N         runs of each case (default 51)\n"
	      "      --algorithms LIST  of sha1,sha256,sha384,sha512 (default: all)\n"
	      "      --profiles LIST    of linux,rfc8754 (default: both)\n"
	      "      --segments LIST    (default 1,2,3,6,10,14)\n"
	      "      --bursts LIST      1..128 (default 1,4,8,16,32,64,128)\n"
	      "      --flows LIST       (default 1,64,4096,65536)\n"
	      "  -h, --help\n"
	      "  -V, --version\n",
	      out);
}

static int
number(const char *text, unsigned min, unsigned max, unsigned *out)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || v < min || v > max)
		return -1;
	*out = (unsigned)v;
	return 0;
}

static int
item(int option, const char *word, unsigned *out)
{
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;

	switch (option) {
	case OPT_ALGORITHMS:
		if (hmac_algorithm_parse(word, &algorithm) < 0)
			return -1;
		*out = algorithm;
		return 0;
	case OPT_PROFILES:
		if (hmac_profile_parse(word, &profile) < 0)
			return -1;
		*out = profile;
		return 0;
	case OPT_SEGMENTS:
		return number(word, 1, 125, out);
	case OPT_BURSTS:
		return number(word, 1, HMAC_BATCH_MAX, out);
	default:
		return number(word, 1, 1u << 20, out);
	}
}

static int
read_list(int option, char *text, struct list *list)
{
	char *save = NULL;

	list->n = 0;
	for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (list->n == LIST_MAX || item(option, word, &list->v[list->n]) < 0) {
			fprintf(stderr, "segseal-bench: %s: not in range\n", word);
			return -1;
		}
		list->n++;
	}
	if (list->n == 0)
		fputs("segseal-bench: empty list\n", stderr);
	return list->n ? 0 : -1;
}

static void
set_defaults(struct bench_options *options)
{
	*options = (struct bench_options){
		.rounds = 51,
		.core = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1,
		.algorithms = {{HMAC_SHA1, HMAC_SHA256, HMAC_SHA384, HMAC_SHA512}, 4},
		.profiles = {{HMAC_LINUX, HMAC_RFC8754}, 2},
		.segments = {{1, 2, 3, 6, 10, 14}, 6},
		.bursts = {{1, 4, 8, 16, 32, 64, 128}, 7},
		.flows = {{1, 64, 4096, 65536}, 4},
	};
}

int
options_read(int argc, char **argv, struct bench_options *options, const char **bench)
{
	struct list *lists[] = {&options->algorithms, &options->profiles, &options->segments,
				&options->bursts, &options->flows};
	unsigned core;
	int c;

	set_defaults(options);
	while ((c = getopt_long(argc, argv, "jc:r:hV", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			options->json = true;
			break;
		case 'c':
			if (number(optarg, 0, 1023, &core) < 0) {
				fprintf(stderr, "segseal-bench: --core %s: not a core\n", optarg);
				return -1;
			}
			options->core = (int)core;
			break;
		case 'r':
			if (number(optarg, 1, MEASURE_ROUNDS_MAX, &options->rounds) < 0) {
				fprintf(stderr, "segseal-bench: --rounds %s: not in 1..%u\n",
					optarg, MEASURE_ROUNDS_MAX);
				return -1;
			}
			break;
		case 'h':
			usage(stdout);
			return 1;
		case 'V':
			puts("segseal-bench " SEGSEAL_VERSION);
			return 1;
		case '?':
			return -1;
		default:
			if (read_list(c, optarg, lists[c - OPT_ALGORITHMS]) < 0)
				return -1;
		}
	}
	if (argc - optind != 1) {
		usage(stderr);
		return -1;
	}
	*bench = argv[optind];
	return 0;
}
