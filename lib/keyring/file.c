/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key files. Symbolic links are followed, for that is how secrets are handed to services; what is
 * judged is the file that was opened, by its descriptor, so that nobody can swap it in between.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keyring/internal.h"
#include "keyring/line.h"

#define FILE_MAX (32u << 20) /* octets */
#define KEYS_MAX (1u << 18)  /* lines with a key */
#define LINE_MAX_LEN 1024u   /* octets, without the newline */

struct report {
	const char *path;
	char *text;
	size_t size;
};

static int __attribute__((format(printf, 4, 5)))
fail(const struct report *report, unsigned line, int rc, const char *format, ...)
{
	size_t used;
	va_list ap;

	if (report->size == 0)
		return rc;
	if (line != 0)
		used = (size_t)snprintf(report->text, report->size, "%s:%u: ", report->path, line);
	else
		used = (size_t)snprintf(report->text, report->size, "%s: ", report->path);
	if (used < report->size) {
		va_start(ap, format);
		vsnprintf(report->text + used, report->size - used, format, ap);
		va_end(ap);
	}
	/* A path may hold anything; the error is one line. */
	for (char *c = report->text; *c != '\0'; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	return rc;
}

static int
fail_errno(const struct report *report)
{
	int rc = -errno;

	return fail(report, 0, rc, "%s", strerror(-rc));
}

/* --- the text --- */

struct lines {
	const char *next;
	const char *end;
	unsigned number; /* of the line that came last */
};

/* The next line that is not empty, without its newline; false at the end. */
static bool
next_line(struct lines *lines, const char **line, size_t *len)
{
	while (lines->next < lines->end) {
		const char *newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));

		*line = lines->next;
		*len = (size_t)((newline != NULL ? newline : lines->end) - lines->next);
		lines->next += *len + (newline != NULL);
		lines->number++;
		if (!keyring_line_empty(*line, *len))
			return true;
	}
	return false;
}

static int
parse_lines(const char *buf, size_t len, struct keyring_spec *specs, unsigned *numbers,
	    const struct report *report)
{
	struct lines lines = {buf, buf + len, 0};
	const int64_t now = keyring_clock_real();
	const char *line, *wrong;
	size_t line_len;

	for (unsigned i = 0; next_line(&lines, &line, &line_len); i++) {
		if (line_len > LINE_MAX_LEN)
			return fail(report, lines.number, -EINVAL, "longer than %u octets",
				    LINE_MAX_LEN);
		wrong = keyring_line_parse(line, line_len, now, &specs[i]);
		if (wrong != NULL)
			return fail(report, lines.number, -EINVAL, "%s", wrong);
		numbers[i] = lines.number;
	}
	return 0;
}

/* Scratch: n entries of order. */
static int
find_twice(const struct keyring_spec *specs, unsigned n, const unsigned *numbers, uint64_t *order,
	   const struct report *report)
{
	unsigned first = 0, second = n;

	for (unsigned i = 0; i < n; i++)
		order[i] = (uint64_t)specs[i].id << 32 | i;
	keyring_sort(order, n);
	for (unsigned i = 1; i < n; i++)
		if (order[i] >> 32 == order[i - 1] >> 32 && (uint32_t)order[i] < second) {
			first = (uint32_t)order[i - 1];
			second = (uint32_t)order[i];
		}
	if (second == n)
		return 0;
	return fail(report, numbers[second], -EEXIST, "key %u is on line %u, too", specs[second].id,
		    numbers[first]);
}

int
keyring_file_parse(const char *path, const char *buf, size_t len, struct keyring_spec **specs,
		   unsigned *n, char *error, size_t error_size)
{
	const struct report report = {path, error, error_size};
	struct lines lines = {buf, buf + len, 0};
	struct keyring_spec *read;
	uint64_t *order;
	unsigned *numbers, count = 0;
	size_t line_len;
	const char *line;
	int rc;

	while (next_line(&lines, &line, &line_len))
		if (++count > KEYS_MAX)
			return fail(&report, lines.number, -E2BIG, "more than %u keys", KEYS_MAX);
	/* One entry more: no keys are no error. */
	read = calloc(count + 1, sizeof(*read));
	numbers = calloc(count + 1, sizeof(*numbers));
	order = calloc(count + 1, sizeof(*order));
	if (read == NULL || numbers == NULL || order == NULL) {
		rc = fail(&report, 0, -ENOMEM, "no memory for %u keys", count);
	} else {
		rc = parse_lines(buf, len, read, numbers, &report);
		if (rc == 0)
			rc = find_twice(read, count, numbers, order, &report);
	}
	free(order);
	free(numbers);
	if (rc < 0) {
		keyring_specs_free(read, count);
		return rc;
	}
	*specs = read;
	*n = count;
	return 0;
}

void
keyring_specs_free(struct keyring_spec *specs, unsigned n)
{
	if (specs == NULL)
		return;
	hmac_wipe(specs, n * sizeof(*specs));
	free(specs);
}

/* --- the file --- */

static int
check_file(const struct stat *st, const struct report *report)
{
	if (!S_ISREG(st->st_mode))
		return fail(report, 0, -EINVAL, "not a regular file");
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return fail(report, 0, -EACCES,
			    "belongs to user %u; a key file must be root's or the gateway's own",
			    st->st_uid);
	if ((st->st_mode & 07777 & ~(S_IRUSR | S_IWUSR)) != 0)
		return fail(report, 0, -EACCES, "mode %04o; a key file must be 0600 or stricter",
			    st->st_mode & 07777);
	if (st->st_size > FILE_MAX)
		return fail(report, 0, -EFBIG, "larger than %u octets", FILE_MAX);
	return 0;
}

/* Read until the end; -1 with errno, or octets, size if there are more than size - 1. */
static ssize_t
read_whole(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t got = read(fd, buf + len, size - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

static int
read_open_file(int fd, struct keyring_spec **specs, unsigned *n, const struct report *report)
{
	struct stat st;
	ssize_t len;
	size_t size;
	char *buf;
	int rc;

	if (fstat(fd, &st) < 0)
		return fail_errno(report);
	rc = check_file(&st, report);
	if (rc < 0)
		return rc;
	size = (size_t)st.st_size + 1; /* the one more shows that the file grew */
	buf = malloc(size);
	if (buf == NULL)
		return fail(report, 0, -ENOMEM, "no memory for %zu octets", size);
	len = read_whole(fd, buf, size);
	if (len < 0)
		rc = fail_errno(report);
	else if ((size_t)len == size)
		rc = fail(report, 0, -EAGAIN, "grew while it was read");
	else
		rc = keyring_file_parse(report->path, buf, (size_t)len, specs, n, report->text,
					report->size);
	hmac_wipe(buf, size);
	free(buf);
	return rc;
}

int
keyring_file_read(const char *path, struct keyring_spec **specs, unsigned *n, char *error,
		  size_t error_size)
{
	const struct report report = {path, error, error_size};
	int fd, rc;

	/* O_NONBLOCK: a FIFO is refused, not waited for. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fail_errno(&report);
	rc = read_open_file(fd, specs, n, &report);
	close(fd);
	return rc;
}
