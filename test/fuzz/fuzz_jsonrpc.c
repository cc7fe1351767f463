/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any octets, in any pieces, from a client of the control socket: each request line gets just the
 * answers that JSON-RPC 2.0 asks for, in order, and whole lines of events between them once it
 * listens; nothing of a secret comes back; and the client is gone in the end.
 *
 * Input: one octet of options, one that sets how the text is cut, then the text, in which 0x01
 * stands for MARK and 0x02 for many octets.
 *
 * libFuzzer: -max_len=2048 -len_control=20
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "control/server.h"
#include "fuzz.h"

#define HANG_UP 0x01	/* close without reading the answers */
#define NO_NEWLINE 0x02 /* leave out the newline that ends the text otherwise */

#define MARK "zQ7kVw9xJ2pL"
#define MANY 5000u
#define TEXT_MAX (1u << 18)
#define ANSWERS_MAX (8 * TEXT_MAX) /* an octet comes back as six at most */
#define EVENT "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"word\":1}}"
#define EVENTS_MAX 200u /* for a client, if it listens */
#define PIECES_MAX 256u /* the rest goes in one */
#define POLLS_MAX 100000u
#define SECRET_MAX 64u

static struct control_server *server;

/* --- the methods --- */

static json_t *
method_echo(struct control_call *call, const json_t *params)
{
	(void)call;
	return json_deep_copy(params);
}

static json_t *
method_fail(struct control_call *call, const json_t *params)
{
	(void)params;
	return control_fail(call, EEXIST, "key %d\nexists", 7);
}

static bool
asked_twice(void *arg, uint64_t mark)
{
	static unsigned asked;

	(void)arg;
	FUZZ_ASSERT_SAME(mark, 12);
	return ++asked % 2 == 0;
}

static json_t *
method_later(struct control_call *call, const json_t *params)
{
	(void)params;
	return control_later(call, asked_twice, 12, json_string("later"));
}

static json_t *
method_number(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"n", NULL};
	uint64_t n;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "n", 1, 100, &n))
		return NULL;
	return json_integer((json_int_t)n);
}

static json_t *
method_secret(struct control_call *call, const json_t *params)
{
	uint8_t secret[SECRET_MAX];
	size_t len;

	if (!control_param_secret(call, params, secret, sizeof(secret), &len))
		return NULL;
	FUZZ_ASSERT(len >= 1 && len <= sizeof(secret));
	memset(secret, 0, len);
	return json_integer((json_int_t)len);
}

static json_t *
method_listen(struct control_call *call, const json_t *params)
{
	(void)params;
	*control_topics(call) = 1;
	return json_object();
}

static const struct control_method methods[] = {
	{"echo", method_echo, false},
	{"fail", method_fail, true},
	{"later", method_later, false},
	{"number", method_number, true},
	{"secret", method_secret, true},
	{"listen", method_listen, false},
	{NULL, NULL, false},
};

static void
on_log(void *arg, const struct control_peer *peer, const char *method, const char *params,
       const char *error)
{
	(void)arg;
	FUZZ_ASSERT_SAME(peer->pid, getpid());
	FUZZ_ASSERT(strchr(method, '\n') == NULL);
	FUZZ_ASSERT(params == NULL || strpbrk(params, "\n\r") == NULL);
	FUZZ_ASSERT(params == NULL || strstr(params, "\"secret") == NULL);
	FUZZ_ASSERT(error == NULL || strpbrk(error, "\n\r") == NULL);
}

/* --- what is to be answered --- */

static json_t *
error_of(int code, json_t *id)
{
	return json_pack("{s:i, s:O}", "code", code, "id", id != NULL ? id : json_null());
}

static json_t *
result_of(json_t *id, json_t *result)
{
	return json_pack("{s:O, s:o}", "id", id, "result", result);
}

static bool
is_string(const json_t *value, const char *text)
{
	return json_is_string(value) && json_string_length(value) == strlen(text) &&
	       strcmp(json_string_value(value), text) == 0;
}

