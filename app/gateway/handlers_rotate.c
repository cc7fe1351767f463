/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "gateway.h"
#include "handlers.h"

/* For control_later(): every worker has begun a burst since mark was made. */
static bool
is_quiescent(void *arg, uint64_t mark)
{
	struct gateway *gateway = arg;

	return rte_rcu_qsbr_check(gateway->rcu, mark, false) != 0;
}

json_t *
handlers_when_quiescent(struct control_call *call, json_t *result)
{
	const struct gateway *gateway = control_arg(call);

	if (result == NULL)
		return handlers_result(call, NULL);
	return control_later(call, is_quiescent, rte_rcu_qsbr_start(gateway->rcu), result);
}

/* False after the call has failed. */
static bool
can_send(struct control_call *call, uint32_t id)
{
	const struct gateway *gateway = control_arg(call);
	struct keyring_info info;

	if (keyring_info(gateway->keyring, id, &info) != 0) {
		control_fail(call, ENOENT, "no key %u", id);
		return false;
	}
	if (info.state != KEYRING_SENDING) {
		control_fail(call, EKEYREJECTED, "key %u: its send window is not open: it is %s",
			     id, keyring_state_name(info.state));
		return false;
	}
	return true;
}

/* Move the ports; the list of their numbers. */
static json_t *
rotate(struct gateway *gateway, uint32_t from, uint32_t to)
{
	json_t *moved = json_array();

	for (unsigned id = 0; id < GATE_PORTS_MAX; id++) {
		struct gate_port settings;

		if (ports_get(&gateway->ports, id) == NULL ||
		    gate_port_get(gateway->gate, (uint16_t)id, &settings) != 0 ||
		    settings.insert_key != from)
			continue;
		settings.insert_key = to;
		/* Settings that were in force but for a Key ID: cannot fail. */
		(void)gate_port_set(gateway->gate, (uint16_t)id, &settings);
		json_array_append_new(moved, json_integer(id));
	}
	return moved;
}

json_t *
handle_key_rotate(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"old", "new", NULL};
	struct gateway *gateway = control_arg(call);
	uint64_t from, to;
	json_t *moved;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "old", 1, UINT32_MAX, &from) ||
	    !control_param_uint(call, params, "new", 1, UINT32_MAX, &to) ||
	    !can_send(call, (uint32_t)to))
		return NULL;
	moved = rotate(gateway, (uint32_t)from, (uint32_t)to);
	if (json_array_size(moved) == 0) {
		json_decref(moved);
		return control_fail(call, ENOENT, "no port inserts with key %u", (unsigned)from);
	}
	return handlers_when_quiescent(call, json_pack("{s:o}", "ports", moved));
}
