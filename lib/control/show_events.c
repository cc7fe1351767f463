/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in words. */
#include <stdlib.h>
#include <string.h>

#include "control/show.h"

#define INT "%" JSON_INTEGER_FORMAT

static json_int_t
number(const json_t *event, const char *member)
{
	return json_integer_value(json_object_get(event, member));
}

static const char *
word(const json_t *event, const char *member)
{
	const char *text = json_string_value(json_object_get(event, member));

	return text ? text : "?";
}

static void
show_drops_event(struct display *display, const json_t *event, const char *time)
{
	display_text(display, "%s  drops: %s: " INT " packets a second, %s the limit of " INT, time,
		     word(event, "reason"), number(event, "rate"), word(event, "state"),
		     number(event, "limit"));
}

static void
show_link_event(struct display *display, const json_t *event, const char *time)
{
	if (number(event, "speed_mbps") > 0)
		display_text(display, "%s  port " INT ": link %s, " INT " Mbit/s", time,
			     number(event, "port"), word(event, "state"),
			     number(event, "speed_mbps"));
	else
		display_text(display, "%s  port " INT ": link %s", time, number(event, "port"),
			     word(event, "state"));
}

static void
show_other_event(struct display *display, const json_t *event, const char *time)
{
	char *text = json_dumps(event, JSON_COMPACT);

	display_text(display, "%s  %s", time, text ? text : "?");
	free(text);
}

void
show_event(struct display *display, const json_t *event)
{
	const char *name = word(event, "event");
	const char *time = word(event, "time");

	if (display_json(display, event))
		return;
	if (strcmp(name, "key") == 0)
		display_text(display, "%s  key " INT ": %s", time, number(event, "key"),
			     word(event, "state"));
	else if (strcmp(name, "drops") == 0)
		show_drops_event(display, event, time);
	else if (strcmp(name, "link") == 0)
		show_link_event(display, event, time);
	else if (strcmp(name, "worker") == 0)
		display_text(display,
			     "%s  worker " INT " on lcore " INT ": %s, no heartbeat for " INT " ms",
			     time, number(event, "worker"), number(event, "lcore"),
			     word(event, "state"), number(event, "silent_ms"));
	else if (strcmp(name, "change") == 0)
		display_text(display, "%s  uid " INT " pid " INT ": %s %s", time,
			     number(event, "uid"), number(event, "pid"), word(event, "method"),
			     word(event, "params"));
	else if (strcmp(name, "lost") == 0)
		display_text(display, INT " events were lost here", number(event, "count"));
	else
		show_other_event(display, event, time);
}

void
show_events(struct display *display, const json_t *result)
{
	const json_t *events = json_object_get(result, "events");
	size_t i;
	json_t *event;

	if (display_json(display, result))
		return;
	if (json_array_size(events) == 0)
		display_text(display, "no events");
	json_array_foreach (events, i, event)
		show_event(display, event);
}
