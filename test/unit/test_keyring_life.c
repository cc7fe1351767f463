/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: how they are written, and what they do to keys as a clock goes by. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "keyring_fixture.h"

#define NOON 1796126400 /* 2026-12-01T12:00:00Z */

static int64_t now;

static int64_t
test_clock(void)
{
	return now;
}

static int
setup_clock(void **state)
{
	struct keyring_conf conf = conf_of(8);

	(void)state;
	now = NOON;
	conf.clock = test_clock;
	keyring = keyring_create(&conf);
	return keyring != NULL ? 0 : -1;
}

/* --- text */

static void
instants(void **state)
{
	static const struct {
		const char *text;
		int64_t instant;
	} good[] = {
		{"", 0},
		{"2026-12-01T12:00:00Z", NOON},
		{"2024-02-29T23:59:59Z", 1709251199},
		{"1970-01-01T00:00:01Z", 1},
		{"9999-12-31T23:59:59Z", 253402300799},
		{"+0s", NOON},
		{"+30s", NOON + 30},
		{"+10m", NOON + 600},
		{"+2h", NOON + 7200},
		{"+7d", NOON + 604800},
	};
	static const char *const bad[] = {
		"2026-12-01",
		"2026-12-01T12:00:00",
		"2026-12-01T12:00:00+01:00",
		"2026-12-01 12:00:00Z",
		"2026-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-12-00T00:00:00Z",
		"2026-12-01T24:00:00Z",
		"2026-12-01T12:60:00Z",
		"2026-12-01T12:00:60Z",
		"1969-12-31T23:59:59Z",
		"1970-01-01T00:00:00Z",
		"2026-12-01t12:00:00z",
		"2026-12-01T12:00:00Zx",
		" 2026-12-01T12:00:00Z",
		"0000-01-01T00:00:00Z",
		"202a-12-01T12:00:00Z",
		"+",
		"+s",
		"+5",
		"+5w",
		"5s",
		"+-5s",
		"+5 s",
		"++5s",
		"+99999999999s",
		"+9999999999d",
		"now",
	};
	int64_t instant;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char text[KEYRING_INSTANT_LEN], *shown = text;

		assert_int_equal(
			keyring_instant_parse(good[i].text, strlen(good[i].text), NOON, &instant),
			0);
		assert_int_equal(instant, good[i].instant);
		keyring_instant_text(instant, shown);
		if (good[i].text[0] != '+')
			assert_string_equal(shown, good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (keyring_instant_parse(bad[i], strlen(bad[i]), NOON, &instant) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
	/* A NUL is no unit. */
	assert_int_equal(keyring_instant_parse("+5\0", 3, NOON, &instant), -EINVAL);
}

static void
windows(void **state)
{
	static const char *const bad[] = {
		"",
		".",
		"+1s",
		"+1s.+2s",
		"+2s..+1s",
		"+1s..+1s",
		"2026-12-01T12:00:01Z..2026-12-01T12:00:00Z",
		"..x",
		"x..",
		"+1s...+2s",
	};
	struct keyring_window window;

	(void)state;
	assert_null(keyring_window_parse("..", 2, NOON, &window));
	assert_true(window.from == 0 && window.to == 0);
	assert_null(keyring_window_parse("+1s..", 5, NOON, &window));
	assert_true(window.from == NOON + 1 && window.to == 0);
	assert_null(keyring_window_parse("2026-12-01T12:00:00Z..+1s", 25, NOON, &window));
	assert_true(window.from == NOON && window.to == NOON + 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (keyring_window_parse(bad[i], strlen(bad[i]), NOON, &window) == NULL)
			fail_msg("taken: %s", bad[i]);
}

static void
key_file(void **state)
{
	static const char text[] =
		"1 sha256 linux text:accept=..\n"
		"2 sha256 linux accept=2026-12-01T12:00:00Z.. text:a send=..\n"
		"3 sha1 rfc8754  send=..2026-12-01T12:00:00Z\taccept=.. hex:00\n";
	static const char *const bad[] = {
		"1 sha256 linux accept=.. accept=.. text:SSSS\n",
		"1 sha256 linux send=+2s..+1s text:SSSS\n",
		"1 sha256 linux send=SSSS.. text:SSSS\n",
		"1 sha256 linux accept=..\n",
		"1 sha256 linux accept=text:SSSS\n",
		"1 sha256 linux stop=.. text:SSSS\n",
	};
	struct keyring_spec *specs;
	char error[256];
	unsigned n;

	(void)state;
	assert_int_equal(keyring_file_parse("k", text, strlen(text), &specs, &n, error, 256), 0);
	assert_int_equal(n, 3);
	assert_int_equal(specs[0].secret_len, 9);
	assert_int_equal(specs[0].life.accept.to, 0);
	assert_int_equal(specs[1].life.accept.from, NOON);
	assert_int_equal(specs[1].secret_len, 9);
	assert_int_equal(specs[2].life.send.to, NOON);
	assert_int_equal(specs[2].secret_len, 1);
	keyring_specs_free(specs, n);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
			keyring_file_parse("k", bad[i], strlen(bad[i]), &specs, &n, error, 256),
			-EINVAL);
		assert_null(strstr(error, "SSSS"));
	}
}

/* --- states */

static void
add_life(uint32_t id, struct keyring_life life)
{
	struct keyring_spec spec = numbered(id, 0);

	spec.life = life;
	assert_int_equal(keyring_add(keyring, &spec), 0);
}

static void
check(uint32_t id, enum keyring_state state, bool accept, bool send)
{
	const struct keyring_key *key = keyring_lookup(keyring, id);
	struct keyring_info info;

	assert_int_equal(keyring_info(keyring, id, &info), 0);
	assert_int_equal(info.state, state);
	assert_int_equal(keyring_may(key, KEYRING_MAY_ACCEPT), accept);
	assert_int_equal(keyring_may(key, KEYRING_MAY_SEND), send);
}

struct changes {
	unsigned n;
	uint32_t id[8];
	enum keyring_state state[8];
};

static void
note(void *arg, uint32_t id, enum keyring_state state)
{
	struct changes *changes = arg;

	assert_true(changes->n < 8);
	changes->id[changes->n] = id;
	changes->state[changes->n++] = state;
}

static const struct keyring_life whole = {{NOON + 10, NOON + 40}, {NOON + 20, NOON + 30}};

static void
states(void **state)
{
	static const struct {
		int64_t at;
		enum keyring_state state;
		bool accept, send;
	} steps[] = {
		{0, KEYRING_FUTURE, false, false},
		{9, KEYRING_FUTURE, false, false},
		{10, KEYRING_ACCEPTING, true, false},
		{19, KEYRING_ACCEPTING, true, false},
		{20, KEYRING_SENDING, true, true},
		{29, KEYRING_SENDING, true, true},
		{30, KEYRING_ACCEPTING, true, false},
		{39, KEYRING_ACCEPTING, true, false},
		{40, KEYRING_EXPIRED, false, false},
		{4000, KEYRING_EXPIRED, false, false},
		/* The clock is set back. */
		{25, KEYRING_SENDING, true, true},
		{0, KEYRING_FUTURE, false, false},
	};
	(void)state;
	assert_int_equal(keyring_next_flip(keyring), KEYRING_INSTANT_MAX);
	add_life(1, (struct keyring_life){0});
	assert_int_equal(keyring_next_flip(keyring), KEYRING_INSTANT_MAX);
	add_life(2, whole);
	assert_int_equal(keyring_next_flip(keyring), NOON + 10);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		uint64_t generation = keyring_lookup(keyring, 2)->generation;

		now = NOON + steps[i].at;
		(void)keyring_flip(keyring, NULL, NULL);
		check(1, KEYRING_SENDING, true, true);
		check(2, steps[i].state, steps[i].accept, steps[i].send);
		assert_int_equal(keyring_lookup(keyring, 2)->generation, generation);
	}
}

