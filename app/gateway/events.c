/* SPDX-License-Identifier: BSD-3-Clause */
#include "events.h"

#include "gateway.h"
#include "wall.h"

const char *const event_topic_names[] = {"key", "drops", "link", "worker", "change", NULL};

int
events_open(struct gateway *gateway)
{
	gateway->events.kept = json_array();
	return gateway->events.kept == NULL ? -1 : 0;
}

void
events_close(struct gateway *gateway)
{
	json_decref(gateway->events.kept);
	gateway->events.kept = NULL;
}

void
events_tell(struct gateway *gateway, enum event_topic topic, json_t *details)
{
	struct events *events = &gateway->events;
	json_t *event = json_pack("{s:I, s:o, s:s}", "number", (json_int_t)++events->number, "time",
				  wall_json(drops_time().wall), "event", event_topic_names[topic]);

	if (event == NULL || details == NULL || json_object_update(event, details) != 0) {
		json_decref(details);
		json_decref(event);
		events_skip(gateway, topic, 1);
		return;
	}
	json_decref(details);
	control_server_event(gateway->server, 1u << topic, event);
	if (topic == EVENT_CHANGE) /* as many as somebody likes; the log has them */
		json_decref(event);
	else if (json_array_append_new(events->kept, event) == 0 &&
		 json_array_size(events->kept) > EVENTS_KEPT)
		json_array_remove(events->kept, 0);
}

void
events_skip(struct gateway *gateway, enum event_topic topic, uint64_t n)
{
	control_server_lose(gateway->server, 1u << topic, n);
}
