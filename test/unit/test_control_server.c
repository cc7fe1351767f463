/* SPDX-License-Identifier: BSD-3-Clause */
/* Clients of all kinds at once: none may hold up another, or take more than its share. */
#include "control_rig.h"

#include "control/conn.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ECHO "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n"
#define ECHOED "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
#define SLOW "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"slow\"}\n"
#define SLOWED "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"late\"}\n"
#define BIG(n) "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"big\",\"params\":{\"n\":" n "}}\n"
#define TOO_LONG                                                                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"                 \
	"\"request line longer than 65536 octets\"}}\n"

static void
octet_by_octet(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	for (const char *c = ECHO; *c; c++) {
		assert_int_equal(write(fd, c, 1), 1);
		rig_pump(rig);
	}
	assert_string_equal(rig_read(rig, fd), ECHOED);
	close(fd);
}

static void
pipelined_in_order(void **state)
{
	struct rig *rig = *state;
	char requests[200 * (sizeof(ECHO) + 4)] = "", answers[200 * (sizeof(ECHO) + 4)] = "";
	int fd = rig_client(rig);

	for (int i = 0; i < 200; i++) {
		sprintf(requests + strlen(requests),
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"echo\"}\n", i);
		sprintf(answers + strlen(answers),
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", i);
	}
	assert_string_equal(rig_ask(rig, fd, requests), answers);
	close(fd);
}

static void
waiting_holds_up_nobody_else(void **state)
{
	struct rig *rig = *state;
	int waiting = rig_client(rig), other = rig_client(rig);

	rig_send(rig, waiting, SLOW ECHO);
	assert_string_equal(rig_read(rig, waiting), "");
	assert_true(control_server_poll(rig->server) > 0); /* it wants to look again */
	assert_string_equal(rig_ask(rig, other, ECHO), ECHOED);
	assert_string_equal(rig_read(rig, waiting), "");
	rig->released = true;
	assert_string_equal(rig_read(rig, waiting), SLOWED ECHOED);
	close(waiting);
	close(other);
}

static void
waiting_inside_a_batch(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	char text[256];

	/* What is done already comes at once, the rest when it can. */
	snprintf(text, sizeof(text), "%s",
		 rig_ask(rig, fd,
			 "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"},"
			 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"slow\"}]\n"));
	assert_string_equal(text, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	rig->released = true;
	assert_string_equal(rig_read(rig, fd),
			    ",{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"late\"}]\n");
	close(fd);
}

static void
gone_while_waiting(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	rig_send(rig, fd, SLOW);
	close(fd);
	rig_pump(rig);
	/* A hangup that nobody can act on must not make the descriptor ready all the time. */
	struct epoll_event event;
	int outer = epoll_create1(0);

	event.events = EPOLLIN;
	assert_int_equal(epoll_ctl(outer, EPOLL_CTL_ADD, control_server_fd(rig->server), &event),
			 0);
	assert_int_equal(epoll_wait(outer, &event, 1, 0), 0);
	close(outer);
	rig->released = true;
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 0);
	assert_int_equal(rig->calls, 1);
}

static void
half_closed_is_answered(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	assert_int_equal(write(fd, ECHO ECHO, 2 * strlen(ECHO) - 1), 2 * strlen(ECHO) - 1);
	shutdown(fd, SHUT_WR);
	assert_string_equal(rig_read(rig, fd), ECHOED ECHOED);
	assert_true(rig_closed(rig, fd));
	assert_int_equal(control_server_clients(rig->server), 0);
	close(fd);
}

static void
closes_in_the_middle(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig), other = rig_client(rig);
	char some[10000];

	rig_send(rig, fd, BIG("8000000"));
	assert_int_equal(recv(fd, some, sizeof(some), MSG_DONTWAIT), sizeof(some));
	close(fd);
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 1);
	rig_send(rig, other, "{\"jsonrpc\":");
	close(other);
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 0);
}

