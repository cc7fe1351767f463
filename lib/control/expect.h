/* SPDX-License-Identifier: BSD-3-Clause */
/* What may stand at a place of a line: said in errors, offered by completion. */
#ifndef SEGSEAL_CONTROL_EXPECT_H
#define SEGSEAL_CONTROL_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "control/grammar.h"

#define EXPECT_MAX 48u

struct expect {
	unsigned at; /* number of words that were understood */
	const struct alternative *alternatives[EXPECT_MAX];
	unsigned n;
	bool end;		       /* the line may end here */
	bool secret;		       /* it may be a command that takes a secret */
	const struct command *command; /* the only one that it may be; NULL: several */
};

/* What is expected behind as many of the n words as are understood. */
void expect_find(struct expect *expect, char *const *words, unsigned n);
/* "WORDS: expected ..., not 'WORD'; usage: ...". Returns -EINVAL. */
int expect_error(const struct words *words, char *error, size_t error_size);

#endif
