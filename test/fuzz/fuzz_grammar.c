/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any lines of commands, run on a gateway as a replay has it: each does what it says, or fails with
 * an error of one line without a secret in it. What the grammar lets through, the methods take:
 * they may find that there is no such key or port, but never that the request is malformed. What
 * show config prints afterwards rebuilds the same state.
 *
 * Input: lines of commands.
 *
 * libFuzzer: -max_len=400 -len_control=10
 */
#include <sys/mman.h>
#include <unistd.h>

#include "control/call.h"
#include "control/control.h"
#include "control/grammar.h"
#include "control/run.h"
#include "eal.h"
#include "fuzz.h"
#include "gateway.h"

/* What key add reads from standard input. */
#define SECRET "zQ7kVw9xJ2pL"
#define SECRET_HEX "7a51376b567739784a32704c"
#define LINES_MAX 24u

/* DPDK's memory holds pointers where LeakSanitizer does not look. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

static struct gateway gateway;
static char *out;
static size_t out_size;

/* --- what is carried --- */

/* Whether the ends of a window are in order depends on the clock of whoever runs the command. */
static bool
is_about_window(const char *message)
{
	return strncmp(message, "key.", 4) == 0 &&
	       (strstr(message, ": accept: ") != NULL || strstr(message, ": send: ") != NULL ||
		strstr(message, ": accept.") != NULL || strstr(message, ": send.") != NULL);
}

static void
check_response(const json_t *response)
{
	const json_t *wrong = json_object_get(response, "error");
	json_int_t code = json_integer_value(json_object_get(wrong, "code"));
	const char *message = json_string_value(json_object_get(wrong, "message"));

	FUZZ_ASSERT(json_is_object(response));
	FUZZ_ASSERT((wrong != NULL) != (json_object_get(response, "result") != NULL));
	if (wrong == NULL)
		return;
	FUZZ_ASSERT(message != NULL);
	if (code != RPC_FAILED && !(code == RPC_INVALID_PARAMS && is_about_window(message))) {
		fprintf(stderr, "refused as malformed: %s\n", message);
		abort();
	}
}

static json_t *
carry(void *arg, const json_t *request, char *error, size_t error_size)
{
	json_t *response = control_local_transport(arg, request, error, error_size);
	json_t *one;
	size_t i;

	FUZZ_ASSERT(response != NULL);
	if (json_is_array(response))
		json_array_foreach (response, i, one)
			check_response(one);
	else
		check_response(response);
	return response;
}

/* --- lines --- */

static bool
is_clean(const char *text, const char *allowed)
{
	for (; *text != '\0'; text++)
		if ((uint8_t)*text < 0x20 ? strchr(allowed, *text) == NULL : *text == 0x7f)
			return false;
	return true;
}

/* Not run here, because of what they reach for outside: files that they write, the kernel, and the
 * time of whoever watches. */
static bool
is_left_out(const struct command *command)
{
	return command->run == run_save_config || command->run == run_key_import_linux ||
	       command->run == run_watch ||
	       (command->method != NULL && strcmp(command->method, "capture.start") == 0);
}

/* Whether a word is the name of a secret's file: it may be repeated. */
static bool
names_file(const struct words *words)
{
	for (unsigned i = 0; i < words->n; i++)
		if (strncmp(words->word[i], "secret-", 7) == 0)
			return true;
	return false;
}

static void
check_error(const char *line, int rc, const char *error)
{
	static struct words words;
	static struct match match;
	char reason[CONTROL_ERROR_MAX];

	FUZZ_ASSERT(error[0] != '\0' && is_clean(error, ""));
	FUZZ_ASSERT(strlen(error) < CONTROL_ERROR_MAX);
	FUZZ_ASSERT(strstr(error, SECRET_HEX) == NULL || strstr(line, SECRET_HEX) != NULL);
	/* A word where a key's commands want none may be a secret. */
	if (rc == -EINVAL && words_split(&words, line, reason, sizeof(reason)) == 0 &&
	    words.n >= 2 && !names_file(&words) && strcmp(words.word[0], "key") == 0 &&
	    (strcmp(words.word[1], "add") == 0 || strcmp(words.word[1], "set") == 0)) {
		if (grammar_match(&words, &match, reason, sizeof(reason)) == 0)
			json_decref(match.params);
		else
			FUZZ_ASSERT(strstr(error, SECRET) == NULL);
	}
}

/* Returns what the line returned; what it printed is in out. */
static int
run_line(const char *line)
{
	struct control_session session = {.transport = carry, .transport_arg = gateway.server};
	char error[CONTROL_ERROR_MAX];
	int rc;

	lseek(STDIN_FILENO, 0, SEEK_SET);
	free(out);
	out = NULL;
	session.out = open_memstream(&out, &out_size);
	FUZZ_ASSERT(session.out != NULL);
	memset(error, 'E', sizeof(error));
	error[0] = '\0';
	rc = control_run_line(&session, line, error, sizeof(error));
	fclose(session.out);
	FUZZ_ASSERT(rc <= 0);
	if (rc < 0)
		check_error(line, rc, error);
	FUZZ_ASSERT(is_clean(out, "\n"));
	FUZZ_ASSERT(strstr(out, SECRET_HEX) == NULL || strstr(line, SECRET_HEX) != NULL);
	return rc;
}

