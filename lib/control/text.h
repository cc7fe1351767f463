/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts for people that are safe to print whatever went into them. */
#ifndef SEGSEAL_CONTROL_TEXT_H
#define SEGSEAL_CONTROL_TEXT_H

#include <stddef.h>

/* Make text one line of valid UTF-8 without control characters: what is not becomes '?'. */
void text_one_line(char *text);
/* error = the formatted text, cut to size, on one line. Returns errnum as a negative number. */
int text_error(char *error, size_t size, int errnum, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* "EEXIST" for EEXIST or -EEXIST; "EIO" for what has no name. */
const char *text_errno_name(int errnum);
/* Octets of the well-formed UTF-8 character at text[0..len), 0 if there is none. */
size_t text_utf8_len(const char *text, size_t len);
/* Write the 2 * len hexadecimal digits of octets and a NUL. */
void text_hex(const void *octets, size_t len, char *digits);
/* 0..15, or -1 for what is no hexadecimal digit. */
int text_hex_digit(char c);
/* EEXIST for "EEXIST"; EIO for what is no name. */
int text_errno_number(const char *name);

#endif
