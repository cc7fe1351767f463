/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/buf.h"
#include "control/call.h"
#include "control/display.h"
#include "control/looks.h"
#include "control/secret.h"
#include "control/text.h"

json_t *
control_local_transport(void *server, const json_t *request, char *error, size_t error_size)
{
	json_t *response = control_server_execute(server, request);

	if (!response)
		text_error(error, error_size, ENOMEM, "out of memory");
	return response;
}

static json_t *
make_request(const char *method, json_t *params)
{
	json_t *request = json_pack("{s:s, s:i, s:s}", "jsonrpc", "2.0", "id", 1, "method", method);

	if (params)
		json_object_set(request, "params", params);
	return request;
}

/* The result of a response (borrowed), or NULL with *rc and error. */
static json_t *
response_result(const json_t *response, const char *method, int *rc, char *error, size_t error_size)
{
	const json_t *wrong = json_object_get(response, "error");
	json_t *result = json_object_get(response, "result");
	const char *text = json_string_value(json_object_get(wrong, "message"));
	const json_t *data = json_object_get(wrong, "data");
	int errnum = EINVAL;
	size_t len = strlen(method);

	if (!wrong && result)
		return result;
	if (!text) {
		*rc = text_error(error, error_size, EPROTO, "the answer is not segseal's");
		return NULL;
	}
	if (strncmp(text, method, len) == 0 && strncmp(text + len, ": ", 2) == 0)
		text += len + 2;
	if (json_integer_value(json_object_get(wrong, "code")) == RPC_FAILED)
		errnum = text_errno_number(json_string_value(json_object_get(data, "errno")));
	*rc = text_error(error, error_size, errnum, "%s", text);
	return NULL;
}

int
run_call(struct control_session *session, const char *method, json_t *params, json_t **result,
	 char *error, size_t error_size)
{
	json_t *request = make_request(method, params);
	json_t *response = session->transport(session->transport_arg, request, error, error_size);
	int rc = 0;

	json_decref(request);
	if (!response)
		return -EIO;
	*result = json_incref(response_result(response, method, &rc, error, error_size));
	json_decref(response);
	return rc;
}

int
run_batch(struct control_session *session, const char *const *methods, json_t **results,
	  char *error, size_t error_size)
{
	json_t *requests = json_array(), *responses;
	int rc = 0;

	for (unsigned i = 0; methods[i]; i++)
		json_array_append_new(requests, make_request(methods[i], NULL));
	responses = session->transport(session->transport_arg, requests, error, error_size);
	json_decref(requests);
	if (!responses)
		return -EIO;
	*results = json_array();
	for (unsigned i = 0; methods[i] && rc == 0; i++) {
		json_t *result = response_result(json_array_get(responses, i), methods[i], &rc,
						 error, error_size);

		json_array_append(*results, result);
	}
	json_decref(responses);
	if (rc < 0) {
		json_decref(*results);
		*results = NULL;
	}
	return rc;
}

/* Call the command's method and show what comes back. */
int
run_method(struct control_session *session, const struct match *match, char *error,
	   size_t error_size)
{
	struct display display = {.out = session->out, .json = match->json};
	json_t *result = NULL;
	int rc = run_call(session, match->command->method, match->params, &result, error,
			  error_size);

	if (rc == 0 && session->out && match->command->show) {
		looks_compare(session->looks, match->command->method, result, &display);
		match->command->show(&display, result);
	}
	if (rc == 0)
		looks_keep(session->looks, match->command->method, result);
	json_decref(result);
	return rc;
}

static int
get_secret(struct control_session *session, const struct match *match, char *hex, char *error,
	   size_t error_size)
{
	char prompt[64];

	if (match->option && strcmp(match->option, "secret-file") == 0)
		return secret_from_file(match->option_value, hex, error, error_size);
	if (match->option)
		return secret_from_hex_file(match->option_value, hex, error, error_size);
	snprintf(prompt, sizeof(prompt), "Secret of key %" JSON_INTEGER_FORMAT ": ",
		 json_integer_value(json_object_get(match->params, "id")));
	return secret_from_input(session->interactive, prompt, hex, error, error_size);
}

int
run_key_write(struct control_session *session, const struct match *match, char *error,
	      size_t error_size)
{
	char hex[SECRET_HEX_SIZE];
	int rc = get_secret(session, match, hex, error, error_size);

	if (rc == 0) {
		json_object_set_new(match->params, "secret_hex", json_string(hex));
		rc = run_method(session, match, error, error_size);
	}
	explicit_bzero(hex, sizeof(hex));
	return rc;
}

int
run_load(struct control_session *session, const struct match *match, char *error, size_t error_size)
{
	const char *path = json_string_value(json_object_get(match->params, "path"));

	return control_run_file(session, path, error, error_size);
}

int
run_help(struct control_session *session, const struct match *match, char *error, size_t error_size)
{
	(void)error;
	(void)error_size;
	if (session->out)
		control_help(session->out, match->rest);
	return 0;
}

int
run_quit(struct control_session *session, const struct match *match, char *error, size_t error_size)
{
	int rc = run_method(session, match, error, error_size);

	session->quit = rc == 0;
	return rc;
}

int
run_exit(struct control_session *session, const struct match *match, char *error, size_t error_size)
{
	(void)match;
	(void)error;
	(void)error_size;
	session->quit = true;
	return 0;
}

/* The first word of the line if a command begins with it: all that can be said of a line that
 * cannot be cut into words. */
static const struct alternative *
first_word(const char *line)
{
	unsigned n;
	const struct form *forms = grammar_forms(&n);

	line += strspn(line, " \t");
	for (unsigned i = 0; i < n; i++) {
		const struct alternative *word = &forms[i].slots[0].alternatives[0];

		if (strncmp(line, word->text, word->len) == 0 && strchr(" \t", line[word->len]))
			return word;
	}
	return NULL;
}

int
control_run_line(struct control_session *session, const char *line, char *error, size_t error_size)
{
	char reason[CONTROL_ERROR_MAX];
	struct words words;
	struct match match;
	int rc;

	json_wipes();
	rc = words_split(&words, line, reason, sizeof(reason));
	if (rc < 0) {
		const struct alternative *word = first_word(line);

		return text_error(error, error_size, rc, "%.*s%s%s", word ? (int)word->len : 0,
				  word ? word->text : "", word ? ": " : "", reason);
	}
	if (words.n == 0)
		return 0;
	rc = grammar_match(&words, &match, error, error_size);
	if (rc < 0)
		return rc;
	rc = (match.command->run ? match.command->run : run_method)(session, &match, reason,
								    sizeof(reason));
	json_decref(match.params);
	if (rc < 0)
		text_error(error, error_size, rc, "%s: %s", match.name, reason);
	if (session->out)
		fflush(session->out);
	return rc;
}
