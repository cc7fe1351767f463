/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of segseal: which of its two programs is asked for, and how. */
#ifndef SEGSEAL_GATEWAY_OPTIONS_H
#define SEGSEAL_GATEWAY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status of the program. */
enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

enum options_mode { OPTIONS_GATEWAY, OPTIONS_REPLAY, OPTIONS_HELP, OPTIONS_VERSION };

struct options {
	enum options_mode mode;
	int eal_argc; /* argv[0..eal_argc) are for the EAL; gateway only */

	const char *config; /* file of commands, or NULL */

	const char *socket; /* gateway */
	const char *group;  /* its members may change things, too; or NULL */
	bool interactive;
	bool keep_secrets;     /* for key show-secret */
	unsigned rxq;	       /* receive queues of each port */
	unsigned mbufs;	       /* packet buffers in all; 0 = as many as ports and workers need */
	unsigned edit_mbufs;   /* and for headers that are edited elsewhere; 0 = by need */
	unsigned memo_entries; /* proved headers that each worker remembers; 0 = off */

	const char *read; /* replay */
	const char *write;
	const char *write_errors;
	bool json;
	bool from_peer;
};

/*
 * Parse the whole command line. 0, or -EINVAL with a one-line error. The strings of options point
 * into argv, whose order is not changed.
 */
int options_parse(struct options *options, int argc, char **argv, char *error, size_t error_size);

void options_usage(FILE *out);

#endif
