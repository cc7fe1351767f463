/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/conn.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define IN_MAX (CONTROL_LINE_MAX + 1u) /* a line and its newline */
#define OUT_PAUSE 65536u	       /* answers waiting at which no more requests are run */
#define DRAIN_MS 2000u		       /* how long a refused client may go on sending */

static bool
is_full(const struct conn *conn)
{
	return buf_len(&conn->in) >= IN_MAX;
}

static bool
is_paused(const struct conn *conn)
{
	return buf_len(&conn->out) > OUT_PAUSE;
}

/* Read and forget what a refused client still sends, so that it gets to read the reason. */
static void
drain(struct conn *conn)
{
	char junk[16384];
	ssize_t n = recv(conn->fd, junk, sizeof(junk), MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		conn->eof = true;
	else if (n < 0)
		conn->readable = false;
	else
		explicit_bzero(junk, (size_t)n);
}

static void
fill(struct conn *conn)
{
	size_t want = IN_MAX - buf_len(&conn->in);
	size_t room;
	ssize_t n;

	if (!buf_reserve(&conn->in, want < 4096 ? want : 4096)) {
		conn->refused = true;
		return;
	}
	room = conn->in.cap - conn->in.end;
	if (want > room)
		want = room;
	n = recv(conn->fd, conn->in.data + conn->in.end, want, MSG_DONTWAIT);
	if (n > 0) {
		conn->in.end += (size_t)n;
		/* A short read took all there was; epoll tells when there is more. */
		if ((size_t)n < want && conn->interest != CONN_UNWATCHED)
			conn->readable = false;
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		conn->eof = true;
	} else if (errno == EAGAIN) {
		conn->readable = false;
	}
	if (buf_len(&conn->in) == 0)
		buf_free(&conn->in);
}

bool
conn_flush(struct conn *conn, uint64_t now)
{
	while (buf_len(&conn->out) > 0) {
		ssize_t n = send(conn->fd, buf_head(&conn->out), buf_len(&conn->out),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		buf_consume(&conn->out, (size_t)n);
		conn->since = now;
	}
	return true;
}

void
conn_event(struct conn *conn, const char *line, size_t len)
{
	/* In order: none comes behind those that were lost. */
	if (!line || conn->lost > 0 || len > CONTROL_EVENTS_MAX - buf_len(&conn->events) ||
	    !buf_append(&conn->events, line, len))
		conn->lost++;
}

static bool
put(struct conn *conn, const void *text, size_t n, uint64_t now)
{
	if (buf_len(&conn->out) == 0 || conn->only_events)
		conn->since = now;
	conn->only_events = false;
	return buf_append(&conn->out, text, n);
}

/* Append a response (taken over) and what follows it. False without memory. */
static bool
put_json(struct conn *conn, json_t *json, const char *after, uint64_t now)
{
	bool ok = put(conn, "", 0, now) && buf_append_json(&conn->out, json) &&
		  buf_append(&conn->out, after, strlen(after));

	json_decref(json);
	return ok;
}

/* Append what waits in events, or how many were lost behind it. False without memory. */
static bool
put_events(struct conn *conn, uint64_t now)
{
	bool ok;

	if (buf_len(&conn->events) > 0) {
		ok = put(conn, buf_head(&conn->events), buf_len(&conn->events), now);
		buf_free(&conn->events);
	} else {
		ok = put_json(conn,
			      json_pack("{s:s, s:s, s:{s:s, s:I}}", "jsonrpc", "2.0", "method",
					"event", "params", "event", "lost", "count",
					(json_int_t)conn->lost),
			      "\n", now);
		conn->lost = 0;
	}
	conn->only_events = true;
	return ok;
}

/* Write answers, and events once there are none. False: the client must go. */
static bool
write_out(struct conn *conn, uint64_t now)
{
	while (conn_flush(conn, now)) {
		/* Not into the middle of a batch's line. */
		bool between = !conn->refused && !(conn->busy && conn->answered);

		if (buf_len(&conn->out) > 0 || !between ||
		    (buf_len(&conn->events) == 0 && conn->lost == 0))
			return true;
		if (!put_events(conn, now))
			return false;
	}
	return false;
}

static bool
refuse_rest(struct conn *conn, const char *why, uint64_t now)
{
	conn->refused = true;
	buf_free(&conn->in);
	conn->scanned = 0;
	return put_json(conn, rpc_error(NULL, RPC_INVALID_REQUEST, why), "\n", now);
}

static bool
is_blank(const char *line, size_t len)
{
	while (len > 0 && (*line == ' ' || *line == '\t' || *line == '\r')) {
		line++;
		len--;
	}
	return len == 0;
}

/*
 * Length of the line at the front and, with its newline, of what to consume. False if there is no
 * whole line.
 */
static bool
next_line(struct conn *conn, size_t *len, size_t *whole)
{
	size_t have = buf_len(&conn->in);
	const char *head, *newline;

	if (have == 0)
		return false;
	head = buf_head(&conn->in);
	newline = memchr(head + conn->scanned, '\n', have - conn->scanned);
	if (newline) {
		*len = (size_t)(newline - head);
		*whole = *len + 1;
		return true;
	}
	conn->scanned = have;
	if (!conn->eof || have > CONTROL_LINE_MAX)
		return false;
	*len = *whole = have;
	return true;
}

/* Begin with the line at the front, if there is a whole one. False: the client must go. */
static bool
begin(struct conn *conn, uint64_t now)
{
	size_t len, whole;
	json_t *request, *refusal;

	if (!next_line(conn, &len, &whole)) {
		if (buf_len(&conn->in) > CONTROL_LINE_MAX)
			return refuse_rest(conn, "request line longer than 65536 octets", now);
		return true;
	}
	if (is_blank(buf_head(&conn->in), len)) {
		buf_consume(&conn->in, whole);
		conn->scanned = 0;
		return true;
	}
	/* No error text is asked for: it would quote the input, and perhaps a secret with it. */
	request = json_loadb(buf_head(&conn->in), len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
			     NULL);
	buf_consume(&conn->in, whole);
	conn->scanned = 0;
	if (!request)
		return put_json(conn, rpc_error(NULL, RPC_PARSE_ERROR, "not JSON"), "\n", now);
	refusal = task_begin(&conn->task, request);
	if (refusal)
		return put_json(conn, refusal, "\n", now);
	conn->busy = true;
	conn->answered = false;
	return true;
}

/* Go on with the task. False: the client must go. */
static bool
step(struct conn *conn, const struct dispatch *dispatch, bool *waits, uint64_t now)
{
	bool batch = task_is_batch(&conn->task);
	json_t *answer;

	switch (task_step(&conn->task, dispatch, &conn->peer, &conn->topics, &answer)) {
	case TASK_WAITS:
		*waits = true;
		return true;
	case TASK_END:
		conn->busy = false;
		return !batch || !conn->answered || put(conn, "]\n", 2, now);
	case TASK_ANSWER:
		break;
	}
	if (!answer)
		return true;
	if (!batch)
		return put_json(conn, answer, "\n", now);
	if (!put(conn, conn->answered ? "," : "[", 1, now)) {
		json_decref(answer);
		return false;
	}
	conn->answered = true;
	return put_json(conn, answer, "", now);
}

/* True while a request is at hand that is not waiting for anything but us. */
static bool
has_work(const struct conn *conn)
{
	size_t have = buf_len(&conn->in);

	if (conn->refused || is_paused(conn))
		return false;
	return conn->busy || (have > 0 && (conn->eof || conn->scanned < have || is_full(conn)));
}

static enum conn_state
state_after_refusal(struct conn *conn, uint64_t now)
{
	if (buf_len(&conn->out) > 0)
		return conn->eof || now - conn->since >= CONTROL_STALL_MS ? CONN_CLOSE : CONN_IDLE;
	if (!conn->draining) {
		shutdown(conn->fd, SHUT_WR);
		conn->draining = true;
		conn->since = now;
	}
	if (conn->eof || now - conn->since >= DRAIN_MS)
		return CONN_CLOSE;
	return conn->readable ? CONN_MORE : CONN_IDLE;
}

/* One that has said all that it will may go on listening, until it hangs up. */
static bool
still_listens(const struct conn *conn)
{
	return conn->topics != 0 && conn->interest != CONN_UNWATCHED;
}

enum conn_state
conn_serve(struct conn *conn, const struct dispatch *dispatch, uint64_t now)
{
	bool waits = false;

	if (conn->refused && conn->readable && !conn->eof)
		drain(conn);
	else if (conn->readable && !conn->eof && !is_full(conn))
		fill(conn);

	if (!conn->refused && !is_paused(conn)) {
		if (!conn->busy && !begin(conn, now))
			return CONN_CLOSE;
		if (conn->busy && !step(conn, dispatch, &waits, now))
			return CONN_CLOSE;
	}
	if (buf_len(&conn->out) > CONTROL_BACKLOG_MAX || !write_out(conn, now))
		return CONN_CLOSE;
	if (conn->refused)
		return state_after_refusal(conn, now);
	if (buf_len(&conn->out) > 0 && !conn->only_events && now - conn->since >= CONTROL_STALL_MS)
		return CONN_CLOSE;
	if (waits)
		return CONN_WAITS;
	if (has_work(conn) || (conn->readable && !conn->eof && !is_full(conn)))
		return CONN_MORE;
	if (conn->eof && !conn->busy && buf_len(&conn->in) == 0 && buf_len(&conn->out) == 0 &&
	    !still_listens(conn))
		return CONN_CLOSE;
	return CONN_IDLE;
}

uint64_t
conn_deadline(const struct conn *conn)
{
	if (conn->draining)
		return conn->since + DRAIN_MS;
	if (buf_len(&conn->out) == 0 || conn->only_events)
		return UINT64_MAX;
	return conn->since + CONTROL_STALL_MS;
}

uint32_t
conn_interest(const struct conn *conn)
{
	uint32_t events = 0;

	if (!conn->eof && (conn->refused || !is_full(conn)))
		events |= EPOLLIN;
	if (buf_len(&conn->out) > 0)
		events |= EPOLLOUT;
	return events;
}

void
conn_close(struct conn *conn)
{
	task_drop(&conn->task);
	buf_free(&conn->in);
	buf_free(&conn->out);
	buf_free(&conn->events);
	close(conn->fd);
}
