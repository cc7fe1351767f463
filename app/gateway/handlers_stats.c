/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_ethdev.h>

#include "counters.h"
#include "gateway.h"
#include "handlers.h"

json_t *
handle_stats_get(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	gateway_count(gateway);
	const struct gate_counters sum = gateway_all_counters(gateway);

	json_t *stats = counters_json(&sum);

	if (icmp_errors_used(gateway) &&
	    json_object_set_new(stats, "icmp", icmp_errors_json(gateway)) != 0) {
		json_decref(stats);
		stats = NULL;
	}
	return handlers_result(call, stats);
}

json_t *
handle_stats_clear(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	gateway_count(gateway);
	for (unsigned id = 0; id < GATE_PORTS_MAX; id++)
		gateway_clear_port(gateway, id);
	gateway_clear_load(gateway);
	icmp_errors_clear(gateway);
	return handlers_result(call, json_object());
}

static json_t *
port_stats(const struct gateway *gateway, unsigned id)
{
	const struct gate_counters counters = gateway_port_counters(gateway, id);
	struct rte_eth_stats stats = {0};

	if (gateway->ports.devices)
		(void)rte_eth_stats_get((uint16_t)id, &stats);
	json_t *gate = counters_json(&counters);

	if (gate == NULL)
		return NULL;
	return json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "port", (int)id,
			 "ipackets", (json_int_t)stats.ipackets, "opackets",
			 (json_int_t)stats.opackets, "ibytes", (json_int_t)stats.ibytes, "obytes",
			 (json_int_t)stats.obytes, "imissed", (json_int_t)stats.imissed, "ierrors",
			 (json_int_t)stats.ierrors, "oerrors", (json_int_t)stats.oerrors,
			 "rx_nombuf", (json_int_t)stats.rx_nombuf, "gate", gate);
}

json_t *
handle_port_stats(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	unsigned first;
	unsigned last;

	if (!handlers_ports(call, params, true, &first, &last))
		return NULL;
	json_t *list = json_array();

	gateway_count(gateway);
	for (unsigned id = first; id <= last; id++)
		if (ports_get(&gateway->ports, id) != NULL &&
		    json_array_append_new(list, port_stats(gateway, id)) != 0) {
			json_decref(list);
			return handlers_result(call, NULL);
		}
	return handlers_result(call, json_pack("{s:o}", "ports", list));
}

json_t *
handle_port_stats_clear(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	unsigned first;
	unsigned last;

	if (!handlers_ports(call, params, true, &first, &last))
		return NULL;
	gateway_count(gateway);
	for (unsigned id = first; id <= last; id++) {
		if (ports_get(&gateway->ports, id) == NULL)
			continue;
		gateway_clear_port(gateway, id);
		if (!gateway->ports.devices)
			continue;
		(void)rte_eth_stats_reset((uint16_t)id);
		(void)rte_eth_xstats_reset((uint16_t)id);
	}
	return handlers_result(call, json_object());
}
