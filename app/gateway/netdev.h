/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's network interface that a virtual device (AF_PACKET, AF_XDP, TAP) stands on. */
#ifndef SEGSEAL_GATEWAY_NETDEV_H
#define SEGSEAL_GATEWAY_NETDEV_H

#include <stdint.h>

/* index: rte_eth_dev_info.if_index. 0, or a negative errno (-ENODEV: no such interface). */
int netdev_mtu_get(unsigned index, uint32_t *mtu);
int netdev_mtu_set(unsigned index, uint32_t mtu);

#endif
