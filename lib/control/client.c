/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/buf.h"
#include "control/command.h"
#include "control/progress.h"
#include "control/server.h"
#include "control/text.h"

#define ANSWER_MAX (256u << 20) /* octets of one answer: more is not our server */

struct control_client {
	int fd;
	int timeout;
	char *path;
	struct buf in;
	const char *asked; /* what is waited for, while it is */
	struct progress progress;
};

struct control_client *
control_client_open(const char *path, char *error, size_t error_size)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct control_client *client;
	size_t len = strlen(path);

	json_wipes();
	if (len == 0 || len >= sizeof(addr.sun_path)) {
		text_error(error, error_size, EINVAL,
			   "cannot reach segseal: socket path of %zu octets, must be 1 to %zu", len,
			   sizeof(addr.sun_path) - 1);
		return NULL;
	}
	memcpy(addr.sun_path, path, len);
	client = calloc(1, sizeof(*client));
	if (!client || !(client->path = strdup(path))) {
		text_error(error, error_size, ENOMEM, "out of memory");
		free(client);
		return NULL;
	}
	client->timeout = CONTROL_TIMEOUT_MS;
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0 ||
	    connect(client->fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		text_error(error, error_size, errno, "cannot reach segseal at %s: %s", path,
			   strerror(errno));
		control_client_close(client);
		return NULL;
	}
	return client;
}

void
control_client_set_timeout(struct control_client *client, int milliseconds)
{
	client->timeout = milliseconds;
}

void
control_client_close(struct control_client *client)
{
	if (!client)
		return;
	if (client->fd >= 0)
		close(client->fd);
	buf_free(&client->in);
	free(client->path);
	free(client);
}

static void
show_progress(struct control_client *client)
{
	char text[PROGRESS_TEXT_MAX];

	if (!progress_due(&client->progress))
		return;
	snprintf(text, sizeof(text), "waiting for the answer to %.30s: %u s", client->asked,
		 (unsigned)(progress_elapsed(&client->progress) / 1000));
	progress_draw(&client->progress, text);
}

/* Wait until the socket is ready. */
static int
await(struct control_client *client, short events, char *error, size_t error_size)
{
	struct pollfd pollfd = {.fd = client->fd, .events = events};
	int left = client->timeout;
	int n;

	do {
		bool part = client->progress.on && left > (int)PROGRESS_EACH_MS;

		n = poll(&pollfd, 1, part ? (int)PROGRESS_EACH_MS : left);
		left -= part && n == 0 ? (int)PROGRESS_EACH_MS : 0;
		if (n == 0 && !part)
			break;
		show_progress(client);
	} while (n == 0 || (n < 0 && errno == EINTR));
	if (n > 0)
		return 0;
	if (n < 0)
		return text_error(error, error_size, errno, "segseal at %s: %s", client->path,
				  strerror(errno));
	return text_error(error, error_size, ETIMEDOUT, "segseal at %s gave no answer for %d ms",
			  client->path, client->timeout);
}

static int
lost(struct control_client *client, int errnum, char *error, size_t error_size)
{
	return text_error(error, error_size, errnum ? errnum : ECONNRESET,
			  "segseal at %s closed the connection", client->path);
}

static int
send_all(struct control_client *client, struct buf *out, char *error, size_t error_size)
{
	while (buf_len(out) > 0) {
		int rc = await(client, POLLOUT, error, error_size);
		ssize_t n;

		if (rc < 0)
			return rc;
		n = send(client->fd, buf_head(out), buf_len(out), MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0)
			buf_consume(out, (size_t)n);
		else if (errno == EPIPE || errno == ECONNRESET)
			return 0; /* it may have said why: read that */
		else if (errno != EAGAIN && errno != EINTR)
			return lost(client, errno, error, error_size);
	}
	return 0;
}

