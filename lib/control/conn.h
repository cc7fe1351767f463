/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One client of the server: its socket, the requests that came in and the answers that wait to go
 * out. Bounded in memory and in what it does at a time.
 */
#ifndef SEGSEAL_CONTROL_CONN_H
#define SEGSEAL_CONTROL_CONN_H

#include "control/buf.h"
#include "control/call.h"

struct conn {
	int fd;
	uint32_t interest; /* what epoll watches for; CONN_UNWATCHED after a hangup */
	struct control_peer peer;
	struct buf in;
	struct buf out;
	size_t scanned; /* octets of in known to hold no newline */
	struct task task;
	bool busy;     /* task is under way */
	bool answered; /* task is a batch, and its [ is out */
	bool readable; /* as far as we know */
	bool eof;      /* nothing more comes in */
	bool refused;  /* no request is taken any more: flush, then close */
	bool draining; /* refused, flushed, and our side is shut */
	/* Events wait apart from answers, to come in between two of them. */
	uint32_t topics; /* what it is subscribed to */
	struct buf events;
	uint64_t lost;	  /* events that found no room, behind those in events */
	bool only_events; /* in out: the client owes us no reading */
	uint64_t since; /* milliseconds: when the oldest answer began to wait, or draining began */
};

#define CONN_UNWATCHED UINT32_MAX

enum conn_state {
	CONN_IDLE,  /* until the socket is ready */
	CONN_MORE,  /* call again at once: a request is at hand */
	CONN_WAITS, /* call again soon: a control_later() is not done */
	CONN_CLOSE, /* the server is to close it */
};

/* Read, run at most one request, write. now in milliseconds. */
enum conn_state conn_serve(struct conn *conn, const struct dispatch *dispatch, uint64_t now);
/* When to call again if nothing happens before; UINT64_MAX: never. */
uint64_t conn_deadline(const struct conn *conn);
/* The EPOLL* events that it waits for. */
uint32_t conn_interest(const struct conn *conn);
/* Write what goes out without waiting; false: the client is gone. */
bool conn_flush(struct conn *conn, uint64_t now);
/* Queue the line of an event (NULL: it could not be made), or count it as lost. */
void conn_event(struct conn *conn, const char *line, size_t len);
/* Wipe and free; closes the socket. */
void conn_close(struct conn *conn);

#endif
