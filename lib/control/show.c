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
		{"verified", "verified", COLUMN_NUMBER, NULL},
		{"failed", "failed", COLUMN_NUMBER, NULL},
		{"inserted", "inserted", COLUMN_NUMBER, NULL},
		{"last used", "last_used_seconds", COLUMN_AGE, NULL},
		{0},
	};

	display_table(display, result, "keys", columns);
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
		display_fields(display, port, columns);
}

#define X(symbol, name, help) {name, name, COLUMN_NUMBER, help},
static const struct column counted[] = {GATE_EVENTS(X) GATE_PASSES(X){0}};
static const struct column dropped[] = {GATE_DROPS(X){0}};
#undef X

void
show_stats(struct display *display, const json_t *result)
{
	const json_t *drops = json_object_get(result, "drops");
	json_int_t sum = 0;
	const char *name;
	json_t *value;

	if (display_json(display, result))
		return;
	json_object_foreach ((json_t *)drops, name, value)
		sum += json_integer_value(value);
	display_fields(display, result, counted);
	display_text(display, "drops: %" JSON_INTEGER_FORMAT " packets", sum);
	display_fields(display, drops, dropped);
}

void
show_port_stats(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"ipackets", "ipackets", COLUMN_NUMBER, "packets received"},
		{"opackets", "opackets", COLUMN_NUMBER, "packets sent"},
		{"ibytes", "ibytes", COLUMN_NUMBER, "octets received"},
		{"obytes", "obytes", COLUMN_NUMBER, "octets sent"},
		{"imissed", "imissed", COLUMN_NUMBER, "packets the receive queues had no room for"},
		{"ierrors", "ierrors", COLUMN_NUMBER, "packets received with errors"},
		{"oerrors", "oerrors", COLUMN_NUMBER, "packets that could not be sent"},
		{"rx_nombuf", "rx_nombuf", COLUMN_NUMBER, "times no packet buffer was free"},
		{0},
	};
	const json_t *ports = json_object_get(result, "ports");
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
		display_fields(display, port, columns);
		display_text(display, "judged");
		show_stats(display, json_object_get(port, "gate"));
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

	display_fields(display, result, columns);
}

void
show_engine(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"algorithm", "algorithm", COLUMN_TEXT, NULL},
		{"hash blocks", "blocks", COLUMN_NUMBER, NULL},
		{"last manager from jobs", "jobs", COLUMN_NUMBER, NULL},
		{0},
	};
	const json_t *managers = json_object_get(result, "managers");
	size_t i;
	json_t *manager;

	json_array_foreach (managers, i, manager)
		display_text(display, "manager %zu: %s", i,
			     json_is_string(manager) ? json_string_value(manager) : "?");
	display_table(display, result, "crossover", columns);
}

void
show_workers(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"worker", "worker", COLUMN_NUMBER, NULL},
		{"lcore", "lcore", COLUMN_NUMBER, NULL},
		{"NUMA", "socket", COLUMN_NUMBER, NULL},
		{"running", "running", COLUMN_TEXT, NULL},
		{"packets", "packets", COLUMN_NUMBER, NULL},
		{"bursts", "bursts", COLUMN_NUMBER, NULL},
		{"cycles/packet", "cycles_per_packet", COLUMN_NUMBER, NULL},
		{"busy %", "busy_percent", COLUMN_NUMBER, NULL},
		{"memo hits", "memo_hits", COLUMN_NUMBER, NULL},
		{0},
	};

	display_table(display, result, "workers", columns);
}
