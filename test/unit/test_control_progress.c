/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of long work. That it is said to terminals alone, test/control looks after. */
#include "control_rig.h"

#include <string.h>
#include <unistd.h>

#include "control/progress.h"

static void
check(const char *name, uint64_t done, uint64_t total, uint64_t packets, uint64_t ms,
      const char *expected)
{
	char text[PROGRESS_TEXT_MAX];

	progress_text(text, name, done, total, packets, ms);
	assert_string_equal(text, expected);
}

static void
texts(void **state)
{
	(void)state;
	check("in.pcap", 50, 200, 1000, 3000, "in.pcap: 25 %, 1000 packets, 3 s, about 9 s left");
	check("in.pcap", 200, 200, 7, 999, "in.pcap: 100 %, 7 packets, 0 s, about 0 s left");
	/* Nothing to conclude from yet. */
	check("in.pcap", 0, 200, 0, 600, "in.pcap: 0 %, 0 packets, 0 s");
	check("in.pcap", 1, 200, 1, 600, "in.pcap: 0 %, 1 packets, 0 s");
	/* A pipe; a file that grew. */
	check("-", 4096, 0, 12, 61000, "-: 12 packets, 61 s");
	check("in.pcap", 300, 200, 1000, 3000, "in.pcap: 100 %, 1000 packets, 3 s, about 0 s left");
	/* Files larger than 2^57 are none. */
	check("in.pcap", UINT64_C(1) << 56, UINT64_C(1) << 57, 1, 1000,
	      "in.pcap: 50 %, 1 packets, 1 s, about 1 s left");
}

static void
one_line_of_a_terminal(void **state)
{
	char text[PROGRESS_TEXT_MAX];

	(void)state;
	check("/very/long/path/of/a/capture\n.pcap", 0, 0, 1, 0,
	      "/path/of/a/capture?.pcap: 1 packets, 0 s");
	progress_text(text, "/very/long/path/of/a/capture.pcap", UINT64_MAX / 200, UINT64_MAX / 100,
		      UINT64_MAX, UINT64_MAX / 1000);
	assert_true(strlen(text) < PROGRESS_TEXT_MAX);
}

static void
not_shown_unless_a_terminal(void **state)
{
	struct progress progress = {.drawn = 5};

	(void)state;
	if (isatty(STDERR_FILENO))
		skip();
	progress_begin(&progress);
	assert_false(progress.on);
	assert_false(progress_due(&progress));
	progress_draw(&progress, "text");
	assert_int_equal(progress.drawn, 0);
	assert_int_equal(progress_elapsed(&progress), 0);
	progress_end(&progress);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(one_line_of_a_terminal),
		cmocka_unit_test(not_shown_unless_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
