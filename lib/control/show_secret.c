/* SPDX-License-Identifier: BSD-3-Clause */
/* The one answer that holds a secret: it goes past stdio, whose buffers nobody wipes. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control/buf.h"
#include "control/run.h"
#include "control/secret.h"
#include "control/text.h"

/* The octets behind hex digits; 0 if it is not a secret in hex. */
static size_t
from_hex(const char *hex, char *octets)
{
	size_t len = hex ? strlen(hex) : 0;

	if (len % 2 || len > 2 * SECRET_MAX)
		return 0;
	for (size_t i = 0; i < len; i += 2) {
		int high = text_hex_digit(hex[i]), low = text_hex_digit(hex[i + 1]);

		if (high < 0 || low < 0)
			return 0;
		octets[i / 2] = (char)(high << 4 | low);
	}
	return len / 2;
}

static bool
is_printable(const char *octets, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (octets[i] < ' ' || octets[i] > '~')
			return false;
	return true;
}

/* As it would stand in a key file. False without memory. */
static bool
append_line(struct buf *line, const char *octets, size_t len, const char *hex)
{
	bool text = is_printable(octets, len);

	return buf_append(line, text ? "text:" : "hex:", text ? 5 : 4) &&
	       buf_append(line, text ? octets : hex, text ? len : 2 * len);
}

static int
write_all(FILE *out, struct buf *line)
{
	fflush(out);
	if (fileno(out) < 0) { /* memory, which is its owner's */
		fwrite(buf_head(line), 1, buf_len(line), out);
		return 0;
	}
	while (buf_len(line) > 0) {
		ssize_t n = write(fileno(out), buf_head(line), buf_len(line));

		if (n >= 0)
			buf_consume(line, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static int
print_secret(FILE *out, const json_t *result, bool json, char *error, size_t error_size)
{
	const char *hex = json_string_value(json_object_get(result, "secret_hex"));
	char octets[SECRET_MAX] = {0};
	size_t len = from_hex(hex, octets);
	struct buf line = {0};
	bool made;
	int rc;

	if (len == 0)
		return text_error(error, error_size, EPROTO, "the answer is not segseal's");
	made = json ? buf_append_json(&line, result) : append_line(&line, octets, len, hex);
	explicit_bzero(octets, sizeof(octets));
	if (made && buf_append(&line, "\n", 1))
		rc = write_all(out, &line);
	else
		rc = -ENOMEM;
	buf_free(&line);
	return rc < 0 ? text_error(error, error_size, rc, "%s", strerror(-rc)) : 0;
}

int
run_key_show_secret(struct control_session *session, const struct match *match, char *error,
		    size_t error_size)
{
	json_t *result = NULL;
	int rc = run_call(session, match->command->method, match->params, &result, error,
			  error_size);

	if (rc == 0 && session->out)
		rc = print_secret(session->out, result, match->json, error, error_size);
	json_decref(result);
	return rc;
}