static void
complete(const char *line)
{
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	FUZZ_ASSERT(file != NULL);
	control_complete(file, line);
	control_help(file, line);
	fclose(file);
	FUZZ_ASSERT(is_clean(text, "\n"));
	free(text);
}

static void
try_line(const char *line)
{
	static struct words words;
	static struct match match;
	char error[CONTROL_ERROR_MAX];
	bool json = false, left_out = false;

	complete(line);
	if (words_split(&words, line, error, sizeof(error)) == 0 && words.n != 0 &&
	    grammar_match(&words, &match, error, sizeof(error)) == 0) {
		left_out = is_left_out(match.command);
		json = match.json;
		json_decref(match.params);
	}
	if (left_out || run_line(line) != 0 || !json)
		return;
	json_t *parsed = json_loads(out, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);

	FUZZ_ASSERT(parsed != NULL);
	json_decref(parsed);
}

/* --- state --- */

static json_t *
ask(const char *method, const char *member)
{
	json_t *request = json_pack("{s:s, s:i, s:s}", "jsonrpc", "2.0", "id", 1, "method", method);
	json_t *response = control_server_execute(gateway.server, request);
	json_t *list = json_incref(json_object_get(json_object_get(response, "result"), member));

	FUZZ_ASSERT(list != NULL);
	json_decref(request);
	json_decref(response);
	return list;
}

static void
reset_state(void)
{
	static const char *const beginning[] = {"icmp source off", "icmp rate 100", "log drops on",
						"trace clear"};
	static const struct gate_port off;
	json_t *list = ask("key.list", "keys"), *one;
	char line[128];
	size_t i;

	json_array_foreach (list, i, one) {
		snprintf(line, sizeof(line), "key del %lld",
			 (long long)json_integer_value(json_object_get(one, "id")));
		FUZZ_ASSERT_SAME(run_line(line), 0);
	}
	json_decref(list);
	list = ask("sid.list", "sids");
	json_array_foreach (list, i, one) {
		snprintf(line, sizeof(line), "sid del %s", json_string_value(one));
		FUZZ_ASSERT_SAME(run_line(line), 0);
	}
	json_decref(list);
	for (i = 0; i < sizeof(beginning) / sizeof(beginning[0]); i++)
		FUZZ_ASSERT_SAME(run_line(beginning[i]), 0);
	ports_replay(&gateway.ports);
	for (uint16_t port = 0; port < 2; port++)
		FUZZ_ASSERT_SAME(gate_port_set(gateway.gate, port, &off), 0);
	FUZZ_ASSERT_SAME(gateway_forward(&gateway, true), 0);
	gateway.quit = false;
}

/* All that show config prints can be run on a gateway as it starts, and gives the same again; but
 * keys, of which it only tells. */
static void
check_config(void)
{
	char *first, *line, *rest;

	FUZZ_ASSERT_SAME(run_line("show config"), 0);
	first = strdup(out);
	reset_state();
	line = strdup(first);
	FUZZ_ASSERT(first != NULL && line != NULL);
	for (char *next = strtok_r(line, "\n", &rest); next != NULL;
	     next = strtok_r(NULL, "\n", &rest)) {
		int rc = run_line(next);

		if (rc == 0)
			continue;
		fprintf(stderr, "show config says what cannot be run: %s\n", next);
		abort();
	}
	FUZZ_ASSERT_SAME(run_line("show config"), 0);
	/* Keys come first. */
	rest = first;
	while (strncmp(rest, "# key", 5) == 0)
		rest = strchr(rest, '\n') + 1;
	FUZZ_ASSERT(strcmp(rest, out) == 0);
	free(line);
	free(first);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct options options = {.mode = OPTIONS_REPLAY};
	int secret = memfd_create("secret", 0);
	char error[CONTROL_ERROR_MAX] = "";

	(void)argc;
	FUZZ_ASSERT(secret >= 0 && write(secret, SECRET "\n", strlen(SECRET) + 1) > 0);
	FUZZ_ASSERT(dup2(secret, STDIN_FILENO) >= 0);
	close(secret);
	ports_replay(&gateway.ports);
	if (eal_start_replay((*argv)[0], error, sizeof(error)) != 0 ||
	    gateway_open(&gateway, &options, 1, error, sizeof(error)) != 0 ||
	    gateway_arm(&gateway, 64, error, sizeof(error)) != 0) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *line = text;

	FUZZ_ASSERT(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	for (unsigned n = 0; line != NULL && n < LINES_MAX; n++) {
		char *next = strchr(line, '\n');
		char *copy;

		if (next != NULL)
			*next++ = '\0';
		copy = strdup(line);
		FUZZ_ASSERT(copy != NULL);
		try_line(copy);
		free(copy);
		line = next;
	}
	free(text);
	check_config();
	reset_state();
	return 0;
}
