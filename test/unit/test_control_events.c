/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: to whom they go, between which lines, and what becomes of them when nobody reads. */
#include "control_rig.h"

#include "control/call.h"
#include "control/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define SUBSCRIBE(topics)                                                                          \
	"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"subscribe\",\"params\":{\"topics\":" topics    \
	"}}\n"
#define SUBSCRIBED "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n"
#define ECHO "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n"
#define ECHOED "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
#define EVENT(params) "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":" params "}\n"

static void
tell(struct rig *rig, uint32_t topics, const char *word)
{
	json_t *params = json_pack("{s:s}", "word", word);

	control_server_event(rig->server, topics, params);
	json_decref(params);
}

static int
subscriber(struct rig *rig)
{
	int fd = rig_client(rig);

	assert_string_equal(rig_ask(rig, fd, SUBSCRIBE("1")), SUBSCRIBED);
	return fd;
}

static void
to_those_who_asked(void **state)
{
	struct rig *rig = *state;
	int one = subscriber(rig), two = rig_client(rig), none = rig_client(rig);

	assert_string_equal(rig_ask(rig, two, SUBSCRIBE("6")), SUBSCRIBED);
	assert_int_equal(control_server_subscribers(rig->server), 2);
	assert_false(control_server_pending(rig->server));
	tell(rig, 1, "a");
	assert_true(control_server_pending(rig->server));
	tell(rig, 4, "b");
	tell(rig, 8, "c");
	tell(rig, 3, "d");
	assert_string_equal(rig_read(rig, one),
			    EVENT("{\"word\":\"a\"}") EVENT("{\"word\":\"d\"}"));
	assert_string_equal(rig_read(rig, two),
			    EVENT("{\"word\":\"b\"}") EVENT("{\"word\":\"d\"}"));
	assert_string_equal(rig_read(rig, none), "");
	assert_false(control_server_pending(rig->server));

	assert_string_equal(rig_ask(rig, two, SUBSCRIBE("0")), SUBSCRIBED);
	tell(rig, 7, "e");
	assert_string_equal(rig_read(rig, two), "");
	assert_string_equal(rig_ask(rig, one, ECHO), EVENT("{\"word\":\"e\"}") ECHOED);
	close(one);
	close(two);
	close(none);
	rig_pump(rig);
	assert_int_equal(control_server_subscribers(rig->server), 0);
	tell(rig, 7, "f");
	assert_false(control_server_pending(rig->server));
}

/* A batch is answered piece by piece in one line, which no event may cut. */
static void
not_inside_of_a_line(void **state)
{
	struct rig *rig = *state;
	int fd = subscriber(rig);

	assert_string_equal(rig_ask(rig, fd,
				    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"},"
				    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"slow\"}]\n" ECHO),
			    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	tell(rig, 1, "a");
	assert_string_equal(rig_read(rig, fd), "");
	rig->released = true;
	assert_string_equal(rig_read(rig, fd),
			    ",{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"late\"}]\n" EVENT(
				    "{\"word\":\"a\"}") ECHOED);
	close(fd);
}

/* One that waits for a slow answer of its own gets events meanwhile. */
static void
while_an_answer_waits(void **state)
{
	struct rig *rig = *state;
	int fd = subscriber(rig);

	rig_send(rig, fd, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"slow\"}\n");
	tell(rig, 1, "a");
	assert_string_equal(rig_read(rig, fd), EVENT("{\"word\":\"a\"}"));
	rig->released = true;
	assert_string_equal(rig_read(rig, fd),
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"late\"}\n");
	close(fd);
}

/* Count the lines of text, and what those of lost events count; all events come in order. */
static void
count_events(const char *text, unsigned *events, uint64_t *lost)
{
	json_t *line;

	for (; *text; text = strchr(text, '\n') + 1) {
		const json_t *params;
		const char *word;

		line = json_loadb(text, (size_t)(strchr(text, '\n') - text), 0, NULL);
		assert_non_null(line);
		params = json_object_get(line, "params");
		word = json_string_value(json_object_get(params, "word"));
		if (word) {
			assert_int_equal(strtoul(word, NULL, 10), *events + *lost);
			(*events)++;
		} else {
			assert_string_equal(json_string_value(json_object_get(params, "event")),
					    "lost");
			*lost += (uint64_t)json_integer_value(json_object_get(params, "count"));
		}
		json_decref(line);
	}
}

static void
one_that_does_not_read(void **state)
{
	const unsigned many = 50000;
	struct rig *rig = *state;
	int deaf = subscriber(rig), other = rig_client(rig);
	char word[32], text[256];
	unsigned events = 0;
	uint64_t lost = 0;

	for (unsigned i = 0; i < many; i++) {
		snprintf(word, sizeof(word), "%u", i);
		tell(rig, 1, word);
		if (i % 64 == 0)
			control_server_poll(rig->server);
		if (i % 5000 == 0)
			assert_string_equal(rig_ask(rig, other, ECHO), ECHOED);
	}
	count_events(rig_read(rig, deaf), &events, &lost);
	assert_int_equal(events + lost, many);
	assert_true(lost > many / 2);
	/* What a socket takes, and twice what may wait. */
	assert_true(events > 1000);

	/* From here on it gets all again. */
	snprintf(word, sizeof(word), "%u", many);
	tell(rig, 1, word);
	snprintf(text, sizeof(text), EVENT("{\"word\":\"%s\"}"), word);
	assert_string_equal(rig_read(rig, deaf), text);
	close(deaf);
	close(other);
}

static void
told_of_those_that_were_never_made(void **state)
{
	struct rig *rig = *state;
	int fd = subscriber(rig);

	tell(rig, 1, "a");
	control_server_lose(rig->server, 2, 5);
	control_server_lose(rig->server, 1, 7);
	assert_string_equal(rig_read(rig, fd),
			    EVENT("{\"word\":\"a\"}") EVENT("{\"event\":\"lost\",\"count\":7}"));
	close(fd);
}

/* printf ... | socat - UNIX-CONNECT:...: all is said, and much is to be heard. */
static void
one_that_only_listens(void **state)
{
	struct rig *rig = *state;
	int fd = subscriber(rig), outer = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};

	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 1);
	assert_int_equal(epoll_ctl(outer, EPOLL_CTL_ADD, control_server_fd(rig->server), &event),
			 0);
	assert_int_equal(epoll_wait(outer, &event, 1, 0), 0); /* nothing to wake up for */
	tell(rig, 1, "a");
	assert_string_equal(rig_read(rig, fd), EVENT("{\"word\":\"a\"}"));
	close(fd);
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 0);
	close(outer);
}

