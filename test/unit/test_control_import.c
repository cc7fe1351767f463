/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "key import-linux" with a kernel that has what this machine's cannot have: linux_keys_read() is
 * the test's own. With a real kernel: test/interop/test_import.py.
 */
#include "control_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/command.h"
#include "control/linux_keys.h"
#include "control/server.h"
#include "control/text.h"

static const struct linux_key *kernel_keys;
static unsigned n_kernel_keys;

int
linux_keys_read(struct linux_key **keys, unsigned *n, char *error, size_t error_size)
{
	if (!kernel_keys)
		return text_error(error, error_size, EPERM, "not for you");
	*keys = calloc(n_kernel_keys + 1, sizeof(**keys));
	memcpy(*keys, kernel_keys, n_kernel_keys * sizeof(**keys));
	*n = n_kernel_keys;
	return 0;
}

void
linux_keys_free(struct linux_key *keys, unsigned n)
{
	(void)n;
	free(keys);
}

const char *
linux_algorithm_name(uint8_t algorithm)
{
	return algorithm == 1 ? "sha1" : algorithm == 2 ? "sha256" : NULL;
}

struct gateway {
	json_int_t in_use;   /* Key ID that is there already */
	unsigned lost_after; /* answers, then none */
	unsigned requests;
	char asked[512]; /* "ID ALGORITHM PROFILE HEX;" of each request */
};

static json_t *
answer(void *arg, const json_t *request, char *error, size_t error_size)
{
	struct gateway *gateway = arg;
	const json_t *params = json_object_get(request, "params");
	json_int_t id = json_integer_value(json_object_get(params, "id"));
	size_t len = strlen(gateway->asked);

	if (gateway->requests++ == gateway->lost_after) {
		text_error(error, error_size, EPIPE, "gone");
		return NULL;
	}
	assert_string_equal(json_string_value(json_object_get(request, "method")), "key.add");
	snprintf(gateway->asked + len, sizeof(gateway->asked) - len, "%lld %s %s %s;",
		 (long long)id, json_string_value(json_object_get(params, "algorithm")),
		 json_string_value(json_object_get(params, "profile")),
		 json_string_value(json_object_get(params, "secret_hex")));
	if (id == gateway->in_use)
		return json_pack("{s:s, s:i, s:{s:i, s:s, s:{s:s}}}", "jsonrpc", "2.0", "id", 1,
				 "error", "code", -32000, "message", "key.add: key is in use",
				 "data", "errno", "EEXIST");
	return json_pack("{s:s, s:i, s:{s:I, s:s}}", "jsonrpc", "2.0", "id", 1, "result", "id", id,
			 "fingerprint", "0123456789abcdef");
}

static char error[CONTROL_ERROR_MAX];
static char *out;

static int
import(struct gateway *gateway, const char *line, const struct linux_key *keys, unsigned n)
{
	struct control_session session = {.transport = answer, .transport_arg = gateway};
	size_t out_size;
	int rc;

	kernel_keys = keys;
	n_kernel_keys = n;
	error[0] = '\0';
	free(out);
	session.out = open_memstream(&out, &out_size);
	rc = control_run_line(&session, line, error, sizeof(error));
	fclose(session.out);
	return rc;
}

static const struct linux_key some[] = {
	{.id = 4294967295, .algorithm = 2, .secret_len = 2, .secret = "\0\xff"},
	{.id = 7, .algorithm = 1, .secret_len = 1, .secret = "z"},
	{.id = 42, .algorithm = 2, .secret_len = 3, .secret = "abc"},
};

static void
taken_by_ascending_id(void **state)
{
	struct gateway gateway = {.lost_after = 99};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux json", some, 3), 0);
	assert_string_equal(gateway.asked, "7 sha1 linux 7a;42 sha256 linux 616263;"
					   "4294967295 sha256 linux 00ff;");
	assert_string_equal(
		out, "{\"keys\":["
		     "{\"id\":7,\"algorithm\":\"sha1\",\"secret_length\":1,\"fingerprint\":"
		     "\"0123456789abcdef\",\"taken\":true,\"outcome\":\"taken\"},"
		     "{\"id\":42,\"algorithm\":\"sha256\",\"secret_length\":3,\"fingerprint\":"
		     "\"0123456789abcdef\",\"taken\":true,\"outcome\":\"taken\"},"
		     "{\"id\":4294967295,\"algorithm\":\"sha256\",\"secret_length\":2,"
		     "\"fingerprint\":\"0123456789abcdef\",\"taken\":true,\"outcome\":\"taken\"}"
		     "]}\n");
}

static void
an_unknown_algorithm_is_left(void **state)
{
	static const struct linux_key keys[] = {
		{.id = 1, .algorithm = 3, .secret_len = 3, .secret = "xyz"},
		{.id = 2, .algorithm = 2, .secret_len = 3, .secret = "xyz"},
	};
	struct gateway gateway = {.lost_after = 99};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", keys, 2), -ENOTSUP);
	assert_string_equal(error, "key import-linux: 1 of 2 keys were not taken");
	assert_string_equal(gateway.asked, "2 sha256 linux 78797a;");
	assert_non_null(strstr(out, "algorithm 3 is not known here\n"));
	assert_null(strstr(out, "xyz"));
}

static void
an_id_in_use_is_left(void **state)
{
	struct gateway gateway = {.lost_after = 99, .in_use = 42};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", some, 3), -EEXIST);
	assert_string_equal(error, "key import-linux: 1 of 3 keys were not taken");
	assert_int_equal(gateway.requests, 3);
	assert_non_null(strstr(out, "key is in use\n"));
}

/* A table that the kernel resizes under the dump may be told twice. */
static void
a_key_told_twice_is_added_once(void **state)
{
	const struct linux_key keys[] = {some[1], some[2], some[1]};
	struct gateway gateway = {.lost_after = 99};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", keys, 3), 0);
	assert_string_equal(gateway.asked, "7 sha1 linux 7a;42 sha256 linux 616263;");
}

static void
no_gateway(void **state)
{
	struct gateway gateway = {.lost_after = 0};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", some, 3), -EIO);
	assert_string_equal(error, "key import-linux: gone");
	assert_string_equal(out, "");
	assert_int_equal(gateway.requests, 1);
}

static void
a_gateway_that_goes_away(void **state)
{
	struct gateway gateway = {.lost_after = 1};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", some, 3), -EIO);
	assert_string_equal(error, "key import-linux: gone");
	assert_non_null(strstr(out, "taken\n")); /* of the one that was */
	assert_int_equal(gateway.requests, 2);
}

static void
no_keys(void **state)
{
	struct gateway gateway = {.lost_after = 99};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", some, 0), 0);
	assert_string_equal(out, "no keys\n");
	assert_int_equal(gateway.requests, 0);
}

static void
no_right(void **state)
{
	struct gateway gateway = {.lost_after = 99};

	(void)state;
	assert_int_equal(import(&gateway, "key import-linux", NULL, 0), -EPERM);
	assert_string_equal(error, "key import-linux: not for you");
	assert_int_equal(gateway.requests, 0);
}

static int
forget(void **state)
{
	(void)state;
	free(out);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_by_ascending_id),
		cmocka_unit_test(an_unknown_algorithm_is_left),
		cmocka_unit_test(an_id_in_use_is_left),
		cmocka_unit_test(a_key_told_twice_is_added_once),
		cmocka_unit_test(no_gateway),
		cmocka_unit_test(a_gateway_that_goes_away),
		cmocka_unit_test(no_keys),
		cmocka_unit_test(no_right),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
