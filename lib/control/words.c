/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/words.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "control/text.h"

#define WORD_SHOWN 40 /* octets of one word in an error */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Length without line end and blanks; what is left must be printable UTF-8. */
static int
check_line(const char *line, size_t *len, char *error, size_t error_size)
{
	size_t at = 0;

	*len = strlen(line);
	while (*len > 0 && (is_blank(line[*len - 1]) || strchr("\r\n", line[*len - 1])))
		(*len)--;
	if (*len > CONTROL_COMMAND_MAX)
		return text_error(error, error_size, EINVAL,
				  "line of %zu octets, a command has at most %u", *len,
				  CONTROL_COMMAND_MAX);
	while (at < *len) {
		size_t n = text_utf8_len(line + at, *len - at);

		if (n == 0 || (n == 1 && !is_blank(line[at]) &&
			       ((uint8_t)line[at] < 0x20 || line[at] == 0x7f)))
			return text_error(error, error_size, EINVAL,
					  "octet 0x%02x in column %zu is not text",
					  (uint8_t)line[at], at + 1);
		at += n;
	}
	return 0;
}

/* Copy the word at line[*at] to out, without its quotes. Returns the end of the copy, NULL if a
 * quote is never closed. */
static char *
copy_word(const char *line, size_t len, size_t *at, char *out)
{
	char quote = '\0';

	while (*at < len && (quote || !is_blank(line[*at]))) {
		char c = line[(*at)++];

		if (!quote && (c == '"' || c == '\'')) {
			quote = c;
		} else if (quote && c == quote) {
			quote = '\0';
		} else {
			if (quote == '"' && c == '\\' && *at < len &&
			    (line[*at] == '"' || line[*at] == '\\'))
				c = line[(*at)++];
			*out++ = c;
		}
	}
	*out = '\0';
	return quote ? NULL : out;
}

int
words_split(struct words *words, const char *line, char *error, size_t error_size)
{
	char *out = words->text;
	size_t at = 0, len;
	int rc = check_line(line, &len, error, error_size);

	words->n = 0;
	if (rc < 0)
		return rc;
	for (;;) {
		while (at < len && is_blank(line[at]))
			at++;
		if (at == len || line[at] == '#')
			return 0;
		if (words->n == WORDS_MAX)
			return text_error(error, error_size, EINVAL,
					  "more than %u words in a command", WORDS_MAX);
		words->word[words->n++] = out;
		out = copy_word(line, len, &at, out);
		if (!out)
			return text_error(error, error_size, EINVAL, "a quote is never closed");
		out++;
	}
}

void
words_join(const struct words *words, unsigned n, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < n && i < words->n && at < size; i++) {
		bool whole = strlen(words->word[i]) <= WORD_SHOWN;

		at += (size_t)snprintf(text + at, size - at, "%s%.*s%s", i ? " " : "", WORD_SHOWN,
				       words->word[i], whole ? "" : "...");
	}
	text_one_line(text);
}
