/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON-RPC 2.0 server: one object or batch per line over a Unix stream socket. Never blocks, knows
 * no method but those of the table it is given. Control thread only.
 */
#ifndef SEGSEAL_CONTROL_SERVER_H
#define SEGSEAL_CONTROL_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#define CONTROL_SOCKET_DEFAULT "/run/segseal/segseal.sock"
#define CONTROL_LINE_MAX 65536u /* octets of one request line; longer: -32600 and closed */
#define CONTROL_BATCH_MAX 64u	/* requests in one batch; more: -32600 */
#define CONTROL_CLIENTS_MAX 256u
#define CONTROL_BACKLOG_MAX (32u << 20)	  /* octets of answers waiting for one client */
#define CONTROL_BACKLOG_TOTAL (64u << 20) /* and for all of them */
#define CONTROL_STALL_MS 10000		  /* a client that reads nothing for so long is dropped */
#define CONTROL_EVENTS_MAX 65536u /* octets of events waiting for one client: more are lost */
#define CONTROL_ERROR_MAX 512u	  /* room for one-line error texts */

struct control_server;
struct control_call; /* one request on its way to an answer */

struct control_peer { /* SO_PEERCRED; local calls have the process's own */
	pid_t pid;
	uid_t uid;
	gid_t gid;
	bool writes; /* may call methods that write: root, our own user, or of the group */
};

/*
 * Answer params (an object, never NULL): return the result (a new reference), or NULL after exactly
 * one of control_fail(), control_bad_params(), control_later(), or a params reader that said false.
 */
typedef json_t *(*control_handler)(struct control_call *call, const json_t *params);

struct control_method {
	const char *name; /* "key.add" */
	control_handler handler;
	bool writes; /* changes state, or shows a secret: told to the log, refused (EPERM) to peers
			without the right */
};

void *control_arg(const struct control_call *call);
const struct control_peer *control_peer(const struct control_call *call);
/* What the caller's connection is subscribed to, for the handler to change: a bit for each topic
 * that the methods know of. NULL: the call came by no connection. */
uint32_t *control_topics(const struct control_call *call);
/*
 * JSON-RPC error -32000 with data {"errno": "EEXIST"} for errnum EEXIST (its sign does not matter).
 * The text becomes one line behind "METHOD: ". Returns NULL.
 */
json_t *control_fail(struct control_call *call, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* JSON-RPC error -32602. Returns NULL. */
json_t *control_bad_params(struct control_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Answer with result (taken over) once done(arg, mark) says true; asked again on each
 * control_server_poll(). Returns NULL. */
json_t *control_later(struct control_call *call, bool (*done)(void *arg, uint64_t mark),
		      uint64_t mark, json_t *result);

/* --- params readers: true with *value, or false after control_bad_params() that names the param */

/* Refuse members that are not in names, which ends with NULL. Call it first. */
bool control_params_only(struct control_call *call, const json_t *params, const char *const *names);
bool control_param_uint(struct control_call *call, const json_t *params, const char *name,
			uint64_t min, uint64_t max, uint64_t *value);
bool control_param_bool(struct control_call *call, const json_t *params, const char *name,
			bool *value);
/* *value lives as long as params; holds no NUL. */
bool control_param_string(struct control_call *call, const json_t *params, const char *name,
			  const char **value);
/* *value = index of the string in words, which ends with NULL. */
bool control_param_word(struct control_call *call, const json_t *params, const char *name,
			const char *const *words, unsigned *value);
/* 1..size octets from exactly one of "secret" and "secret_hex"; the caller wipes them. */
bool control_param_secret(struct control_call *call, const json_t *params, uint8_t *secret,
			  size_t size, size_t *len);

/* --- life */

/* Methods end with a NULL name and outlive the server; arg is what control_arg() gives back. NULL
 * with errno set. */
struct control_server *control_server_create(const struct control_method *methods, void *arg);

/*
 * Called after each call of a method that writes: params is the JSON text of its params without
 * secrets, NULL if they were refused; error is NULL if it succeeded. All are one line.
 */
typedef void (*control_log)(void *arg, const struct control_peer *peer, const char *method,
			    const char *params, const char *error);
void control_server_set_log(struct control_server *server, control_log log);

/*
 * Members of this group may call methods that write, too, and the socket becomes theirs. Call
 * before control_server_listen().
 */
void control_server_set_group(struct control_server *server, gid_t group);

/*
 * Listen on path, mode 0660; missing parent folders are made, mode 0755. A socket that a live
 * process answers on is refused (-EADDRINUSE), one left by a dead process is taken over, anything
 * else of that name is refused (-ENOTSOCK). error: one line.
 */
int control_server_listen(struct control_server *server, const char *path, char *error,
			  size_t error_size);
/* An epoll descriptor to wait on along with others. */
int control_server_fd(const struct control_server *server);
/* Serve what is ready, never blocks. Returns milliseconds until it wants to be called again even
 * if nothing is ready, -1 if never. */
int control_server_poll(struct control_server *server);
/* Serve an already connected stream socket as a client, and close it in the end. 0, -EMFILE when
 * there are CONTROL_CLIENTS_MAX already, or -errno: fd is the caller's still, then. */
int control_server_adopt(struct control_server *server, int fd);
unsigned control_server_clients(const struct control_server *server);

/*
 * Queue the notification {"method":"event","params":params} (borrowed) for each client that is
 * subscribed to one of topics. Never blocks. A client that does not read misses what does not fit
 * into CONTROL_EVENTS_MAX: it is told how many before the next that it gets.
 */
void control_server_event(struct control_server *server, uint32_t topics, json_t *params);
/* Tell them that n more events were not sent. */
void control_server_lose(struct control_server *server, uint32_t topics, uint64_t n);
/* Whether there is something queued since the last control_server_poll(), which sends it. */
bool control_server_pending(const struct control_server *server);
unsigned control_server_subscribers(const struct control_server *server);
/* Execute one request object, or a batch, in this process; returns the response (a new reference),
 * NULL for a notification. Waits for control_later() calls. */
json_t *control_server_execute(struct control_server *server, const json_t *request);
/* Flush what can be flushed without blocking, close all clients, remove the socket if it is still
 * ours. NULL is fine. */
void control_server_destroy(struct control_server *server);

#endif
