/* SPDX-License-Identifier: BSD-3-Clause */
#include "prompt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "control/control.h"

#define PROMPT "segseal> "
#define LINE_MAX_LEN 4096u

struct prompt {
	struct control_client *client;
	struct control_session session;
	pthread_t thread;
	int stop; /* eventfd */
	bool terminal;
	size_t len; /* octets in line that are not run yet */
	char line[LINE_MAX_LEN];
};

static void
say_prompt(const struct prompt *prompt)
{
	if (prompt->terminal) {
		fputs(PROMPT, stdout);
		fflush(stdout);
	}
}

static void
run_line(struct prompt *prompt, const char *line)
{
	char error[CONTROL_ERROR_MAX];

	if (control_run_line(&prompt->session, line, error, sizeof(error)) < 0) {
		fflush(stdout);
		fprintf(stderr, "%s\n", error);
	}
	fflush(stdout);
}

/* Run each whole line that is there, and what is left at the end of input. */
static void
run_lines(struct prompt *prompt, bool end)
{
	char *newline;

	if (end && prompt->len > 0 && prompt->len < sizeof(prompt->line))
		prompt->line[prompt->len++] = '\n';
	while (!prompt->session.quit &&
	       (newline = memchr(prompt->line, '\n', prompt->len)) != NULL) {
		size_t used = (size_t)(newline - prompt->line) + 1;

		*newline = '\0';
		run_line(prompt, prompt->line);
		prompt->len -= used;
		memmove(prompt->line, prompt->line + used, prompt->len);
	}
	if (prompt->len == sizeof(prompt->line)) {
		fprintf(stderr, "a line of more than %u octets\n", LINE_MAX_LEN - 1);
		prompt->len = 0;
	}
}

static void *
prompt_main(void *arg)
{
	struct prompt *prompt = arg;
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = prompt->stop, .events = POLLIN}};

	say_prompt(prompt);
	while (!prompt->session.quit) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents != 0)
			return NULL;
		if (fds[0].revents == 0)
			continue;
		ssize_t got = read(STDIN_FILENO, prompt->line + prompt->len,
				   sizeof(prompt->line) - prompt->len);

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got > 0)
			prompt->len += (size_t)got;
		run_lines(prompt, got <= 0);
		if (got <= 0)
			break;
		if (!prompt->session.quit)
			say_prompt(prompt);
	}
	if (!prompt->session.quit)
		run_line(prompt, "quit");
	return NULL;
}

struct prompt *
prompt_start(const char *socket, char *error, size_t error_size)
{
	struct prompt *prompt = calloc(1, sizeof(*prompt));

	if (prompt == NULL) {
		snprintf(error, error_size, "prompt: %s", strerror(ENOMEM));
		return NULL;
	}
	prompt->client = control_client_open(socket, error, error_size);
	if (prompt->client == NULL) {
		free(prompt);
		return NULL;
	}
	prompt->terminal = isatty(STDIN_FILENO) == 1;
	prompt->session = (struct control_session){
		.transport = control_client_transport,
		.transport_arg = prompt->client,
		.out = stdout,
		.interactive = prompt->terminal,
	};
	prompt->stop = eventfd(0, EFD_CLOEXEC);
	if (prompt->stop >= 0 && pthread_create(&prompt->thread, NULL, prompt_main, prompt) == 0)
		return prompt;
	snprintf(error, error_size, "prompt: %s", strerror(errno));
	if (prompt->stop >= 0)
		close(prompt->stop);
	control_client_close(prompt->client);
	free(prompt);
	return NULL;
}

void
prompt_stop(struct prompt *prompt)
{
	const uint64_t one = 1;
	struct timespec patience;

	if (prompt == NULL)
		return;
	(void)!write(prompt->stop, &one, sizeof(one));
	clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec++;
	/* One that waits for a secret to be typed, or for an answer that never comes, is left
	 * behind: the process ends. */
	if (pthread_timedjoin_np(prompt->thread, NULL, &patience) != 0) {
		pthread_detach(prompt->thread);
		return;
	}
	close(prompt->stop);
	control_client_close(prompt->client);
	free(prompt);
}