/* {"id":..,"result":..} or {"id":..,"code":..}, both for either; NULL for a notification. */
static json_t *
expect_one(const json_t *request)
{
	json_t *id, *method, *params;

	if (!json_is_object(request))
		return error_of(-32600, NULL);
	id = json_object_get(request, "id");
	method = json_object_get(request, "method");
	params = json_object_get(request, "params");
	if (id != NULL && !json_is_null(id) && !json_is_string(id) && !json_is_number(id))
		return error_of(-32600, NULL);
	if (!is_string(json_object_get(request, "jsonrpc"), "2.0") || !json_is_string(method) ||
	    (params != NULL && !json_is_object(params) && !json_is_array(params)))
		return error_of(-32600, id);
	if (id == NULL)
		return NULL;
	if (!is_string(method, "echo") && !is_string(method, "fail") &&
	    !is_string(method, "later") && !is_string(method, "number") &&
	    !is_string(method, "secret") && !is_string(method, "listen"))
		return error_of(-32601, id);
	if (json_is_array(params))
		return error_of(-32602, id);
	if (is_string(method, "echo"))
		return result_of(id, params != NULL ? json_incref(params) : json_object());
	if (is_string(method, "fail"))
		return error_of(-32000, id);
	if (is_string(method, "later"))
		return result_of(id, json_string("later"));
	if (is_string(method, "listen"))
		return result_of(id, json_object());
	if (is_string(method, "number")) {
		json_t *n = json_object_get(params, "n");

		if (json_object_size(params) == 1 && json_is_integer(n) &&
		    json_integer_value(n) >= 1 && json_integer_value(n) <= 100)
			return result_of(id, json_incref(n));
		return error_of(-32602, id);
	}
	/* A number if it was taken; the rest is in lib/control's unit tests. */
	return json_pack("{s:i, s:O, s:n}", "code", -32602, "id", id, "result");
}

static json_t *
expect_batch(const json_t *batch)
{
	json_t *answers, *request;
	size_t i;

	if (json_array_size(batch) == 0 || json_array_size(batch) > CONTROL_BATCH_MAX)
		return error_of(-32600, NULL);
	answers = json_array();
	json_array_foreach (batch, i, request) {
		json_t *answer = expect_one(request);

		if (answer != NULL)
			json_array_append_new(answers, answer);
	}
	if (json_array_size(answers) == 0) {
		json_decref(answers);
		return NULL;
	}
	return answers;
}

static bool
is_blank(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(" \t\r", line[i]) == NULL || line[i] == '\0')
			return false;
	return true;
}

/* An array of what each line is answered with. */
static json_t *
expect_all(const char *text, size_t len)
{
	json_t *expected = json_array();

	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		size_t line = newline != NULL ? (size_t)(newline - text) : len;
		json_t *request, *answer;

		if (line > CONTROL_LINE_MAX) {
			json_array_append_new(expected, error_of(-32600, NULL));
			break;
		}
		if (!is_blank(text, line)) {
			request = json_loadb(text, line, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
					     NULL);
			if (request == NULL)
				answer = error_of(-32700, NULL);
			else if (json_is_array(request))
				answer = expect_batch(request);
			else
				answer = expect_one(request);
			if (answer != NULL)
				json_array_append_new(expected, answer);
			json_decref(request);
		}
		line += newline != NULL;
		text += line;
		len -= line;
	}
	return expected;
}

/* --- what was answered --- */

static void
check_error(const json_t *error, const json_t *code)
{
	const char *message = json_string_value(json_object_get(error, "message"));
	json_t *data = json_object_get(error, "data");

	FUZZ_ASSERT_SAME(json_integer_value(json_object_get(error, "code")),
			 json_integer_value(code));
	FUZZ_ASSERT(message != NULL && message[0] != '\0' && strpbrk(message, "\r\n") == NULL);
	if (json_integer_value(code) == -32000)
		FUZZ_ASSERT(is_string(json_object_get(data, "errno"), "EEXIST"));
}

static void
check_answer(const json_t *answer, const json_t *expected)
{
	json_t *result = json_object_get(answer, "result");
	json_t *error = json_object_get(answer, "error");
	json_t *expected_result = json_object_get(expected, "result");
	json_t *code = json_object_get(expected, "code");

	FUZZ_ASSERT(json_is_object(answer) && json_object_size(answer) == 3);
	FUZZ_ASSERT(is_string(json_object_get(answer, "jsonrpc"), "2.0"));
	FUZZ_ASSERT((result != NULL) != (error != NULL));
	FUZZ_ASSERT(json_equal(json_object_get(answer, "id"), json_object_get(expected, "id")));
	if (json_is_null(expected_result) && code != NULL) {
		const char *message = json_string_value(json_object_get(error, "message"));

		FUZZ_ASSERT(result == NULL || (json_integer_value(result) >= 1 &&
					       json_integer_value(result) <= SECRET_MAX));
		FUZZ_ASSERT(message == NULL || strstr(message, MARK) == NULL);
		if (error != NULL)
			check_error(error, code);
	} else if (code != NULL) {
		FUZZ_ASSERT(error != NULL);
		check_error(error, code);
	} else {
		FUZZ_ASSERT(json_equal(result, expected_result));
	}
}

