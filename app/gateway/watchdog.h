/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a worker still ends its loops, told by the heartbeat that it leaves after each. Pure C,
 * knows neither clock nor thread; all times in milliseconds of one clock that does not go back.
 */
#ifndef SEGSEAL_GATEWAY_WATCHDOG_H
#define SEGSEAL_GATEWAY_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

struct watchdog {
	bool stuck;
	uint64_t heartbeat;  /* at the last look */
	uint64_t looked;     /* when that was */
	uint64_t silent;     /* for how long the heartbeat has been the same, as far as was seen */
	uint64_t was_silent; /* before the last change */
};

enum watchdog_news {
	WATCHDOG_SAME,
	WATCHDOG_STUCK, /* it has been silent for limit */
	WATCHDOG_BACK,	/* it was stuck, and a heartbeat came */
};

void watchdog_begin(struct watchdog *watchdog, uint64_t heartbeat, uint64_t now);
/*
 * To be called several times in limit. One late look does not make a worker stuck, however late it
 * is: who was away may have been away with all the machine.
 */
enum watchdog_news watchdog_look(struct watchdog *watchdog, uint64_t heartbeat, uint64_t now,
				 uint64_t limit);

#endif
