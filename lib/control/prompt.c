/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/prompt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmdline_rdline.h>

#include "control/complete.h"
#include "control/server.h"
#include "control/terminal.h"

#define PROMPT "segseal> "
#define TYPED_MAX 511u /* octets that the line editor keeps */
#define LISTED 1       /* of rdline_complete_t: a line to print; there may be more */

struct prompt {
	struct control_session *session;
	struct rdline *rdline;	      /* NULL: input is no terminal */
	struct completion completion; /* while its candidates are being listed */
	char last[TYPED_MAX + 2];     /* newest line of the history */
	bool too_long;		      /* more was typed than is kept */
	int rc;
};

/* --- what the line editor calls */

static int
write_char(struct rdline *rdline, char c)
{
	(void)rdline;
	return putchar(c) == EOF ? -1 : 0;
}

static void
run_line(struct prompt *prompt, const char *line)
{
	char error[CONTROL_ERROR_MAX];
	int rc;

	fflush(stdout);
	if (prompt->rdline)
		terminal_restore();
	rc = control_run_line(prompt->session, line, error, sizeof(error));
	fflush(stdout);
	if (rc < 0)
		fprintf(stderr, "%s\n", error);
	if (prompt->rdline)
		terminal_raw();
	if (rc < 0 && !prompt->session->go_on) {
		prompt->rc = rc;
		prompt->session->quit = true;
	}
}

static void
validate(struct rdline *rdline, const char *buf, unsigned size)
{
	struct prompt *prompt = rdline_get_opaque(rdline);
	char line[TYPED_MAX + 2];
	size_t len = strcspn(buf, "\n");

	(void)size;
	snprintf(line, sizeof(line), "%.*s", (int)len, buf);
	if (prompt->too_long) {
		/* What was kept is not what was meant: run none of it. */
		prompt->too_long = false;
		fprintf(stderr, "line of more than %u octets\n", TYPED_MAX);
		return;
	}
	if (line[strspn(line, " \t")] == '\0')
		return;
	if (strcmp(line, prompt->last) != 0)
		rdline_add_history(rdline, line);
	memcpy(prompt->last, line, strlen(line) + 1);
	run_line(prompt, line);
}

/* One candidate a call, as a line; 0 when there are no more. */
static int
list_next(struct prompt *prompt, char *text, unsigned size, int *state)
{
	const struct completion *completion = &prompt->completion;
	const struct candidate *candidate;

	if ((unsigned)*state >= completion->n)
		return 0;
	candidate = &completion->list[(*state)++];
	if (candidate->text)
		snprintf(text, size, "%-16s  %s", candidate->text, candidate->help);
	else
		snprintf(text, size, "<%s>", candidate->help);
	return LISTED;
}

static int
complete(struct rdline *rdline, const char *line, char *text, unsigned size, int *state)
{
	struct prompt *prompt = rdline_get_opaque(rdline);
	struct completion *completion = &prompt->completion;
	size_t common;

	/* 0: TAB was typed. -1: ? was typed. Above: the next of a list. */
	if (*state > 0)
		return list_next(prompt, text, size, state);
	complete_free(completion);
	complete_line(completion, line);
	common = complete_common(completion);
	if (*state == 0 && common > completion->partial) {
		bool whole = completion->n == 1 && !completion->list[0].unended;

		snprintf(text, size, "%.*s%s", (int)(common - completion->partial),
			 completion->list[0].text + completion->partial, whole ? " " : "");
		return RDLINE_RES_COMPLETE;
	}
	if (*state == 0 && completion->n == 1 && completion->list[0].text &&
	    !completion->list[0].unended) {
		snprintf(text, size, " ");
		return RDLINE_RES_COMPLETE;
	}
	*state = 0;
	return list_next(prompt, text, size, state);
}

/* --- the loop */

/* The next octet that was typed. False: there will be none, or nobody wants it. */
static bool
next_octet(const struct prompt *prompt, int stop_fd, char *c)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = stop_fd, .events = POLLIN}};

	for (;;) {
		ssize_t n;

		fflush(stdout);
		if (poll(fds, 2, -1) < 0) {
			if (errno != EINTR)
				return false;
			if (prompt->rdline)
				terminal_raw(); /* perhaps it was stopped, and brought back */
			continue;
		}
		if (fds[1].revents)
			return false;
		/* One at a time: what follows a command may be the secret that it asks for. */
		n = read(STDIN_FILENO, c, 1);
		if (n == 1)
			return true;
		if (n == 0 || (errno != EINTR && errno != EAGAIN))
			return false;
	}
}

static void
read_and_run(struct prompt *prompt, int stop_fd)
{
	char c;

	rdline_newline(prompt->rdline, PROMPT);
	while (!prompt->session->quit && next_octet(prompt, stop_fd, &c)) {
		int rc;

		if (c >= ' ' && c != 0x7f && strlen(rdline_get_buffer(prompt->rdline)) > TYPED_MAX)
			prompt->too_long = true;
		else if (c == 0x03)
			prompt->too_long = false;
		rc = rdline_char_in(prompt->rdline, c);
		if (rc == RDLINE_RES_EOF || rc == RDLINE_RES_EXITED)
			break;
		if (rc == RDLINE_RES_VALIDATED && !prompt->session->quit)
			rdline_newline(prompt->rdline, PROMPT);
	}
}

/* The prompt, on a terminal. */
static int
edit_and_run(struct prompt *prompt, int stop_fd)
{
	int rc;

	prompt->rdline = rdline_new(write_char, validate, complete, prompt);
	if (!prompt->rdline)
		return -ENOMEM;
	rc = terminal_raw();
	if (rc == 0) {
		read_and_run(prompt, stop_fd);
		fputc('\n', stdout);
		fflush(stdout);
	}
	terminal_restore();
	complete_free(&prompt->completion);
	rdline_free(prompt->rdline);
	return rc < 0 ? rc : prompt->rc;
}

/* Lines from a pipe or file. */
static int
just_run(struct prompt *prompt, int stop_fd)
{
	char line[CONTROL_COMMAND_MAX + 2];
	size_t len = 0;
	bool more = true;

	while (more && !prompt->session->quit) {
		char c = '\n';

		more = next_octet(prompt, stop_fd, &c);
		if (c != '\n') {
			/* A NUL would end the line before its end. */
			if (len < sizeof(line) - 1)
				line[len++] = c ? c : '\1';
			continue;
		}
		line[len] = '\0';
		len = 0;
		if (more || line[0])
			run_line(prompt, line);
	}
	return prompt->rc;
}

int
control_prompt(struct control_session *session, int stop_fd)
{
	struct prompt prompt = {.session = session};
	bool own_looks = !session->looks;
	int rc;

	if (own_looks)
		session->looks = control_looks_create();
	rc = isatty(STDIN_FILENO) ? edit_and_run(&prompt, stop_fd) : just_run(&prompt, stop_fd);
	if (own_looks) {
		control_looks_destroy(session->looks);
		session->looks = NULL;
	}
	return rc;
}
