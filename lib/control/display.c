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

static const char *
null_text(enum column_format format)
{
	switch (format) {
	case COLUMN_OFF:
		return "off";
	case COLUMN_AGE:
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
	else if (json_is_integer(value))
		snprintf(text, CELL_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(text, CELL_SIZE, "%.1f", json_real_value(value));
	else if (json_is_string(value))
		snprintf(text, CELL_SIZE, "%s", json_string_value(value));
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
		put_cell(display->out, columns[c].title, widths[c],
			 columns[c].format == COLUMN_NUMBER, !columns[c + 1].member);
	json_array_foreach (rows, i, row) {
		for (unsigned c = 0; columns[c].member; c++) {
			cell_text(json_object_get(row, columns[c].member), columns[c].format, text);
			put_cell(display->out, text, widths[c], columns[c].format == COLUMN_NUMBER,
				 !columns[c + 1].member);
		}
	}
}

void
display_fields(struct display *display, const json_t *object, const struct column *columns)
{
	int title_width = 0, value_width = 0;
	char text[CELL_SIZE];

	if (display_json(display, object))
		return;
	for (const struct column *c = columns; c->member; c++) {
		const json_t *value = json_object_get(object, c->member);

		cell_text(value, c->format, text);
		if ((int)strlen(c->title) > title_width)
			title_width = (int)strlen(c->title);
		if (c->format == COLUMN_NUMBER && (int)strlen(text) > value_width)
			value_width = (int)strlen(text);
	}
	for (const struct column *c = columns; c->member; c++) {
		cell_text(json_object_get(object, c->member), c->format, text);
		fprintf(display->out, "%-*s  ", title_width, c->title);
		put_cell(display->out, text, value_width, c->format == COLUMN_NUMBER, !c->help);
		if (c->help)
			fprintf(display->out, "%s\n", c->help);
	}
}
