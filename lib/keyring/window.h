/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a key may be used: accept and send windows in the terms of RFC 7210 section 2, and the state
 * that a key is in because of them. Pure C, no DPDK, any thread.
 *
 * Instants are whole seconds since 1970 in UTC, without leap seconds, as CLOCK_REALTIME counts.
 */
#ifndef SEGSEAL_KEYRING_WINDOW_H
#define SEGSEAL_KEYRING_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYRING_INSTANT_LEN 21u	      /* "2026-12-01T06:00:00Z" and a NUL */
#define KEYRING_INSTANT_MAX INT64_MAX /* never */

/* Open while from <= now < to. All zero: always open. */
struct keyring_window {
	int64_t from; /* 0 = since ever */
	int64_t to;   /* 0 = for ever */
};

struct keyring_life {
	struct keyring_window accept; /* packets sealed with the key are let in */
	struct keyring_window send;   /* packets are sealed with the key */
};

enum keyring_state {
	KEYRING_FUTURE,	   /* no window is open, and one is to come */
	KEYRING_ACCEPTING, /* accept is open, send is not */
	KEYRING_SENDING,   /* send is open */
	KEYRING_EXPIRED,   /* no window is open, and none will be */
};

/*
 * text[0..len): empty (unbounded: 0), 2026-12-01T06:00:00Z, or +30s, +10m, +2h, +7d from now.
 * -EINVAL if it is none of these, or outside of 1970 to 9999.
 */
int keyring_instant_parse(const char *text, size_t len, int64_t now, int64_t *instant);
/* "FROM..TO". NULL, or what is wrong with it: static text. */
const char *keyring_window_parse(const char *text, size_t len, int64_t now,
				 struct keyring_window *window);
/* NULL, or why there can be no such window: it would end before it begins. */
const char *keyring_window_check(const struct keyring_window *window);
/* ISO 8601; "" for 0. */
void keyring_instant_text(int64_t instant, char text[KEYRING_INSTANT_LEN]);

bool keyring_window_open(const struct keyring_window *window, int64_t now);
enum keyring_state keyring_state(const struct keyring_life *life, int64_t now);
const char *keyring_state_name(enum keyring_state state);
/* The first instant after now at which a window opens or closes; KEYRING_INSTANT_MAX: none. */
int64_t keyring_life_next(const struct keyring_life *life, int64_t now);

#endif