static void
longest_line(void **state)
{
	struct rig *rig = *state;
	static char line[CONTROL_LINE_MAX + 2];
	int fd = rig_client(rig);

	memset(line, ' ', sizeof(line));
	memcpy(line, ECHO, strlen(ECHO) - 1);
	line[CONTROL_LINE_MAX] = '\n';
	line[CONTROL_LINE_MAX + 1] = '\0';
	assert_string_equal(rig_ask(rig, fd, line), ECHOED);

	line[CONTROL_LINE_MAX] = ' ';
	assert_string_equal(rig_ask(rig, fd, line), TOO_LONG);
	close(fd);
}

static void
ten_megabytes_are_refused(void **state)
{
	struct rig *rig = *state;
	static char junk[10 << 20];
	int fd = rig_client(rig), other = rig_client(rig);

	memset(junk, 'j', sizeof(junk) - 1);
	rig_send(rig, fd, junk); /* is let send it all, so that it comes to read the reason */
	assert_string_equal(rig_read(rig, fd), TOO_LONG);
	assert_true(rig_closed(rig, fd));
	assert_string_equal(rig_ask(rig, other, ECHO), ECHOED);
	close(fd);
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 1);
	close(other);
}

/* One that asks and never reads is not read from either, and its requests are not run. */
static void
not_reading_costs_little(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig), other = rig_client(rig);
	size_t sent = 0;

	for (;;) {
		ssize_t n = send(fd, BIG("1000000"), strlen(BIG("1000000")), MSG_DONTWAIT);

		rig_pump(rig);
		if (n < 0)
			break;
		sent += (size_t)n;
		assert_true(sent < 4u << 20);
	}
	assert_string_equal(rig_ask(rig, other, ECHO), ECHOED);
	int wait = control_server_poll(rig->server);

	assert_true(wait > 0 && wait <= CONTROL_STALL_MS);
	close(fd);
	close(other);
}

static void
too_long_an_answer_drops_the_client(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);

	rig_send(rig, fd, BIG("40000000"));
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 0);
	close(fd);
}

/* Each is within its own bound; together they are not. */
static void
backlogs_are_bounded_together(void **state)
{
	struct rig *rig = *state;
	int hogs[4], other = rig_client(rig);

	for (int i = 0; i < 4; i++) {
		hogs[i] = rig_client(rig);
		rig_send(rig, hogs[i], BIG("25000000"));
	}
	rig_pump(rig);
	assert_int_equal(control_server_clients(rig->server), 3);
	assert_string_equal(rig_ask(rig, other, ECHO), ECHOED);
	for (int i = 0; i < 4; i++)
		close(hogs[i]);
	close(other);
}

/* Whose clock it is that runs: ours. */
static struct conn *
own_conn(struct conn *conn, int *fd)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	*fd = ends[0];
	*conn = (struct conn){.fd = ends[1], .readable = true};
	return conn;
}

static json_t *
answer_long(struct control_call *call, const json_t *params)
{
	static char text[1 << 20];

	(void)call;
	(void)params;
	memset(text, 'x', sizeof(text));
	return json_stringn(text, sizeof(text));
}

static const struct control_method long_methods[] = {{"long", answer_long, false}, {0}};
static const struct dispatch long_dispatch = {.methods = long_methods};

