/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"

#define RXQ_MAX 64
#define MBUFS_MIN 1024
#define MBUFS_MAX (1 << 24)
#define MEMO_ENTRIES_DEFAULT 8192
#define MEMO_ENTRIES_MAX (1 << 20)

enum {
	OPT_RXQ = 256,
	OPT_GROUP,
	OPT_KEEP_SECRETS,
	OPT_MBUFS,
	OPT_EDIT_MBUFS,
	OPT_MEMO,
	OPT_REPLAY,
	OPT_WRITE,
	OPT_WRITE_ERRORS,
	OPT_JSON,
	OPT_FROM_PEER
};

static const struct option gateway_options[] = {
	{"config", required_argument, NULL, 'c'},
	{"socket", required_argument, NULL, 's'},
	{"group", required_argument, NULL, OPT_GROUP},
	{"keep-secrets", no_argument, NULL, OPT_KEEP_SECRETS},
	{"interactive", no_argument, NULL, 'i'},
	{"rxq", required_argument, NULL, OPT_RXQ},
	{"mbufs", required_argument, NULL, OPT_MBUFS},
	{"edit-mbufs", required_argument, NULL, OPT_EDIT_MBUFS},
	{"memo-entries", required_argument, NULL, OPT_MEMO},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static const struct option replay_options[] = {
	{"replay", required_argument, NULL, OPT_REPLAY},
	{"write", required_argument, NULL, OPT_WRITE},
	{"write-errors", required_argument, NULL, OPT_WRITE_ERRORS},
	{"config", required_argument, NULL, 'c'},
	{"json", no_argument, NULL, OPT_JSON},
	{"replay-from-peer", no_argument, NULL, OPT_FROM_PEER},
	{"memo-entries", required_argument, NULL, OPT_MEMO},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

void
options_usage(FILE *out)
{
	fputs("segseal: SRv6 HMAC gateway\n"
	      "\n"
	      "usage: segseal [EAL options] -- [options]\n"
	      "  -c, --config FILE      run this file of commands before the ports start\n"
	      "  -s, --socket PATH      control socket (default " CONTROL_SOCKET_DEFAULT ")\n"
	      "      --group NAME       its members may change things, too, and have the socket\n"
	      "      --keep-secrets     keep secrets in memory, for key show-secret\n"
	      "  -i, --interactive      prompt on the terminal\n"
	      "      --rxq N            receive queues of each port (default 1)\n"
	      "      --mbufs N          packet buffers (default: by ports, queues and workers)\n"
	      "      --edit-mbufs N     buffers for headers that cannot be edited in place\n"
	      "      --memo-entries N   proved headers that a worker remembers; 0 = off\n"
	      "  -h, --help             this text\n"
	      "  -V, --version          name and version\n"
	      "\n"
	      "       segseal --replay IN.pcap --config FILE [options]\n"
	      "      --write OUT.pcap   write what the gateway lets through\n"
	      "      --write-errors E.pcap\n"
	      "                         write the ICMPv6 errors that it answers with\n"
	      "      --json             summary as one JSON object\n"
	      "      --replay-from-peer packets enter by port 1 and leave by port 0\n"
	      "      --memo-entries N   as above\n"
	      "\n"
	      "EAL options choose cores, memory and devices, for example:\n"
	      "  segseal -l 0,1 -a 0000:03:00.0 -a 0000:03:00.1 -- -c /etc/segseal/segseal.conf\n"
	      "The first core is for control, each further one is a worker.\n"
	      "\n"
	      "exit status: 0 done, 1 failed while running, 2 wrong usage or configuration\n",
	      out);
}

static int
parse_number(const char *option, const char *text, unsigned min, unsigned max, unsigned *value,
	     char *error, size_t error_size)
{
	char *end;

	errno = 0;
	unsigned long number = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < min ||
	    number > max) {
		snprintf(error, error_size, "%s: '%.40s' is not a number from %u to %u", option,
			 text, min, max);
		return -EINVAL;
	}
	*value = number;
	return 0;
}

static int
parse_option(struct options *options, int opt, char *error, size_t error_size)
{
	switch (opt) {
	case 'c':
		options->config = optarg;
		return 0;
	case 's':
		options->socket = optarg;
		return 0;
	case OPT_GROUP:
		options->group = optarg;
		return 0;
	case OPT_KEEP_SECRETS:
		options->keep_secrets = true;
		return 0;
	case 'i':
		options->interactive = true;
		return 0;
	case OPT_RXQ:
		return parse_number("--rxq", optarg, 1, RXQ_MAX, &options->rxq, error, error_size);
	case OPT_MBUFS:
		return parse_number("--mbufs", optarg, MBUFS_MIN, MBUFS_MAX, &options->mbufs, error,
				    error_size);
	case OPT_EDIT_MBUFS:
		return parse_number("--edit-mbufs", optarg, 1, MBUFS_MAX, &options->edit_mbufs,
				    error, error_size);
	case OPT_MEMO:
		return parse_number("--memo-entries", optarg, 0, MEMO_ENTRIES_MAX,
				    &options->memo_entries, error, error_size);
	case OPT_REPLAY:
		options->read = optarg;
		return 0;
	case OPT_WRITE:
		options->write = optarg;
		return 0;
	case OPT_WRITE_ERRORS:
		options->write_errors = optarg;
		return 0;
	case OPT_JSON:
		options->json = true;
		return 0;
	case OPT_FROM_PEER:
		options->from_peer = true;
		return 0;
	case 'h':
		options->mode = OPTIONS_HELP;
		return 0;
	case 'V':
		options->mode = OPTIONS_VERSION;
		return 0;
	default:
		return -EINVAL;
	}
}

/* The EAL parses with getopt, too: everything of it is set anew here. */
static int
parse_list(struct options *options, int argc, char **argv, const char *letters,
	   const struct option *list, char *error, size_t error_size)
{
	int opt;

	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, letters, list, NULL)) != -1) {
		const char *word = argv[optind > 0 ? optind - 1 : 0];

		if (opt == '?') {
			snprintf(error, error_size, "'%.60s': unknown option (see segseal --help)",
				 word);
			return -EINVAL;
		}
		if (opt == ':') {
			snprintf(error, error_size, "'%.60s' needs a value (see segseal --help)",
				 word);
			return -EINVAL;
		}
		int rc = parse_option(options, opt, error, error_size);

		if (rc < 0)
			return rc;
	}
	if (optind < argc) {
		snprintf(error, error_size, "'%.60s': no option, and nothing else is expected",
			 argv[optind]);
		return -EINVAL;
	}
	return 0;
}

