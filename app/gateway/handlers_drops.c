/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be told of dropped packets: log, trace, capture. */
#include <errno.h>

#include "gateway.h"
#include "handlers.h"

#define LIMIT_MAX 1000000000u

static bool
has(const json_t *params, const char *name)
{
	return json_object_get(params, name) != NULL;
}

static bool
read_reason(struct control_call *call, const json_t *params, int *reason)
{
	const char *names[GATE_VERDICT_COUNT - GATE_FIRST_DROP + 1] = {NULL};
	unsigned index;

	for (unsigned v = GATE_FIRST_DROP; v < GATE_VERDICT_COUNT; v++)
		names[v - GATE_FIRST_DROP] = gate_verdict_name(v);
	if (!control_param_word(call, params, "reason", names, &index))
		return false;
	*reason = (int)(GATE_FIRST_DROP + index);
	return true;
}

static bool
read_filter(struct control_call *call, const json_t *params, struct drop_filter *filter)
{
	struct gateway *gateway = control_arg(call);
	uint64_t value;

	*filter = (struct drop_filter){.reason = -1, .port = -1};
	if (has(params, "reason") && !read_reason(call, params, &filter->reason))
		return false;
	if (has(params, "key")) {
		if (!control_param_uint(call, params, "key", 1, UINT32_MAX, &value))
			return false;
		filter->key_id = (uint32_t)value;
	}
	if (!has(params, "port"))
		return true;
	if (!control_param_uint(call, params, "port", 0, UINT16_MAX, &value))
		return false;
	if (ports_get(&gateway->ports, (unsigned)value) == NULL) {
		control_fail(call, ENODEV, "no port %u", (unsigned)value);
		return false;
	}
	filter->port = (int)value;
	return true;
}

static json_t *
reason_json(const struct drop_filter *filter)
{
	return filter->reason >= 0
		       ? json_string(gate_verdict_name((enum gate_verdict)filter->reason))
		       : json_null();
}

json_t *
handle_log_set(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"drops", NULL};
	struct gateway *gateway = control_arg(call);
	bool on;

	if (!control_params_only(call, params, names) ||
	    !control_param_bool(call, params, "drops", &on))
		return NULL;
	drop_log_set(gateway, on && gateway->ports.devices, drops_time().now);
	drops_want(gateway);
	return handlers_result(call, json_object());
}

json_t *
handle_log_get(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	return handlers_result(call, json_pack("{s:b, s:i}", "drops", gateway->drops.log.on, "rate",
					       (int)DROP_LOG_RATE));
}

json_t *
handle_trace_add(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"count", "reason", "port", "key", NULL};
	struct gateway *gateway = control_arg(call);
	struct drop_filter filter;
	uint64_t n;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "count", 1, TRACE_MAX, &n) ||
	    !read_filter(call, params, &filter))
		return NULL;
	trace_add(&gateway->drops.trace, (unsigned)n, &filter);
	drops_want(gateway);
	return handlers_result(call, json_object());
}

json_t *
handle_trace_clear(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	trace_clear(&gateway->drops.trace);
	drops_want(gateway);
	return handlers_result(call, json_object());
}

json_t *
handle_trace_get(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	const struct trace *trace = &gateway->drops.trace;

	if (!handlers_no_params(call, params))
		return NULL;
	return handlers_result(
		call, json_pack("{s:i, s:o}", "waiting", (int)trace->waiting, "packets",
				trace->packets != NULL ? json_copy(trace->packets) : json_array()));
}

json_t *
handle_capture_start(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"path", "reason", "limit", NULL};
	struct gateway *gateway = control_arg(call);
	char error[CONTROL_ERROR_MAX];
	struct drop_filter filter;
	uint64_t limit = 0;
	const char *path;

	if (!control_params_only(call, params, names) ||
	    !control_param_string(call, params, "path", &path) ||
	    !read_filter(call, params, &filter) ||
	    (has(params, "limit") &&
	     !control_param_uint(call, params, "limit", 1, LIMIT_MAX, &limit)))
		return NULL;
	if (path[0] != '/')
		return control_bad_params(call, "path: must be absolute");
	int rc = drop_capture_start(gateway, path, &filter, limit, error, sizeof(error));

	if (rc != 0)
		return control_fail(call, -rc, "%s", error);
	drops_want(gateway);
	return handlers_result(call, json_object());
}

static json_t *
capture_state(const struct gateway *gateway)
{
	const struct drop_capture *capture = &gateway->drops.capture;

	return json_pack(
		"{s:b, s:o, s:o, s:o, s:I, s:I}", "running", capture->file != NULL, "path",
		capture->path != NULL ? json_string(capture->path) : json_null(), "reason",
		capture->path != NULL ? reason_json(&capture->filter) : json_null(), "limit",
		capture->limit != 0 ? json_integer((json_int_t)capture->limit) : json_null(),
		"packets", (json_int_t)capture->packets, "missed",
		(json_int_t)drop_capture_missed(gateway));
}

json_t *
handle_capture_stop(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	if (gateway->drops.capture.file == NULL)
		return control_fail(call, ENOENT, "no capture is running");
	(void)drops_poll(gateway); /* what was dropped before this was said */
	drop_capture_stop(gateway);
	drops_want(gateway);
	return handlers_result(call, capture_state(gateway));
}

json_t *
handle_capture_get(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	return handlers_result(call, capture_state(gateway));
}
