/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gateway.h"
#include "handlers.h"

#define PREFIX_TEXT (INET6_ADDRSTRLEN + 4) /* with "/128" */

/* "fc00::/16"; no default length, which would be a guess. */
static bool
parse_prefix(const char *text, uint8_t prefix[16], uint8_t *depth)
{
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	unsigned length = 0;
	unsigned digits = 0;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(address))
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	if (inet_pton(AF_INET6, address, prefix) != 1)
		return false;
	for (const char *p = slash + 1; *p != '\0'; p++, digits++) {
		if (*p < '0' || *p > '9' || digits == 3)
			return false;
		length = length * 10 + (unsigned)(*p - '0');
	}
	if (digits == 0 || length > 128)
		return false;
	*depth = (uint8_t)length;
	return true;
}

static bool
read_prefix(struct control_call *call, const json_t *params, uint8_t prefix[16], uint8_t *depth,
	    const char **text)
{
	static const char *const names[] = {"prefix", NULL};

	if (!control_params_only(call, params, names) ||
	    !control_param_string(call, params, "prefix", text))
		return false;
	if (parse_prefix(*text, prefix, depth))
		return true;
	control_bad_params(call, "prefix: must be like fc00::/16, with a length of 0 to 128");
	return false;
}

json_t *
handle_sid_add(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	uint8_t prefix[16];
	uint8_t depth;
	const char *text;

	if (!read_prefix(call, params, prefix, &depth, &text))
		return NULL;
	int rc = gate_sid_add(gateway->gate, prefix, depth);

	switch (rc) {
	case 0:
		return handlers_result(call, json_object());
	case -EINVAL:
		return control_bad_params(call, "prefix: %s has bits set behind its length", text);
	case -EEXIST:
		return control_fail(call, EEXIST, "%s is there already", text);
	case -ENOSPC:
		return control_fail(call, ENOSPC, "the table is full");
	default:
		return control_fail(call, -rc, "%s: %s", text, strerror(-rc));
	}
}

json_t *
handle_sid_del(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	uint8_t prefix[16];
	uint8_t depth;
	const char *text;

	if (!read_prefix(call, params, prefix, &depth, &text))
		return NULL;
	int rc = gate_sid_del(gateway->gate, prefix, depth);

	switch (rc) {
	case 0:
		return handlers_result(call, json_object());
	case -EINVAL:
		return control_bad_params(call, "prefix: %s has bits set behind its length", text);
	case -ENOENT:
		return control_fail(call, ENOENT, "no prefix %s", text);
	default:
		return control_fail(call, -rc, "%s: %s", text, strerror(-rc));
	}
}

static int
list_prefix(const uint8_t prefix[16], uint8_t depth, void *arg)
{
	char address[INET6_ADDRSTRLEN];
	char text[PREFIX_TEXT];

	inet_ntop(AF_INET6, prefix, address, sizeof(address));
	snprintf(text, sizeof(text), "%s/%u", address, depth);
	return json_array_append_new(arg, json_string(text));
}

json_t *
handle_sid_list(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	json_t *sids = json_array();

	if (gate_sid_each(gateway->gate, list_prefix, sids) != 0) {
		json_decref(sids);
		return handlers_result(call, NULL);
	}
	return handlers_result(call, json_pack("{s:o}", "sids", sids));
}
