/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show.h"

#include <string.h>

#include "gate/verdicts.h"

void
show_keys(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"id", "id", COLUMN_NUMBER, NULL},
		{"algorithm", "algorithm", COLUMN_TEXT, NULL},
		{"profile", "profile", COLUMN_TEXT, NULL},
		{"secret octets", "secret_length", COLUMN_NUMBER, NULL},
		{"fingerprint", "fingerprint", COLUMN_TEXT, NULL},
		{"state", "state", COLUMN_TEXT, NULL},
		{"verified", "verified", COLUMN_NUMBER, NULL},
		{"failed", "failed", COLUMN_NUMBER, NULL},
		{"inserted", "inserted", COLUMN_NUMBER, NULL},
		{"last used", "last_used_seconds", COLUMN_AGE, NULL},
		{"accept", "accept", COLUMN_WINDOW, NULL},
		{"send", "send", COLUMN_WINDOW, NULL},
		{0},
	};

	display_table(display, result, "keys", columns);
}

void
show_keys_rotated(struct display *display, const json_t *result)
{
	const json_t *ports = json_object_get(result, "ports");
	size_t i;
	json_t *port;

	if (display_json(display, result))
		return;
	json_array_foreach (ports, i, port)
		display_text(display, "port %" JSON_INTEGER_FORMAT, json_integer_value(port));
}

void
show_keys_loaded(struct display *display, const json_t *result)
{
	display_text(display, "%" JSON_INTEGER_FORMAT " keys",
		     json_integer_value(json_object_get(result, "keys")));
}

void
show_ports(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"port", "port", COLUMN_TEXT, NULL},
		{"  name", "name", COLUMN_TEXT, NULL},
		{"  driver", "driver", COLUMN_TEXT, NULL},
		{"  MAC address", "mac", COLUMN_TEXT, NULL},
		{"  NUMA node", "socket", COLUMN_TEXT, NULL},
		{"  link", "link", COLUMN_TEXT, NULL},
		{"  speed (Mbit/s)", "speed_mbps", COLUMN_TEXT, NULL},
		{"  MTU (octets)", "mtu", COLUMN_TEXT, NULL},
		{"  promiscuous", "promiscuous", COLUMN_TEXT, NULL},
		{"  receive queues", "rx_queues", COLUMN_TEXT, NULL},
		{"  transmit queues", "tx_queues", COLUMN_TEXT, NULL},
		{"  peer", "peer", COLUMN_TEXT, NULL},
		{"  verify", "verify", COLUMN_TEXT, NULL},
		{"  strip", "strip", COLUMN_TEXT, NULL},
		{"  insert key", "insert", COLUMN_OFF, NULL},
		{0},
	};
	const json_t *ports = json_object_get(result, "ports");
	size_t i;
	json_t *port;

	if (display_json(display, result))
		return;
	if (json_array_size(ports) == 0)
		display_text(display, "no ports");
	json_array_foreach (ports, i, port)
		display_fields(display, port, NULL, columns);
}

#define X(symbol, name, help) {name, name, COLUMN_PACKETS, help},
static const struct column counted[] = {GATE_EVENTS(X) GATE_PASSES(X){0}};
static const struct column dropped[] = {GATE_DROPS(X){0}};
#undef X

static void
show_counters(struct display *display, const json_t *now, const json_t *before)
{
	const json_t *drops = json_object_get(now, "drops");
	json_int_t sum = 0;
	const char *name;
	json_t *value;

	display_fields(display, now, before, counted);
	json_object_foreach ((json_t *)drops, name, value)
		sum += json_integer_value(value);
	display_text(display, "drops: %" JSON_INTEGER_FORMAT " packets", sum);
	display_fields(display, drops, json_object_get(before, "drops"), dropped);
}

static void
show_interval(struct display *display)
{
	if (display->before)
		display_text(display, "rates over the last %.1f seconds", display->seconds);
}

void
show_stats(struct display *display, const json_t *result)
{
	if (display_json(display, result))
		return;
	show_counters(display, result, display->before);
	show_interval(display);
}

/* What the port was like before. */
static const json_t *
port_before(const struct display *display, const json_t *port)
{
	const json_t *ports = json_object_get(display->before, "ports");
	size_t i;
	json_t *before;

	json_array_foreach (ports, i, before)
		if (json_equal(json_object_get(before, "port"), json_object_get(port, "port")))
			return before;
	return NULL;
}