static void
stalled_client_is_dropped(void **state)
{
	static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"long\"}\n";
	static char some[1 << 16];
	struct conn conn;
	uint64_t t = 5000;
	int fd;

	(void)state;
	own_conn(&conn, &fd);
	assert_int_equal(write(fd, request, strlen(request)), strlen(request));
	while (conn_serve(&conn, &long_dispatch, t) == CONN_MORE)
		;
	assert_int_equal(conn_deadline(&conn), t + CONTROL_STALL_MS);
	/* One that reads a little is making progress. */
	t += CONTROL_STALL_MS - 1;
	assert_true(recv(fd, some, sizeof(some), MSG_DONTWAIT) > 0);
	while (recv(fd, some, sizeof(some), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(conn_serve(&conn, &long_dispatch, t), CONN_IDLE);
	t += CONTROL_STALL_MS - 1;
	assert_int_equal(conn_serve(&conn, &long_dispatch, t), CONN_IDLE);
	t += 1;
	assert_int_equal(conn_serve(&conn, &long_dispatch, t), CONN_CLOSE);
	conn_close(&conn);
	close(fd);
}

/* One that goes on sending after the refusal is waited for, but not for ever. */
static void
refused_client_is_let_go(void **state)
{
	static char junk[1 << 15];
	struct conn conn;
	uint64_t t = 5000;
	enum conn_state last = CONN_IDLE;
	int fd;

	(void)state;
	own_conn(&conn, &fd);
	memset(junk, 'j', sizeof(junk));
	for (; last != CONN_CLOSE && t < 10000; t++) {
		conn.readable = true;
		send(fd, junk, sizeof(junk), MSG_DONTWAIT);
		last = conn_serve(&conn, &long_dispatch, t);
	}
	assert_int_equal(last, CONN_CLOSE);
	assert_in_range(t, 7000, 7100);
	conn_close(&conn);
	close(fd);
}

/* 100 clients: one silent, one that sends an octet at a time, one that closes in the middle of a
 * reply, and one that waits. All others are answered. */
static void
a_hundred_clients(void **state)
{
	enum { N = 100, SILENT = 0, DRIP = 1, QUITTER = 2, WAITER = 3, FIRST = 4 };
	struct rig *rig = *state;
	const char *drip = ECHO;
	int fds[N];

	for (int i = 0; i < N; i++)
		fds[i] = rig_client(rig);
	rig_send(rig, fds[QUITTER], BIG("4000000"));
	rig_send(rig, fds[WAITER], SLOW);
	for (int round = 0; *drip; round++) {
		assert_int_equal(write(fds[DRIP], drip++, 1), 1);
		if (round == 5)
			close(fds[QUITTER]);
		for (int i = FIRST; i < N; i++)
			assert_int_equal(write(fds[i], ECHO, strlen(ECHO)), strlen(ECHO));
		for (int i = FIRST; i < N; i++)
			assert_string_equal(rig_read(rig, fds[i]), ECHOED);
	}
	assert_string_equal(rig_read(rig, fds[DRIP]), ECHOED);
	rig->released = true;
	assert_string_equal(rig_read(rig, fds[WAITER]), SLOWED);
	assert_int_equal(control_server_clients(rig->server), N - 1);
	for (int i = 0; i < N; i++)
		if (i != QUITTER)
			close(fds[i]);
}

static void
clients_are_bounded(void **state)
{
	struct rig *rig = *state;
	int fds[CONTROL_CLIENTS_MAX], ends[2];

	for (unsigned i = 0; i < CONTROL_CLIENTS_MAX; i++)
		fds[i] = rig_client(rig);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_true(control_server_adopt(rig->server, ends[1]) < 0);
	assert_string_equal(rig_ask(rig, fds[CONTROL_CLIENTS_MAX - 1], ECHO), ECHOED);
	close(fds[0]);
	rig_pump(rig);
	assert_int_equal(control_server_adopt(rig->server, ends[1]), 0);
	assert_string_equal(rig_ask(rig, ends[0], ECHO), ECHOED);
	close(ends[0]);
	for (unsigned i = 1; i < CONTROL_CLIENTS_MAX; i++)
		close(fds[i]);
}

static void
destroy_flushes(void **state)
{
	struct rig *rig = *state;
	int fd = rig_client(rig);
	char text[256] = "";

	rig_send(rig, fd, SLOW);
	rig->released = true;
	control_server_poll(rig->server);
	control_server_destroy(rig->server);
	rig->server = NULL;
	assert_int_equal(read(fd, text, sizeof(text) - 1), strlen(SLOWED));
	assert_int_equal(read(fd, text, sizeof(text)), 0);
	close(fd);
}

#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(octet_by_octet),
		T(pipelined_in_order),
		T(waiting_holds_up_nobody_else),
		T(waiting_inside_a_batch),
		T(gone_while_waiting),
		T(half_closed_is_answered),
		T(closes_in_the_middle),
		T(longest_line),
		T(ten_megabytes_are_refused),
		T(not_reading_costs_little),
		T(too_long_an_answer_drops_the_client),
		T(backlogs_are_bounded_together),
		cmocka_unit_test(stalled_client_is_dropped),
		cmocka_unit_test(refused_client_is_let_go),
		T(a_hundred_clients),
		T(clients_are_bounded),
		T(destroy_flushes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
