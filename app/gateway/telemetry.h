/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK telemetry: /segseal/stats, ports, keys and workers. They are answered by the EAL's telemetry
 * thread, which takes the gateway's lock to look, and never by a worker.
 */
#ifndef SEGSEAL_GATEWAY_TELEMETRY_H
#define SEGSEAL_GATEWAY_TELEMETRY_H

struct gateway;

/* Answer for this gateway from now on; NULL: for none, before it goes. */
void telemetry_watch(struct gateway *gateway);

#endif