static bool
is_word(const char *arg, const char *option)
{
	size_t len = strlen(option);

	return strncmp(arg, option, len) == 0 && (arg[len] == '\0' || arg[len] == '=');
}

/* The first of our own options among the EAL's, which would answer with all of its usage; NULL:
 * none. Those that the EAL has, too, are its. */
static const char *
find_ours(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-i") == 0)
			return argv[i];
		for (const struct option *own = gateway_options; own->name != NULL; own++)
			if (own->val != 'h' && own->val != 'V' && strncmp(argv[i], "--", 2) == 0 &&
			    is_word(argv[i] + 2, own->name))
				return argv[i];
	}
	return NULL;
}

static bool
names_path(const char *path)
{
	return path == NULL || path[0] != '\0';
}

int
options_parse(struct options *options, int argc, char **argv, char *error, size_t error_size)
{
	int dashes = argc; /* index of "--" */
	bool replay = false;
	int rc;

	*options = (struct options){
		.mode = OPTIONS_GATEWAY,
		.socket = CONTROL_SOCKET_DEFAULT,
		.rxq = 1,
		.memo_entries = MEMO_ENTRIES_DEFAULT,
	};
	for (int i = 1; i < argc && dashes == argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			dashes = i;
		else if (is_word(argv[i], "--replay") || is_word(argv[i], "--replay-from-peer"))
			replay = true;
	}
	if (replay) {
		options->mode = OPTIONS_REPLAY;
		rc = parse_list(options, argc, argv, "+:c:hV", replay_options, error, error_size);
	} else if (dashes < argc) {
		options->eal_argc = dashes;
		rc = parse_list(options, argc - dashes, argv + dashes, "+:c:s:ihV", gateway_options,
				error, error_size);
	} else {
		const char *ours = find_ours(argc, argv);

		if (ours != NULL) {
			snprintf(error, error_size,
				 "'%.60s' stands behind --: segseal [EAL options] -- [options]",
				 ours);
			return -EINVAL;
		}
		options->eal_argc = argc;
		rc = 0;
		if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
			options->mode = OPTIONS_HELP;
		else if (argc == 2 && (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version")))
			options->mode = OPTIONS_VERSION;
	}
	if (rc < 0)
		return rc;
	if (!names_path(options->config) || !names_path(options->socket) ||
	    !names_path(options->read) || !names_path(options->write) ||
	    !names_path(options->write_errors)) {
		snprintf(error, error_size, "an empty file name");
		return -EINVAL;
	}
	if (options->mode == OPTIONS_REPLAY) {
		if (options->read == NULL) {
			snprintf(error, error_size, "--replay-from-peer needs --replay IN.pcap");
			return -EINVAL;
		}
		if (options->config == NULL) {
			snprintf(error, error_size, "--replay needs --config FILE");
			return -EINVAL;
		}
	}
	return 0;
}
