/* SPDX-License-Identifier: BSD-3-Clause */
#include "ports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "log.h"
#include "netdev.h"

LOG_MODULE(ports);

static void
discover_one(struct ports *ports, uint16_t id, const struct rte_eth_dev_info *info)
{
	struct port *port = &ports->port[id];

	*port = (struct port){
		.present = true,
		.socket = rte_eth_dev_socket_id(id),
		.peer = -1,
		.mtu = ports_device_mtu_get(id),
		.promiscuous = true,
	};
	if (rte_eth_dev_get_name_by_port(id, port->name) != 0)
		snprintf(port->name, sizeof(port->name), "%u", id);
	snprintf(port->driver, sizeof(port->driver), "%s", info->driver_name);
	ports->n++;
}

static void
pair_in_order(struct ports *ports)
{
	int first = -1;

	for (int id = 0; id < (int)GATE_PORTS_MAX; id++) {
		if (!ports->port[id].present)
			continue;
		if (first < 0) {
			first = id;
			continue;
		}
		ports_pair(ports, (unsigned)first, (unsigned)id);
		first = -1;
	}
	if (first >= 0)
		LOG(NOTICE, "port %d (%s) has no peer", first, ports->port[first].name);
}

int
ports_discover(struct ports *ports, char *error, size_t error_size)
{
	uint16_t id;

	*ports = (struct ports){.devices = true};
	RTE_ETH_FOREACH_DEV (id) {
		struct rte_eth_dev_info info;
		int rc = rte_eth_dev_info_get(id, &info);

		if (id >= GATE_PORTS_MAX) {
			snprintf(error, error_size, "more than %u ports", GATE_PORTS_MAX);
			return -ENOSPC;
		}
		if (rc != 0) {
			snprintf(error, error_size, "port %u: no device information: %s", id,
				 strerror(-rc));
			return rc;
		}
		discover_one(ports, id, &info);
	}
	if (ports->n == 0) {
		snprintf(error, error_size,
			 "no Ethernet port: bind a NIC to a driver that DPDK can use "
			 "(dpdk-devbind.py), or name a virtual device with --vdev");
		return -ENODEV;
	}
	pair_in_order(ports);
	return 0;
}

void
ports_replay(struct ports *ports)
{
	*ports = (struct ports){.devices = false, .n = 2};
	for (int id = 0; id < 2; id++) {
		struct port *port = &ports->port[id];

		*port = (struct port){
			.present = true,
			.socket = -1,
			.peer = 1 - id,
			.promiscuous = true,
			.rx_queues = 1,
			.tx_queues = 1,
		};
		snprintf(port->name, sizeof(port->name), "replay%d", id);
		snprintf(port->driver, sizeof(port->driver), "replay");
	}
}

struct port *
ports_get(struct ports *ports, unsigned id)
{
	if (id >= GATE_PORTS_MAX || !ports->port[id].present)
		return NULL;
	return &ports->port[id];
}

static void
unpair(struct ports *ports, unsigned id)
{
	int peer = ports->port[id].peer;

	if (peer >= 0)
		ports->port[peer].peer = -1;
	ports->port[id].peer = -1;
}

void
ports_pair(struct ports *ports, unsigned a, unsigned b)
{
	if (ports->port[a].peer == (int)b)
		return;
	unpair(ports, a);
	unpair(ports, b);
	ports->port[a].peer = (int)b;
	ports->port[b].peer = (int)a;
}

int
ports_mtu_check(const struct ports *ports, unsigned id, uint32_t mtu, char *error,
		size_t error_size)
{
	struct rte_eth_dev_info info;

	if (mtu < PORTS_MTU_MIN || mtu > PORTS_MTU_MAX) {
		snprintf(error, error_size, "mtu: must be %u to %u", PORTS_MTU_MIN, PORTS_MTU_MAX);
		return -EINVAL;
	}
	if (!ports->devices || rte_eth_dev_info_get((uint16_t)id, &info) != 0)
		return 0;
	if (mtu < info.min_mtu || (info.max_mtu != 0 && mtu > info.max_mtu)) {
		snprintf(error, error_size, "port %u: the device takes an mtu of %u to %u", id,
			 info.min_mtu, info.max_mtu);
		return -EINVAL;
	}
	return 0;
}

