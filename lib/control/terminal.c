/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static struct termios was;
static volatile sig_atomic_t changed;

void
terminal_restore(void)
{
	int saved = errno;

	if (changed)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &was);
	changed = 0;
	errno = saved;
}

static int
remember(void)
{
	static bool registered;

	if (!changed && tcgetattr(STDIN_FILENO, &was) < 0)
		return -errno;
	/* A thread that sits at the terminal may be left behind by the one that ends the process.
	 */
	if (!registered && atexit(terminal_restore) == 0)
		registered = true;
	changed = 1;
	return 0;
}

int
terminal_raw(void)
{
	struct termios raw;
	int rc = remember();

	if (rc < 0)
		return rc;
	raw = was;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(IXON | ISTRIP);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0 ? -errno : 0;
}

int
terminal_quiet(void)
{
	struct termios quiet;
	int rc = remember();

	if (rc < 0)
		return rc;
	quiet = was;
	quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
	quiet.c_lflag |= ICANON | ISIG;
	quiet.c_iflag |= ICRNL;
	return tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) < 0 ? -errno : 0;
}
