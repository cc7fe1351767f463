/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include <rte_ethdev.h>

#include "gateway.h"
#include "handlers.h"

static const char *const verify_words[] = {
	[GATE_VERIFY_OFF] = "off",
	[GATE_VERIFY_IF_PRESENT] = "if-present",
	[GATE_VERIFY_REQUIRE] = "require",
	NULL,
};

/* What a port.set asks for, read and checked before any of it is done. */
struct wanted {
	unsigned id;
	bool has_peer, has_mtu, has_promiscuous, has_gate;
	unsigned peer;
	uint32_t mtu;
	bool promiscuous;
	struct gate_port gate; /* as it will be */
};

static bool
has(const json_t *params, const char *name)
{
	return json_object_get(params, name) != NULL;
}

static bool
read_port(struct control_call *call, const json_t *params, const char *name, unsigned *id)
{
	struct gateway *gateway = control_arg(call);
	uint64_t value;

	if (!control_param_uint(call, params, name, 0, UINT16_MAX, &value))
		return false;
	*id = (unsigned)value;
	if (ports_get(&gateway->ports, *id) != NULL)
		return true;
	control_fail(call, ENODEV, "no port %u", *id);
	return false;
}

static bool
read_gate(struct control_call *call, const json_t *params, struct wanted *wanted)
{
	unsigned word;
	uint64_t key;

	if (has(params, "verify")) {
		if (!control_param_word(call, params, "verify", verify_words, &word))
			return false;
		wanted->gate.verify = (enum gate_verify)word;
	}
	if (has(params, "strip") && !control_param_bool(call, params, "strip", &wanted->gate.strip))
		return false;
	if (json_is_null(json_object_get(params, "insert"))) {
		wanted->gate.insert_key = 0;
	} else if (has(params, "insert")) {
		if (!control_param_uint(call, params, "insert", 1, UINT32_MAX, &key))
			return false;
		wanted->gate.insert_key = (uint32_t)key;
	}
	wanted->has_gate = has(params, "verify") || has(params, "strip") || has(params, "insert");
	return true;
}

static bool
read_device(struct control_call *call, const json_t *params, struct wanted *wanted)
{
	struct gateway *gateway = control_arg(call);
	char error[CONTROL_ERROR_MAX];
	uint64_t mtu;

	wanted->has_peer = has(params, "peer");
	wanted->has_mtu = has(params, "mtu");
	wanted->has_promiscuous = has(params, "promiscuous");
	if (wanted->has_peer && !read_port(call, params, "peer", &wanted->peer))
		return false;
	if (wanted->has_promiscuous &&
	    !control_param_bool(call, params, "promiscuous", &wanted->promiscuous))
		return false;
	if (!wanted->has_mtu)
		return true;
	if (!control_param_uint(call, params, "mtu", PORTS_MTU_MIN, PORTS_MTU_MAX, &mtu))
		return false;
	wanted->mtu = (uint32_t)mtu;
	if (ports_mtu_check(&gateway->ports, wanted->id, wanted->mtu, error, sizeof(error)) == 0)
		return true;
	control_fail(call, EINVAL, "%s", error);
	return false;
}

/* Some devices take a new MTU only while they are stopped. */
static int
set_mtu(struct gateway *gateway, unsigned id, uint32_t mtu)
{
	int rc = ports_mtu_set(&gateway->ports, id, mtu);

	if (rc != -EBUSY)
		return rc;
	rc = gateway_pause(gateway);
	if (rc != 0)
		return rc;
	rc = rte_eth_dev_stop((uint16_t)id);
	if (rc == 0) {
		rc = ports_mtu_set(&gateway->ports, id, mtu);
		int started = rte_eth_dev_start((uint16_t)id);

		rc = rc != 0 ? rc : started;
	}
	gateway_resume(gateway);
	return rc;
}

static json_t *
fail_mtu(struct control_call *call, const struct wanted *wanted, int rc)
{
	const struct gateway *gateway = control_arg(call);

	if (rc == -ENOBUFS)
		return control_fail(call, ENOTSUP,
				    "port %u: mtu: the packet buffers are made for %u octets: set "
				    "it in the configuration file and start anew",
				    wanted->id, gateway->ports.room);
	return control_fail(call, rc == -ETIMEDOUT ? EBUSY : -rc, "port %u: mtu: %s", wanted->id,
			    strerror(-rc));
}

