/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "control/call.h"
#include "control/conn.h"
#include "control/listen.h"
#include "control/peer.h"
#include "control/text.h"

#define ACCEPT_AT_ONCE 32
#define ACCEPT_PAUSE_MS 200u /* after accept() failed for want of descriptors or memory */
#define LATER_MS 1u	     /* between two looks at a control_later() */
#define POLL_MS 20u	     /* after which one poll gives the thread back */

struct control_server {
	struct dispatch dispatch;
	int epoll;
	struct listener listener;
	gid_t group; /* whose members may call methods that write; PEER_NO_GROUP: nobody's */
	uint64_t accept_after; /* milliseconds; 0: the listener is being watched */
	struct conn *conns[CONTROL_CLIENTS_MAX];
	unsigned n_conns;
	unsigned turn; /* whose turn it is to be served first */
	bool pending;  /* events were queued since the clients were served */
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000u + (uint64_t)ts.tv_nsec / 1000000u;
}

struct control_server *
control_server_create(const struct control_method *methods, void *arg)
{
	struct control_server *server = calloc(1, sizeof(*server));

	if (!server)
		return NULL;
	json_wipes();
	server->dispatch = (struct dispatch){.methods = methods, .arg = arg};
	server->listener.fd = -1;
	server->group = PEER_NO_GROUP;
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll < 0) {
		free(server);
		return NULL;
	}
	return server;
}

void
control_server_set_log(struct control_server *server, control_log log)
{
	server->dispatch.log = log;
}

void
control_server_set_group(struct control_server *server, gid_t group)
{
	server->group = group;
}

int
control_server_fd(const struct control_server *server)
{
	return server->epoll;
}

unsigned
control_server_clients(const struct control_server *server)
{
	return server->n_conns;
}

/* The listener is the one event source without a conn behind it. */
static int
watch_listener(struct control_server *server, bool watch)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};

	return epoll_ctl(server->epoll, watch ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, server->listener.fd,
			 &event);
}

int
control_server_listen(struct control_server *server, const char *path, char *error,
		      size_t error_size)
{
	int rc;

	if (server->listener.fd >= 0)
		return text_error(error, error_size, EALREADY, "already listening on %s",
				  server->listener.path);
	rc = listener_open(&server->listener, path, server->group, error, error_size);
	if (rc < 0)
		return rc;
	if (watch_listener(server, true) < 0) {
		rc = text_error(error, error_size, errno, "cannot listen on %s: %s", path,
				strerror(errno));
		listener_close(&server->listener);
	}
	return rc;
}

int
control_server_adopt(struct control_server *server, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct control_peer peer;
	struct conn *conn;
	int rc;

	if (server->n_conns == CONTROL_CLIENTS_MAX)
		return -EMFILE;
	rc = peer_read(&peer, fd, server->group);
	if (rc < 0)
		return rc;
	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return -ENOMEM;
	conn->fd = fd;
	conn->interest = EPOLLIN;
	conn->peer = peer;
	event.data.ptr = conn;
	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		free(conn);
		return -errno;
	}
	server->conns[server->n_conns++] = conn;
	return 0;
}

