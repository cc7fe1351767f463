/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results, shown by the same calls as aligned text for people or as JSON for programs. In JSON the
 * result goes out as the method gave it, one line; what to show for people is a list of columns.
 */
#ifndef SEGSEAL_CONTROL_DISPLAY_H
#define SEGSEAL_CONTROL_DISPLAY_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

struct display {
	FILE *out;
	bool json;
	const json_t *before; /* an earlier result of the same method; NULL: none */
	double seconds;	      /* between the two */
};

enum column_format {
	COLUMN_TEXT,	/* strings as they are, true and false as on and off, null as - */
	COLUMN_NUMBER,	/* the same, to the right */
	COLUMN_PACKETS, /* a counter: the same, and its rate in packets a second */
	COLUMN_OCTETS,	/* the same, and its rate in bits a second */
	COLUMN_OFF,	/* null as off */
	COLUMN_AGE,	/* seconds as "3s ago", null as never */
	COLUMN_AGE_MS,	/* milliseconds as "3ms ago", null as never */
	COLUMN_WINDOW,	/* object with from and to, as FROM..TO, or always */
	COLUMN_QUEUES,	/* array of objects with port and queue, as 0:1 2:1 */
};

struct column {
	const char *title;
	const char *member; /* of the row's object; NULL ends the list of columns */
	enum column_format format;
	const char *help; /* display_fields() prints it behind the value; may be NULL */
};

/* result[member] is an array of objects: a row each; "no KEYS" when it is empty. */
void display_table(struct display *display, const json_t *result, const char *member,
		   const struct column *columns);
/*
 * Members of one object below each other, with rates if before is what it was at that time (NULL:
 * not known). In JSON it prints all of object.
 */
void display_fields(struct display *display, const json_t *object, const json_t *before,
		    const struct column *columns);
/* A line of text above or below; nothing in JSON. */
void display_text(struct display *display, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The result as JSON; true if that is what is wanted, and all. */
bool display_json(struct display *display, const json_t *result);

#endif
