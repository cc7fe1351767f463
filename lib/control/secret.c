/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control/terminal.h"
#include "control/text.h"

/* More than any secret, its newline, and one octet to see that it is too long. */
#define INPUT_MAX (2 * SECRET_MAX + 2)

static int
wrong_length(const char *where, size_t len, size_t max, char *error, size_t error_size)
{
	if (len > max)
		return text_error(error, error_size, EINVAL,
				  "%s: the secret is longer than %u octets", where, SECRET_MAX);
	return text_error(error, error_size, EINVAL, "%s: the secret is empty", where);
}

static int
to_hex(const char *where, const char *octets, size_t len, char *hex, char *error, size_t error_size)
{
	if (len == 0 || len > SECRET_MAX)
		return wrong_length(where, len, SECRET_MAX, error, error_size);
	text_hex(octets, len, hex);
	return 0;
}

/* Read up to INPUT_MAX octets; the number, without one final newline, or a negative errno. */
static ssize_t
read_file(const char *path, char *octets, char *error, size_t error_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t len = 0;
	ssize_t n = 0;
	int saved;

	while (fd >= 0 && len < INPUT_MAX) {
		n = read(fd, octets + len, INPUT_MAX - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	saved = errno;
	if (fd >= 0)
		close(fd);
	if (fd < 0 || n < 0)
		return text_error(error, error_size, saved, "%s: %s", path, strerror(saved));
	if (len > 0 && octets[len - 1] == '\n')
		len--;
	return (ssize_t)len;
}

int
secret_from_file(const char *path, char hex[SECRET_HEX_SIZE], char *error, size_t error_size)
{
	char octets[INPUT_MAX] = {0};
	ssize_t len = read_file(path, octets, error, error_size);
	int rc = (int)len;

	if (len >= 0)
		rc = to_hex(path, octets, (size_t)len, hex, error, error_size);
	explicit_bzero(octets, sizeof(octets));
	return rc;
}

static int
check_hex(const char *path, const char *digits, size_t len, char *error, size_t error_size)
{
	if (len == 0 || len > 2 * SECRET_MAX)
		return wrong_length(path, len, 2 * SECRET_MAX, error, error_size);
	for (size_t i = 0; i < len; i++)
		if (text_hex_digit(digits[i]) < 0)
			return text_error(error, error_size, EINVAL,
					  "%s: octet %zu is no hexadecimal digit", path, i + 1);
	if (len % 2)
		return text_error(error, error_size, EINVAL,
				  "%s: an odd number of hexadecimal digits", path);
	return 0;
}

int
secret_from_hex_file(const char *path, char hex[SECRET_HEX_SIZE], char *error, size_t error_size)
{
	char digits[INPUT_MAX] = {0};
	ssize_t len = read_file(path, digits, error, error_size);
	int rc = (int)len;

	if (len >= 0)
		rc = check_hex(path, digits, (size_t)len, error, error_size);
	if (rc == 0) {
		memcpy(hex, digits, (size_t)len);
		hex[len] = '\0';
	}
	explicit_bzero(digits, sizeof(digits));
	return rc;
}

/* --- terminal and standard input */

static volatile sig_atomic_t stopped;

static void
note_stop(int number)
{
	(void)number;
	stopped = 1;
}

/*
 * One line from standard input, an octet at a time: what follows belongs to the next reader. No
 * stdio buffer keeps a copy. Its length, or a negative errno. With a mask, signals are blocked but
 * for the time of waiting.
 */
static ssize_t
read_line(char *octets, const sigset_t *mask)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	size_t len = 0;

	for (;;) {
		char c = '\0';
		ssize_t n;

		if (mask && ppoll(&input, 1, NULL, mask) < 0)
			return -errno;
		n = read(STDIN_FILENO, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0 && len == 0)
			return -ENODATA;
		if (n == 0 || c == '\n')
			return (ssize_t)len;
		if (len < INPUT_MAX)
			octets[len++] = c; /* read on to the line's end even if it is too long */
	}
}

/* Ctrl-Z must find the terminal as it was; signals that end the process do by themselves. */
static ssize_t
ask_once(const char *prompt, char *octets)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	struct sigaction old, action = {.sa_handler = note_stop};
	sigset_t block, mask;
	ssize_t len;

	stopped = 0;
	/* Blocked, so that none can come between the question and the wait. */
	sigemptyset(&block);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&block, signals[i]);
	pthread_sigmask(SIG_BLOCK, &block, &mask);
	sigaction(SIGTSTP, &action, &old);
	len = terminal_quiet();
	if (len == 0) {
		fputs(prompt, stderr);
		len = read_line(octets, &mask);
		fputc('\n', stderr);
	}
	terminal_restore();
	sigaction(SIGTSTP, &old, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return len;
}

static ssize_t
ask_terminal(const char *prompt, char *octets)
{
	ssize_t len;

	do {
		len = ask_once(prompt, octets);
		if (stopped)
			raise(SIGTSTP);
	} while (stopped && len < 0); /* brought back: ask anew */
	return len;
}

int
secret_from_input(bool ask, const char *prompt, char hex[SECRET_HEX_SIZE], char *error,
		  size_t error_size)
{
	char octets[INPUT_MAX] = {0};
	ssize_t len;
	int rc;

	if (isatty(STDIN_FILENO) && !ask)
		return text_error(error, error_size, EINVAL,
				  "no secret: name its file with secret-file or secret-hex-file");
	len = isatty(STDIN_FILENO) ? ask_terminal(prompt, octets) : read_line(octets, NULL);
	if (len == -ENODATA)
		rc = text_error(error, error_size, ENODATA,
				"no secret: standard input is at its end");
	else if (len < 0)
		rc = text_error(error, error_size, (int)len, "no secret: %s", strerror((int)-len));
	else
		rc = to_hex("standard input", octets, (size_t)len, hex, error, error_size);
	explicit_bzero(octets, sizeof(octets));
	return rc;
}
