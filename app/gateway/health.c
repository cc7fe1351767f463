/* SPDX-License-Identifier: BSD-3-Clause */
#include "health.h"

#include <inttypes.h>
#include <stdlib.h>

#include <rte_common.h>

#include "gateway.h"
#include "log.h"

LOG_MODULE(health);

#define LOOKS 4u /* at a worker in the time after which it is stuck */
#define LOOK_MAX_MS 250u

static uint64_t
now_ms(void)
{
	return drops_time().now / 1000000u;
}

static uint64_t
heartbeat(const struct worker *worker)
{
	return atomic_load_explicit(&worker->load.heartbeat, memory_order_relaxed);
}

int
health_open(struct gateway *gateway)
{
	gateway->health.stuck_after_ms = STUCK_AFTER_MS;
	gateway->health.watchdogs = calloc(gateway->n_workers, sizeof(*gateway->health.watchdogs));
	return gateway->health.watchdogs == NULL ? -1 : 0;
}

void
health_close(struct gateway *gateway)
{
	free(gateway->health.watchdogs);
	gateway->health.watchdogs = NULL;
}

void
health_begin(struct gateway *gateway)
{
	for (unsigned i = 0; i < gateway->n_workers; i++)
		watchdog_begin(&gateway->health.watchdogs[i], heartbeat(&gateway->workers[i]),
			       now_ms());
}

static void
tell(struct gateway *gateway, const struct worker *worker, const char *state, uint64_t silent)
{
	events_tell(gateway, EVENT_WORKER,
		    json_pack("{s:i, s:i, s:s, s:I}", "worker", (int)worker->index, "lcore",
			      (int)worker->lcore, "state", state, "silent_ms", (json_int_t)silent));
}

int
health_poll(struct gateway *gateway)
{
	struct health *health = &gateway->health;
	const uint64_t now = now_ms();

	if (now < health->due)
		return (int)(health->due - now);
	for (unsigned i = 0; i < gateway->n_workers; i++) {
		struct worker *worker = &gateway->workers[i];
		struct watchdog *watchdog = &health->watchdogs[i];

		switch (watchdog_look(watchdog, heartbeat(worker), now, health->stuck_after_ms)) {
		case WATCHDOG_STUCK:
			worker->stuck = true;
			LOG(ERR, "worker %u on lcore %u is stuck: no heartbeat for %" PRIu64 " ms",
			    i, worker->lcore, watchdog->silent);
			tell(gateway, worker, "stuck", watchdog->silent);
			break;
		case WATCHDOG_BACK:
			worker->stuck = false;
			LOG(NOTICE,
			    "worker %u on lcore %u goes on: there was no heartbeat for %" PRIu64
			    " ms",
			    i, worker->lcore, watchdog->was_silent);
			tell(gateway, worker, "responding", watchdog->was_silent);
			break;
		case WATCHDOG_SAME:
			break;
		}
	}
	health->due = now + RTE_MIN(health->stuck_after_ms / LOOKS, LOOK_MAX_MS);
	return (int)(health->due - now);
}
