/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <string.h>

#include "keyring/line.h"

#define NAME_MAX_LEN 15u /* of an algorithm or a profile */

static size_t
blanks(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return i;
}

bool
keyring_line_empty(const char *line, size_t len)
{
	size_t i = blanks(line, len);

	return i == len || line[i] == '#';
}

struct word {
	const char *s;
	size_t len;
};

/* Take the next word off the line; its len is 0 at the end. */
static struct word
next_word(const char **line, size_t *len)
{
	size_t skip = blanks(*line, *len);
	struct word word = {*line + skip, 0};

	*len -= skip;
	while (word.len < *len && word.s[word.len] != ' ' && word.s[word.len] != '\t')
		word.len++;
	*line = word.s + word.len;
	*len -= word.len;
	return word;
}

/* The word as a C string; an empty one, which is no name, if it is too long. */
static void
word_name(struct word word, char name[NAME_MAX_LEN + 1])
{
	if (word.len > NAME_MAX_LEN)
		word.len = 0;
	memcpy(name, word.s, word.len);
	name[word.len] = '\0';
}

static int
algorithm_parse(struct word word, enum hmac_algorithm *algorithm)
{
	char name[NAME_MAX_LEN + 1];
	int rc;

	word_name(word, name);
	rc = hmac_algorithm_parse(name, algorithm);
	hmac_wipe(name, sizeof(name));
	return rc;
}

static int
profile_parse(struct word word, enum hmac_profile *profile)
{
	char name[NAME_MAX_LEN + 1];
	int rc;

	word_name(word, name);
	rc = hmac_profile_parse(name, profile);
	hmac_wipe(name, sizeof(name));
	return rc;
}

static const char *
text_secret(const char *s, size_t len, struct keyring_spec *spec)
{
	if (len == 0)
		return "the secret is empty";
	if (len > HMAC_SECRET_MAX)
		return "the secret is longer than 64 octets";
	memcpy(spec->secret, s, len);
	spec->secret_len = (uint8_t)len;
	return NULL;
}

static unsigned
hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static const char *
hex_secret(const char *s, size_t len, struct keyring_spec *spec)
{
	size_t digits = 0;

	while (digits < len && isxdigit((unsigned char)s[digits]))
		digits++;
	if (digits + blanks(s + digits, len - digits) != len)
		return "the secret after hex: has something that is not a hex digit";
	if (digits == 0)
		return "the secret is empty";
	if (digits % 2 != 0)
		return "the secret after hex: has an odd number of digits";
	if (digits / 2 > HMAC_SECRET_MAX)
		return "the secret is longer than 64 octets";
	for (size_t i = 0; i < digits / 2; i++)
		spec->secret[i] = (uint8_t)(hex_digit(s[2 * i]) << 4 | hex_digit(s[2 * i + 1]));
	spec->secret_len = (uint8_t)(digits / 2);
	return NULL;
}

static bool
starts_with(const char *s, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && memcmp(s, prefix, strlen(prefix)) == 0;
}

static const char *
secret_parse(const char *s, size_t len, struct keyring_spec *spec)
{
	if (len == 0)
		return "the secret is missing";
	if (starts_with(s, len, "text:"))
		return text_secret(s + 5, len - 5, spec);
	if (starts_with(s, len, "hex:"))
		return hex_secret(s + 4, len - 4, spec);
	return "the secret must begin with text: or hex:";
}

/*
 * Take accept=FROM..TO and send=FROM..TO, each at most once, off the line. NULL, or what is wrong.
 */
static const char *
windows_parse(const char **line, size_t *len, int64_t now, struct keyring_life *life)
{
	bool accept = false, send = false;

	for (;;) {
		const char *rest = *line;
		size_t left = *len;
		struct word word = next_word(&rest, &left);
		const char *wrong;

		if (!accept && starts_with(word.s, word.len, "accept=")) {
			accept = true;
			wrong = keyring_window_parse(word.s + 7, word.len - 7, now, &life->accept);
		} else if (!send && starts_with(word.s, word.len, "send=")) {
			send = true;
			wrong = keyring_window_parse(word.s + 5, word.len - 5, now, &life->send);
		} else {
			return NULL;
		}
		if (wrong != NULL)
			return wrong;
		*line = rest;
		*len = left;
	}
}

const char *
keyring_line_parse(const char *line, size_t len, int64_t now, struct keyring_spec *spec)
{
	const char *wrong;
	struct word word;
	size_t skip;

	memset(spec, 0, sizeof(*spec));
	if (memchr(line, '\0', len) != NULL)
		return "a NUL octet; write such a secret as hex:";
	if (memchr(line, '\r', len) != NULL)
		return "a carriage return; end lines with LF alone, or write such a secret as hex:";
	word = next_word(&line, &len);
	if (keyring_id_parse(word.s, word.len, &spec->id) < 0)
		return "the key ID is not a number from 1 to 4294967295, decimal or 0x hex";
	word = next_word(&line, &len);
	if (word.len == 0)
		return "the algorithm is missing";
	if (algorithm_parse(word, &spec->algorithm) < 0)
		return "unknown algorithm; there are sha1, sha256, sha384 and sha512";
	word = next_word(&line, &len);
	if (word.len == 0)
		return "the profile is missing";
	if (profile_parse(word, &spec->profile) < 0)
		return "unknown profile; there are linux and rfc8754";
	wrong = windows_parse(&line, &len, now, &spec->life);
	if (wrong != NULL)
		return wrong;
	skip = blanks(line, len);
	return secret_parse(line + skip, len - skip, spec);
}
