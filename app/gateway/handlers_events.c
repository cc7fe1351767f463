/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "gateway.h"
#include "handlers.h"

#define ALL_TOPICS ((1u << EVENT_TOPICS) - 1u)

static bool
read_topic(struct control_call *call, const json_t *word, uint32_t *topics)
{
	for (unsigned i = 0; i < EVENT_TOPICS; i++) {
		if (json_is_string(word) &&
		    strcmp(json_string_value(word), event_topic_names[i]) == 0) {
			*topics |= 1u << i;
			return true;
		}
	}
	control_bad_params(call, "events: must be an array of key, drops, link, worker, change");
	return false;
}

/* The topics that params' "events" names: all of them when it is left out. */
static bool
read_topics(struct control_call *call, const json_t *params, uint32_t *topics)
{
	static const char *const names[] = {"events", NULL};
	const json_t *words = json_object_get(params, "events");
	size_t i;
	json_t *word;

	if (!control_params_only(call, params, names))
		return false;
	*topics = words == NULL ? ALL_TOPICS : 0;
	if (words != NULL && json_array_size(words) == 0)
		return read_topic(call, NULL, topics);
	json_array_foreach (words, i, word)
		if (!read_topic(call, word, topics))
			return false;
	return true;
}

static json_t *
subscribed(struct control_call *call, const json_t *params, bool more)
{
	uint32_t *now = control_topics(call);
	json_t *list = json_array();
	uint32_t topics;

	if (!read_topics(call, params, &topics)) {
		json_decref(list);
		return NULL;
	}
	if (now == NULL) {
		json_decref(list);
		return control_fail(call, ENOTCONN, "there is no connection to send events to");
	}
	*now = more ? *now | topics : *now & ~topics;
	for (unsigned i = 0; i < EVENT_TOPICS; i++)
		if (*now & 1u << i)
			json_array_append_new(list, json_string(event_topic_names[i]));
	return handlers_result(call, json_pack("{s:o}", "events", list));
}

json_t *
handle_events_subscribe(struct control_call *call, const json_t *params)
{
	return subscribed(call, params, true);
}

json_t *
handle_events_unsubscribe(struct control_call *call, const json_t *params)
{
	return subscribed(call, params, false);
}

json_t *
handle_events_list(struct control_call *call, const json_t *params)
{
	struct gateway *gateway = control_arg(call);

	if (!handlers_no_params(call, params))
		return NULL;
	return handlers_result(call, json_pack("{s:o, s:I, s:i}", "events",
					       json_copy(gateway->events.kept), "drop_rate",
					       (json_int_t)gateway->alerts.drop_rate, "subscribers",
					       (int)control_server_subscribers(gateway->server)));
}

json_t *
handle_events_set(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"drop_rate", NULL};
	struct gateway *gateway = control_arg(call);
	uint64_t rate;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "drop_rate", 1, DROP_RATE_MAX, &rate))
		return NULL;
	gateway->alerts.drop_rate = (uint32_t)rate;
	return handlers_result(call, json_object());
}