/* What can fail comes first, and is undone when what follows fails. */
static json_t *
apply(struct control_call *call, const struct wanted *wanted)
{
	struct gateway *gateway = control_arg(call);
	const struct port before = gateway->ports.port[wanted->id];
	int rc;

	if (wanted->has_mtu) {
		rc = set_mtu(gateway, wanted->id, wanted->mtu);
		if (rc != 0)
			return fail_mtu(call, wanted, rc);
	}
	if (wanted->has_promiscuous) {
		rc = ports_promiscuous_set(&gateway->ports, wanted->id, wanted->promiscuous);
		if (rc != 0) {
			if (wanted->has_mtu)
				(void)set_mtu(gateway, wanted->id, before.mtu);
			return control_fail(call, -rc, "port %u: promiscuous: %s", wanted->id,
					    strerror(-rc));
		}
	}
	if (wanted->has_peer) {
		rc = gateway_pair(gateway, wanted->id, wanted->peer, &wanted->gate);
		if (rc != 0) {
			if (wanted->has_promiscuous)
				(void)ports_promiscuous_set(&gateway->ports, wanted->id,
							    before.promiscuous);
			if (wanted->has_mtu)
				(void)set_mtu(gateway, wanted->id, before.mtu);
			return control_fail(call, rc == -ETIMEDOUT ? EBUSY : -rc,
					    "port %u: peer: %s", wanted->id,
					    rc == -ETIMEDOUT ? "a worker does not respond"
							     : strerror(-rc));
		}
	} else if (wanted->has_gate) {
		(void)gate_port_set(gateway->gate, (uint16_t)wanted->id, &wanted->gate);
	}
	if (wanted->has_mtu)
		ports_limit(&gateway->ports, gateway->gate);
	return handlers_result(call, json_object());
}

json_t *
handle_port_set(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"port",   "peer", "verify",	     "strip",
					    "insert", "mtu",  "promiscuous", NULL};
	struct gateway *gateway = control_arg(call);
	struct wanted wanted = {0};

	if (!control_params_only(call, params, names) ||
	    !read_port(call, params, "port", &wanted.id))
		return NULL;
	int rc = gate_port_get(gateway->gate, (uint16_t)wanted.id, &wanted.gate);

	if (rc != 0)
		return control_fail(call, -rc, "port %u: %s", wanted.id, strerror(-rc));
	if (!read_gate(call, params, &wanted) || !read_device(call, params, &wanted))
		return NULL;
	if (!wanted.has_gate && !wanted.has_peer && !wanted.has_mtu && !wanted.has_promiscuous)
		return control_bad_params(call, "nothing to set: give at least one setting");
	return apply(call, &wanted);
}

static json_t *
port_info(const struct gateway *gateway, unsigned id)
{
	const struct port *port = &gateway->ports.port[id];
	const struct port_link link = ports_link(&gateway->ports, id);
	struct rte_ether_addr mac = {0};
	char mac_text[RTE_ETHER_ADDR_FMT_SIZE];
	struct gate_port gate = {0};

	if (gateway->ports.devices)
		(void)rte_eth_macaddr_get((uint16_t)id, &mac);
	rte_ether_format_addr(mac_text, sizeof(mac_text), &mac);
	(void)gate_port_get(gateway->gate, (uint16_t)id, &gate);

	return json_pack(
		"{s:i, s:s, s:s, s:s, s:i, s:s, s:I, s:I, s:b, s:i, s:i, s:o, s:s, s:b, s:o}",
		"port", (int)id, "name", port->name, "driver", port->driver, "mac", mac_text,
		"socket", port->socket, "link", link.up ? "up" : "down", "speed_mbps",
		(json_int_t)link.mbps, "mtu", (json_int_t)port->mtu, "promiscuous",
		port->promiscuous, "rx_queues", (int)port->rx_queues, "tx_queues",
		(int)port->tx_queues, "peer",
		port->peer >= 0 ? json_integer(port->peer) : json_null(), "verify",
		verify_words[gate.verify], "strip", gate.strip, "insert",
		gate.insert_key != 0 ? json_integer(gate.insert_key) : json_null());
}

json_t *
handle_port_list(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);
	unsigned first;
	unsigned last;

	if (!handlers_ports(call, params, false, &first, &last))
		return NULL;
	json_t *list = json_array();

	for (unsigned id = first; id <= last; id++)
		if (ports_get(&gateway->ports, id) != NULL &&
		    json_array_append_new(list, port_info(gateway, id)) != 0) {
			json_decref(list);
			return handlers_result(call, NULL);
		}
	return handlers_result(call, json_pack("{s:o}", "ports", list));
}
