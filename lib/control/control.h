/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control side: a JSON-RPC 2.0 server on a Unix socket, its client, and the command grammar
 * and display that config file, prompt and segsealctl share.
 *
 * Everything here runs on the control thread (or in the client program) and may allocate and log.
 * The server knows nothing of keys or ports: the program hands it a table of methods.
 */
#ifndef SEGSEAL_CONTROL_H
#define SEGSEAL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>

#define CONTROL_SOCKET_DEFAULT "/run/segseal/segseal.sock"
#define CONTROL_LINE_MAX 65536u /* octets of one request line; longer: -32600 and closed */
#define CONTROL_CLIENTS_MAX 256u
#define CONTROL_ERROR_MAX 512u /* room for one-line error texts */

/* --- server --- */

struct control_server;
struct control_call; /* one request on its way to an answer */

struct control_peer { /* SO_PEERCRED; local calls have the process's own */
	pid_t pid;
	uid_t uid;
	gid_t gid;
};

/*
 * Answer params (never NULL; an object or array): return the result (a new reference), or NULL
 * after exactly one of control_fail(), control_bad_params(), control_later().
 */
typedef json_t *(*control_handler)(struct control_call *call, const json_t *params);

struct control_method {
	const char *name; /* "key.add" */
	control_handler handler;
	bool writes; /* changes state: logged with the peer, may need rights */
};

void *control_arg(const struct control_call *call);
const struct control_peer *control_peer(const struct control_call *call);
/* JSON-RPC error -32000 with data {"errno": "EEXIST"} for errnum EEXIST; the text is one line. */
json_t *control_fail(struct control_call *call, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* JSON-RPC error -32602. */
json_t *control_bad_params(struct control_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Answer with result once done(arg, mark) says true; asked again on each control_server_poll(). */
json_t *control_later(struct control_call *call, bool (*done)(void *arg, uint64_t mark),
		      uint64_t mark, json_t *result);

/* Methods end with a NULL name and outlive the server; arg is what control_arg() gives back. */
struct control_server *control_server_create(const struct control_method *methods, void *arg);
/*
 * Listen on path, mode 0660; missing parent folders are made. A socket that a live process answers
 * on is refused (-EADDRINUSE), one left by a dead process is taken over. error: one line.
 */
int control_server_listen(struct control_server *server, const char *path, char *error,
			  size_t error_size);
/* An epoll descriptor to wait on along with others. */
int control_server_fd(const struct control_server *server);
/* Serve what is ready, never blocks. Returns milliseconds until it wants to be called again even
 * if nothing is ready, -1 if never. */
int control_server_poll(struct control_server *server);
/* Execute one request object in this process; returns the response object (a new reference).
 * Waits for control_later() calls. */
json_t *control_server_execute(struct control_server *server, const json_t *request);
/* Flush what can be flushed without blocking, close all clients, remove the socket. */
void control_server_destroy(struct control_server *server);

/* --- client --- */

struct control_client;

/* Connect; NULL with error. */
struct control_client *control_client_open(const char *path, char *error, size_t error_size);
void control_client_close(struct control_client *client);

/* --- commands: one grammar for config file, prompt and segsealctl --- */

/* Carry a request to a server and its response back (new reference), or NULL with error. */
typedef json_t *(*control_transport)(void *arg, const json_t *request, char *error,
				     size_t error_size);
json_t *control_client_transport(void *client, const json_t *request, char *error,
				 size_t error_size);
json_t *control_local_transport(void *server, const json_t *request, char *error,
				size_t error_size);

struct control_session {
	control_transport transport;
	void *transport_arg;
	FILE *out;	  /* results */
	bool interactive; /* secrets may be asked for on the terminal */
	bool quit;	  /* out: "quit" was said and done */
	int depth;	  /* of nested load commands */
};

/*
 * Run one command line. 0, or a negative errno with error = "COMMAND: reason", one line, no secret
 * in it. Blank lines and lines that begin with # do nothing.
 */
int control_run_line(struct control_session *session, const char *line, char *error,
		     size_t error_size);
/* Run a file of commands up to the first error: error = "FILE:LINE: what is wrong". */
int control_run_file(struct control_session *session, const char *path, char *error,
		     size_t error_size);
/* The grammar with a help text for each command: all, or those that begin with these words. */
void control_help(FILE *out, const char *words);

#endif
