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

#define WORDS_MAX 16

static struct options options;
static char error[256];

static int
parse(const char *first, ...)
{
	char *argv[WORDS_MAX + 2] = {(char *)"segseal"};
	int argc = 1;
	va_list list;

	va_start(list, first);
	for (const char *word = first; word != NULL; word = va_arg(list, const char *))
		argv[argc++] = (char *)word;
	va_end(list);
	error[0] = '\0';
	return options_parse(&options, argc, argv, error, sizeof(error));
}

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
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
	assert_int_equal(options.eal_argc, 1);
	assert_string_equal(options.socket, CONTROL_SOCKET_DEFAULT);
	assert_null(options.config);
	assert_int_equal(options.rxq, 1);
	assert_false(options.interactive);
}

static void
test_all_before_the_dashes_is_the_eals(void **state)
{
	(void)state;
	assert_int_equal(parse("-l", "0,1", "-c", "ff", "--", "-c", "file", "-i", "--rxq=4", "-s",
			       "sock", "--mbufs", "2048", "--memo-entries", "0", NULL),
			 0);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
	assert_int_equal(options.eal_argc, 5);
	assert_string_equal(options.config, "file");
	assert_string_equal(options.socket, "sock");
	assert_true(options.interactive);
	assert_int_equal(options.rxq, 4);
	assert_int_equal(options.mbufs, 2048);
	assert_int_equal(options.memo_entries, 0);
}

static void
test_no_dashes_is_all_the_eals(void **state)
{
	(void)state;
	assert_int_equal(parse("-l", "0,1", "--no-huge", NULL), 0);
	assert_int_equal(options.eal_argc, 4);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
}

static void
test_replay(void **state)
{
	(void)state;
	assert_int_equal(parse("--config", "c", "--replay=in", "--write", "out", "--json", NULL),
			 0);
	assert_int_equal(options.mode, OPTIONS_REPLAY);
	assert_string_equal(options.config, "c");
	assert_string_equal(options.read, "in");
	assert_string_equal(options.write, "out");
	assert_true(options.json);
	assert_false(options.from_peer);
	assert_int_equal(parse("--replay", "in", "-c", "c", "--replay-from-peer", NULL), 0);
	assert_true(options.from_peer);
	assert_false(options.json);
}

static void
test_help_and_version(void **state)
{
	(void)state;
	assert_int_equal(parse("--help", NULL), 0);
	assert_int_equal(options.mode, OPTIONS_HELP);
	assert_int_equal(parse("-V", NULL), 0);
	assert_int_equal(options.mode, OPTIONS_VERSION);
	assert_int_equal(parse("-l", "0", "--", "-h", NULL), 0);
	assert_int_equal(options.mode, OPTIONS_HELP);
	/* With other EAL options it is theirs. */
	assert_int_equal(parse("-l", "0", "--help", NULL), 0);
	assert_int_equal(options.mode, OPTIONS_GATEWAY);
}

static void
test_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("--", "--rxq", "65", NULL), -EINVAL);
	refused("--rxq");
	assert_int_equal(parse("--", "--rxq", "", NULL), -EINVAL);
	refused("--rxq");
	assert_int_equal(parse("--", "--rxq", " 1", NULL), -EINVAL);
	refused("--rxq");
	assert_int_equal(parse("--", "--mbufs", "1x", NULL), -EINVAL);
	refused("--mbufs");
	assert_int_equal(parse("--", "--frobnicate", NULL), -EINVAL);
	refused("--frobnicate");
	assert_int_equal(parse("--", "-q", NULL), -EINVAL);
	refused("-q");
	assert_int_equal(parse("--", "--socket", NULL), -EINVAL);
	refused("--socket");
	assert_int_equal(parse("--", "--json", NULL), -EINVAL);
	refused("--json");
	assert_int_equal(parse("--", "stray", NULL), -EINVAL);
	refused("stray");
	assert_int_equal(parse("--replay", "in", NULL), -EINVAL);
	refused("--config");
	assert_int_equal(parse("--replay", "", "--config", "c", NULL), -EINVAL);
	refused("empty");
	assert_int_equal(parse("--replay", "in", "--config", "c", "--", "x", NULL), -EINVAL);
	refused("x");
	assert_int_equal(parse("--replay-from-peer", "--config", "c", NULL), -EINVAL);
	refused("--replay");
}

static void
test_long_words_do_not_overrun(void **state)
{
	char word[2048];

	(void)state;
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(parse("--", word, NULL), -EINVAL);
	assert_true(strlen(error) < sizeof(error));
	memcpy(word, "--rxq=", 6);
	assert_int_equal(parse("--", word, NULL), -EINVAL);
	refused("--rxq");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_given),
		cmocka_unit_test(test_all_before_the_dashes_is_the_eals),
		cmocka_unit_test(test_no_dashes_is_all_the_eals),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_words_do_not_overrun),
	};

	return cmocka_run_group_tests_name("gateway-options", tests, NULL, NULL);
}