void
show_port_stats(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"ipackets", "ipackets", COLUMN_PACKETS, "packets received"},
		{"opackets", "opackets", COLUMN_PACKETS, "packets sent"},
		{"ibytes", "ibytes", COLUMN_OCTETS, "octets received"},
		{"obytes", "obytes", COLUMN_OCTETS, "octets sent"},
		{"imissed", "imissed", COLUMN_PACKETS,
		 "packets the receive queues had no room for"},
		{"ierrors", "ierrors", COLUMN_PACKETS, "packets received with errors"},
		{"oerrors", "oerrors", COLUMN_PACKETS, "packets that could not be sent"},
		{"rx_nombuf", "rx_nombuf", COLUMN_NUMBER, "times no packet buffer was free"},
		{0},
	};
	const json_t *ports = json_object_get(result, "ports");
	const json_t *before;
	size_t i;
	json_t *port;

	if (display_json(display, result))
		return;
	if (json_array_size(ports) == 0)
		display_text(display, "no ports");
	json_array_foreach (ports, i, port) {
		if (i > 0)
			display_text(display, "%s", "");
		display_text(display, "port %" JSON_INTEGER_FORMAT,
			     json_integer_value(json_object_get(port, "port")));
		before = port_before(display, port);
		display_fields(display, port, before, columns);
		display_text(display, "judged");
		show_counters(display, json_object_get(port, "gate"),
			      json_object_get(before, "gate"));
	}
	show_interval(display);
}

void
show_port_xstats(struct display *display, const json_t *result)
{
	const json_t *ports = json_object_get(result, "ports");
	const char *name;
	json_t *port, *value;
	size_t i;

	if (display_json(display, result))
		return;
	if (json_array_size(ports) == 0)
		display_text(display, "no ports");
	json_array_foreach (ports, i, port) {
		display_text(display, "port %" JSON_INTEGER_FORMAT,
			     json_integer_value(json_object_get(port, "port")));
		json_object_foreach (json_object_get(port, "xstats"), name, value)
			display_text(display, "  %s: %" JSON_INTEGER_FORMAT, name,
				     json_integer_value(value));
	}
}

void
show_sids(struct display *display, const json_t *result)
{
	const json_t *sids = json_object_get(result, "sids");
	size_t i;
	json_t *sid;

	if (display_json(display, result))
		return;
	if (json_array_size(sids) == 0)
		display_text(display, "no sids: every SRH is judged");
	json_array_foreach (sids, i, sid)
		display_text(display, "%s", json_string_value(sid));
}

void
show_version(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"segseal", "version", COLUMN_TEXT, NULL},
		{"DPDK", "dpdk", COLUMN_TEXT, NULL},
		{"IPsec-MB", "ipsec_mb", COLUMN_TEXT, NULL},
		{0},
	};

	display_fields(display, result, NULL, columns);
}

void
show_engine(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"algorithm", "algorithm", COLUMN_TEXT, NULL},
		{"hash blocks", "blocks", COLUMN_NUMBER, NULL},
		{"jobs in hand", "jobs", COLUMN_NUMBER, NULL},
		{"manager", "manager", COLUMN_TEXT, NULL},
		{"taken at once", "take", COLUMN_NUMBER, NULL},
		{"cycles for them", "cycles", COLUMN_NUMBER, NULL},
		{0},
	};
	const json_t *managers = json_object_get(result, "managers");
	size_t i;
	json_t *manager;

	if (display_json(display, result))
		return;
	json_array_foreach (managers, i, manager)
		display_text(display, "manager %zu: %s", i,
			     json_is_string(manager) ? json_string_value(manager) : "?");
	display_table(display, result, "choices", columns);
}

void
show_config_fwd(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"port", "port", COLUMN_NUMBER, NULL},
		{"peer", "peer", COLUMN_NUMBER, NULL},
		{"verify", "verify", COLUMN_TEXT, NULL},
		{"strip", "strip", COLUMN_TEXT, NULL},
		{"insert key", "insert", COLUMN_OFF, NULL},
		{"name", "name", COLUMN_TEXT, NULL},
		{0},
	};

	display_table(display, result, "ports", columns);
}

void
show_config_rxtx(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"port", "port", COLUMN_NUMBER, NULL},
		{"receive queues", "rx_queues", COLUMN_NUMBER, NULL},
		{"transmit queues", "tx_queues", COLUMN_NUMBER, NULL},
		{"MTU", "mtu", COLUMN_NUMBER, NULL},
		{"promiscuous", "promiscuous", COLUMN_TEXT, NULL},
		{"NUMA", "socket", COLUMN_NUMBER, NULL},
		{"name", "name", COLUMN_TEXT, NULL},
		{0},
	};

	display_table(display, result, "ports", columns);
}

void
show_config_cores(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"lcore", "lcore", COLUMN_NUMBER, NULL},
		{"worker", "worker", COLUMN_NUMBER, NULL},
		{"NUMA", "socket", COLUMN_NUMBER, NULL},
		{"port:queue", "queues", COLUMN_QUEUES, NULL},
		{0},
	};

	display_table(display, result, "workers", columns);
}
