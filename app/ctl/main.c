/* SPDX-License-Identifier: BSD-3-Clause */
/* segsealctl: a client of segseal's control socket for people and scripts. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control/control.h"
#include "control/prompt.h"

#include "man.h"

enum { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

struct link { /* to the gateway; opened by the first command that needs it */
	const char *path;
	struct control_client *client;
};

static json_t *
link_transport(void *arg, const json_t *request, char *error, size_t error_size)
{
	struct link *link = arg;
	json_t *response;

	if (!link->client)
		link->client = control_client_open(link->path, error, error_size);
	if (!link->client)
		return NULL;
	response = control_client_transport(link->client, request, error, error_size);
	if (!response) {
		/* Whatever comes now would be taken for the next answer. */
		control_client_close(link->client);
		link->client = NULL;
	}
	return response;
}

static json_t *
link_event(void *arg, int stop_fd, int *rc, char *error, size_t error_size)
{
	struct link *link = arg;

	return control_client_event(link->client, stop_fd, rc, error, error_size);
}

static void
usage(FILE *out)
{
	fputs("usage: segsealctl [-s SOCKET] [-f FILE] [-e] [-x] [COMMAND...]\n"
	      "\n"
	      "Runs one command, a file of commands, or those given at the prompt.\n"
	      "\n"
	      "  -s, --socket SOCKET  control socket of segseal (" CONTROL_SOCKET_DEFAULT ")\n"
	      "  -f, --file FILE      run the commands in FILE, - for standard input\n"
	      "  -e, --stop           stop at the first error\n"
	      "  -x, --echo           print each command of a file before it is run\n"
	      "  -h, --help           print this help; segsealctl help lists the commands\n"
	      "  -V, --version        print the version\n"
	      "\n"
	      "Exit status: 0 done, 1 failed, 2 wrong usage or command.\n",
	      out);
}

static int
status_of(int rc)
{
	if (rc == 0)
		return STATUS_DONE;
	return rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
}

static int
report(int rc, const char *error)
{
	if (rc < 0)
		fprintf(stderr, "segsealctl: %s\n", error);
	return status_of(rc);
}

/* Append a shell word as one word of a command. False if it does not fit. */
static bool
append_word(char *line, size_t size, const char *word)
{
	bool quote = word[0] == '\0' || strpbrk(word, " \t\"'#");
	size_t at = strlen(line);

	if (at > 0 && at + 1 < size)
		line[at++] = ' ';
	if (quote && at + 1 < size)
		line[at++] = '"';
	for (; *word && at + 2 < size; word++) {
		if (quote && strchr("\"\\", *word))
			line[at++] = '\\';
		line[at++] = *word;
	}
	if (quote && at + 1 < size)
		line[at++] = '"';
	line[at] = '\0';
	return *word == '\0' && at + 2 < size;
}

static int
run_words(struct control_session *session, char **words, int n)
{
	char error[CONTROL_ERROR_MAX], line[2 * CONTROL_COMMAND_MAX] = "";

	if (n == 1) /* segsealctl "show stats" */
		return report(control_run_line(session, words[0], error, sizeof(error)), error);
	for (int i = 0; i < n; i++) {
		if (!append_word(line, sizeof(line), words[i])) {
			snprintf(error, sizeof(error),
				 "%.20s: longer than the %u octets of a command", words[0],
				 CONTROL_COMMAND_MAX);
			return report(-EINVAL, error);
		}
	}
	return report(control_run_line(session, line, error, sizeof(error)), error);
}

static int
run_file(struct control_session *session, const char *path)
{
	char error[CONTROL_ERROR_MAX];

	return report(control_run_file(session, path, error, sizeof(error)), error);
}

static int
run_prompt(struct control_session *session, struct link *link)
{
	char error[CONTROL_ERROR_MAX];

	/* Whoever begins to type should know at once. */
	link->client = control_client_open(link->path, error, sizeof(error));
	if (!link->client)
		return report(-EIO, error);
	printf("segseal at %s: ? for help, TAB to complete, exit to leave\n", link->path);
	return status_of(control_prompt(session, -1));
}

int
main(int argc, char **argv)
{
	enum { OPTION_COMPLETE = 256, OPTION_MAN };
	static const struct option options[] = {
		{"socket", required_argument, NULL, 's'},
		{"file", required_argument, NULL, 'f'},
		{"stop", no_argument, NULL, 'e'},
		{"echo", no_argument, NULL, 'x'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{"complete", required_argument, NULL, OPTION_COMPLETE},
		{"man", no_argument, NULL, OPTION_MAN},
		{0},
	};
	struct link link = {.path = CONTROL_SOCKET_DEFAULT};
	struct control_session session = {
		.transport = link_transport,
		.transport_arg = &link,
		.events = link_event,
		.out = stdout,
		.interactive = true,
		.go_on = true,
	};
	const char *file = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, "+s:f:exhV", options, NULL)) != -1) {
		switch (option) {
		case 's':
			link.path = optarg;
			break;
		case 'f':
			file = optarg;
			break;
		case 'e':
			session.go_on = false;
			break;
		case 'x':
			session.echo = true;
			break;
		case 'h':
			usage(stdout);
			return STATUS_DONE;
		case 'V':
			puts("segsealctl " SEGSEAL_VERSION);
			return STATUS_DONE;
		case OPTION_COMPLETE: /* for the shell */
			control_complete(stdout, optarg);
			return STATUS_DONE;
		case OPTION_MAN: /* for the build */
			man_page(stdout);
			return STATUS_DONE;
		default:
			fputs("segsealctl: try segsealctl --help\n", stderr);
			return STATUS_USAGE;
		}
	}
	if (file && optind < argc) {
		fputs("segsealctl: give either a file or a command\n", stderr);
		return STATUS_USAGE;
	}
	if (optind < argc)
		status = run_words(&session, argv + optind, argc - optind);
	else if (!file && isatty(STDIN_FILENO))
		status = run_prompt(&session, &link);
	else
		status = run_file(&session, file ? file : "-");
	control_client_close(link.client);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("segsealctl: standard output");
		status = STATUS_FAILED;
	}
	return status;
}
