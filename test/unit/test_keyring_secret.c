/* SPDX-License-Identifier: BSD-3-Clause */
/* Secrets that are kept: what is given back, and that nothing of them outlives its key. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "keyring/internal.h"
#include "keyring_fixture.h"

static int
setup_keeping(void **state)
{
	struct keyring_conf conf = conf_of(8);

	(void)state;
	conf.keep_secrets = true;
	keyring = keyring_create(&conf);
	return keyring != NULL ? 0 : -1;
}

static void
assert_secret(uint32_t id, const struct keyring_spec *spec)
{
	uint8_t secret[HMAC_SECRET_MAX];

	memset(secret, 'x', sizeof(secret));
	assert_int_equal(keyring_secret(keyring, id, secret), spec->secret_len);
	assert_memory_equal(secret, spec->secret, spec->secret_len);
}

/* Of how many slots anything is kept. */
static unsigned
kept(void)
{
	static const uint8_t none[HMAC_SECRET_MAX];
	unsigned n = 0;

	for (uint32_t i = 0; i < keyring->slots; i++)
		n += memcmp(keyring->secrets[i], none, sizeof(none)) != 0;
	return n;
}

static void
test_none_is_kept_unless_asked(void **state)
{
	uint8_t secret[HMAC_SECRET_MAX];

	(void)state;
	assert_int_equal(keyring_secret(keyring, 1, secret), -ENOENT);
	assert_int_equal(add(1, 0), 0);
	assert_int_equal(keyring_secret(keyring, 1, secret), -ENOTSUP);
	assert_null(keyring->secrets);
}

static void
test_given_back(void **state)
{
	struct keyring_spec one = numbered(1, 0), longest = numbered(2, 0);
	uint8_t secret[HMAC_SECRET_MAX];

	(void)state;
	longest.secret_len = HMAC_SECRET_MAX;
	for (unsigned i = 0; i < HMAC_SECRET_MAX; i++)
		longest.secret[i] = (uint8_t)(i * 7); /* begins with a NUL */
	assert_int_equal(keyring_add(keyring, &one), 0);
	assert_int_equal(keyring_add(keyring, &longest), 0);
	assert_secret(1, &one);
	assert_secret(2, &longest);
	assert_int_equal(keyring_secret(keyring, 3, secret), -ENOENT);
	assert_int_equal(kept(), 2);
}

/* At once: no worker reads it, so that none is waited for. */
static void
test_wiped_while_a_reader_is_stuck(void **state)
{
	struct keyring_spec again = numbered(1, 1);

	(void)state;
	assert_int_equal(add(1, 0), 0);
	assert_int_equal(add(2, 0), 0);
	reader_start();
	assert_int_equal(keyring_set(keyring, &again), 0);
	assert_secret(1, &again);
	assert_int_equal(kept(), 2);
	assert_int_equal(keyring_del(keyring, 2), 0);
	assert_int_equal(kept(), 1);
	assert_int_equal(keyring_del(keyring, 1), 0);
	assert_int_equal(kept(), 0);
	assert_int_equal(keyring_reclaim(keyring), 3);
	reader_report();
	assert_int_equal(keyring_reclaim(keyring), 0);
	reader_stop();
}

static void
test_replace_all(void **state)
{
	/* 1 stays, 2 changes, 3 goes, 4 comes. */
	struct keyring_spec specs[] = {numbered(4, 0), numbered(1, 0), numbered(2, 1)};
	uint8_t secret[HMAC_SECRET_MAX];
	unsigned bad;

	(void)state;
	for (uint32_t id = 1; id <= 3; id++)
		assert_int_equal(add(id, 0), 0);
	assert_int_equal(keyring_replace_all(keyring, specs, 3, &bad), 0);
	assert_secret(4, &specs[0]);
	assert_secret(1, &specs[1]);
	assert_secret(2, &specs[2]);
	assert_int_equal(keyring_secret(keyring, 3, secret), -ENOENT);
	assert_int_equal(kept(), 3);
	specs[0].id = 1; /* twice: nothing changes */
	assert_int_equal(keyring_replace_all(keyring, specs, 3, &bad), -EEXIST);
	assert_int_equal(kept(), 3);
	assert_int_equal(keyring_replace_all(keyring, NULL, 0, &bad), 0);
	assert_int_equal(kept(), 0);
}

static void
test_refused_leave_nothing(void **state)
{
	struct keyring_spec spec = numbered(9, 0);

	(void)state;
	for (uint32_t id = 1; id <= 8; id++)
		assert_int_equal(add(id, 0), 0);
	assert_int_equal(keyring_add(keyring, &spec), -ENOSPC);
	assert_int_equal(add(1, 1), -EEXIST);
	assert_int_equal(kept(), 8);
}

static void
test_stay_out_of_core_dumps(void **state)
{
	(void)state;
	assert_int_equal(add(1, 0), 0);
	assert_true(mapping_has_flag(keyring->secrets, " dd"));
	assert_true(mapping_has_flag(keyring->secrets, " dc"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup_keeping, teardown)

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none_is_kept_unless_asked, setup_small,
						teardown),
		T(test_given_back),
		T(test_wiped_while_a_reader_is_stuck),
		T(test_replace_all),
		T(test_refused_leave_nothing),
		T(test_stay_out_of_core_dumps),
	};

	return cmocka_run_group_tests_name("keyring-secret", tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
