/* SPDX-License-Identifier: BSD-3-Clause */
#include "keyring/window.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define INSTANT_LAST 253402300799 /* 9999-12-31T23:59:59Z */
#define DURATION_DIGITS 10u

/* Exactly n digits at text. */
static bool
digits(const char *text, unsigned n, int *value)
{
	*value = 0;
	for (unsigned i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*value = *value * 10 + (text[i] - '0');
	}
	return true;
}

/* "2026-12-01T06:00:00Z", and no date that is not in the calendar. */
static int
date_parse(const char *text, size_t len, int64_t *instant)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:ddZ";
	struct tm tm = {0}, again;
	time_t seconds;

	if (len != sizeof(shape) - 1)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (shape[i] != 'd' && text[i] != shape[i])
			return -EINVAL;
	if (!digits(text, 4, &tm.tm_year) || !digits(text + 5, 2, &tm.tm_mon) ||
	    !digits(text + 8, 2, &tm.tm_mday) || !digits(text + 11, 2, &tm.tm_hour) ||
	    !digits(text + 14, 2, &tm.tm_min) || !digits(text + 17, 2, &tm.tm_sec))
		return -EINVAL;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	again = tm;
	seconds = timegm(&again);
	/* timegm() carries what is too large over to the next field. */
	if (again.tm_year != tm.tm_year || again.tm_mon != tm.tm_mon ||
	    again.tm_mday != tm.tm_mday || again.tm_hour != tm.tm_hour ||
	    again.tm_min != tm.tm_min || again.tm_sec != tm.tm_sec || seconds <= 0)
		return -EINVAL;
	*instant = seconds;
	return 0;
}

static int
duration_parse(const char *text, size_t len, int64_t now, int64_t *instant)
{
	static const char units[] = "smhd";
	static const int64_t seconds[] = {1, 60, 3600, 86400};
	const char *unit = len >= 2 && text[len - 1] != '\0' ? strchr(units, text[len - 1]) : NULL;
	int64_t value = 0;

	if (unit == NULL || len - 1 > DURATION_DIGITS)
		return -EINVAL;
	for (size_t i = 0; i < len - 1; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		value = value * 10 + (text[i] - '0');
	}
	value = now + value * seconds[unit - units];
	if (value <= 0 || value > INSTANT_LAST)
		return -EINVAL;
	*instant = value;
	return 0;
}

int
keyring_instant_parse(const char *text, size_t len, int64_t now, int64_t *instant)
{
	*instant = 0;
	if (len == 0)
		return 0;
	if (text[0] == '+')
		return duration_parse(text + 1, len - 1, now, instant);
	return date_parse(text, len, instant);
}

const char *
keyring_window_check(const struct keyring_window *window)
{
	if (window->to != 0 && window->from >= window->to)
		return "the window ends before it begins";
	return NULL;
}

const char *
keyring_window_parse(const char *text, size_t len, int64_t now, struct keyring_window *window)
{
	const char *dots = memmem(text, len, "..", 2);
	size_t from;

	*window = (struct keyring_window){0};
	if (dots == NULL)
		return "a window is FROM..TO, either of which may be left out";
	from = (size_t)(dots - text);
	if (keyring_instant_parse(text, from, now, &window->from) < 0 ||
	    keyring_instant_parse(dots + 2, len - from - 2, now, &window->to) < 0)
		return "an end of a window is like 2026-12-01T06:00:00Z, or +30s, +10m, +2h, +7d";
	return keyring_window_check(window);
}

void
keyring_instant_text(int64_t instant, char text[KEYRING_INSTANT_LEN])
{
	time_t seconds = instant;
	struct tm tm;

	text[0] = '\0';
	if (instant != 0 && gmtime_r(&seconds, &tm) != NULL)
		(void)strftime(text, KEYRING_INSTANT_LEN, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

bool
keyring_window_open(const struct keyring_window *window, int64_t now)
{
	return (window->from == 0 || window->from <= now) && (window->to == 0 || now < window->to);
}

static bool
is_over(const struct keyring_window *window, int64_t now)
{
	return window->to != 0 && now >= window->to;
}

enum keyring_state
keyring_state(const struct keyring_life *life, int64_t now)
{
	if (keyring_window_open(&life->send, now))
		return KEYRING_SENDING;
	if (keyring_window_open(&life->accept, now))
		return KEYRING_ACCEPTING;
	return is_over(&life->accept, now) && is_over(&life->send, now) ? KEYRING_EXPIRED
									: KEYRING_FUTURE;
}

const char *
keyring_state_name(enum keyring_state state)
{
	static const char *const names[] = {
		[KEYRING_FUTURE] = "future",
		[KEYRING_ACCEPTING] = "accepting",
		[KEYRING_SENDING] = "sending",
		[KEYRING_EXPIRED] = "expired",
	};

	return names[state];
}

int64_t
keyring_life_next(const struct keyring_life *life, int64_t now)
{
	const int64_t ends[] = {life->accept.from, life->accept.to, life->send.from, life->send.to};
	int64_t next = KEYRING_INSTANT_MAX;

	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] > now && ends[i] < next)
			next = ends[i];
	return next;
}
