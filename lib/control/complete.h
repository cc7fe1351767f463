/* SPDX-License-Identifier: BSD-3-Clause */
/* How an unfinished line may go on: for the prompt's TAB and ? and for the shell's completion. */
#ifndef SEGSEAL_CONTROL_COMPLETE_H
#define SEGSEAL_CONTROL_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct candidate {
	char *text;   /* the whole word; NULL: a value that cannot be listed */
	char *help;   /* "ID: a Key ID, ..." or what the word leads to */
	bool unended; /* more of the word may follow: a folder */
};

struct completion {
	struct candidate *list;
	unsigned n;
	size_t partial; /* octets of the last word that stand in the line already */
};

/* Candidates for the word at the end of line (an empty one behind a blank). None without memory. */
void complete_line(struct completion *completion, const char *line);
/* Octets that all texts have in common; 0 if one of them is not listed. */
size_t complete_common(const struct completion *completion);
void complete_free(struct completion *completion);

#endif