static void
flips_are_told(void **state)
{
	struct changes changes = {0};

	(void)state;
	add_life(1, (struct keyring_life){0});
	add_life(2, whole);
	add_life(3, (struct keyring_life){.accept = {0, NOON + 20}, .send = {0, NOON + 10}});
	now = NOON + 10;
	assert_int_equal(keyring_flip(keyring, note, &changes), NOON + 20);
	assert_int_equal(changes.n, 2);
	assert_int_equal(keyring_flip(keyring, note, &changes), NOON + 20);
	assert_int_equal(changes.n, 2);
	now = NOON + 1000;
	changes.n = 0;
	assert_int_equal(keyring_flip(keyring, note, &changes), KEYRING_INSTANT_MAX);
	assert_int_equal(changes.n, 2);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(changes.state[i], KEYRING_EXPIRED);
}

static void
added_late(void **state)
{
	(void)state;
	now = NOON + 25;
	add_life(1, whole);
	check(1, KEYRING_SENDING, true, true);
	assert_int_equal(keyring_next_flip(keyring), NOON + 30);
	now = NOON + 41;
	add_life(2, whole);
	check(2, KEYRING_EXPIRED, false, false);
	/* Send alone, and a gap between the two windows. */
	now = NOON + 15;
	add_life(3, (struct keyring_life){{NOON, NOON + 10}, {NOON + 20, NOON + 30}});
	check(3, KEYRING_FUTURE, false, false);
	add_life(4, (struct keyring_life){{NOON + 20, 0}, {NOON, 0}});
	check(4, KEYRING_SENDING, false, true);
}

