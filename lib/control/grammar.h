/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one list of commands, and what follows from it: how a line is understood, what an error says
 * was expected, help, completion, and the man page.
 *
 * A pattern is the usage text itself. Lower-case words stand for themselves, upper-case words for
 * a value of that word_type, a|b for one or the other, [...] for what may be left out (where
 * " | " separates alternatives), and "..." behind a word for one or more of it, up to the end.
 * A value behind a word in brackets is a param of that word's name, unless it is a file and the
 * command runs itself.
 */
#ifndef SEGSEAL_CONTROL_GRAMMAR_H
#define SEGSEAL_CONTROL_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "control/command.h"
#include "control/types.h"
#include "control/words.h"

struct match;
struct display;

struct command {
	const char *pattern;
	const char *help; /* what it does, one sentence without a full stop */
	/* Method to call; its params are the values of the line's variable words under these names,
	 * in order. A name that ends with ? takes on and off as true and false, one that ends with
	 * - is null and takes no word. */
	const char *method;
	const char *params;
	/* Instead of a mere call; NULL: call the method. 0 or a negative errno with error. */
	int (*run)(struct control_session *session, const struct match *match, char *error,
		   size_t error_size);
	/* What to print of the result; NULL: nothing. */
	void (*show)(struct display *display, const json_t *result);
	bool secret; /* takes a secret: no word that was not understood is repeated in an error */
};

/* All commands; ends with a NULL pattern. */
extern const struct command commands[];

struct alternative {
	const char *text; /* not NUL-terminated */
	size_t len;
	const struct word_type *type; /* NULL: the word itself */
};

struct slot { /* the place of one word */
	struct alternative alternatives[4];
	unsigned n;
	bool variable; /* its word is a value */
	bool option;   /* in brackets, beginning with a word that stands for itself */
	bool rest;     /* takes all words up to the end */
};

#define FORM_SLOTS_MAX 12u

struct form { /* a command with a choice made for each of its brackets */
	const struct command *command;
	struct slot slots[FORM_SLOTS_MAX];
	unsigned n;
};

/* All forms, in the order of commands. */
const struct form *grammar_forms(unsigned *n);
/* Whether the word may stand there; *value (if not NULL) becomes its value. */
bool slot_takes(const struct slot *slot, const char *word, json_t **value);
/* How many of the n words fit the form from its beginning. */
unsigned form_fits(const struct form *form, char *const *words, unsigned n);
/* Whether n words, if they fit, are all that the form needs. */
bool form_is_whole(const struct form *form, unsigned n);

struct match {
	const struct command *command;
	json_t *params;			/* for the method; the holder drops it */
	const char *option;		/* of brackets: "secret-file"; NULL: none */
	const char *option_value;	/* the word behind it */
	bool json;			/* "json" was said */
	char name[64];			/* the command's fixed words: "key add" */
	char rest[CONTROL_COMMAND_MAX]; /* the words that a "..." took, joined */
};

/* Understand a line of at least one word. 0, or -EINVAL with error = "WORDS: what was expected". */
int grammar_match(const struct words *words, struct match *match, char *error, size_t error_size);

#endif
