/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of commands. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "control/command.h"
#include "control/server.h"
#include "control/text.h"

/* Room for the longest line, its end, and one octet to see that it is longer. */
#define LINE_SIZE (CONTROL_COMMAND_MAX + 4u)

enum line_kind { LINE_NONE, LINE_GOOD, LINE_LONG, LINE_NUL, LINE_FAILED };

/*
 * The next line without its newline. What is wrong with a line is known before its end, which may
 * never come (/dev/zero): only who goes on to the line after it reads on.
 */
static enum line_kind
read_line(FILE *file, bool go_on, char line[LINE_SIZE])
{
	enum line_kind kind = LINE_GOOD;
	size_t len = 0;
	int c;

	while ((kind == LINE_GOOD || go_on) && (c = getc(file)) != EOF && c != '\n') {
		if (c == '\0' && kind == LINE_GOOD)
			kind = LINE_NUL;
		if (len < LINE_SIZE - 1)
			line[len++] = (char)c;
		else if (kind == LINE_GOOD)
			kind = LINE_LONG;
	}
	line[len] = '\0';
	if (ferror(file))
		return LINE_FAILED;
	return feof(file) && len == 0 ? LINE_NONE : kind;
}

static int
run_next(struct control_session *session, enum line_kind kind, const char *line, char *error,
	 size_t error_size)
{
	switch (kind) {
	case LINE_LONG:
		return text_error(error, error_size, EINVAL,
				  "the line is longer than the %u octets of a command",
				  CONTROL_COMMAND_MAX);
	case LINE_NUL:
		return text_error(error, error_size, EINVAL,
				  "the line holds a NUL octet: this is not text");
	case LINE_FAILED:
		return text_error(error, error_size, errno, "%s", strerror(errno));
	default:
		break;
	}
	if (session->echo && session->out && line[0] && line[0] != '#')
		fprintf(session->out, "+ %s\n", line);
	return control_run_line(session, line, error, error_size);
}

static int
run_lines(struct control_session *session, FILE *file, const char *name, char *error,
	  size_t error_size)
{
	char reason[CONTROL_ERROR_MAX], line[LINE_SIZE];
	enum line_kind kind;
	unsigned failed = 0;
	int first = 0;

	for (unsigned number = 1; !session->quit; number++) {
		int rc;

		kind = read_line(file, session->go_on, line);
		if (kind == LINE_NONE)
			break;
		rc = run_next(session, kind, line, reason, sizeof(reason));
		if (rc == 0)
			continue;
		text_error(error, error_size, rc, "%s:%u: %s", name, number, reason);
		if (!session->go_on || kind == LINE_FAILED)
			return rc;
		fprintf(stderr, "%s\n", error);
		first = failed++ ? first : rc;
	}
	if (failed)
		text_error(error, error_size, first, "%s: %u commands failed", name, failed);
	return first;
}

int
control_run_file(struct control_session *session, const char *path, char *error, size_t error_size)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file;
	int rc;

	if (session->depth >= CONTROL_LOAD_DEPTH)
		return text_error(error, error_size, ELOOP,
				  "%s: more than %d files load each other", path,
				  CONTROL_LOAD_DEPTH);
	file = standard ? stdin : fopen(path, "re");
	if (!file)
		return text_error(error, error_size, errno, "%s: %s", path, strerror(errno));
	/* A secret may be the next line: stdio is to keep nothing of it, nor to read it away. */
	if (standard)
		setvbuf(file, NULL, _IONBF, 0);
	session->depth++;
	rc = run_lines(session, file, standard ? "standard input" : path, error, error_size);
	session->depth--;
	if (!standard)
		fclose(file);
	return rc;
}
