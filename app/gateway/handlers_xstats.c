/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a device counts, under the names that its driver gives. */
#include <errno.h>
#include <stdlib.h>

#include <rte_ethdev.h>

#include "gateway.h"
#include "handlers.h"

/* Fill object with the device's n statistics. */
static int
add_xstats(json_t *object, uint16_t id, struct rte_eth_xstat_name *names,
	   struct rte_eth_xstat *values, int n)
{
	if (rte_eth_xstats_get_names(id, names, (unsigned)n) != n ||
	    rte_eth_xstats_get(id, values, (unsigned)n) != n)
		return -EIO;
	for (int i = 0; i < n; i++) {
		if (values[i].id < (uint64_t)n &&
		    json_object_set_new(object, names[values[i].id].name,
					json_integer((json_int_t)values[i].value)) != 0)
			return -ENOMEM;
	}
	return 0;
}

/* NULL without memory, or if the device fails. */
static json_t *
port_xstats(const struct gateway *gateway, unsigned id)
{
	int n = gateway->ports.devices ? rte_eth_xstats_get_names((uint16_t)id, NULL, 0) : 0;
	json_t *object = json_object();
	int rc = 0;

	if (n > 0) {
		struct rte_eth_xstat_name *names = calloc((size_t)n, sizeof(*names));
		struct rte_eth_xstat *values = calloc((size_t)n, sizeof(*values));

		rc = names && values ? add_xstats(object, (uint16_t)id, names, values, n) : -ENOMEM;
		free(names);
		free(values);
	}
	if (rc != 0) {
		json_decref(object);
		return NULL;
	}
	return json_pack("{s:i, s:o}", "port", (int)id, "xstats", object);
}

json_t *
handle_port_xstats(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	unsigned first;
	unsigned last;

	if (!handlers_ports(call, params, true, &first, &last))
		return NULL;
	json_t *list = json_array();

	for (unsigned id = first; id <= last; id++) {
		if (ports_get(&gateway->ports, id) == NULL ||
		    json_array_append_new(list, port_xstats(gateway, id)) == 0)
			continue;
		json_decref(list);
		return control_fail(call, EIO, "port %u: the device gave no statistics", id);
	}
	return handlers_result(call, json_pack("{s:o}", "ports", list));
}
