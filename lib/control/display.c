/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/display.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "control/text.h"

#define CELL_SIZE 128u
#define COLUMNS_MAX 16u

static void
age_text(json_int_t seconds, char *text)
{
	if (seconds < 120)
		snprintf(text, CELL_SIZE, "%" PRId64 "s ago", (int64_t)seconds);
	else if (seconds < 7200)
		snprintf(text, CELL_SIZE, "%" PRId64 "min ago", (int64_t)seconds / 60);
	else if (seconds < 172800)
		snprintf(text, CELL_SIZE, "%" PRId64 "h ago", (int64_t)seconds / 3600);
	else
		snprintf(text, CELL_SIZE, "%" PRId64 "d ago", (int64_t)seconds / 86400);
}

/* {"port":0,"queue":1} of each element, as 0:1. */
static void
queues_text(const json_t *queues, char *text)
{
	size_t at = 0, i;
	json_t *queue;

	snprintf(text, CELL_SIZE, "-");
	json_array_foreach (queues, i, queue) {
		if (at < CELL_SIZE)
			at += (size_t)snprintf(text + at, CELL_SIZE - at,
					       "%s%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT,
					       i ? " " : "",
					       json_integer_value(json_object_get(queue, "port")),
					       json_integer_value(json_object_get(queue, "queue")));
	}
}

/* {"from":..,"to":..} as FROM..TO. */
static void
window_text(const json_t *window, char *text)
{
	const char *from = json_string_value(json_object_get(window, "from"));
	const char *to = json_string_value(json_object_get(window, "to"));

	if (from || to)
		snprintf(text, CELL_SIZE, "%s..%s", from ? from : "", to ? to : "");
	else
		snprintf(text, CELL_SIZE, "always");
}

static const char *
null_text(enum column_format format)
{
	switch (format) {
	case COLUMN_OFF:
		return "off";
	case COLUMN_AGE:
	case COLUMN_AGE_MS:
		return "never";
	default:
		return "-";
	}
}

static void
cell_text(const json_t *value, enum column_format format, char text[CELL_SIZE])
{
	if (!value || json_is_null(value))
		snprintf(text, CELL_SIZE, "%s", null_text(format));
	else if (json_is_boolean(value))
		snprintf(text, CELL_SIZE, "%s", json_is_true(value) ? "on" : "off");
	else if (json_is_integer(value) && format == COLUMN_AGE)
		age_text(json_integer_value(value), text);
	else if (json_is_integer(value) && format == COLUMN_AGE_MS &&
		 json_integer_value(value) < 10000)
		snprintf(text, CELL_SIZE, "%" PRId64 "ms ago", (int64_t)json_integer_value(value));
	else if (json_is_integer(value) && format == COLUMN_AGE_MS)
		age_text(json_integer_value(value) / 1000, text);
	else if (json_is_integer(value))
		snprintf(text, CELL_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, CELL_SIZE, "%.1f", json_real_value(value));
	else if (json_is_string(value))
		snprintf(text, CELL_SIZE, "%s", json_string_value(value));
	else if (format == COLUMN_WINDOW)
		window_text(value, text);
	else if (format == COLUMN_QUEUES)
		queues_text(value, text);
	else
		snprintf(text, CELL_SIZE, "?");
	text_one_line(text);
}

static void
put_cell(FILE *out, const char *text, int width, bool right, bool last)
{
	if (right)
		fprintf(out, "%*s", width, text);
	else if (last)
		fputs(text, out);
	else
		fprintf(out, "%-*s", width, text);
	fputs(last ? "\n" : "  ", out);
}

bool
display_json(struct display *display, const json_t *result)
{
	if (display->json) {
		json_dumpf(result, display->out, JSON_COMPACT);
		fputc('\n', display->out);
	}
	return display->json;
}

void
display_text(struct display *display, const char *format, ...)
{
	char *text;
	va_list args;

	if (display->json)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text) {
		text_one_line(text);
		fprintf(display->out, "%s\n", text);
	}
	free(text);
}

