/* SPDX-License-Identifier: BSD-3-Clause */
#include "watchdog.h"

void
watchdog_begin(struct watchdog *watchdog, uint64_t heartbeat, uint64_t now)
{
	*watchdog = (struct watchdog){.heartbeat = heartbeat, .looked = now};
}

enum watchdog_news
watchdog_look(struct watchdog *watchdog, uint64_t heartbeat, uint64_t now, uint64_t limit)
{
	uint64_t since = now - watchdog->looked;

	watchdog->looked = now;
	if (heartbeat != watchdog->heartbeat) {
		watchdog->heartbeat = heartbeat;
		watchdog->was_silent = watchdog->silent;
		watchdog->silent = 0;
		if (!watchdog->stuck)
			return WATCHDOG_SAME;
		watchdog->stuck = false;
		return WATCHDOG_BACK;
	}
	if (!watchdog->stuck && since > limit / 2)
		since = limit / 2;
	watchdog->silent += since;
	if (watchdog->stuck || watchdog->silent < limit)
		return WATCHDOG_SAME;
	watchdog->stuck = true;
	return WATCHDOG_STUCK;
}
