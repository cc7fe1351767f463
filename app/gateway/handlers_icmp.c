/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "gate/icmp.h"
#include "gateway.h"
#include "handlers.h"

/* *source stays NULL when it is to be off, or is not spoken of. */
static bool
read_source(struct control_call *call, const json_t *params, uint8_t address[16],
	    const uint8_t **source)
{
	const json_t *given = json_object_get(params, "source");
	const char *text;

	*source = NULL;
	if (given == NULL || json_is_null(given))
		return true;
	if (!control_param_string(call, params, "source", &text))
		return false;
	if (inet_pton(AF_INET6, text, address) != 1 || !gate_icmp_is_source(address)) {
		control_bad_params(call, "source: must be a unicast IPv6 address, or null");
		return false;
	}
	*source = address;
	return true;
}

json_t *
handle_icmp_set(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"source", "rate", NULL};
	const bool has_source = json_object_get(params, "source") != NULL;
	const bool has_rate = json_object_get(params, "rate") != NULL;
	struct gateway *gateway = control_arg(call);
	const uint64_t now = gateway->ports.devices ? drops_time().now : 0;
	uint8_t address[16];
	const uint8_t *source;
	uint64_t rate;

	if (!control_params_only(call, params, names) ||
	    !read_source(call, params, address, &source) ||
	    (has_rate && !control_param_uint(call, params, "rate", 1, BUCKET_RATE_MAX, &rate)))
		return NULL;
	if (!has_source && !has_rate)
		return control_bad_params(call, "nothing to set: give source or rate");
	if (has_rate)
		icmp_errors_set_rate(gateway, (uint32_t)rate, now);
	if (source != NULL)
		icmp_errors_set_source(gateway, source, now);
	else if (has_source)
		icmp_errors_off(gateway);
	drops_want(gateway);
	return handlers_result(call, json_object());
}

json_t *
handle_icmp_get(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	const struct icmp_errors *icmp = &gateway->drops.icmp;
	char text[INET6_ADDRSTRLEN] = "";

	if (!handlers_no_params(call, params))
		return NULL;
	inet_ntop(AF_INET6, icmp->source, text, sizeof(text));
	return handlers_result(call, json_pack("{s:o, s:I, s:I, s:I}", "source",
					       icmp->on ? json_string(text) : json_null(), "rate",
					       (json_int_t)icmp->bucket.rate, "sent",
					       (json_int_t)icmp_errors_sent(gateway), "limited",
					       (json_int_t)icmp_errors_limited(gateway)));
}
