/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens, told to the clients that want to know and, but for changes that somebody asked for,
 * kept for those who ask later. Control thread.
 */
#ifndef SEGSEAL_GATEWAY_EVENTS_H
#define SEGSEAL_GATEWAY_EVENTS_H

#include <stdint.h>

#include <jansson.h>

#define EVENTS_KEPT 100u

struct gateway;

enum event_topic { EVENT_KEY, EVENT_DROPS, EVENT_LINK, EVENT_WORKER, EVENT_CHANGE, EVENT_TOPICS };

/* The names that clients subscribe to; ends with NULL. */
extern const char *const event_topic_names[];

struct events {
	json_t *kept; /* array of the last, the oldest first */
	uint64_t number;
};

/* 0, or -1 without memory. */
int events_open(struct gateway *gateway);
void events_close(struct gateway *gateway);
/* Tell what happened: details (taken over) are the members that this topic has. */
void events_tell(struct gateway *gateway, enum event_topic topic, json_t *details);
/* n more happened, too many to tell one by one. */
void events_skip(struct gateway *gateway, enum event_topic topic, uint64_t n);

#endif