/* A device that stands on an interface of the kernel says 1500 whatever the interface has. */
uint32_t
ports_device_mtu_get(unsigned id)
{
	struct rte_eth_dev_info info;
	uint16_t mtu = 0;
	uint32_t kernel_mtu;

	if (rte_eth_dev_info_get((uint16_t)id, &info) == 0 && info.if_index != 0 &&
	    netdev_mtu_get(info.if_index, &kernel_mtu) == 0 && kernel_mtu <= PORTS_MTU_MAX)
		return kernel_mtu;
	(void)rte_eth_dev_get_mtu((uint16_t)id, &mtu);
	return mtu != 0 ? mtu : RTE_ETHER_MTU;
}

int
ports_device_mtu_set(unsigned id, uint32_t mtu)
{
	int rc = rte_eth_dev_set_mtu((uint16_t)id, (uint16_t)mtu);
	struct rte_eth_dev_info info;

	/* net_af_packet declares Ethernet's frame as the longest that it takes, so that DPDK
	 * refuses a larger MTU without asking it; it does send and receive what its ring's frames
	 * hold. */
	if (rc == -EINVAL && rte_eth_dev_info_get((uint16_t)id, &info) == 0 &&
	    strcmp(info.driver_name, "net_af_packet") == 0)
		return netdev_mtu_set(info.if_index, mtu);
	return rc;
}

int
ports_mtu_set(struct ports *ports, unsigned id, uint32_t mtu)
{
	struct port *port = &ports->port[id];

	if (ports->devices && ports->started) {
		int rc = ports_device_mtu_set(id, mtu);

		/* A device without the operation has no limit of its own: ours is all there is. */
		if (rc != 0 && rc != -ENOTSUP)
			return rc;
		if (rc == 0 && mtu > ports->room) {
			(void)ports_device_mtu_set(id, port->mtu);
			return -ENOBUFS;
		}
	}
	port->mtu = mtu;
	port->mtu_given = true;
	return 0;
}

int
ports_promiscuous_set(struct ports *ports, unsigned id, bool on)
{
	if (ports->devices && ports->started) {
		int rc = on ? rte_eth_promiscuous_enable((uint16_t)id)
			    : rte_eth_promiscuous_disable((uint16_t)id);

		if (rc != 0)
			return rc;
	}
	ports->port[id].promiscuous = on;
	return 0;
}

struct port_link
ports_link(const struct ports *ports, unsigned id)
{
	struct rte_eth_link link;

	if (!ports->devices)
		return (struct port_link){.up = true};
	if (!ports->started || rte_eth_link_get_nowait((uint16_t)id, &link) != 0)
		return (struct port_link){.up = false};
	return (struct port_link){
		.up = link.link_status != 0,
		.mbps = link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN ? link.link_speed : 0,
	};
}

struct plan *
ports_plan(const struct ports *ports, unsigned workers)
{
	struct plan_port wanted[GATE_PORTS_MAX];

	for (unsigned id = 0; id < GATE_PORTS_MAX; id++) {
		const struct port *port = &ports->port[id];

		wanted[id] = (struct plan_port){
			.peer = port->present ? port->peer : -1,
			.rx_queues = port->rx_queues,
			.tx_queues = port->tx_queues,
			.tx_linear = port->tx_linear,
		};
	}
	return plan_create(wanted, GATE_PORTS_MAX, workers);
}

void
ports_limit(const struct ports *ports, struct gate *gate)
{
	for (uint16_t id = 0; id < GATE_PORTS_MAX; id++) {
		const struct port *port = &ports->port[id];
		struct gate_port settings;

		if (!port->present || gate_port_get(gate, id, &settings) != 0)
			continue;
		uint32_t mtu = port->peer >= 0 ? ports->port[port->peer].mtu : 0;
		uint32_t max_len = mtu != 0 ? RTE_ETHER_HDR_LEN + mtu : 0;

		if (settings.max_len != max_len) {
			settings.max_len = max_len;
			(void)gate_port_set(gate, id, &settings);
		}
	}
}
