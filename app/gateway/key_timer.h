/* SPDX-License-Identifier: BSD-3-Clause */
/* Wakes the control loop when a key's window opens or closes, or when the clock was set. */
#ifndef SEGSEAL_GATEWAY_KEY_TIMER_H
#define SEGSEAL_GATEWAY_KEY_TIMER_H

#include <stdint.h>

#include "keyring/window.h"

struct gateway;

struct key_timer {
	int fd;
	int64_t armed; /* for this instant */
};

/* 0, or -1 with errno. */
int key_timer_open(struct key_timer *timer);
/* Flip what is due, log it, and arm for the next flip. Call after each wait. */
void key_timer_serve(struct key_timer *timer, struct gateway *gateway);
void key_timer_close(struct key_timer *timer);

/* Log and tell of a key whose state changed otherwise than by the clock. */
void key_timer_say(struct gateway *gateway, uint32_t id, enum keyring_state state);

#endif