static void
accept_clients(struct control_server *server, uint64_t now)
{
	for (int i = 0; i < ACCEPT_AT_ONCE; i++) {
		int fd = accept4(server->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			if (control_server_adopt(server, fd) < 0)
				close(fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno != EAGAIN) {
			/* Ready and not acceptable: watching on would only spin. */
			watch_listener(server, false);
			server->accept_after = now + ACCEPT_PAUSE_MS;
		}
		return;
	}
}

static void
watch_conn(struct control_server *server, struct conn *conn)
{
	struct epoll_event event = {.events = conn_interest(conn), .data.ptr = conn};

	if (conn->interest == CONN_UNWATCHED || conn->interest == event.events)
		return;
	conn->interest = event.events;
	epoll_ctl(server->epoll, EPOLL_CTL_MOD, conn->fd, &event);
}

static void
take_events(struct control_server *server, uint64_t now)
{
	struct epoll_event events[CONTROL_CLIENTS_MAX + 1];
	int n = epoll_wait(server->epoll, events, CONTROL_CLIENTS_MAX + 1, 0);

	for (int i = 0; i < n; i++) {
		struct conn *conn = events[i].data.ptr;

		if (!conn) {
			accept_clients(server, now);
			continue;
		}
		if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			conn->readable = true;
		if (events[i].events & (EPOLLHUP | EPOLLERR)) {
			/* A hangup cannot be masked, and would keep waking us while a request of
			 * this client waits. From here on reads and writes answer at once. */
			epoll_ctl(server->epoll, EPOLL_CTL_DEL, conn->fd, NULL);
			conn->interest = CONN_UNWATCHED;
		}
	}
}

static void
remove_conn(struct control_server *server, unsigned i)
{
	conn_close(server->conns[i]);
	free(server->conns[i]);
	server->conns[i] = server->conns[--server->n_conns];
}

static size_t
backlog(const struct control_server *server)
{
	size_t total = 0;

	for (unsigned i = 0; i < server->n_conns; i++)
		total += buf_len(&server->conns[i]->out);
	return total;
}

static unsigned
longest_backlog(const struct control_server *server)
{
	unsigned longest = 0;

	for (unsigned i = 1; i < server->n_conns; i++)
		if (buf_len(&server->conns[i]->out) > buf_len(&server->conns[longest]->out))
			longest = i;
	return longest;
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* When the client wants to be served again; 0: it is to be closed. */
static uint64_t
serve(struct control_server *server, struct conn *conn, uint64_t now)
{
	uint64_t wake = UINT64_MAX;

	switch (conn_serve(conn, &server->dispatch, now)) {
	case CONN_CLOSE:
		return 0;
	case CONN_MORE:
		return now;
	case CONN_WAITS:
		wake = now + LATER_MS;
		break;
	case CONN_IDLE:
		break;
	}
	return earlier(wake, conn_deadline(conn));
}

/* Serve each client once, from another one on each time, until the time is used up. Returns when
 * to go on. */
static uint64_t
serve_all(struct control_server *server, uint64_t now)
{
	uint64_t wake = UINT64_MAX;
	unsigned turn = server->turn++;

	for (unsigned served = 0; served < server->n_conns; served++) {
		unsigned i = (turn + served) % server->n_conns;
		struct conn *conn = server->conns[i];
		size_t before = buf_len(&conn->out);
		uint64_t again = serve(server, conn, now);

		if (again == 0) {
			/* Another client stands at i now, and the order has changed. */
			remove_conn(server, i);
			wake = now;
			continue;
		}
		wake = earlier(wake, again);
		watch_conn(server, conn);
		if (buf_len(&conn->out) > before && backlog(server) > CONTROL_BACKLOG_TOTAL) {
			remove_conn(server, longest_backlog(server));
			wake = now;
		}
		if (now_ms() - now >= POLL_MS)
			return now;
	}
	return wake;
}

int
control_server_poll(struct control_server *server)
{
	uint64_t now = now_ms();
	uint64_t wake;

	if (server->accept_after && now >= server->accept_after) {
		server->accept_after = 0;
		watch_listener(server, true);
	}
	take_events(server, now);
	server->pending = false;
	wake = serve_all(server, now);
	if (server->pending) /* a client that was served already has some of them */
		wake = now;
	if (server->accept_after)
		wake = earlier(wake, server->accept_after);
	if (wake == UINT64_MAX)
		return -1;
	return wake > now ? (int)(wake - now) : 0;
}

void
control_server_event(struct control_server *server, uint32_t topics, json_t *params)
{
	json_t *event =
		json_pack("{s:s, s:s, s:O}", "jsonrpc", "2.0", "method", "event", "params", params);
	struct buf line = {0};
	bool whole = event && buf_append_json(&line, event) && buf_append(&line, "\n", 1);

	for (unsigned i = 0; i < server->n_conns; i++) {
		if (!(server->conns[i]->topics & topics))
			continue;
		/* Without memory there is nothing to send, but it is to be known. */
		conn_event(server->conns[i], whole ? buf_head(&line) : NULL, buf_len(&line));
		server->pending = true;
	}
	buf_free(&line);
	json_decref(event);
}

void
control_server_lose(struct control_server *server, uint32_t topics, uint64_t n)
{
	for (unsigned i = 0; i < server->n_conns; i++) {
		if (server->conns[i]->topics & topics) {
			server->conns[i]->lost += n;
			server->pending = true;
		}
	}
}

bool
control_server_pending(const struct control_server *server)
{
	return server->pending;
}

unsigned
control_server_subscribers(const struct control_server *server)
{
	unsigned n = 0;

	for (unsigned i = 0; i < server->n_conns; i++)
		n += server->conns[i]->topics != 0;
	return n;
}

json_t *
control_server_execute(struct control_server *server, const json_t *request)
{
	struct control_peer self = {
		.pid = getpid(), .uid = getuid(), .gid = getgid(), .writes = true};
	const struct timespec pause = {.tv_nsec = 100000};
	struct task task;
	json_t *answer = task_begin(&task, json_incref((json_t *)request));
	json_t *answers = NULL;
	enum task_step step;

	if (answer)
		return answer;
	if (json_is_array(request))
		answers = json_array();
	while ((step = task_step(&task, &server->dispatch, &self, NULL, &answer)) != TASK_END) {
		if (step == TASK_WAITS)
			nanosleep(&pause, NULL);
		else if (answer && json_is_array(request))
			json_array_append_new(answers, answer);
		else if (answer)
			answers = answer;
	}
	if (json_is_array(request) && json_array_size(answers) == 0) {
		json_decref(answers);
		answers = NULL;
	}
	return answers;
}

void
control_server_destroy(struct control_server *server)
{
	if (!server)
		return;
	while (server->n_conns > 0) {
		conn_flush(server->conns[0], 0);
		remove_conn(server, 0);
	}
	listener_close(&server->listener);
	close(server->epoll);
	free(server);
}