/* Whether a line is in; *len is its length. scanned: octets known to hold no newline. */
static bool
has_line(const struct control_client *client, size_t *scanned, size_t *len)
{
	size_t have = buf_len(&client->in);
	const char *newline =
		have ? memchr(buf_head(&client->in) + *scanned, '\n', have - *scanned) : NULL;

	if (newline)
		*len = (size_t)(newline - buf_head(&client->in));
	*scanned = have;
	return newline != NULL;
}

/* Read what has come. */
static int
receive(struct control_client *client, char *error, size_t error_size)
{
	ssize_t n;

	if (buf_len(&client->in) > ANSWER_MAX || !buf_reserve(&client->in, 65536))
		return text_error(error, error_size, EMSGSIZE,
				  "segseal at %s: the answer is too long", client->path);
	n = recv(client->fd, client->in.data + client->in.end, client->in.cap - client->in.end,
		 MSG_DONTWAIT);
	if (n > 0)
		client->in.end += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		return lost(client, n == 0 ? 0 : errno, error, error_size);
	return 0;
}

/* Take the line of len octets off the front. */
static json_t *
take_line(struct control_client *client, size_t len, char *error, size_t error_size)
{
	json_t *json = json_loadb(buf_head(&client->in), len, JSON_REJECT_DUPLICATES, NULL);

	buf_consume(&client->in, len + 1);
	if (!json)
		text_error(error, error_size, EPROTO, "what answers at %s is not segseal",
			   client->path);
	return json;
}

/* The next line; NULL with error. */
static json_t *
receive_line(struct control_client *client, char *error, size_t error_size)
{
	size_t scanned = 0, len;

	while (!has_line(client, &scanned, &len))
		if (await(client, POLLIN, error, error_size) < 0 ||
		    receive(client, error, error_size) < 0)
			return NULL;
	return take_line(client, len, error, error_size);
}

static bool
is_event(const json_t *json)
{
	return json_is_string(json_object_get(json, "method"));
}

json_t *
control_client_event(void *arg, int stop_fd, int *rc, char *error, size_t error_size)
{
	struct control_client *client = arg;
	size_t scanned = 0, len;

	*rc = 0;
	for (;;) {
		struct pollfd fds[2] = {{.fd = client->fd, .events = POLLIN},
					{.fd = stop_fd, .events = POLLIN}};

		if (has_line(client, &scanned, &len)) {
			json_t *json = take_line(client, len, error, error_size);
			json_t *event = json_incref(json_object_get(json, "params"));

			scanned = 0;
			if (!json)
				*rc = -EPROTO;
			if (!json || (is_event(json) && event)) {
				json_decref(json);
				return event;
			}
			json_decref(event);
			json_decref(json);
			continue;
		}
		if (poll(fds, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			*rc = text_error(error, error_size, errno, "segseal at %s: %s",
					 client->path, strerror(errno));
			return NULL;
		}
		if (fds[1].revents)
			return NULL;
		*rc = receive(client, error, error_size);
		if (*rc < 0)
			return NULL;
	}
}

json_t *
control_client_transport(void *arg, const json_t *request, char *error, size_t error_size)
{
	struct control_client *client = arg;
	struct buf out = {0};
	json_t *answer;
	int rc;

	if (!buf_append_json(&out, request) || !buf_append(&out, "\n", 1)) {
		buf_free(&out);
		text_error(error, error_size, ENOMEM, "out of memory");
		return NULL;
	}
	if (buf_len(&out) > CONTROL_LINE_MAX) {
		buf_free(&out);
		text_error(error, error_size, EMSGSIZE, "the request is too long");
		return NULL;
	}
	client->asked = json_string_value(json_object_get(request, "method"));
	if (!client->asked)
		client->asked = "a batch";
	progress_begin(&client->progress);
	rc = send_all(client, &out, error, error_size);
	buf_free(&out);
	/* Events that came before it are not for who asks for something else. */
	while ((answer = rc < 0 ? NULL : receive_line(client, error, error_size)) &&
	       is_event(answer))
		json_decref(answer);
	progress_end(&client->progress);
	client->progress.on = false;
	return answer;
}
