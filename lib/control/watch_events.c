/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as they come: until a key is pressed at a terminal, else until segseal ends. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control/display.h"
#include "control/run.h"
#include "control/show.h"
#include "control/terminal.h"
#include "control/text.h"

static int
show_next_events(struct control_session *session, bool json, int stop_fd, char *error,
		 size_t error_size)
{
	struct display display = {.out = session->out, .json = json};
	json_t *event;
	int rc;

	while ((event = session->events(session->transport_arg, stop_fd, &rc, error, error_size))) {
		show_event(&display, event);
		json_decref(event);
		if (fflush(session->out) != 0)
			return text_error(error, error_size, errno, "%s", strerror(errno));
	}
	return rc;
}

/* A key that was pressed is no word of the next command; all of it: an arrow key is more than one
 * octet. */
static void
forget_key(void)
{
	char octets[64];

	(void)!read(STDIN_FILENO, octets, sizeof(octets));
}

int
run_watch_events(struct control_session *session, const struct match *match, char *error,
		 size_t error_size)
{
	bool terminal = isatty(STDIN_FILENO);
	json_t *result = NULL;
	int rc;

	if (!session->out || !session->events)
		return text_error(error, error_size, ENOTSUP, "a configuration file has no events");
	rc = run_call(session, "events.subscribe", NULL, &result, error, error_size);
	json_decref(result);
	if (rc < 0)
		return rc;
	if (terminal)
		rc = terminal_raw();
	if (rc == 0) {
		if (terminal && !match->json)
			fputs("any key ends this\n", session->out);
		fflush(session->out);
		rc = show_next_events(session, match->json, terminal ? STDIN_FILENO : -1, error,
				      error_size);
	} else {
		text_error(error, error_size, rc, "%s", strerror(-rc));
	}
	if (terminal && rc == 0)
		forget_key();
	terminal_restore();
	if (rc < 0)
		return rc;
	result = NULL;
	rc = run_call(session, "events.unsubscribe", NULL, &result, error, error_size);
	json_decref(result);
	return rc;
}
