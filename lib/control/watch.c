/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that are shown anew each second, in place, until a key is pressed. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "control/run.h"
#include "control/terminal.h"
#include "control/text.h"

#define WATCH_MS 1000
#define HOME_AND_CLEAR "\033[H\033[J"

/* True once a key was pressed, or the terminal is gone. */
static bool
key_pressed(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char octets[64];

	if (poll(&input, 1, WATCH_MS) <= 0)
		return false;
	/* All of it: an arrow key is more than one octet. */
	(void)!read(STDIN_FILENO, octets, sizeof(octets));
	return true;
}

int
run_watch(struct control_session *session, const struct match *match, char *error,
	  size_t error_size)
{
	struct control_session watching = *session;
	int rc;

	if (!session->out || !isatty(STDIN_FILENO) || !isatty(fileno(session->out)))
		return text_error(error, error_size, ENOTTY, "needs a terminal to show it on");
	rc = terminal_raw();
	if (rc < 0)
		return text_error(error, error_size, rc, "%s", strerror(-rc));
	watching.looks = control_looks_create();
	do {
		fputs(HOME_AND_CLEAR, session->out);
		rc = run_method(&watching, match, error, error_size);
		fputs("any key ends this\n", session->out);
		fflush(session->out);
	} while (rc == 0 && !key_pressed());
	control_looks_destroy(watching.looks);
	terminal_restore();
	return rc;
}
