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

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define N_ENDING (sizeof(ending) / sizeof(ending[0]))
static struct sigaction old[N_ENDING];

static void
give_back(void)
{
	tcsetattr(STDIN_FILENO, TCSADRAIN, &was);
	for (size_t i = 0; i < N_ENDING; i++)
		sigaction(ending[i], &old[i], NULL);
	changed = 0;
}

void
terminal_restore(void)
{
	int saved = errno;

	if (changed)
		give_back();
	errno = saved;
}

static void
end_by_signal(int number)
{
	terminal_restore();
	raise(number); /* to whom it was meant for: the default ends the process */
}

/* A signal that somebody ignores stays ignored. */
static void
take_signals(void)
{
	struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_NODEFER};

	for (size_t i = 0; i < N_ENDING; i++) {
		sigaction(ending[i], NULL, &old[i]);
		if (old[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
}

static int
remember(void)
{
	static bool registered;

	if (changed)
		return 0;
	if (tcgetattr(STDIN_FILENO, &was) < 0)
		return -errno;
	/* A thread that sits at the terminal may be left behind by the one that ends the process.
	 */
	if (!registered && atexit(terminal_restore) == 0)
		registered = true;
	take_signals();
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
