/* SPDX-License-Identifier: BSD-3-Clause */
/* The running state as commands that rebuild it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/display.h"
#include "control/run.h"
#include "control/text.h"

static void
add_line(json_t *lines, json_t *line)
{
	if (line)
		json_array_append_new(lines, line);
}

static json_int_t
integer(const json_t *object, const char *member)
{
	return json_integer_value(json_object_get(object, member));
}

static const char *
string(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text ? text : "?";
}

#define ICMP_RATE_DEFAULT 100
#define STUCK_AFTER_DEFAULT 1000
#define DROP_RATE_DEFAULT 1000

/* " accept FROM..TO"; "" if it is always open. */
static void
window(const json_t *key, const char *name, char *text, size_t size)
{
	const json_t *window = json_object_get(key, name);
	const char *from = json_string_value(json_object_get(window, "from"));
	const char *to = json_string_value(json_object_get(window, "to"));

	text[0] = '\0';
	if (from || to)
		snprintf(text, size, " %s %s..%s", name, from ? from : "", to ? to : "");
}

#define INT "%" JSON_INTEGER_FORMAT

static void
add_key(json_t *lines, const json_t *key)
{
	char accept[64], send[64];

	window(key, "accept", accept, sizeof(accept));
	window(key, "send", send, sizeof(send));
	add_line(lines,
		 json_sprintf("# key add " INT " %s %s%s%s secret-file ...", integer(key, "id"),
			      string(key, "algorithm"), string(key, "profile"), accept, send));
}

static void
add_port(json_t *lines, const json_t *port)
{
	json_int_t number = integer(port, "port");

	if (json_is_integer(json_object_get(port, "peer")))
		add_line(lines,
			 json_sprintf("port " INT " peer " INT, number, integer(port, "peer")));
	/* 0 is no limit: what a replay begins with, and nothing that can be asked for. */
	if (integer(port, "mtu") != 0)
		add_line(lines,
			 json_sprintf("port " INT " mtu " INT, number, integer(port, "mtu")));
	add_line(lines, json_sprintf("port " INT " verify %s", number, string(port, "verify")));
	add_line(lines, json_sprintf("port " INT " strip %s", number,
				     json_is_true(json_object_get(port, "strip")) ? "on" : "off"));
	if (json_is_integer(json_object_get(port, "insert")))
		add_line(lines, json_sprintf("port " INT " insert key " INT, number,
					     integer(port, "insert")));
	else
		add_line(lines, json_sprintf("port " INT " insert off", number));
}

/* What is not as it is at the start. */
static void
add_others(json_t *lines, const json_t *icmp, const json_t *log, const json_t *workers,
	   const json_t *events)
{
	const char *source = json_string_value(json_object_get(icmp, "source"));

	if (integer(icmp, "rate") != ICMP_RATE_DEFAULT)
		add_line(lines, json_sprintf("icmp rate " INT, integer(icmp, "rate")));
	if (source)
		add_line(lines, json_sprintf("icmp source %s", source));
	if (json_is_false(json_object_get(log, "drops")))
		add_line(lines, json_sprintf("log drops off"));
	if (json_is_false(json_object_get(workers, "forwarding")))
		add_line(lines, json_sprintf("stop"));
	if (integer(workers, "stuck_after_ms") != STUCK_AFTER_DEFAULT)
		add_line(lines, json_sprintf("worker stuck-after " INT,
					     integer(workers, "stuck_after_ms")));
	if (integer(events, "drop_rate") != DROP_RATE_DEFAULT)
		add_line(lines,
			 json_sprintf("events drop-rate " INT, integer(events, "drop_rate")));
}

int
config_lines(struct control_session *session, json_t **lines, char *error, size_t error_size)
{
	static const char *const methods[] = {"key.list", "sid.list",	 "port.list",	"icmp.get",
					      "log.get",  "worker.list", "events.list", NULL};
	json_t *results, *item;
	size_t i;
	int rc = run_batch(session, methods, &results, error, error_size);

	if (rc < 0)
		return rc;
	*lines = json_array();
	/* No secret belongs into a file of commands: keys are named here, but not made. */
	json_array_foreach (json_object_get(json_array_get(results, 0), "keys"), i, item)
		add_key(*lines, item);
	json_array_foreach (json_object_get(json_array_get(results, 1), "sids"), i, item)
		add_line(*lines, json_sprintf("sid add %s", json_string_value(item)));
	json_array_foreach (json_object_get(json_array_get(results, 2), "ports"), i, item)
		add_port(*lines, item);
	add_others(*lines, json_array_get(results, 3), json_array_get(results, 4),
		   json_array_get(results, 5), json_array_get(results, 6));
	json_decref(results);
	return 0;
}

int
run_show_config(struct control_session *session, const struct match *match, char *error,
		size_t error_size)
{
	struct display display = {.out = session->out, .json = match->json};
	json_t *lines, *config, *line;
	size_t i;
	int rc = config_lines(session, &lines, error, error_size);

	if (rc < 0 || !session->out)
		return rc;
	config = json_pack("{s:o}", "commands", lines);
	if (!display_json(&display, config))
		json_array_foreach (lines, i, line)
			display_text(&display, "%s", json_string_value(line));
	json_decref(config);
	return 0;
}

/* Write the lines to file, and make sure that they are there. */
static int
write_lines(FILE *file, const json_t *lines)
{
	size_t i;
	json_t *line;

	json_array_foreach (lines, i, line)
		fprintf(file, "%s\n", json_is_string(line) ? json_string_value(line) : "");
	if (fflush(file) != 0 || ferror(file) || fsync(fileno(file)) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

/* Until the folder is written, a power cut may bring the old file back, or none. */
static int
sync_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int rc = fd >= 0 ? 0 : -errno;

	/* There are file systems that cannot. */
	if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	free(folder);
	return rc;
}

/* A new file beside path, of which no one sees but the whole: then it takes path's place. */
static int
replace_file(const char *path, const json_t *lines)
{
	char *temporary = NULL;
	FILE *file = NULL;
	struct stat st;
	int fd = -1, rc = 0;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
		free(temporary);
		return rc;
	}
	/* It holds no secret; an old file's mode may say more of who is to read it. */
	fchmod(fd, stat(path, &st) == 0 ? st.st_mode & 0777 : 0644);
	file = fdopen(fd, "w");
	rc = file ? write_lines(file, lines) : -errno;
	if (file ? fclose(file) != 0 : close(fd) != 0)
		rc = rc ? rc : -errno;
	if (rc == 0 && rename(temporary, path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(temporary);
	else
		rc = sync_folder_of(path);
	free(temporary);
	return rc;
}

int
run_save_config(struct control_session *session, const struct match *match, char *error,
		size_t error_size)
{
	const char *path = json_string_value(json_object_get(match->params, "path"));
	json_t *lines;
	int rc = config_lines(session, &lines, error, error_size);

	if (rc < 0)
		return rc;
	rc = replace_file(path, lines);
	json_decref(lines);
	if (rc < 0)
		text_error(error, error_size, rc, "%s: %s", path, strerror(-rc));
	return rc;
}
