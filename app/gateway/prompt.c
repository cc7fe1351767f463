/* SPDX-License-Identifier: BSD-3-Clause */
#include "prompt.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "control/control.h"
#include "control/prompt.h"

struct prompt {
	struct control_client *client;
	struct control_session session;
	pthread_t thread;
	int stop; /* eventfd */
};

static void *
prompt_main(void *arg)
{
	struct prompt *prompt = arg;
	char error[CONTROL_ERROR_MAX];
	uint64_t stopped;

	(void)control_prompt(&prompt->session, prompt->stop);
	/* The end of input ends the gateway, too; "exit" only leaves the prompt. */
	if (!prompt->session.quit && read(prompt->stop, &stopped, sizeof(stopped)) < 0 &&
	    control_run_line(&prompt->session, "quit", error, sizeof(error)) < 0)
		fprintf(stderr, "%s\n", error);
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
	prompt->session = (struct control_session){
		.transport = control_client_transport,
		.transport_arg = prompt->client,
		.events = control_client_event,
		.out = stdout,
		.interactive = true,
		.go_on = true,
	};
	prompt->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (prompt->stop >= 0 && pthread_create(&prompt->thread, NULL, prompt_main, prompt) == 0)
		return prompt;
	snprintf(error, error_size, "prompt: %s", strerror(errno));
	if (prompt->stop >= 0)
		close(prompt->stop);
	control_looks_destroy(prompt->session.looks);
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
	control_looks_destroy(prompt->session.looks);
	control_client_close(prompt->client);
	free(prompt);
}
