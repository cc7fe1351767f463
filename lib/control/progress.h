/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far long work has come: one line on standard error that is drawn over and over, and gone in
 * the end. On a terminal only, and only of work that takes its time. Any one thread.
 */
#ifndef SEGSEAL_CONTROL_PROGRESS_H
#define SEGSEAL_CONTROL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_AFTER_MS 500u /* before that nothing is shown */
#define PROGRESS_EACH_MS 200u
#define PROGRESS_TEXT_MAX 80u /* a terminal's line, and a NUL */

struct progress {
	bool on;	/* standard error is a terminal */
	uint64_t begin; /* CLOCK_MONOTONIC, milliseconds */
	uint64_t due;
	unsigned drawn; /* columns that the line takes */
};

void progress_begin(struct progress *progress);
/* Whether to draw now; false at once if it is not shown. */
bool progress_due(const struct progress *progress);
/* text: what it is about, see progress_text(); printed as it is. */
void progress_draw(struct progress *progress, const char *text);
/* Milliseconds since the beginning. */
uint64_t progress_elapsed(const struct progress *progress);
/* Take the line off the terminal. May be called again. */
void progress_end(struct progress *progress);

/*
 * "NAME: 42 %, 1234567 packets, 3 s, about 5 s left" for done of total octets; total 0: not known,
 * then without percent and rest. A long name is cut.
 */
void progress_text(char text[PROGRESS_TEXT_MAX], const char *name, uint64_t done, uint64_t total,
		   uint64_t packets, uint64_t elapsed_ms);

#endif
