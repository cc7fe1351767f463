/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t
text_utf8_len(const char *text, size_t len)
{
	const uint8_t *c = (const uint8_t *)text;
	uint32_t code;
	size_t n;

	if (len == 0)
		return 0;
	if (c[0] < 0x80)
		return 1;
	if (c[0] >= 0xc2 && c[0] <= 0xdf)
		n = 2;
	else if (c[0] >= 0xe0 && c[0] <= 0xef)
		n = 3;
	else if (c[0] >= 0xf0 && c[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (len < n)
		return 0;
	code = c[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c[i] & 0x3f);
	}
	/* RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF. */
	if ((n == 3 && code < 0x800) || (n == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

void
text_one_line(char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		size_t n = text_utf8_len(text, left);

		if (n == 0 || (n == 1 && (*text < 0x20 || *text == 0x7f)) ||
		    (n == 2 && (uint8_t)text[0] == 0xc2 && (uint8_t)text[1] < 0xa0)) {
			*text = '?';
			n = 1;
		}
		text += n;
		left -= n;
	}
}

int
text_error(char *error, size_t size, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	text_one_line(error);
	return errnum ? -abs(errnum) : -EIO;
}

const char *
text_errno_name(int errnum)
{
	const char *name = strerrorname_np(abs(errnum));

	/* Two names of one number, of which the C library knows the other. */
	if (abs(errnum) == ENOTSUP)
		return "ENOTSUP";
	return name && errnum != 0 ? name : "EIO";
}

int
text_errno_number(const char *name)
{
	if (name && strcmp(name, "ENOTSUP") == 0)
		return ENOTSUP;
	for (int number = 1; name && number < 256; number++) {
		const char *known = strerrorname_np(number);

		if (known && strcmp(known, name) == 0)
			return number;
	}
	return EIO;
}

void
text_hex(const void *octets, size_t len, char *digits)
{
	static const char all[] = "0123456789abcdef";
	const unsigned char *octet = octets;

	for (size_t i = 0; i < len; i++) {
		*digits++ = all[octet[i] >> 4];
		*digits++ = all[octet[i] & 15];
	}
	*digits = '\0';
}

int
text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
