/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of commands, and where secrets are read from. */
#include "control_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder;
static char error[CONTROL_ERROR_MAX];
static struct control_session session;

static int
setup(void **state)
{
	struct rig *rig;

	folder = folder_make();
	assert_int_equal(chdir(folder), 0);
	rig_setup(state);
	rig = *state;
	rig->keep_secret = true;
	session = (struct control_session){
		.transport = control_local_transport,
		.transport_arg = rig->server,
	};
	error[0] = '\0';
	return 0;
}

static int
teardown(void **state)
{
	rig_teardown(state);
	assert_int_equal(chdir("/"), 0);
	folder_remove(folder);
	return 0;
}

static int
run_file(const char *name)
{
	return control_run_file(&session, name, error, sizeof(error));
}

static void
write_text(const char *name, const char *text)
{
	folder_write(folder, name, text, strlen(text));
}

static int
run_text(const char *text)
{
	write_text("cmds", text);
	return run_file("cmds");
}

static void
stops_at_the_first_error(void **state)
{
	struct rig *rig = *state;

	write_text("s", "abc");
	assert_int_equal(run_text("# keys\n"
				  "key add 1 sha256 linux secret-file s\n"
				  "\n"
				  "key add 7 sha256 linux secret-file s\n"
				  "key add 2 sha1 linux secret-file none\n"),
			 -ENOSPC);
	assert_string_equal(error, "cmds:4: key add: the table is full");
	assert_non_null(strstr(rig->log, "\"id\":1"));
	assert_null(strstr(rig->log, "\"id\":2"));
	assert_int_equal(run_text("key add 1 sha256 linux secret-file s\r\n"), 0);
	assert_int_equal(run_text("key add 1 sha256 linux secret-file s"), 0);
	assert_int_equal(run_text(""), 0);
}

static void
goes_on_when_told_to(void **state)
{
	struct rig *rig = *state;

	session.go_on = true;
	write_text("s", "abc");
	fflush(stderr);
	int saved = dup(STDERR_FILENO),
	    quiet = open("errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	dup2(quiet, STDERR_FILENO);
	int rc = run_text("key add 7 sha256 linux secret-file s\n"
			  "frob\n"
			  "key add 2 sha256 linux secret-file s\n");

	dup2(saved, STDERR_FILENO);
	close(saved);
	close(quiet);
	assert_int_equal(rc, -ENOSPC);
	assert_string_equal(error, "cmds: 2 commands failed");
	assert_non_null(strstr(rig->log, "\"id\":2"));
}

static void
echoes_commands(void **state)
{
	char *out;
	size_t size;

	(void)state;
	session.out = open_memstream(&out, &size);
	session.echo = true;
	assert_int_equal(run_text("# comment\n\nhelp start\nexit\nfrob\n"), 0);
	fclose(session.out);
	assert_string_equal(out, "+ help start\nstart\n        Forward packets\n+ exit\n");
	free(out);
}

static void
files_that_are_no_commands(void **state)
{
	static const char nul[] = "start\nst\0op\n";
	char junk[2000];

	(void)state;
	assert_int_equal(run_file("none"), -ENOENT);
	assert_string_equal(error, "none: No such file or directory");
	assert_int_equal(mkdir("folder", 0755), 0);
	assert_int_equal(run_file("folder"), -EISDIR);
	assert_string_equal(error, "folder:1: Is a directory");
	folder_write(folder, "nul", nul, sizeof(nul) - 1);
	session.go_on = false;
	assert_int_equal(run_file("nul"), -EINVAL);
	assert_non_null(strstr(error, "nul:1: start: no method start"));
	folder_write(folder, "nul", nul + 6, sizeof(nul) - 7);
	assert_int_equal(run_file("nul"), -EINVAL);
	assert_string_equal(error, "nul:1: the line holds a NUL octet: this is not text");
	memset(junk, 'x', sizeof(junk));
	folder_write(folder, "long", junk, sizeof(junk));
	assert_int_equal(run_file("long"), -EINVAL);
	assert_string_equal(error, "long:1: the line is longer than the 512 octets of a command");
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)(i * 7 + 1);
	folder_write(folder, "junk", junk, sizeof(junk));
	assert_int_equal(run_file("junk"), -EINVAL);
	assert_memory_equal(error, "junk:1: ", 8);
	assert_null(strchr(error, '\n'));
}

static void
files_that_load_files(void **state)
{
	(void)state;
	write_text("inner", "\nfrob\n");
	assert_int_equal(run_text("load inner\n"), -EINVAL);
	assert_string_equal(error,
			    "cmds:1: load: inner:2: 'frob': unknown command, help lists them");
	assert_int_equal(run_text("load cmds\n"), -ELOOP);
	assert_non_null(strstr(error, "more than 8 files load each other"));
	assert_int_equal(session.depth, 0);
	write_text("inner", "exit\n");
	assert_int_equal(run_text("load inner\nfrob\n"), 0);
	assert_true(session.quit);
}

