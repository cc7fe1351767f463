/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/call.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control/buf.h"
#include "control/text.h"

#define LOG_PARAMS_MAX 256u

void *
control_arg(const struct control_call *call)
{
	return call->dispatch->arg;
}

const struct control_peer *
control_peer(const struct control_call *call)
{
	return call->peer;
}

uint32_t *
control_topics(const struct control_call *call)
{
	return call->topics;
}

static void
set_error(struct control_call *call, int code, int errnum, const char *format, va_list args)
{
	char text[CONTROL_ERROR_MAX];
	size_t n = 0;

	if (call->method)
		n = (size_t)snprintf(text, sizeof(text), "%s: ", call->method->name);
	if (n < sizeof(text))
		vsnprintf(text + n, sizeof(text) - n, format, args);
	text_one_line(text);
	json_decref(call->error);
	call->error = json_pack("{s:i, s:s}", "code", code, "message", text);
	if (code == RPC_FAILED)
		json_object_set_new(call->error, "data",
				    json_pack("{s:s}", "errno", text_errno_name(errnum)));
}

json_t *
control_fail(struct control_call *call, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_error(call, RPC_FAILED, errnum, format, args);
	va_end(args);
	return NULL;
}

json_t *
control_bad_params(struct control_call *call, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_error(call, RPC_INVALID_PARAMS, 0, format, args);
	va_end(args);
	return NULL;
}

json_t *
control_later(struct control_call *call, bool (*done)(void *arg, uint64_t mark), uint64_t mark,
	      json_t *result)
{
	call->done = done;
	call->mark = mark;
	call->result = result;
	return NULL;
}

static void __attribute__((format(printf, 3, 4)))
refuse(struct control_call *call, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_error(call, code, 0, format, args);
	va_end(args);
}

/* The params without what might be secret, as one short line. */
static void
params_text(const json_t *params, char *text, size_t size)
{
	json_t *open = json_object();
	struct buf buf = {0};
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)params, name, value) {
		if (strncmp(name, "secret", 6) != 0)
			json_object_set(open, name, value);
	}
	text[0] = '\0';
	if (buf_append_json(&buf, open))
		snprintf(text, size, "%.*s", (int)buf_len(&buf), buf_head(&buf));
	text_one_line(text);
	buf_free(&buf);
	json_decref(open);
}

static void
log_call(const struct control_call *call, const json_t *params)
{
	char text[LOG_PARAMS_MAX];
	const char *error = NULL;
	bool refused = false;

	if (!call->method->writes || !call->dispatch->log)
		return;
	if (call->error) {
		error = json_string_value(json_object_get(call->error, "message"));
		/* Refused params may hold a secret under a misspelt name. */
		refused = json_integer_value(json_object_get(call->error, "code")) != RPC_FAILED ||
			  !call->peer->writes; /* params that nobody looked at */
	}
	params_text(params, text, sizeof(text));
	call->dispatch->log(call->dispatch->arg, call->peer, call->method->name,
			    refused ? NULL : text, error);
}

static void
run_handler(struct control_call *call, const json_t *params)
{
	json_t *none = NULL;

	if (!params)
		params = none = json_object();
	if (!json_is_object(params)) {
		control_bad_params(call, "params must be an object, by name");
	} else if (call->method->writes && !call->peer->writes) {
		control_fail(call, EPERM,
			     "not permitted: needs root, the gateway's user or its --group");
	} else {
		json_t *result = call->method->handler(call, params);

		if (result)
			call->result = result;
	}
	if (!call->error && !call->result)
		control_fail(call, ENOMEM, "no answer could be made");
	log_call(call, params);
	json_decref(none);
}