static void
needs_a_connection(void **state)
{
	struct rig *rig = *state;
	json_t *request = json_loads(SUBSCRIBE("1"), 0, NULL);
	json_t *answer = control_server_execute(rig->server, request);
	const json_t *wrong = json_object_get(answer, "error");

	assert_string_equal(
		json_string_value(json_object_get(json_object_get(wrong, "data"), "errno")),
		"ENOTCONN");
	json_decref(answer);
	json_decref(request);
}

static json_t *
long_answer(struct control_call *call, const json_t *params)
{
	char text[4096];

	(void)call;
	(void)params;
	memset(text, 'x', sizeof(text));
	return json_stringn(text, sizeof(text));
}

static const struct control_method long_methods[] = {{"long", long_answer, false}, {0}};
static const struct dispatch long_dispatch = {.methods = long_methods};

/* It owes nobody the reading of events, for as long as they fit; answers it does. */
static void
may_pause_for_long(void **state)
{
	static const char line[] = EVENT("{\"word\":\"somewhat longer, to fill the socket soon\"}");
	static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"long\"}\n";
	struct conn conn = {.topics = 1, .interest = EPOLLIN};
	uint64_t t = 5000;
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	conn.fd = ends[1];
	conn.peer.writes = true;
	for (unsigned i = 0; i < 20000; i++) {
		conn_event(&conn, line, strlen(line));
		if (i % 100 == 0)
			assert_int_equal(conn_serve(&conn, &long_dispatch, t++), CONN_IDLE);
	}
	assert_true(conn.lost > 0);
	assert_true(buf_len(&conn.out) + buf_len(&conn.events) <= 2 * CONTROL_EVENTS_MAX);
	assert_true(conn_interest(&conn) & EPOLLOUT);
	assert_true(conn_deadline(&conn) == UINT64_MAX);
	t += 100ull * CONTROL_STALL_MS;
	assert_int_equal(conn_serve(&conn, &long_dispatch, t), CONN_IDLE);

	assert_int_equal(write(ends[0], request, strlen(request)), strlen(request));
	conn.readable = true;
	while (conn_serve(&conn, &long_dispatch, t) == CONN_MORE)
		;
	assert_int_equal(conn_deadline(&conn), t + CONTROL_STALL_MS);
	assert_int_equal(conn_serve(&conn, &long_dispatch, t + CONTROL_STALL_MS), CONN_CLOSE);
	conn_close(&conn);
	close(ends[0]);
}

#define T(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(to_those_who_asked),
		T(not_inside_of_a_line),
		T(while_an_answer_waits),
		T(one_that_does_not_read),
		T(told_of_those_that_were_never_made),
		T(one_that_only_listens),
		T(needs_a_connection),
		cmocka_unit_test(may_pause_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
