/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A key file with any octets: either specs that are valid and just what a plain reader sees in the
 * file, or an error of one line that begins with path and line and has nothing of the file in it.
 *
 * Input: one octet that sets the room for the error, then the file, in which each octet 0x01 stands
 * for MARK: what must never come out.
 *
 * libFuzzer: -max_len=2048
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "fuzz.h"
#include "keyring/keyring.h"

#define MARK "zQ7kVw9xJ2pL"
#define PATH "keys"
#define TEXT_MAX 16384u

/* --- a plain reader of lines that are known to be right --- */

struct words {
	char *word[4]; /* ID, algorithm, profile, and all the rest of the line */
	char *accept;  /* what stands between: windows, NULL if there is none */
	char *send;
};

static char *
skip_blanks(char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* The word at *line, which becomes what is behind it. */
static char *
next_word(char **line)
{
	char *word = skip_blanks(*line), *end = word;

	while (*end != '\0' && *end != ' ' && *end != '\t')
		end++;
	*line = end;
	if (*end != '\0') {
		*end = '\0';
		*line = end + 1;
	}
	return word;
}

static struct words
split(char *line)
{
	struct words words = {0};

	for (int i = 0; i < 3; i++)
		words.word[i] = next_word(&line);
	for (;;) {
		line = skip_blanks(line);
		if (words.accept == NULL && strncmp(line, "accept=", 7) == 0)
			words.accept = next_word(&line) + 7;
		else if (words.send == NULL && strncmp(line, "send=", 5) == 0)
			words.send = next_word(&line) + 5;
		else
			break;
	}
	words.word[3] = line;
	return words;
}

static void
check_instant(int64_t instant, const char *text)
{
	struct tm tm = {0};
	char unit = '\0';
	long long n;

	if (*text == '\0') {
		FUZZ_ASSERT_SAME(instant, 0);
	} else if (*text == '+') {
		struct timespec now_ts; /* time() may still show the second before */
		int64_t now;

		clock_gettime(CLOCK_REALTIME, &now_ts);
		now = now_ts.tv_sec;
		FUZZ_ASSERT_SAME(sscanf(text, "+%lld%c", &n, &unit), 2);
		n *= unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 86400;
		/* The clock goes on meanwhile. */
		FUZZ_ASSERT(instant <= now + n && instant >= now + n - 20);
	} else {
		char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);

		FUZZ_ASSERT(end != NULL && *end == '\0');
		FUZZ_ASSERT_SAME(instant, timegm(&tm));
	}
}

static void
check_window(const struct keyring_window *window, char *text)
{
	char *dots;

	if (text == NULL) {
		FUZZ_ASSERT(window->from == 0 && window->to == 0);
		return;
	}
	dots = strstr(text, "..");
	FUZZ_ASSERT(dots != NULL);
	*dots = '\0';
	check_instant(window->from, text);
	check_instant(window->to, dots + 2);
	FUZZ_ASSERT(window->to == 0 || window->from < window->to);
}

static void
check_secret(const struct keyring_spec *spec, const char *word)
{
	FUZZ_ASSERT(spec->secret_len >= 1 && spec->secret_len <= HMAC_SECRET_MAX);
	if (strncmp(word, "text:", 5) == 0) {
		FUZZ_ASSERT_SAME(spec->secret_len, strlen(word + 5));
		FUZZ_ASSERT(memcmp(spec->secret, word + 5, spec->secret_len) == 0);
	} else {
		FUZZ_ASSERT(strncmp(word, "hex:", 4) == 0);
		FUZZ_ASSERT_SAME(strspn(word + 4, "0123456789abcdefABCDEF"), spec->secret_len * 2);
		for (unsigned i = 0; i < spec->secret_len; i++) {
			char pair[3] = {word[4 + 2 * i], word[5 + 2 * i], '\0'};

			FUZZ_ASSERT_SAME(strtoul(pair, NULL, 16), spec->secret[i]);
		}
	}
	for (unsigned i = spec->secret_len; i < HMAC_SECRET_MAX; i++)
		FUZZ_ASSERT_SAME(spec->secret[i], 0);
}

