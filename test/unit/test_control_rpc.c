/* SPDX-License-Identifier: BSD-3-Clause */
/* What a line of input is answered with: JSON-RPC 2.0, and the params readers. */
#include "control_rig.h"

#include <string.h>
#include <unistd.h>

#define ERROR(id, code, message)                                                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" message   \
	"\"}}\n"
#define RESULT(id, result) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}\n"
#define REQUEST(id, method, params)                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}\n"

static void
check(void **state, const char *line, const char *answer)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	assert_string_equal(rig_ask(rig, fd, line), answer);
	close(fd);
}

static void
answers_with_the_id(void **state)
{
	check(state, REQUEST("1", "echo", "{\"a\":[1,2]}"), RESULT("1", "{\"a\":[1,2]}"));
	check(state, REQUEST("\"x\"", "echo", "{}"), RESULT("\"x\"", "{}"));
	check(state, REQUEST("null", "echo", "{}"), RESULT("null", "{}"));
	check(state, REQUEST("1.5", "echo", "{}"), RESULT("1.5", "{}"));
	check(state, REQUEST("-9223372036854775808", "echo", "{}"),
	      RESULT("-9223372036854775808", "{}"));
	check(state, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n", RESULT("1", "{}"));
	check(state, "\r\n \t\n" REQUEST("1", "echo", "{}") "\n", RESULT("1", "{}"));
}

static void
refuses_what_is_not_json(void **state)
{
	static const char *const lines[] = {
		"{\n",
		"hello\n",
		"{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ec\xffho\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ec\\u0000ho\"}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"} {}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"method\":\"echo\"}\n",
		"\xef\xbb\xbf{}\n",
		"[1,\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(state, lines[i], ERROR("null", "-32700", "not JSON"));
}

static void
refuses_a_nul_octet(void **state)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\0\"id\":1,\"method\":\"echo\"}\n";
	struct rig *rig = *state;
	int fd = rig_client(rig);

	assert_int_equal(write(fd, line, sizeof(line) - 1), sizeof(line) - 1);
	assert_string_equal(rig_read(rig, fd), ERROR("null", "-32700", "not JSON"));
	assert_string_equal(rig_ask(rig, fd, REQUEST("2", "echo", "{}")), RESULT("2", "{}"));
	close(fd);
}

static void
refuses_what_is_no_request(void **state)
{
	check(state, "1\n", ERROR("null", "-32600", "a request must be an object"));
	check(state, "\"x\"\n", ERROR("null", "-32600", "a request must be an object"));
	check(state, "{}\n", ERROR("null", "-32600", "jsonrpc must be \\\"2.0\\\""));
	check(state, "{\"jsonrpc\":2.0,\"id\":5,\"method\":\"echo\"}\n",
	      ERROR("5", "-32600", "jsonrpc must be \\\"2.0\\\""));
	check(state, "{\"jsonrpc\":\"1.0\",\"method\":\"echo\"}\n",
	      ERROR("null", "-32600", "jsonrpc must be \\\"2.0\\\""));
	check(state, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":7}\n",
	      ERROR("5", "-32600", "method must be a string"));
	check(state, "{\"jsonrpc\":\"2.0\",\"id\":5}\n",
	      ERROR("5", "-32600", "method must be a string"));
	check(state, "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"echo\"}\n",
	      ERROR("null", "-32600", "id must be a string, a number or null"));
	check(state, "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"echo\"}\n",
	      ERROR("null", "-32600", "id must be a string, a number or null"));
	check(state, REQUEST("5", "echo", "\"bar\""),
	      ERROR("5", "-32600", "params must be an object"));
	check(state, REQUEST("5", "echo", "null"),
	      ERROR("5", "-32600", "params must be an object"));
}

static void
refuses_unknown_methods_and_params_by_place(void **state)
{
	check(state, REQUEST("1", "no.such", "{}"), ERROR("1", "-32601", "no method no.such"));
	check(state, REQUEST("1", "", "{}"), ERROR("1", "-32601", "no method "));
	check(state, REQUEST("1", "a\\nb", "{}"), ERROR("1", "-32601", "no method a?b"));
	check(state, REQUEST("1", "echo", "[1]"),
	      ERROR("1", "-32602", "echo: params must be an object, by name"));
}