static void
no_such_window(void **state)
{
	struct keyring_spec spec = numbered(1, 0);

	(void)state;
	spec.life.accept = (struct keyring_window){NOON, NOON};
	assert_int_equal(keyring_add(keyring, &spec), -EINVAL);
	spec.life.accept = (struct keyring_window){0};
	spec.life.send = (struct keyring_window){NOON + 1, NOON};
	assert_int_equal(keyring_set(keyring, &spec), -EINVAL);
	assert_int_equal(keyring_count(keyring), 0);
}

/* Windows alone: the key stays what it is. */
static void
changed_alone(void **state)
{
	struct keyring_info info;
	uint64_t generation;

	(void)state;
	assert_int_equal(keyring_live(keyring, 1, &whole), -ENOENT);
	add_life(1, (struct keyring_life){0});
	generation = keyring_lookup(keyring, 1)->generation;
	keyring_use(keyring, 0)[keyring_lookup(keyring, 1)->slot].inserted = 7;
	assert_int_equal(keyring_live(keyring, 1, &whole), 0);
	check(1, KEYRING_FUTURE, false, false);
	assert_int_equal(keyring_next_flip(keyring), NOON + 10);
	now = NOON + 25;
	assert_int_equal(keyring_live(keyring, 1, &whole), 0);
	check(1, KEYRING_SENDING, true, true);
	assert_int_equal(keyring_live(keyring, 1, &(struct keyring_life){{5, 5}, {0, 0}}), -EINVAL);
	assert_int_equal(keyring_live(keyring, 1, &(struct keyring_life){{0, 0}, {6, 5}}), -EINVAL);
	check(1, KEYRING_SENDING, true, true);
	assert_int_equal(keyring_live(keyring, 1, &(struct keyring_life){0}), 0);
	now = NOON + 1000;
	(void)keyring_flip(keyring, NULL, NULL);
	check(1, KEYRING_SENDING, true, true);
	assert_int_equal(keyring_lookup(keyring, 1)->generation, generation);
	assert_int_equal(keyring_info(keyring, 1, &info), 0);
	assert_int_equal(info.use.inserted, 7);
	assert_version(1, 0);
}

/* A file that changes only windows keeps counters, and takes effect at once. */
static void
loaded(void **state)
{
	struct keyring_spec spec = numbered(1, 0);
	struct keyring_info info;
	uint64_t generation;
	unsigned bad;

	(void)state;
	assert_int_equal(keyring_replace_all(keyring, &spec, 1, &bad), 0);
	check(1, KEYRING_SENDING, true, true);
	generation = keyring_lookup(keyring, 1)->generation;
	keyring_use(keyring, 0)[keyring_lookup(keyring, 1)->slot].verified = 5;
	spec.life.send.to = NOON;
	spec.life.accept.to = NOON + 5;
	assert_int_equal(keyring_replace_all(keyring, &spec, 1, &bad), 0);
	check(1, KEYRING_ACCEPTING, true, false);
	assert_int_equal(keyring_next_flip(keyring), NOON + 5);
	assert_int_equal(keyring_lookup(keyring, 1)->generation, generation);
	assert_int_equal(keyring_info(keyring, 1, &info), 0);
	assert_int_equal(info.use.verified, 5);
	now = NOON + 5;
	(void)keyring_flip(keyring, NULL, NULL);
	check(1, KEYRING_EXPIRED, false, false);
	assert_int_equal(keyring_info(keyring, 1, &info), 0);
	assert_int_equal(info.use.verified, 5);
}

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instants),
		cmocka_unit_test(windows),
		cmocka_unit_test(key_file),
		cmocka_unit_test_setup_teardown(states, setup_clock, teardown),
		cmocka_unit_test_setup_teardown(flips_are_told, setup_clock, teardown),
		cmocka_unit_test_setup_teardown(added_late, setup_clock, teardown),
		cmocka_unit_test_setup_teardown(no_such_window, setup_clock, teardown),
		cmocka_unit_test_setup_teardown(changed_alone, setup_clock, teardown),
		cmocka_unit_test_setup_teardown(loaded, setup_clock, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