static void
check_secret(struct rig *rig, const char *option, const void *octets, size_t n, const char *secret)
{
	char line[128];

	folder_write(folder, "s", octets, n);
	snprintf(line, sizeof(line), "key add 1 sha256 linux %s s", option);
	rig->secret[0] = '\0';
	assert_int_equal(control_run_line(&session, line, error, sizeof(error)), 0);
	assert_int_equal(rig->secret_len, strlen(secret));
	assert_string_equal(rig->secret, secret);
}

static void
check_no_secret(const char *option, const void *octets, size_t n, const char *expected)
{
	char line[128];

	folder_write(folder, "s", octets, n);
	snprintf(line, sizeof(line), "key add 1 sha256 linux %s s", option);
	assert_int_equal(control_run_line(&session, line, error, sizeof(error)), -EINVAL);
	assert_string_equal(error, expected);
}

static void
secret_files(void **state)
{
	struct rig *rig = *state;
	char octets[200];

	memset(octets, 'a', sizeof(octets));
	check_secret(rig, "secret-file", "abc", 3, "abc");
	check_secret(rig, "secret-file", "abc\n", 4, "abc");
	check_secret(rig, "secret-file", "abc\n\n", 5, "abc\n");
	check_secret(rig, "secret-file", "a b\r\n", 5, "a b\r");
	check_secret(rig, "secret-file", "\xff\xfe", 2, "\xff\xfe");
	check_secret(rig, "secret-file", "x", 1, "x");
	octets[64] = '\n';
	folder_write(folder, "s", octets, 65);
	assert_int_equal(control_run_line(&session, "key add 1 sha256 linux secret-file s", error,
					  sizeof(error)),
			 0);
	assert_int_equal(rig->secret_len, 64);
	octets[64] = 'a';
	check_no_secret("secret-file", octets, 65,
			"key add: s: the secret is longer than 64 octets");
	check_no_secret("secret-file", octets, 200,
			"key add: s: the secret is longer than 64 octets");
	check_no_secret("secret-file", "", 0, "key add: s: the secret is empty");
	check_no_secret("secret-file", "\n", 1, "key add: s: the secret is empty");

	check_secret(rig, "secret-hex-file", "616263", 6, "abc");
	check_secret(rig, "secret-hex-file", "4a4B\n", 5, "JK");
	check_no_secret("secret-hex-file", "61626", 5,
			"key add: s: an odd number of hexadecimal digits");
	check_no_secret("secret-hex-file", "61 62", 5,
			"key add: s: octet 3 is no hexadecimal digit");
	check_no_secret("secret-hex-file", "", 0, "key add: s: the secret is empty");
	memset(octets, '6', sizeof(octets));
	check_no_secret("secret-hex-file", octets, 130,
			"key add: s: the secret is longer than 64 octets");
	check_no_secret("secret-hex-file", octets, 129,
			"key add: s: the secret is longer than 64 octets");

	assert_int_equal(control_run_line(&session, "key add 1 sha256 linux secret-file none",
					  error, sizeof(error)),
			 -ENOENT);
	assert_string_equal(error, "key add: none: No such file or directory");
	assert_int_equal(control_run_line(&session, "key add 1 sha256 linux secret-file /tmp",
					  error, sizeof(error)),
			 -EISDIR);
	/* A file without an end. */
	assert_int_equal(control_run_line(&session, "key add 1 sha256 linux secret-file /dev/zero",
					  error, sizeof(error)),
			 -EINVAL);
}

static void
input_is(const char *text)
{
	int fd;

	write_text("input", text);
	fd = open("input", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	clearerr(stdin);
}

static void
secrets_from_standard_input(void **state)
{
	struct rig *rig = *state;

	input_is("first one\nsecond\n\nlast");
	assert_int_equal(control_run_line(&session, "key add 1 sha256 linux", error, sizeof(error)),
			 0);
	assert_string_equal(rig->secret, "first one");
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 0);
	assert_string_equal(rig->secret, "second");
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 -EINVAL);
	assert_string_equal(error, "key set: standard input: the secret is empty");
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 0);
	assert_string_equal(rig->secret, "last");
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 -ENODATA);
	assert_string_equal(error, "key set: no secret: standard input is at its end");

	/* A secret that is too long is read to its end: the next line is no part of it. */
	input_is("0123456789012345678901234567890123456789012345678901234567890123456789"
		 "0123456789012345678901234567890123456789012345678901234567890123456789\nnext\n");
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 -EINVAL);
	assert_string_equal(error, "key set: standard input: the secret is longer than 64 octets");
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 0);
	assert_string_equal(rig->secret, "next");

	/* Commands and secrets from one stream. */
	input_is("key add 1 sha256 linux\nkey del\nkey add 2 sha1 linux\nabc");
	assert_int_equal(run_file("-"), 0);
	assert_string_equal(rig->secret, "abc");
	assert_non_null(strstr(rig->log, "\"id\":2"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(stops_at_the_first_error), T(echoes_commands), T(files_that_are_no_commands),
		T(files_that_load_files),    T(secret_files),	 T(secrets_from_standard_input),
		T(goes_on_when_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