/* Check the request and run its method, as far as it goes without waiting. */
static void
call_begin(struct control_call *call, const struct dispatch *dispatch,
	   const struct control_peer *peer, uint32_t *topics, const json_t *request)
{
	json_t *id = json_object_get(request, "id");
	const json_t *params = json_object_get(request, "params");
	const char *version = json_string_value(json_object_get(request, "jsonrpc"));
	const char *name = json_string_value(json_object_get(request, "method"));
	const struct control_method *method;

	*call = (struct control_call){.dispatch = dispatch, .peer = peer, .topics = topics};
	if (!json_is_object(request)) {
		refuse(call, RPC_INVALID_REQUEST, "a request must be an object");
	} else if (id && !json_is_string(id) && !json_is_number(id) && !json_is_null(id)) {
		refuse(call, RPC_INVALID_REQUEST, "id must be a string, a number or null");
	} else if (!version || strcmp(version, "2.0") != 0) {
		refuse(call, RPC_INVALID_REQUEST, "jsonrpc must be \"2.0\"");
		call->id = json_incref(id);
	} else if (!name) {
		refuse(call, RPC_INVALID_REQUEST, "method must be a string");
		call->id = json_incref(id);
	} else if (params && !json_is_object(params) && !json_is_array(params)) {
		refuse(call, RPC_INVALID_REQUEST, "params must be an object");
		call->id = json_incref(id);
	} else {
		call->id = json_incref(id);
		for (method = dispatch->methods; method->name; method++)
			if (strcmp(method->name, name) == 0)
				break;
		if (!method->name) {
			refuse(call, RPC_METHOD_NOT_FOUND, "no method %.40s", name);
		} else {
			call->method = method;
			run_handler(call, params);
		}
		return;
	}
	/* Not a request, hence not a notification either: the error is answered, to id null. */
	if (!call->id)
		call->id = json_null();
}

static json_t *
call_answer(struct control_call *call)
{
	json_t *answer = NULL;

	if (call->id && call->error)
		answer = json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0", "id", call->id, "error",
				   call->error);
	else if (call->id)
		answer = json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0", "id", call->id, "result",
				   call->result);
	return answer;
}

static void
call_drop(struct control_call *call)
{
	json_decref(call->id);
	json_decref(call->result);
	json_decref(call->error);
	*call = (struct control_call){0};
}

json_t *
rpc_error(json_t *id, int code, const char *message)
{
	return json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
			 id ? json_incref(id) : json_null(), "error", "code", code, "message",
			 message);
}

json_t *
task_begin(struct task *task, json_t *request)
{
	const char *wrong = NULL;

	*task = (struct task){0};
	if (json_is_array(request) && json_array_size(request) == 0)
		wrong = "empty batch";
	else if (json_is_array(request) && json_array_size(request) > CONTROL_BATCH_MAX)
		wrong = "too many requests in one batch";
	if (wrong) {
		json_decref(request);
		return rpc_error(NULL, RPC_INVALID_REQUEST, wrong);
	}
	task->request = request;
	return NULL;
}

bool
task_is_batch(const struct task *task)
{
	return json_is_array(task->request);
}

enum task_step
task_step(struct task *task, const struct dispatch *dispatch, const struct control_peer *peer,
	  uint32_t *topics, json_t **answer)
{
	size_t size = task_is_batch(task) ? json_array_size(task->request) : 1;
	struct control_call *call = &task->call;

	*answer = NULL;
	if (!task->calling) {
		if (!task->request || task->next == size) {
			task_drop(task);
			return TASK_END;
		}
		call_begin(call, dispatch, peer, topics,
			   task_is_batch(task) ? json_array_get(task->request, task->next)
					       : task->request);
		task->next++;
		task->calling = true;
	}
	if (call->done && !call->done(dispatch->arg, call->mark))
		return TASK_WAITS;
	*answer = call_answer(call);
	call_drop(call);
	task->calling = false;
	return TASK_ANSWER;
}

void
task_drop(struct task *task)
{
	if (task->calling)
		call_drop(&task->call);
	json_decref(task->request);
	*task = (struct task){0};
}