static void
check_spec(const struct keyring_spec *spec, char *line)
{
	struct words words = split(line);
	bool hex = strncmp(words.word[0], "0x", 2) == 0 || strncmp(words.word[0], "0X", 2) == 0;

	FUZZ_ASSERT(spec->id != 0);
	FUZZ_ASSERT_SAME(spec->id, strtoull(words.word[0], NULL, hex ? 16 : 10));
	FUZZ_ASSERT(strcmp(hmac_algorithm_name(spec->algorithm), words.word[1]) == 0);
	FUZZ_ASSERT(strcmp(hmac_profile_name(spec->profile), words.word[2]) == 0);
	check_window(&spec->life.accept, words.accept);
	check_window(&spec->life.send, words.send);
	check_secret(spec, words.word[3]);
}

static void
check_specs(char *text, const struct keyring_spec *specs, unsigned n)
{
	unsigned seen = 0;

	for (char *line = text, *next; line != NULL; line = next) {
		char *begin;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		begin = skip_blanks(line);
		if (*begin == '\0' || *begin == '#')
			continue;
		FUZZ_ASSERT(seen < n);
		check_spec(&specs[seen], line);
		for (unsigned i = 0; i < seen; i++)
			FUZZ_ASSERT(specs[i].id != specs[seen].id);
		seen++;
	}
	FUZZ_ASSERT_SAME(seen, n);
}

/* --- errors --- */

static void
check_error(const char *error, size_t room, size_t lines)
{
	size_t len = strnlen(error, room);
	char *end;
	unsigned long line;

	FUZZ_ASSERT(len < room);
	for (size_t i = 0; i < len; i++)
		FUZZ_ASSERT(!iscntrl((unsigned char)error[i]));
	for (size_t i = 0; i + 4 <= strlen(MARK); i++) {
		char part[5] = {0};

		memcpy(part, &MARK[i], 4);
		FUZZ_ASSERT(strstr(error, part) == NULL);
	}
	if (len + 1 < room) {
		FUZZ_ASSERT(strncmp(error, PATH ":", strlen(PATH ":")) == 0);
		line = strtoul(error + strlen(PATH ":"), &end, 10);
		FUZZ_ASSERT(line >= 1 && line <= lines);
		FUZZ_ASSERT(strncmp(end, ": ", 2) == 0 && strlen(end) > 4);
	}
}

static size_t
unfold(struct fuzz_input *input, char *text)
{
	size_t len = 0;

	while (input->size != 0 && len + strlen(MARK) < TEXT_MAX) {
		char c = (char)fuzz_take8(input);

		if (c != 1) {
			text[len++] = c;
			continue;
		}
		for (const char *mark = MARK; *mark != '\0'; mark++)
			text[len++] = *mark;
	}
	return len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	size_t room = fuzz_take8(&input), len, lines = 1;
	struct keyring_spec *specs = NULL;
	static char text[TEXT_MAX + 1];
	char *file, *error;
	unsigned n = 0;
	int rc;

	if (room == 0)
		room = 512;
	len = unfold(&input, text);
	text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	/* Blocks of their own length, so that the sanitizers see an octet too many. */
	file = malloc(len + 1);
	error = malloc(room);
	FUZZ_ASSERT(file != NULL && error != NULL);
	memcpy(file + 1, text, len);
	memset(error, 'E', room);
	rc = keyring_file_parse(PATH, file + 1, len, &specs, &n, error, room);
	if (rc == 0) {
		FUZZ_ASSERT(specs != NULL);
		/* There may be NULs in comments. */
		for (size_t i = 0; i < len; i++)
			text[i] = text[i] == '\0' ? '?' : text[i];
		check_specs(text, specs, n);
		keyring_specs_free(specs, n);
	} else {
		FUZZ_ASSERT(rc == -EINVAL || rc == -EEXIST);
		check_error(error, room, lines);
	}
	free(file);
	free(error);
	return 0;
}
