/* SPDX-License-Identifier: BSD-3-Clause */
#include "key_timer.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "gateway.h"
#include "log.h"

LOG_MODULE(keys);

#define SAID_AT_ONCE 16u  /* log lines of keys that flip in one second */
#define TOLD_AT_ONCE 256u /* and events: the others are not to wait for it */
/* Only an armed timer tells of a clock that was set; this one never comes. 9999-12-31. */
#define FAR_AHEAD 253402300799

int
key_timer_open(struct key_timer *timer)
{
	timer->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	timer->armed = 0;
	return timer->fd < 0 ? -1 : 0;
}

void
key_timer_close(struct key_timer *timer)
{
	if (timer->fd >= 0)
		close(timer->fd);
	timer->fd = -1;
}

static int
arm(struct key_timer *timer, int64_t instant)
{
	struct itimerspec at = {.it_value.tv_sec = instant < FAR_AHEAD ? instant : FAR_AHEAD};

	if (timerfd_settime(timer->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL) < 0)
		return -errno;
	timer->armed = instant;
	return 0;
}

/* True if it is time to look at all keys. */
static bool
is_due(struct key_timer *timer)
{
	uint64_t expirations;

	if (read(timer->fd, &expirations, sizeof(expirations)) >= 0)
		return true;
	if (errno != ECANCELED)
		return timer->armed == 0;
	LOG(NOTICE, "the clock was set: looking at the windows of all keys");
	return true;
}

struct saying {
	struct gateway *gateway;
	unsigned n;
};

static void
say(struct gateway *gateway, uint32_t id, enum keyring_state state, bool log, bool tell)
{
	if (log)
		LOG(NOTICE, "key %u: %s", id, keyring_state_name(state));
	if (tell)
		events_tell(gateway, EVENT_KEY,
			    json_pack("{s:I, s:s}", "key", (json_int_t)id, "state",
				      keyring_state_name(state)));
}

static void
say_state(void *arg, uint32_t id, enum keyring_state state)
{
	struct saying *saying = arg;
	unsigned n = saying->n++;

	say(saying->gateway, id, state, n < SAID_AT_ONCE, n < TOLD_AT_ONCE);
}

void
key_timer_say(struct gateway *gateway, uint32_t id, enum keyring_state state)
{
	say(gateway, id, state, true, true);
}

static void
flip(struct gateway *gateway)
{
	struct saying saying = {.gateway = gateway};

	(void)keyring_flip(gateway->keyring, say_state, &saying);
	if (saying.n > SAID_AT_ONCE)
		LOG(NOTICE, "and %u more keys", saying.n - SAID_AT_ONCE);
	if (saying.n > TOLD_AT_ONCE)
		events_skip(gateway, EVENT_KEY, saying.n - TOLD_AT_ONCE);
}

void
key_timer_serve(struct key_timer *timer, struct gateway *gateway)
{
	bool due = is_due(timer);

	for (int tries = 0; tries < 3; tries++) {
		if (due)
			flip(gateway);
		/* One that went off is armed anew even for the same instant: the clock may have
		 * been set back since. */
		if (!due && timer->armed == keyring_next_flip(gateway->keyring))
			return;
		/* ECANCELED: armed, but the clock was set since the last look. */
		int rc = arm(timer, keyring_next_flip(gateway->keyring));

		if (rc == 0)
			return;
		due = true;
		if (rc != -ECANCELED)
			LOG(ERR, "timer of keys: %s", strerror(-rc));
	}
}
