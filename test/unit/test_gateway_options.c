/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line: which program is asked for, what goes to the EAL, what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "control/control.h"
#include "gateway/options.h"

static struct options options;
static char error[256];

static int
parse_words(const char *const *words, int n)
{
	char *argv[24] = {(char *)"segseal"};

	assert_true(n < 22);
	for (int i = 0; i < n; i++)
		argv[i + 1] = (char *)words[i];
	error[0] = '\0';
	return options_parse(&options, n + 1, argv, error, sizeof(error));
}

#define parse(...)                                                                                 \
	parse_words((const char *const[]){__VA_ARGS__},                                            \
		    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void
refused(const char *what)
{
	assert_non_null(strstr(error, what));
	assert_null(strchr(error, '\n'));
}

static void
test_nothing_given(void **state)
{
	(void)state;
	assert_int_equal(parse_words(NULL, 0), 0);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
	assert_int_equal(options.eal_argc, 1);
	assert_string_equal(options.socket, CONTROL_SOCKET_DEFAULT);
	assert_null(options.config);
	assert_int_equal(options.rxq, 1);
	assert_false(options.interactive);
	assert_false(options.keep_secrets);
}

static void
test_all_before_the_dashes_is_the_eals(void **state)
{
	(void)state;
	assert_int_equal(parse("-l", "0,1", "-c", "ff", "--", "-c", "file", "-i", "--rxq=4", "-s",
			       "sock", "--mbufs", "2048", "--memo-entries", "0", "--keep-secrets"),
			 0);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
	assert_int_equal(options.eal_argc, 5);
	assert_string_equal(options.config, "file");
	assert_string_equal(options.socket, "sock");
	assert_true(options.interactive);
	assert_true(options.keep_secrets);
	assert_int_equal(options.rxq, 4);
	assert_int_equal(options.mbufs, 2048);
	assert_int_equal(options.memo_entries, 0);
}

static void
test_no_dashes_is_all_the_eals(void **state)
{
	(void)state;
	assert_int_equal(parse("-l", "0,1", "--no-huge"), 0);
	assert_int_equal(options.eal_argc, 4);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
	/* Some begin like ours, or are as short. */
	assert_int_equal(parse("--socket-mem", "512", "-c", "3", "-s", "1"), 0);
}

static void
test_ours_stand_behind_the_dashes(void **state)
{
	(void)state;
	assert_int_equal(parse("-l", "0,1", "--socket=x"), -EINVAL);
	refused("'--socket=x' stands behind --");
	assert_int_equal(parse("--interactive"), -EINVAL);
	refused("'--interactive' stands behind --");
	assert_int_equal(parse("-l", "0,1", "-i"), -EINVAL);
	refused("'-i' stands behind --");
}

static void
test_replay(void **state)
{
	(void)state;
	assert_int_equal(parse("--config", "c", "--replay=in", "--write", "out", "--json"), 0);
	assert_int_equal(options.mode, OPTIONS_REPLAY);
	assert_string_equal(options.config, "c");
	assert_string_equal(options.read, "in");
	assert_string_equal(options.write, "out");
	assert_true(options.json);
	assert_false(options.from_peer);
	assert_int_equal(parse("--replay", "in", "-c", "c", "--replay-from-peer"), 0);
	assert_true(options.from_peer);
	assert_false(options.json);
}

static void
test_help_and_version(void **state)
{
	(void)state;
	assert_int_equal(parse("--help"), 0);
	assert_int_equal(options.mode, OPTIONS_HELP);
	assert_int_equal(parse("-V"), 0);
	assert_int_equal(options.mode, OPTIONS_VERSION);
	assert_int_equal(parse("-l", "0", "--", "-h"), 0);
	assert_int_equal(options.mode, OPTIONS_HELP);
	/* With other EAL options it is theirs. */
	assert_int_equal(parse("-l", "0", "--help"), 0);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
}

static void
test_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("--", "--rxq", "65"), -EINVAL);
	refused("--rxq");
	assert_int_equal(parse("--", "--rxq", ""), -EINVAL);
	refused("--rxq");
	assert_int_equal(parse("--", "--rxq", " 1"), -EINVAL);
	refused("--rxq");
	assert_int_equal(parse("--", "--mbufs", "1x"), -EINVAL);
	refused("--mbufs");
	assert_int_equal(parse("--", "--frobnicate"), -EINVAL);
	refused("--frobnicate");
	assert_int_equal(parse("--", "-q"), -EINVAL);
	refused("-q");
	assert_int_equal(parse("--", "--socket"), -EINVAL);
	refused("--socket");
	assert_int_equal(parse("--", "--json"), -EINVAL);
	refused("--json");
	assert_int_equal(parse("--", "stray"), -EINVAL);
	refused("stray");
	assert_int_equal(parse("--replay", "in"), -EINVAL);
	refused("--config");
	assert_int_equal(parse("--replay", "", "--config", "c"), -EINVAL);
	refused("empty");
	assert_int_equal(parse("--replay", "in", "--config", "c", "--", "x"), -EINVAL);
	refused("x");
	assert_int_equal(parse("--replay-from-peer", "--config", "c"), -EINVAL);
	refused("--replay");
}

static void
test_long_words_do_not_overrun(void **state)
{
	char word[2048];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(parse("--", word), -EINVAL);
	assert_true(strlen(error) < sizeof(error));
	memcpy(word, "--rxq=", 6);
	assert_int_equal(parse("--", word), -EINVAL);
	refused("--rxq");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_given),
		cmocka_unit_test(test_all_before_the_dashes_is_the_eals),
		cmocka_unit_test(test_no_dashes_is_all_the_eals),
		cmocka_unit_test(test_ours_stand_behind_the_dashes),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_words_do_not_overrun),
	};

	return cmocka_run_group_tests_name("gateway-options", tests, NULL, NULL);
}
