/* SPDX-License-Identifier: BSD-3-Clause */
/* From settings to running devices: buffers, queues, start. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>

#include "log.h"
#include "pools.h"
#include "ports.h"
#include "punt.h"

LOG_MODULE(setup);

#define DESCRIPTORS 1024u /* of each queue, before the device's own bounds */
#define TAGS_LEN (2u * RTE_VLAN_HLEN)
#define LONGEST_BURSTS 4u /* that a worker holds in its hands and caches */

struct device { /* what is found out on the way */
	struct rte_eth_dev_info info;
	uint16_t rxd;
	uint16_t txd;
};

static int
failed(unsigned id, const struct port *port, const char *what, int rc, char *error,
       size_t error_size)
{
	snprintf(error, error_size, "port %u (%s): %s: %s", id, port->name, what, strerror(-rc));
	return rc;
}

static void
fill_conf(const struct device *device, const struct port *port, struct rte_eth_conf *conf)
{
	const uint64_t spread = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;

	/* No offload that looks into a packet or changes one: it goes on as it came. */
	*conf = (struct rte_eth_conf){0};
	conf->txmode.offloads = device->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	if (port->rx_queues > 1 && (device->info.flow_type_rss_offloads & spread) != 0) {
		conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf->rx_adv_conf.rss_conf.rss_hf = device->info.flow_type_rss_offloads & spread;
	}
}

/* These two do, and do not say so: a packet longer than a buffer need not be dropped. */
static bool
takes_segments(const struct rte_eth_dev_info *info)
{
	return (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) != 0 ||
	       strcmp(info->driver_name, "net_pcap") == 0 ||
	       strcmp(info->driver_name, "net_null") == 0;
}

static int
configure(unsigned id, struct port *port, struct device *device, const struct ports_conf *conf,
	  char *error, size_t error_size)
{
	struct rte_eth_conf eth;
	int rc = rte_eth_dev_info_get((uint16_t)id, &device->info);

	if (rc != 0)
		return failed(id, port, "no device information", rc, error, error_size);
	if (conf->rx_queues > device->info.max_rx_queues) {
		snprintf(error, error_size, "port %u (%s): --rxq %u: the device has %u", id,
			 port->name, conf->rx_queues, device->info.max_rx_queues);
		return -EINVAL;
	}
	if (device->info.max_tx_queues == 0) {
		snprintf(error, error_size, "port %u (%s): the device cannot send", id, port->name);
		return -ENOTSUP;
	}
	port->rx_queues = (uint16_t)conf->rx_queues;
	port->tx_queues = (uint16_t)RTE_MIN(conf->workers, (unsigned)device->info.max_tx_queues);
	port->tx_linear = !takes_segments(&device->info);
	fill_conf(device, port, &eth);
	rc = rte_eth_dev_configure((uint16_t)id, port->rx_queues, port->tx_queues, &eth);
	if (rc != 0)
		return failed(id, port, "cannot be configured", rc, error, error_size);
	device->rxd = DESCRIPTORS;
	device->txd = DESCRIPTORS;
	rc = rte_eth_dev_adjust_nb_rx_tx_desc((uint16_t)id, &device->rxd, &device->txd);
	if (rc != 0)
		return failed(id, port, "descriptors", rc, error, error_size);
	return 0;
}

/* The device's own MTU, unless a command gave one. */
static int
configure_mtu(unsigned id, struct port *port, uint16_t *room, char *error, size_t error_size)
{
	int rc = port->mtu_given ? ports_device_mtu_set(id, port->mtu) : 0;

	if (rc != 0 && rc != -ENOTSUP)
		return failed(id, port, "mtu", rc, error, error_size);
	if (!port->mtu_given)
		port->mtu = ports_device_mtu_get(id);
	/* A device that knows of an MTU receives into one buffer: let it be long enough. */
	uint32_t frame = RTE_PKTMBUF_HEADROOM + RTE_ETHER_HDR_LEN + TAGS_LEN + port->mtu;

	if (port->mtu_given && rc == 0 && frame > *room)
		*room = (uint16_t)RTE_MIN(RTE_ALIGN_CEIL(frame, RTE_CACHE_LINE_SIZE),
					  (uint32_t)UINT16_MAX - RTE_CACHE_LINE_SIZE + 1);
	return 0;
}