static bool
is_right(enum column_format format)
{
	return format == COLUMN_NUMBER || format == COLUMN_PACKETS || format == COLUMN_OCTETS;
}

static void
measure(const json_t *rows, const struct column *columns, int *widths)
{
	char text[CELL_SIZE];
	size_t i;
	json_t *row;

	for (unsigned c = 0; columns[c].member; c++) {
		widths[c] = (int)strlen(columns[c].title);
		json_array_foreach (rows, i, row) {
			cell_text(json_object_get(row, columns[c].member), columns[c].format, text);
			if ((int)strlen(text) > widths[c])
				widths[c] = (int)strlen(text);
		}
	}
}

void
display_table(struct display *display, const json_t *result, const char *member,
	      const struct column *columns)
{
	const json_t *rows = json_object_get(result, member);
	int widths[COLUMNS_MAX];
	char text[CELL_SIZE];
	size_t i;
	json_t *row;

	if (display_json(display, result))
		return;
	if (json_array_size(rows) == 0) {
		display_text(display, "no %s", member);
		return;
	}
	measure(rows, columns, widths);
	for (unsigned c = 0; columns[c].member; c++)
		put_cell(display->out, columns[c].title, widths[c], is_right(columns[c].format),
			 !columns[c + 1].member);
	json_array_foreach (rows, i, row) {
		for (unsigned c = 0; columns[c].member; c++) {
			cell_text(json_object_get(row, columns[c].member), columns[c].format, text);
			put_cell(display->out, text, widths[c], is_right(columns[c].format),
				 !columns[c + 1].member);
		}
	}
}

/* "1.49 Mpps", "" for what has no rate. */
static void
rate_text(const struct display *display, const struct column *column, const json_t *object,
	  const json_t *before, char text[CELL_SIZE])
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T"};
	const json_t *now = json_object_get(object, column->member);
	const json_t *then = json_object_get(before, column->member);
	bool octets = column->format == COLUMN_OCTETS;
	unsigned prefix = 0;
	double rate;

	text[0] = '\0';
	if ((!octets && column->format != COLUMN_PACKETS) || display->seconds <= 0 ||
	    !json_is_integer(now) || !json_is_integer(then) ||
	    json_integer_value(now) < json_integer_value(then))
		return; /* counters that were cleared in between had no rate */
	rate = (double)(json_integer_value(now) - json_integer_value(then)) / display->seconds;
	rate *= octets ? 8 : 1;
	while (rate >= 999.5 && prefix < 4) {
		rate /= 1000;
		prefix++;
	}
	snprintf(text, CELL_SIZE, "%.3g %s%s", rate, prefixes[prefix], octets ? "bit/s" : "pps");
}

static void
widen(int *width, const char *text)
{
	if ((int)strlen(text) > *width)
		*width = (int)strlen(text);
}

void
display_fields(struct display *display, const json_t *object, const json_t *before,
	       const struct column *columns)
{
	int title_width = 0, value_width = 0, rate_width = 0;
	char value[CELL_SIZE], rate[CELL_SIZE];

	if (display_json(display, object))
		return;
	for (const struct column *c = columns; c->member; c++) {
		cell_text(json_object_get(object, c->member), c->format, value);
		rate_text(display, c, object, before, rate);
		widen(&title_width, c->title);
		if (is_right(c->format))
			widen(&value_width, value);
		widen(&rate_width, rate);
	}
	for (const struct column *c = columns; c->member; c++) {
		cell_text(json_object_get(object, c->member), c->format, value);
		rate_text(display, c, object, before, rate);
		fprintf(display->out, "%-*s  ", title_width, c->title);
		put_cell(display->out, value, value_width, is_right(c->format), !c->help);
		if (c->help && rate_width > 0)
			fprintf(display->out, "%*s  ", rate_width, rate);
		if (c->help)
			fprintf(display->out, "%s\n", c->help);
	}
}
