/* SPDX-License-Identifier: BSD-3-Clause */
#include "drops.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_mbuf.h>

#include "capture.h"
#include "counters.h"
#include "gateway.h"

#define BATCH 64u
#define ROUNDS 4u /* of a batch for each worker, before the socket is looked at again */
#define BUSY_MS 2
#define IDLE_MS 10

/* The worker that sends by this port; NULL if none does. */
static struct worker *
sender(const struct gateway *gateway, uint16_t port)
{
	for (unsigned w = 0; gateway->plan != NULL && w < gateway->n_workers; w++)
		for (unsigned i = 0; i < gateway->plan->workers[w].n; i++)
			if (gateway->plan->workers[w].queues[i].tx_port == port)
				return &gateway->workers[w];
	return NULL;
}

/* Edited packets come first: the last quarter of the buffers is theirs. */
static bool
has_buffers(const struct rte_mempool *pool)
{
	return rte_mempool_avail_count(pool) > pool->size / 4;
}

static bool
send_live(void *arg, uint16_t port, const uint8_t *frame, unsigned len)
{
	struct gateway *gateway = arg;
	struct worker *worker = sender(gateway, port);
	struct rte_mbuf *pkt;
	char *room;

	if (worker == NULL || worker->punt == NULL || !has_buffers(gateway->edit_pool))
		return false;
	pkt = rte_pktmbuf_alloc(gateway->edit_pool);
	if (pkt == NULL)
		return false;
	room = rte_pktmbuf_append(pkt, (uint16_t)len);
	pkt->port = port;
	if (room != NULL)
		memcpy(room, frame, len);
	if (room != NULL && punt_send(worker->punt, pkt))
		return true;
	rte_pktmbuf_free(pkt);
	return false;
}

int
drops_open(struct gateway *gateway, bool log)
{
	struct drops *drops = &gateway->drops;

	drops->flat = malloc(CAPTURE_PACKET_MAX);
	if (drops->flat == NULL)
		return -1;
	drops->send = send_live;
	drops->send_arg = gateway;
	icmp_errors_set_rate(gateway, ICMP_RATE_DEFAULT, 0);
	drop_log_set(gateway, log, drops_time().now);
	return 0;
}

void
drops_close(struct gateway *gateway)
{
	struct drops *drops = &gateway->drops;

	drop_capture_close(gateway);
	trace_clear(&drops->trace);
	free(drops->flat);
	drops->flat = NULL;
	for (unsigned i = 0; gateway->workers != NULL && i < gateway->n_workers; i++) {
		punt_destroy(gateway->workers[i].punt);
		gateway->workers[i].punt = NULL;
	}
}

static uint64_t
nanoseconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct drops_time
drops_time(void)
{
	return (struct drops_time){nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_REALTIME)};
}

void
drops_totals(const struct gateway *gateway, struct gate_counters *totals)
{
	*totals = (struct gate_counters){{0}};
	for (unsigned i = 0; gateway->workers != NULL && i < gateway->n_workers; i++) {
		const struct gate_worker *gate = gateway->workers[i].gate;

		for (uint16_t port = 0; gate != NULL && port < GATE_PORTS_MAX; port++) {
			struct gate_counters counters;

			gate_worker_counters(gate, port, &counters);
			counters_add(totals, &counters);
		}
	}
}

uint64_t
drops_held_back(const struct gateway *gateway)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < gateway->n_workers; i++)
		if (gateway->workers[i].punt != NULL)
			sum += atomic_load_explicit(&gateway->workers[i].punt->held_back,
						    memory_order_relaxed);
	return sum;
}

static uint32_t
wanted(struct drops *drops, uint64_t now)
{
	return icmp_errors_wanted(&drops->icmp, now) | drop_log_wanted(&drops->log, now) |
	       trace_wanted(&drops->trace) | drop_capture_wanted(&drops->capture);
}

static void
tell(struct gateway *gateway, uint32_t bits)
{
	for (unsigned i = 0; i < gateway->n_workers; i++) {
		struct punt *punt = gateway->workers[i].punt;

		if (punt != NULL &&
		    atomic_load_explicit(&punt->wanted, memory_order_relaxed) != bits)
			atomic_store_explicit(&punt->wanted, bits, memory_order_relaxed);
	}
}

void
drops_want(struct gateway *gateway)
{
	if (gateway->ports.devices) /* a replay has the clock of its capture */
		tell(gateway, wanted(&gateway->drops, drops_time().now));
}

void
drops_take(struct gateway *gateway, const struct punt_record *record, const struct drops_time *time)
{
	struct drops *drops = &gateway->drops;
	uint32_t len = RTE_MIN(rte_pktmbuf_pkt_len(record->pkt), CAPTURE_PACKET_MAX);
	const uint8_t *frame = rte_pktmbuf_read(record->pkt, 0, len, drops->flat);

	if (frame == NULL)
		return;
	icmp_errors_take(gateway, record, frame, len, time->now);
	drop_log_take(gateway, record, frame, len, time->now);
	trace_take(gateway, record, frame, len, time->wall);
	drop_capture_take(gateway, record, frame, len, time->wall);
}

/* Up to a batch of each worker. Returns how many there were. */
static unsigned
drain(struct gateway *gateway, const struct drops_time *time)
{
	struct punt_record records[BATCH];
	unsigned all = 0;

	for (unsigned i = 0; i < gateway->n_workers; i++) {
		struct punt *punt = gateway->workers[i].punt;
		unsigned n = punt != NULL ? punt_drain(punt, records, BATCH) : 0;

		for (unsigned k = 0; k < n; k++) {
			drops_take(gateway, &records[k], time);
			rte_pktmbuf_free(records[k].pkt);
		}
		all += n;
	}
	return all;
}

int
drops_poll(struct gateway *gateway)
{
	const struct drops_time time = drops_time();
	struct drops *drops = &gateway->drops;
	unsigned n = 0, rounds = 0, got;

	if (!gateway->ports.devices)
		return -1;
	do {
		got = drain(gateway, &time);
		n += got;
	} while (got > 0 && ++rounds < ROUNDS);
	drop_log_catch_up(gateway, time.now);
	drop_capture_flush(gateway);
	tell(gateway, wanted(drops, time.now));
	if (!drops->log.on && !drops->icmp.on && trace_wanted(&drops->trace) == 0 &&
	    drop_capture_wanted(&drops->capture) == 0 && n == 0)
		return -1;
	return n > 0 ? BUSY_MS : IDLE_MS;
}