static void
failures_carry_an_errno(void **state)
{
	check(state, REQUEST("1", "fail", "{}"),
	      "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":"
	      "\"fail: it is?there\",\"data\":{\"errno\":\"EEXIST\"}}}\n");
}

static void
notifications_are_not_answered(void **state)
{
	struct rig *rig = *state;

	check(state, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}\n", "");
	check(state, "{\"jsonrpc\":\"2.0\",\"method\":\"fail\"}\n", "");
	check(state, "{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}\n", "");
	check(state, "[{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}]\n", "");
	assert_int_equal(rig->calls, 3);
}

static void
batches_are_answered_as_arrays(void **state)
{
	check(state, "[]\n", ERROR("null", "-32600", "empty batch"));
	check(state, "[1]\n",
	      "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
	      "\"a request must be an object\"}}]\n");
	check(state,
	      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"},"
	      "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"},"
	      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"no\"}]\n" REQUEST("3", "echo", "{}"),
	      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
	      "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32601,\"message\":"
	      "\"no method no\"}}]\n" RESULT("3", "{}"));
}

static void
batches_are_bounded(void **state)
{
	struct rig *rig = *state;
	char line[CONTROL_BATCH_MAX * 2 + 8] = "[";
	int fd = rig_client(rig);

	for (unsigned i = 0; i < CONTROL_BATCH_MAX; i++)
		snprintf(line + 1 + 2 * i, sizeof(line) - 1 - 2 * i, "1,1]\n");
	assert_string_equal(rig_ask(rig, fd, line),
			    ERROR("null", "-32600", "too many requests in one batch"));
	close(fd);
}

static void
params_are_checked_by_name(void **state)
{
	check(state, REQUEST("1", "big", "{}"), ERROR("1", "-32602", "big: n: missing"));
	check(state, REQUEST("1", "big", "{\"n\":1,\"m\":2}"),
	      ERROR("1", "-32602", "big: m: unknown parameter"));
	check(state, REQUEST("1", "flag", "{\"flag\":1}"),
	      ERROR("1", "-32602", "flag: flag: must be true or false"));
	check(state, REQUEST("1", "flag", "{\"flag\":false}"), RESULT("1", "false"));

	static const char *const numbers[] = {"0",     "41943041", "-1",   "1.0",
					      "\"1\"", "true",	   "null", "[1]"};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char line[128];

		snprintf(line, sizeof(line), REQUEST("1", "big", "{\"n\":%s}"), numbers[i]);
		check(state, line,
		      ERROR("1", "-32602", "big: n: must be an integer from 1 to 41943040"));
	}
}

#define KEY(rest)                                                                                  \
	REQUEST("1", "key.add", "{\"id\":1,\"algorithm\":\"sha256\",\"profile\":\"x\"" rest "}")
#define SIXTEEN "0123456789abcdef"
#define SIXTY_FOUR SIXTEEN SIXTEEN SIXTEEN SIXTEEN

