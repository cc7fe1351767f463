/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a command that stand for a value: what may be written there, and what it becomes. */
#ifndef SEGSEAL_CONTROL_TYPES_H
#define SEGSEAL_CONTROL_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct word_type {
	const char *name;		    /* in patterns and usage texts: "ID" */
	const char *must;		    /* "1 to 4294967295, decimal or 0x hex" */
	const char *const *words;	    /* all that may be written, NULL-terminated; or NULL */
	json_t *(*parse)(const char *word); /* NULL if it is not one; new reference */
	bool file;			    /* names a file: completion may look for it */
};

/* All of them; ends with a NULL name. */
extern const struct word_type word_types[];
/* The type of this name[0..len), or NULL. */
const struct word_type *word_type_find(const char *name, size_t len);

#endif
