/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of methods, and what their handlers share. */
#include <errno.h>
#include <string.h>

#include "gateway.h"
#include "handlers.h"

const struct control_method gateway_methods[] = {
	{"key.add", handle_key_add, true},
	{"key.set", handle_key_set, true},
	{"key.del", handle_key_del, true},
	{"key.load", handle_key_load, true},
	{"key.rotate", handle_key_rotate, true},
	{"key.window", handle_key_window, true},
	{"key.show-secret", handle_key_show_secret, true},
	{"key.list", handle_key_list, false},
	{"port.set", handle_port_set, true},
	{"port.list", handle_port_list, false},
	{"port.stats", handle_port_stats, false},
	{"port.stats.clear", handle_port_stats_clear, true},
	{"port.xstats", handle_port_xstats, false},
	{"sid.add", handle_sid_add, true},
	{"sid.del", handle_sid_del, true},
	{"sid.list", handle_sid_list, false},
	{"stats.get", handle_stats_get, false},
	{"stats.clear", handle_stats_clear, true},
	{"icmp.set", handle_icmp_set, true},
	{"icmp.get", handle_icmp_get, false},
	{"log.set", handle_log_set, true},
	{"log.get", handle_log_get, false},
	{"trace.add", handle_trace_add, true},
	{"trace.clear", handle_trace_clear, true},
	{"trace.get", handle_trace_get, false},
	{"capture.start", handle_capture_start, true},
	{"capture.stop", handle_capture_stop, true},
	{"capture.get", handle_capture_get, false},
	{"events.subscribe", handle_events_subscribe, false},
	{"events.unsubscribe", handle_events_unsubscribe, false},
	{"events.list", handle_events_list, false},
	{"events.set", handle_events_set, true},
	{"start", handle_start, true},
	{"stop", handle_stop, true},
	{"quit", handle_quit, true},
	{"version", handle_version, false},
	{"engine.get", handle_engine_get, false},
	{"worker.list", handle_worker_list, false},
	{"worker.set", handle_worker_set, true},
	{NULL, NULL, false},
};

bool
handlers_no_params(struct control_call *call, const json_t *params)
{
	static const char *const none[] = {NULL};

	return control_params_only(call, params, none);
}

bool
handlers_ports(struct control_call *call, const json_t *params, bool word, unsigned *first,
	       unsigned *last)
{
	static const char *const names[] = {"port", NULL};
	struct gateway *gateway = control_arg(call);
	const json_t *port = json_object_get(params, "port");
	uint64_t id;

	if (!control_params_only(call, params, names))
		return false;
	if (port == NULL ||
	    (word && json_is_string(port) && !strcmp(json_string_value(port), "all"))) {
		*first = 0;
		*last = GATE_PORTS_MAX - 1;
		return true;
	}
	if (!control_param_uint(call, params, "port", 0, UINT16_MAX, &id))
		return false;
	if (ports_get(&gateway->ports, (unsigned)id) == NULL) {
		control_fail(call, ENODEV, "no port %u", (unsigned)id);
		return false;
	}
	*first = (unsigned)id;
	*last = (unsigned)id;
	return true;
}

json_t *
handlers_result(struct control_call *call, json_t *result)
{
	return result != NULL ? result : control_fail(call, ENOMEM, "no memory for the answer");
}
