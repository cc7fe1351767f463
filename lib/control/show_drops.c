/* SPDX-License-Identifier: BSD-3-Clause */
/* What people are shown of dropped packets. */
#include "control/show.h"

void
show_icmp(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"source", "source", COLUMN_OFF, NULL},
		{"rate", "rate", COLUMN_NUMBER, "errors a second at most"},
		{"sent", "sent", COLUMN_NUMBER, "errors sent"},
		{"limited", "limited", COLUMN_NUMBER, "packets that got none by the limit"},
		{0},
	};

	display_fields(display, result, NULL, columns);
}

static const char *
text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text ? text : "?";
}

void
show_trace(struct display *display, const json_t *result)
{
	const json_t *packets = json_object_get(result, "packets");
	json_int_t waiting = json_integer_value(json_object_get(result, "waiting"));
	json_t *packet, *step;
	size_t i, k;

	if (display_json(display, result))
		return;
	json_array_foreach (packets, i, packet) {
		display_text(display,
			     "%" JSON_INTEGER_FORMAT ": %s: %" JSON_INTEGER_FORMAT
			     " octets on port %" JSON_INTEGER_FORMAT ": %s",
			     json_integer_value(json_object_get(packet, "number")),
			     text_of(packet, "time"),
			     json_integer_value(json_object_get(packet, "length")),
			     json_integer_value(json_object_get(packet, "port")),
			     text_of(packet, "reason"));
		json_array_foreach (json_object_get(packet, "steps"), k, step)
			display_text(display, "    %s",
				     json_is_string(step) ? json_string_value(step) : "?");
	}
	if (waiting > 0)
		display_text(display, "waiting for %" JSON_INTEGER_FORMAT " more packets", waiting);
	else if (json_array_size(packets) == 0)
		display_text(display, "no packets: see trace add");
}

void
show_capture(struct display *display, const json_t *result)
{
	static const struct column columns[] = {
		{"running", "running", COLUMN_TEXT, NULL},
		{"file", "path", COLUMN_TEXT, NULL},
		{"reason", "reason", COLUMN_TEXT, NULL},
		{"limit", "limit", COLUMN_NUMBER, NULL},
		{"packets", "packets", COLUMN_NUMBER, "packets in the file"},
		{"missed", "missed", COLUMN_NUMBER, "more that came too fast to be kept"},
		{0},
	};

	display_fields(display, result, NULL, columns);
}
