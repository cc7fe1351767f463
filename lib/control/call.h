/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests on their way to answers, whatever carries them: one request is a call, one line (a
 * request or a batch) is a task that makes one call after the other.
 */
#ifndef SEGSEAL_CONTROL_CALL_H
#define SEGSEAL_CONTROL_CALL_H

#include "control/server.h"

#define RPC_PARSE_ERROR (-32700)
#define RPC_INVALID_REQUEST (-32600)
#define RPC_METHOD_NOT_FOUND (-32601)
#define RPC_INVALID_PARAMS (-32602)
#define RPC_FAILED (-32000)

struct dispatch {
	const struct control_method *methods;
	void *arg;
	control_log log;
};

struct control_call {
	const struct dispatch *dispatch;
	const struct control_peer *peer;
	uint32_t *topics; /* NULL: no connection */
	const struct control_method *method;
	json_t *id; /* NULL: a notification, whose answer nobody gets */
	json_t *result;
	json_t *error;
	bool (*done)(void *arg, uint64_t mark); /* not NULL: the answer waits for it */
	uint64_t mark;
};

struct task {
	json_t *request; /* NULL: nothing to do */
	size_t next;	 /* of a batch: the request to begin with next */
	bool calling;
	struct control_call call;
};

enum task_step {
	TASK_ANSWER, /* one request is done: *answer is its response, NULL for a notification */
	TASK_WAITS,  /* for a control_later(): step again later */
	TASK_END,    /* the task holds nothing any more */
};

/* An error response; id may be NULL. NULL without memory. */
json_t *rpc_error(json_t *id, int code, const char *message);

/*
 * Take over request. NULL if it can be stepped, else the response that refuses it as a whole
 * (empty or too long batch).
 */
json_t *task_begin(struct task *task, json_t *request);
bool task_is_batch(const struct task *task);
/* Run at most one request. topics are the connection's; may be NULL. */
enum task_step task_step(struct task *task, const struct dispatch *dispatch,
			 const struct control_peer *peer, uint32_t *topics, json_t **answer);
/* Forget it, whatever its state. */
void task_drop(struct task *task);

#endif