static void
secrets_are_text_or_hex(void **state)
{
	check(state, KEY(",\"secret\":\"abc\""), RESULT("1", "{\"octets\":3}"));
	check(state, KEY(",\"secret\":\"" SIXTY_FOUR "\""), RESULT("1", "{\"octets\":64}"));
	check(state, KEY(",\"secret_hex\":\"00fF\""), RESULT("1", "{\"octets\":2}"));
	check(state, KEY(",\"secret_hex\":\"" SIXTY_FOUR SIXTY_FOUR "\""),
	      RESULT("1", "{\"octets\":64}"));

	check(state, KEY(""),
	      ERROR("1", "-32602", "key.add: secret: give exactly one of secret and secret_hex"));
	check(state, KEY(",\"secret\":\"a\",\"secret_hex\":\"00\""),
	      ERROR("1", "-32602", "key.add: secret: give exactly one of secret and secret_hex"));
	check(state, KEY(",\"secret\":\"\""),
	      ERROR("1", "-32602", "key.add: secret: 0 octets, must be 1 to 64"));
	check(state, KEY(",\"secret\":\"" SIXTY_FOUR "x\""),
	      ERROR("1", "-32602", "key.add: secret: 65 octets, must be 1 to 64"));
	check(state, KEY(",\"secret\":7"),
	      ERROR("1", "-32602", "key.add: secret: must be a string"));
	check(state, KEY(",\"secret_hex\":\"\""),
	      ERROR("1", "-32602", "key.add: secret_hex: 0 octets, must be 1 to 64"));
	check(state, KEY(",\"secret_hex\":\"" SIXTY_FOUR SIXTY_FOUR "00\""),
	      ERROR("1", "-32602", "key.add: secret_hex: 65 octets, must be 1 to 64"));
	check(state, KEY(",\"secret_hex\":\"000\""),
	      ERROR("1", "-32602", "key.add: secret_hex: must be an even number of digits"));
	check(state, KEY(",\"secret_hex\":\"0g\""),
	      ERROR("1", "-32602", "key.add: secret_hex: must be hexadecimal digits"));
	check(state, KEY(",\"secret_hex\":\"0x00\""),
	      ERROR("1", "-32602", "key.add: secret_hex: must be hexadecimal digits"));
	check(state, REQUEST("1", "key.add", "{\"id\":1,\"algorithm\":\"md5\"}"),
	      ERROR("1", "-32602", "key.add: algorithm: must be one of sha1, sha256"));
	check(state, REQUEST("1", "key.add", "{\"id\":1,\"algorithm\":\"sha1\",\"profile\":[]}"),
	      ERROR("1", "-32602", "key.add: profile: must be a string"));
}

static void
log_tells_writes_without_secrets(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	rig_ask(rig, fd,
		REQUEST("1", "echo", "{}") KEY(",\"secret\":\"abc\"") KEY(",\"sekret\":\"abc\"")
			REQUEST("1", "key.add",
				"{\"id\":7,\"algorithm\":\"sha1\",\"profile\":\"x\","
				"\"secret_hex\":\"616263\"}"));
	assert_string_equal(rig->log,
			    "key.add {\"id\":1,\"algorithm\":\"sha256\",\"profile\":\"x\"}: ok\n"
			    "key.add -: key.add: sekret: unknown parameter\n"
			    "key.add {\"id\":7,\"algorithm\":\"sha1\",\"profile\":\"x\"}: "
			    "key.add: the table is full\n");
	close(fd);
}

static json_t *
execute(struct rig *rig, const char *text)
{
	json_t *request = json_loads(text, JSON_DECODE_ANY, NULL);
	json_t *response = control_server_execute(rig->server, request);

	assert_non_null(request);
	json_decref(request);
	return response;
}

static void
check_execute(struct rig *rig, const char *text, const char *answer)
{
	json_t *response = execute(rig, text);
	char *dumped = json_dumps(response, JSON_COMPACT);

	assert_non_null(dumped);
	assert_string_equal(dumped, answer);
	free(dumped);
	json_decref(response);
}

static void
executes_in_this_process(void **state)
{
	struct rig *rig = *state;

	rig->released = true;
	check_execute(rig, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"}",
		      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"late\"}");
	check_execute(rig,
		      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"slow\"},"
		      "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"},"
		      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"}]",
		      "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"late\"},"
		      "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]");
	check_execute(rig, "[]",
		      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
		      "\"empty batch\"}}");
	assert_null(execute(rig, "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}"));
	assert_null(execute(rig, "[{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}]"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(answers_with_the_id),
		T(refuses_what_is_not_json),
		T(refuses_a_nul_octet),
		T(refuses_what_is_no_request),
		T(refuses_unknown_methods_and_params_by_place),
		T(failures_carry_an_errno),
		T(notifications_are_not_answered),
		T(batches_are_answered_as_arrays),
		T(batches_are_bounded),
		T(params_are_checked_by_name),
		T(secrets_are_text_or_hex),
		T(log_tells_writes_without_secrets),
		T(executes_in_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
