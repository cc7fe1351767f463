/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands: one grammar for config file, prompt and segsealctl. A line becomes a JSON-RPC request,
 * which a transport carries to a server in this process or behind the socket; the answer is
 * shown as an aligned table, or as JSON when the line ends with the word json.
 */
#ifndef SEGSEAL_CONTROL_COMMAND_H
#define SEGSEAL_CONTROL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#define CONTROL_COMMAND_MAX 512u /* octets of one command line */
#define CONTROL_LOAD_DEPTH 8	 /* files of commands that load each other */

/* Carry a request (or batch) to a server and its response back (new reference), or NULL with
 * error. */
typedef json_t *(*control_transport)(void *arg, const json_t *request, char *error,
				     size_t error_size);
json_t *control_client_transport(void *client, const json_t *request, char *error,
				 size_t error_size);
json_t *control_local_transport(void *server, const json_t *request, char *error,
				size_t error_size);

/*
 * The params of the next event that the server tells of (new reference). NULL with *rc 0 once
 * stop_fd (-1: none) is readable; NULL with a negative *rc and error if the connection is lost.
 */
typedef json_t *(*control_events)(void *arg, int stop_fd, int *rc, char *error, size_t error_size);
json_t *control_client_event(void *client, int stop_fd, int *rc, char *error, size_t error_size);

struct control_looks; /* what was shown last, for rates */

struct control_session {
	control_transport transport;
	void *transport_arg;
	control_events events; /* of the same arg; NULL: the transport has none */
	FILE *out;	       /* results; NULL: none are printed */
	bool interactive;      /* secrets may be asked for on the terminal */
	bool echo;	       /* print each line of a file before it is run */
	bool go_on;	       /* errors in a file are printed to stderr and the next line is run */
	bool quit;	       /* out: "quit" or "exit" was said and done: run no more */
	int depth;	       /* of nested load commands */
	/* Where counters that are shown are kept, so that the next look shows their rates; NULL:
	 * no rates. */
	struct control_looks *looks;
};

/* NULL without memory, which is fine. */
struct control_looks *control_looks_create(void);
void control_looks_destroy(struct control_looks *looks);

/*
 * Run one command line. 0, or a negative errno with error = "COMMAND: reason", one line, no secret
 * in it: -EINVAL for what the grammar or the server's -32602 refused. Blank lines and lines that
 * begin with # do nothing.
 */
int control_run_line(struct control_session *session, const char *line, char *error,
		     size_t error_size);
/* Run a file of commands ("-": standard input) up to the first error: error = "FILE:LINE: what is
 * wrong". With go_on, up to the end: the first error's number, and error = how many failed. */
int control_run_file(struct control_session *session, const char *path, char *error,
		     size_t error_size);
/* The grammar with a help text for each command: all, or those that begin with these words. */
void control_help(FILE *out, const char *words);
/* The grammar as sections COMMANDS and VALUES of a man page. */
void control_man(FILE *out);
/* The words that an unfinished line may go on with, one a line: for a shell's completion. */
void control_complete(FILE *out, const char *line);

#endif