static void
check_line(const char *line, size_t len, const json_t *expected)
{
	json_t *answer = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);

	FUZZ_ASSERT(answer != NULL);
	FUZZ_ASSERT_SAME(json_is_array(answer), json_is_array(expected));
	if (json_is_array(expected)) {
		FUZZ_ASSERT_SAME(json_array_size(answer), json_array_size(expected));
		for (size_t i = 0; i < json_array_size(expected); i++)
			check_answer(json_array_get(answer, i), json_array_get(expected, i));
	} else {
		check_answer(answer, expected);
	}
	json_decref(answer);
}

static void
check_all(const char *text, size_t len, const json_t *expected)
{
	size_t n = 0;

	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		size_t line;

		FUZZ_ASSERT(newline != NULL);
		line = (size_t)(newline - text);
		if (line != strlen(EVENT) || memcmp(text, EVENT, line) != 0) {
			FUZZ_ASSERT(n < json_array_size(expected));
			check_line(text, line, json_array_get(expected, n++));
		}
		text += line + 1;
		len -= line + 1;
	}
	FUZZ_ASSERT_SAME(n, json_array_size(expected));
}

/* --- the client --- */

struct answers {
	char text[ANSWERS_MAX];
	size_t len;
	bool ended;
};

static struct answers answers;

static void
read_answers(int fd)
{
	for (;;) {
		ssize_t n = recv(fd, answers.text + answers.len, sizeof(answers.text) - answers.len,
				 MSG_DONTWAIT);

		if (n <= 0) {
			answers.ended |= n == 0 || errno == ECONNRESET;
			return;
		}
		answers.len += (size_t)n;
		FUZZ_ASSERT(answers.len < sizeof(answers.text));
	}
}

/* Let the server work, with something to tell of as well. */
static int
poll_server(unsigned *events)
{
	json_t *params;

	if ((*events)++ < EVENTS_MAX) {
		params = json_pack("{s:i}", "word", 1);
		control_server_event(server, 1, params);
		json_decref(params);
	}
	return control_server_poll(server);
}

/* Nothing is to be done, and nothing has come that would have to be. */
static bool
is_idle(unsigned *events)
{
	struct pollfd fd = {.fd = control_server_fd(server), .events = POLLIN};

	return poll_server(events) == -1 && poll(&fd, 1, 0) == 0;
}

/* Send the text in pieces as cut says. */
static void
send_all(int fd, const char *text, size_t len, uint8_t cut)
{
	uint64_t state = cut + 1u;
	unsigned pieces = 0, events = 0;

	while (len > 0) {
		size_t piece = len;
		ssize_t n;

		if (cut != 0 && pieces++ < PIECES_MAX) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			piece = 1 + (state >> 33) % (cut < 128 ? cut : (cut - 127u) * 2048);
		}
		n = send(fd, text, piece < len ? piece : len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else {
			FUZZ_ASSERT(errno == EAGAIN || errno == EPIPE || errno == ECONNRESET);
			if (errno != EAGAIN)
				return;
		}
		poll_server(&events);
		read_answers(fd);
	}
}

static size_t
unfold(struct fuzz_input *input, char *text)
{
	size_t len = 0;

	while (input->size != 0 && len + MANY < TEXT_MAX) {
		char c = (char)fuzz_take8(input);

		if (c == 1) {
			for (const char *mark = MARK; *mark != '\0'; mark++)
				text[len++] = *mark;
		} else if (c == 2) {
			memset(text + len, 'm', MANY);
			len += MANY;
		} else {
			text[len++] = c;
		}
	}
	return len;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	server = control_server_create(methods, NULL);
	FUZZ_ASSERT(server != NULL);
	control_server_set_log(server, on_log);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	uint8_t options = fuzz_take8(&input), cut = fuzz_take8(&input);
	static char text[TEXT_MAX + 1];
	size_t len = unfold(&input, text);
	unsigned polls = 0, events = 0;
	int fds[2];

	answers.len = 0;
	answers.ended = false;
	if (!(options & NO_NEWLINE))
		text[len++] = '\n';
	FUZZ_ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	FUZZ_ASSERT_SAME(control_server_adopt(server, fds[1]), 0);
	send_all(fds[0], text, len, cut);
	if (options & HANG_UP)
		close(fds[0]);
	else
		shutdown(fds[0], SHUT_WR);
	while (control_server_clients(server) != 0) {
		bool idle = is_idle(&events);

		if (!(options & HANG_UP))
			read_answers(fds[0]);
		/* One that listens may stay until it hangs up. */
		if (idle && !(options & HANG_UP) && control_server_subscribers(server) != 0)
			shutdown(fds[0], SHUT_RDWR);
		FUZZ_ASSERT(++polls < POLLS_MAX);
	}
	if (!(options & HANG_UP)) {
		json_t *expected = expect_all(text, len);

		read_answers(fds[0]);
		FUZZ_ASSERT(answers.ended);
		check_all(answers.text, answers.len, expected);
		json_decref(expected);
		close(fds[0]);
	}
	return 0;
}
