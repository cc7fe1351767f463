/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports: DPDK's Ethernet devices under their own numbers, or in a replay two ports without a
 * device. Control thread only.
 */
#ifndef SEGSEAL_GATEWAY_PORTS_H
#define SEGSEAL_GATEWAY_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mempool.h>

#include "gate/gate.h"
#include "plan.h"

#define PORTS_MTU_MIN 1280u /* RFC 8200 section 5 */
#define PORTS_MTU_MAX 65535u

struct port {
	bool present;
	char name[64];
	char driver[32];
	int socket;	/* NUMA node, -1 = any */
	int peer;	/* the port at the other end of the wire, -1 = none; mutual */
	uint32_t mtu;	/* octets of the largest IPv6 packet; 0 = no limit (replay) */
	bool mtu_given; /* by a command: the device is to be told */
	bool promiscuous;
	uint16_t rx_queues;
	uint16_t tx_queues;
	bool tx_linear; /* sends packets in one segment only */
};

struct ports {
	bool devices; /* false: replay */
	bool started;
	unsigned n;	    /* how many are present */
	unsigned in_flight; /* packets that all transmit queues hold at most */
	uint32_t room;	    /* octets of an IPv6 packet that one packet buffer holds */
	struct port port[GATE_PORTS_MAX];
};

/* Find all devices and pair them in order. 0, or a negative errno with error. */
int ports_discover(struct ports *ports, char *error, size_t error_size);
/* Ports 0 and 1, without a device. */
void ports_replay(struct ports *ports);

/* NULL if there is no such port. */
struct port *ports_get(struct ports *ports, unsigned id);

struct ports_conf {
	unsigned rx_queues; /* of each port */
	unsigned workers;
	unsigned mbufs; /* of each pool of packet buffers; 0 = by need */
};

/*
 * Make the packet buffers and configure each device and its queues by the settings that commands
 * have made. 0, or a negative errno with error.
 */
int ports_setup(struct ports *ports, const struct ports_conf *conf, char *error, size_t error_size);
/* 0, or a negative errno with error, and none is started. */
int ports_start(struct ports *ports, char *error, size_t error_size);
void ports_stop(struct ports *ports);

/* Pair a with b (which may be a itself); ports that were theirs have no peer then. */
void ports_pair(struct ports *ports, unsigned a, unsigned b);

/* Whether the device can have this MTU: 0, or -EINVAL with error. */
int ports_mtu_check(const struct ports *ports, unsigned id, uint32_t mtu, char *error,
		    size_t error_size);
/*
 * Set it: 0, -EBUSY if the device must be stopped for it, -ENOBUFS if the packet buffers are too
 * short, or another negative errno; nothing has changed then.
 */
int ports_mtu_set(struct ports *ports, unsigned id, uint32_t mtu);
/* The device's own: as it is, and set (0, or a negative errno as rte_eth_dev_set_mtu()). */
uint32_t ports_device_mtu_get(unsigned id);
int ports_device_mtu_set(unsigned id, uint32_t mtu);
int ports_promiscuous_set(struct ports *ports, unsigned id, bool on);

struct port_link {
	bool up;
	uint32_t mbps; /* 0 = unknown */
};

/* Down before the start, and where the device does not tell. */
struct port_link ports_link(const struct ports *ports, unsigned id);

/* The plan for these ports; NULL without memory. */
struct plan *ports_plan(const struct ports *ports, unsigned workers);

/* Tell the gate the longest frame that each port's peer takes. */
void ports_limit(const struct ports *ports, struct gate *gate);

#endif
