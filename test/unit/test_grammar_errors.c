/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that are no command: each a one-line error that names the command and what was expected. */
#include "control_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/grammar.h"
#include "control/text.h"

static char error[CONTROL_ERROR_MAX];

static json_t *
must_not_be_called(void *arg, const json_t *request, char *text, size_t size)
{
	(void)arg;
	(void)request;
	(void)text;
	(void)size;
	fail_msg("a request was sent for a line that is no command");
	return NULL;
}

static int
say(const char *line)
{
	struct control_session session = {.transport = must_not_be_called};

	error[0] = '\0';
	return control_run_line(&session, line, error, sizeof(error));
}

static void
check(const char *line, const char *expected)
{
	assert_int_equal(say(line), -EINVAL);
	assert_string_equal(error, expected);
}

#define USAGE_ADD                                                                                  \
	"; usage: key add ID ALGORITHM PROFILE [accept WINDOW] [send WINDOW] [secret-file PATH | " \
	"secret-hex-file PATH]"
#define IS_ID "ID (a Key ID, 1 to 4294967295, decimal or 0x hex)"

static void
unknown_words(void **state)
{
	(void)state;
	check("frobnicate", "'frobnicate': unknown command, help lists them");
	check("KEY del 7", "'KEY': unknown command, help lists them");
	check("\"\"", "'': unknown command, help lists them");
	check("sid frob", "sid: expected add or del, not 'frob'");
	check("key frob",
	      "key: expected add, set, del, window, rotate, load, show-secret or import-linux");
	check("show keyz json",
	      "show: expected keys, port, sids, icmp, trace, capture, events, stats, "
	      "config, engine, workers or version, not 'keyz'");
	check("port 0 verify maybe", "port 0 verify: expected off, if-present or require, not "
				     "'maybe'; usage: port N verify off|if-present|require");
	check("key del 7 now", "key del 7: expected nothing more, not 'now'; usage: key del ID");
	check("show keys 5 yaml", "show keys 5: expected json or the end of the line, not 'yaml'"
				  "; usage: show keys [ID] [json]");
	check("show port info one", "show port info: expected N (a port number) or all, not 'one'"
				    "; usage: show port info N|all [json]");
	check("stop please", "stop: expected nothing more, not 'please'; usage: stop");
}

static void
missing_words(void **state)
{
	(void)state;
	check("key",
	      "key: expected add, set, del, window, rotate, load, show-secret or import-linux");
	check("key del", "key del: expected " IS_ID "; usage: key del ID");
	check("key add", "key add: expected " IS_ID USAGE_ADD);
	check("key add 1 sha256 linux secret-file",
	      "key add 1 sha256 linux secret-file: expected PATH (the name of a file)" USAGE_ADD);
	check("port 0 insert key",
	      "port 0 insert key: expected " IS_ID "; usage: port N insert key ID");
	check("sid add", "sid add: expected PREFIX (an IPv6 prefix without host bits, like "
			 "fc00::/16); usage: sid add PREFIX");
	check("load", "load: expected PATH (the name of a file); usage: load PATH");
}

static void
wrong_numbers(void **state)
{
	static const char *const ids[] = {
		"0",	       "-1",
		"+1",	       "4294967296",
		"0x100000000", "0x",
		"1x",	       "0x1g",
		"1.0",	       "1e3",
		"0b1",	       "\"1 \"",
		"one",	       "99999999999999999999",
		"1,000",       "0X1FFFFFFFF",
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(line, sizeof(line), "key del %s", ids[i]);
		assert_int_equal(say(line), -EINVAL);
		assert_non_null(strstr(error, "key del: expected " IS_ID ", not '"));
	}
	check("port 65536 strip on", "port: expected N (a port number), not '65536'");
	check("port 0 mtu 1279",
	      "port 0 mtu: expected BYTES (1280 to 65535), not '1279'; usage: port N mtu BYTES");
	check("port 0 mtu 65536",
	      "port 0 mtu: expected BYTES (1280 to 65535), not '65536'; usage: port N mtu BYTES");
}

static void
wrong_prefixes(void **state)
{
	static const char *const prefixes[] = {
		"fc00::",  "fc00::1/16",  "fc00::/129",	    "fc00::/-1",    "fc00::/",
		"/16",	   "fc00::/0x10", "fc00::/1 6",	    "10.0.0.0/8",   "fc00:/16",
		"::1/127", "1::2::/64",	  "fe80::%eth0/10", "fc00::/16/16",
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		snprintf(line, sizeof(line), "sid add '%s'", prefixes[i]);
		assert_int_equal(say(line), -EINVAL);
		assert_non_null(strstr(error, "sid add: expected PREFIX"));
	}
}

