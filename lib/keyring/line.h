/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of a key file. Pure C, any thread. */
#ifndef SEGSEAL_KEYRING_LINE_H
#define SEGSEAL_KEYRING_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "keyring/keyring.h"

/* Whether line[0..len), without its newline, is blank or a comment. */
bool keyring_line_empty(const char *line, size_t len);
/*
 * Read a line that is not empty; durations count from now. NULL, or what is wrong with it: static
 * text, nothing of the line in it, for any word may be a secret in the wrong place. *spec then
 * holds no octet of a secret.
 */
const char *keyring_line_parse(const char *line, size_t len, int64_t now,
			       struct keyring_spec *spec);

#endif
