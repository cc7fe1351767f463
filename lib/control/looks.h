/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as they were when they were shown last. */
#ifndef SEGSEAL_CONTROL_LOOKS_H
#define SEGSEAL_CONTROL_LOOKS_H

#include "control/command.h"
#include "control/display.h"

/*
 * Give the display what the method's result was before this one, if it was looked at and the
 * counters were not cleared since then, be it by somebody else.
 */
void looks_compare(const struct control_looks *looks, const char *method, const json_t *result,
		   struct display *display);
/* Keep result (a reference) for the next time, if it is of a method that has counters; forget what
 * is kept if the method clears them. */
void looks_keep(struct control_looks *looks, const char *method, json_t *result);

#endif
