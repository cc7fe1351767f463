/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A command line cut into words: separated by blanks; '...' or "..." (where \" and \\ stand for
 * themselves) hold blanks together; an unquoted # at a word's start begins a comment.
 */
#ifndef SEGSEAL_CONTROL_WORDS_H
#define SEGSEAL_CONTROL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "control/command.h"

#define WORDS_MAX 32u

struct words {
	char text[2 * CONTROL_COMMAND_MAX + 2]; /* the words, each with a NUL */
	char *word[WORDS_MAX];
	unsigned n;
};

/* 0, or -EINVAL with error; the line is never quoted in it. */
int words_split(struct words *words, const char *line, char *error, size_t error_size);
/* The first n words with blanks between, cut to size, each shortened when it is long. */
void words_join(const struct words *words, unsigned n, char *text, size_t size);

#endif