static int
setup_queues(unsigned id, struct port *port, const struct device *device, struct rte_mempool *pool,
	     char *error, size_t error_size)
{
	struct rte_eth_rxconf rx = device->info.default_rxconf;
	struct rte_eth_txconf tx = device->info.default_txconf;
	int socket = port->socket < 0 ? SOCKET_ID_ANY : port->socket;
	int rc;

	rx.offloads = 0;
	tx.offloads = 0;
	for (uint16_t queue = 0; queue < port->rx_queues; queue++) {
		rc = rte_eth_rx_queue_setup((uint16_t)id, queue, device->rxd, socket, &rx, pool);
		if (rc != 0)
			return failed(id, port, "receive queue", rc, error, error_size);
	}
	for (uint16_t queue = 0; queue < port->tx_queues; queue++) {
		rc = rte_eth_tx_queue_setup((uint16_t)id, queue, device->txd, socket, &tx);
		if (rc != 0)
			return failed(id, port, "transmit queue", rc, error, error_size);
	}
	return 0;
}

static int
start_device(unsigned id, struct port *port, char *error, size_t error_size)
{
	int rc = rte_eth_dev_start((uint16_t)id);

	if (rc != 0)
		return failed(id, port, "cannot start", rc, error, error_size);
	rc = port->promiscuous ? rte_eth_promiscuous_enable((uint16_t)id)
			       : rte_eth_promiscuous_disable((uint16_t)id);
	if (rc != 0 && rc != -ENOTSUP) {
		(void)rte_eth_dev_stop((uint16_t)id);
		return failed(id, port, "promiscuous mode", rc, error, error_size);
	}
	return 0;
}

/* Every descriptor may hold a buffer, and every worker some bursts and what it has dropped. */
static unsigned
count_mbufs(const struct ports *ports, const struct device *devices, const struct ports_conf *conf)
{
	unsigned n = conf->workers * (LONGEST_BURSTS * GATE_BURST_MAX + PUNT_UP);

	if (conf->mbufs != 0)
		return conf->mbufs;
	for (unsigned id = 0; id < GATE_PORTS_MAX; id++)
		if (ports->port[id].present)
			n += ports->port[id].rx_queues * devices[id].rxd +
			     ports->port[id].tx_queues * devices[id].txd;
	return n;
}

static struct rte_mempool *
pool_near(struct rte_mempool **pools, int socket, unsigned n, uint16_t room, char *error,
	  size_t error_size)
{
	char name[RTE_MEMPOOL_NAMESIZE];
	unsigned slot = socket < 0 ? 0 : (unsigned)socket % RTE_MAX_NUMA_NODES;

	if (pools[slot] == NULL) {
		snprintf(name, sizeof(name), "packets%u", slot);
		pools[slot] = pools_packets(name, n, room, socket, error, error_size);
	}
	return pools[slot];
}

int
ports_setup(struct ports *ports, const struct ports_conf *conf, char *error, size_t error_size)
{
	struct rte_mempool *pools[RTE_MAX_NUMA_NODES] = {NULL};
	struct device devices[GATE_PORTS_MAX];
	uint16_t room = RTE_MBUF_DEFAULT_BUF_SIZE;
	int rc;

	for (unsigned id = 0; id < GATE_PORTS_MAX; id++) {
		struct port *port = &ports->port[id];

		if (!port->present)
			continue;
		rc = configure(id, port, &devices[id], conf, error, error_size);
		if (rc == 0)
			rc = configure_mtu(id, port, &room, error, error_size);
		if (rc != 0)
			return rc;
		ports->in_flight += port->tx_queues * devices[id].txd;
	}
	ports->room = room - (RTE_PKTMBUF_HEADROOM + RTE_ETHER_HDR_LEN + TAGS_LEN);
	unsigned n = count_mbufs(ports, devices, conf);

	for (unsigned id = 0; id < GATE_PORTS_MAX; id++) {
		struct port *port = &ports->port[id];

		if (!port->present)
			continue;
		struct rte_mempool *pool =
			pool_near(pools, port->socket, n, room, error, error_size);

		if (pool == NULL)
			return -ENOMEM;
		rc = setup_queues(id, port, &devices[id], pool, error, error_size);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
ports_start(struct ports *ports, char *error, size_t error_size)
{
	ports->started = true;
	for (unsigned id = 0; id < GATE_PORTS_MAX; id++) {
		struct port *port = &ports->port[id];
		int rc = port->present ? start_device(id, port, error, error_size) : 0;

		if (rc != 0) {
			ports_stop(ports);
			return rc;
		}
	}
	return 0;
}

void
ports_stop(struct ports *ports)
{
	if (!ports->started)
		return;
	for (uint16_t id = 0; id < GATE_PORTS_MAX; id++) {
		if (!ports->port[id].present)
			continue;
		int rc = rte_eth_dev_stop(id); /* 0 also if it had not started */

		if (rc != 0)
			LOG(WARNING, "port %u (%s): cannot stop: %s", id, ports->port[id].name,
			    strerror(-rc));
		(void)rte_eth_dev_close(id);
	}
	ports->started = false;
}
