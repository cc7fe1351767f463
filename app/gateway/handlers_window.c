/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "gateway.h"
#include "handlers.h"
#include "key_timer.h"

/* An optional member of a window. */
static bool
read_instant(struct control_call *call, const json_t *object, const char *window, const char *end,
	     int64_t *instant)
{
	const json_t *member = json_object_get(object, end);

	*instant = 0;
	if (member == NULL || json_is_null(member))
		return true;
	if (json_is_string(member) &&
	    keyring_instant_parse(json_string_value(member), json_string_length(member),
				  keyring_clock_real(), instant) == 0)
		return true;
	control_bad_params(call,
			   "%s: %s: must be null or like \"2026-12-01T06:00:00Z\", \"+30s\", "
			   "\"+10m\", \"+2h\", \"+7d\"",
			   window, end);
	return false;
}

bool
handlers_window(struct control_call *call, const json_t *params, const char *name,
		struct keyring_window *window)
{
	const json_t *object = json_object_get(params, name);
	const char *member, *wrong;
	json_t *value;

	*window = (struct keyring_window){0};
	if (object == NULL || json_is_null(object))
		return true;
	if (!json_is_object(object)) {
		control_bad_params(call, "%s: must be an object with from and to", name);
		return false;
	}
	json_object_foreach ((json_t *)object, member, value) {
		if (strcmp(member, "from") != 0 && strcmp(member, "to") != 0) {
			control_bad_params(call, "%s: has members other than from and to", name);
			return false;
		}
	}
	if (!read_instant(call, object, name, "from", &window->from) ||
	    !read_instant(call, object, name, "to", &window->to))
		return false;
	wrong = keyring_window_check(window);
	if (wrong != NULL)
		control_bad_params(call, "%s: %s", name, wrong);
	return wrong == NULL;
}

/* A window that is not given stays as it is. False after the call has failed. */
static bool
read_life(struct control_call *call, const json_t *params, struct keyring_life *life)
{
	if (json_object_get(params, "accept") == NULL && json_object_get(params, "send") == NULL) {
		control_bad_params(call, "accept: give accept, send or both");
		return false;
	}
	return (json_object_get(params, "accept") == NULL ||
		handlers_window(call, params, "accept", &life->accept)) &&
	       (json_object_get(params, "send") == NULL ||
		handlers_window(call, params, "send", &life->send));
}

json_t *
handle_key_window(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"id", "accept", "send", NULL};
	struct gateway *gateway = control_arg(call);
	struct keyring_info info;
	enum keyring_state before;
	uint64_t id;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "id", 1, UINT32_MAX, &id))
		return NULL;
	if (keyring_info(gateway->keyring, (uint32_t)id, &info) != 0)
		return control_fail(call, ENOENT, "no key %u", (unsigned)id);
	if (!read_life(call, params, &info.life))
		return NULL;
	before = info.state;
	/* The key is there and the windows are checked: these cannot fail. */
	(void)keyring_live(gateway->keyring, (uint32_t)id, &info.life);
	(void)keyring_info(gateway->keyring, (uint32_t)id, &info);
	if (gateway->launched && info.state != before)
		key_timer_say(gateway, (uint32_t)id, info.state);
	return handlers_when_quiescent(call, json_pack("{s:I, s:s}", "id", (json_int_t)id, "state",
						       keyring_state_name(info.state)));
}
