/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include <intel-ipsec-mb.h>
#include <rte_version.h>

#include "gateway.h"
#include "handlers.h"

static json_t *
forward(struct control_call *call, const json_t *params, bool on)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	if (gateway_forward(gateway, on) != 0)
		return control_fail(call, EBUSY, "a worker does not respond");
	return handlers_result(call, json_pack("{s:b}", "running", on));
}

json_t *
handle_start(struct control_call *call, const json_t *params)
{
	return forward(call, params, true);
}

json_t *
handle_stop(struct control_call *call, const json_t *params)
{
	return forward(call, params, false);
}

json_t *
handle_quit(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	gateway->quit = true;
	return handlers_result(call, json_object());
}

json_t *
handle_version(struct control_call *call, const json_t *params)
{
	if (!handlers_no_params(call, params))
		return NULL;
	return handlers_result(call,
			       json_pack("{s:s, s:s, s:s, s:[s, s, s, s, s, s, s, s, s, s, s]}",
					 "version", SEGSEAL_VERSION, "dpdk", rte_version(),
					 "ipsec_mb", imb_get_version_str(), "capabilities", "keys",
					 "ports", "sids", "stats", "workers", "engine", "icmp",
					 "log", "trace", "capture", "events"));
}
