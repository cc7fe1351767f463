/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the secret of a key comes from: a file, the terminal, or standard input. Never a word. */
#ifndef SEGSEAL_CONTROL_SECRET_H
#define SEGSEAL_CONTROL_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#define SECRET_MAX 64u			     /* octets */
#define SECRET_HEX_SIZE (2 * SECRET_MAX + 1) /* room for the digits and a NUL */

/*
 * Each writes the secret as hexadecimal digits to hex, which the caller wipes, or returns a
 * negative errno with a one-line error that holds no octet of it.
 */

/* The octets of a file, but for one newline at its end. */
int secret_from_file(const char *path, char hex[SECRET_HEX_SIZE], char *error, size_t error_size);
/* The hexadecimal digits in a file. */
int secret_from_hex_file(const char *path, char hex[SECRET_HEX_SIZE], char *error,
			 size_t error_size);
/* Asked for on the terminal without echo when ask and standard input is one; else one line. */
int secret_from_input(bool ask, const char *prompt, char hex[SECRET_HEX_SIZE], char *error,
		      size_t error_size);

#endif