/* A secret typed where it does not belong must not come back in the error. */
static void
secrets_are_not_repeated(void **state)
{
	static const char *const lines[] = {
		"key add 1 sha256 linux hunter2",
		"key add hunter2",
		"key add 1 hunter2 linux",
		"key add 1 sha256 hunter2",
		"key set 1 sha256 linux hunter2",
		"key add 1 sha256 linux secret hunter2",
		"key add 1 sha256 linux secret-file a hunter2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(say(lines[i]), -EINVAL);
		assert_null(strstr(error, "hunter2"));
		assert_memory_equal(error, "key ", 4);
	}
}

static void
long_lines(void **state)
{
	char line[8192];

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "key del ", 8);
	line[600] = '\0';
	check(line, "key: line of 600 octets, a command has at most 512");
	line[600] = 'x';
	line[sizeof(line) - 1] = '\0';
	check(line, "key: line of 8191 octets, a command has at most 512");
	memset(line, 'x', sizeof(line));
	line[600] = '\0';
	check(line, "line of 600 octets, a command has at most 512");

	/* The longest that is allowed is refused for what it is, shortened. */
	memset(line, 'x', sizeof(line));
	memcpy(line, "key del ", 8);
	line[512] = '\0';
	assert_int_equal(say(line), -EINVAL);
	assert_non_null(strstr(error, ", not 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"));

	snprintf(line, sizeof(line), "key%080d", 0);
	for (int i = 0; i < 40; i++)
		memcpy(line + 3 + 2 * i, " a", 2);
	check(line, "key: more than 32 words in a command");
}

static void
junk(void **state)
{
	(void)state;
	check("\x01\x02", "octet 0x01 in column 1 is not text");
	check("key \x1b[2J", "key: octet 0x1b in column 5 is not text");
	check("key del 7\xff", "key: octet 0xff in column 10 is not text");
	check("key del \xc0\x80", "key: octet 0xc0 in column 9 is not text");
	check("key \xed\xa0\x80", "key: octet 0xed in column 5 is not text");
	check("key del \xe2\x82", "key: octet 0xe2 in column 9 is not text");
	check("key del 'x", "key: a quote is never closed");
	check("key del \"x\\\"", "key: a quote is never closed");
	check("key del \xe2\x82\xac",
	      "key del: expected " IS_ID ", not '\xe2\x82\xac'; usage: key del ID");
}

/* Whatever comes: one line of clean text, or none. */
static void
random_lines(void **state)
{
	static const char *const pieces[] = {
		"key",	 "add", "show", "port", "0",	"all",	     "'",
		"\"",	 "#",	" ",	"\t",	"json", "1001",	     "sha256",
		"linux", "\\",	"\xff", "\x01", "x",	"fc00::/16", "secret-file"};
	const unsigned n_pieces = sizeof(pieces) / sizeof(pieces[0]);
	unsigned seed = 42;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char line[256] = "";
		struct words words;
		struct match match;
		int n = rand_r(&seed) % 9;

		while (n-- > 0) {
			size_t at = strlen(line);

			snprintf(line + at, sizeof(line) - at, "%s%s",
				 pieces[(unsigned)rand_r(&seed) % n_pieces],
				 rand_r(&seed) % 2 ? " " : "");
		}
		error[0] = '\0';
		if (words_split(&words, line, error, sizeof(error)) == 0 && words.n > 0 &&
		    grammar_match(&words, &match, error, sizeof(error)) == 0)
			json_decref(match.params);
		for (const char *c = error; *c; c += text_utf8_len(c, strlen(c))) {
			assert_true(text_utf8_len(c, strlen(c)) > 0);
			assert_true((unsigned char)*c >= 0x20);
		}
	}
}

static void
split(const char *line, const char *joined)
{
	struct words words;
	char text[512];

	assert_int_equal(words_split(&words, line, error, sizeof(error)), 0);
	text[0] = '\0';
	for (unsigned i = 0; i < words.n; i++)
		sprintf(text + strlen(text), "<%s>", words.word[i]);
	assert_string_equal(text, joined);
}

static void
words_and_quotes(void **state)
{
	(void)state;
	split("a b  c\td", "<a><b><c><d>");
	split("a 'b c' \"d e\"", "<a><b c><d e>");
	split("a'b c'd", "<ab cd>");
	split("'' \"\"", "<><>");
	split("\"a\\\"b\\\\c\\d\"", "<a\"b\\c\\d>");
	split("'a\\' b", "<a\\><b>");
	split("a\\b", "<a\\b>");
	split("a #b", "<a>");
	split("a#b", "<a#b>");
	split("'#a'", "<#a>");
	split("# all", "");
	split("\xc3\xa4 \xe2\x82\xac", "<\xc3\xa4><\xe2\x82\xac>");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_words),
		cmocka_unit_test(missing_words),
		cmocka_unit_test(wrong_numbers),
		cmocka_unit_test(wrong_prefixes),
		cmocka_unit_test(secrets_are_not_repeated),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(junk),
		cmocka_unit_test(random_lines),
		cmocka_unit_test(words_and_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
