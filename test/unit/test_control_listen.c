/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket in the file system: whose it is, who may open it, what it replaces. */
#include "control_rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char *folder;
static char error[CONTROL_ERROR_MAX];

static int
setup(void **state)
{
	folder = folder_make();
	error[0] = '\0';
	return rig_setup(state);
}

static int
teardown(void **state)
{
	rig_teardown(state);
	folder_remove(folder);
	return 0;
}

static int
listen_on(struct rig *rig, const char *name)
{
	return control_server_listen(rig->server, folder_path(folder, name), error, sizeof(error));
}

static unsigned
mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static struct sockaddr_un
address(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", folder_path(folder, name));
	return addr;
}

static int
connect_to(const char *name)
{
	struct sockaddr_un addr = address(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* A socket file that nobody listens on any more, or (listening) somebody does. */
static int
make_socket(const char *name, bool listening)
{
	struct sockaddr_un addr = address(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	if (listening) {
		assert_int_equal(listen(fd, 1), 0);
		return fd;
	}
	close(fd);
	return -1;
}

static void
check_serves(struct rig *rig, const char *name)
{
	int fd = connect_to(name);

	assert_true(fd >= 0);
	assert_string_equal(
		rig_ask(rig, fd, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n"),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
	close(fd);
}

static void
makes_socket_and_parents(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(listen_on(rig, "a/b/s.sock"), 0);
	assert_int_equal(mode_of(folder_path(folder, "a/b/s.sock")), 0660);
	assert_int_equal(mode_of(folder_path(folder, "a/b")), 0755);
	assert_int_equal(mode_of(folder_path(folder, "a")), 0755);
	check_serves(rig, "a/b/s.sock");
	assert_int_equal(listen_on(rig, "other"), -EALREADY);
}

static void
mode_does_not_depend_on_the_umask(void **state)
{
	static const mode_t masks[] = {0, 0022, 0077, 0777};

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		mode_t before = umask(masks[i]);
		char name[32];
		void *again;

		snprintf(name, sizeof(name), "d%zu/s.sock", i);
		rig_setup(&again);
		assert_int_equal(listen_on(again, name), 0);
		umask(before);
		assert_int_equal(mode_of(folder_path(folder, name)), 0660);
		name[2] = '\0';
		assert_int_equal(mode_of(folder_path(folder, name)), 0755);
		rig_teardown(&again);
	}
	(void)state;
}

static void
existing_parents_are_left_alone(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(mkdir(folder_path(folder, "mine"), 0700), 0);
	assert_int_equal(listen_on(rig, "mine/s.sock"), 0);
	assert_int_equal(mode_of(folder_path(folder, "mine")), 0700);
}

static void
live_socket_is_refused(void **state)
{
	struct rig *rig = *state;
	int fd = make_socket("s.sock", true);
	int pending[3];

	assert_int_equal(listen_on(rig, "s.sock"), -EADDRINUSE);
	assert_non_null(strstr(error, "/s.sock: a live process answers on it"));
	/* Also when its queue is full. */
	for (int i = 0; i < 3; i++) {
		struct sockaddr_un addr = address("s.sock");

		pending[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect(pending[i], (struct sockaddr *)&addr, sizeof(addr)) < 0)
			assert_int_equal(errno, EAGAIN);
	}
	assert_int_equal(listen_on(rig, "s.sock"), -EADDRINUSE);
	for (int i = 0; i < 3; i++)
		close(pending[i]);
	close(fd);
}

static void
dead_socket_is_taken_over(void **state)
{
	struct rig *rig = *state;

	make_socket("s.sock", false);
	assert_int_equal(listen_on(rig, "s.sock"), 0);
	check_serves(rig, "s.sock");
}

static void
anything_else_is_refused(void **state)
{
	struct rig *rig = *state;
	struct stat st;

	folder_write(folder, "file", "precious", 8);
	assert_int_equal(listen_on(rig, "file"), -ENOTSOCK);
	assert_non_null(strstr(error, "not a socket"));
	assert_int_equal(lstat(folder_path(folder, "file"), &st), 0);
	assert_int_equal(st.st_size, 8);

	assert_int_equal(mkdir(folder_path(folder, "dir"), 0755), 0);
	assert_int_equal(listen_on(rig, "dir"), -ENOTSOCK);

	/* A link is not followed, wherever it leads. */
	make_socket("dead", false);
	assert_int_equal(symlink(folder_path(folder, "dead"), folder_path(folder, "link")), 0);
	assert_int_equal(listen_on(rig, "link"), -ENOTSOCK);

	assert_int_equal(listen_on(rig, "file/s.sock"), -ENOTDIR);
	assert_non_null(strstr(error, "Not a directory"));
}

static void
long_paths_are_refused(void **state)
{
	struct rig *rig = *state;
	char name[200];

	memset(name, 'x', sizeof(name));
	name[107 - strlen(folder) - 1] = '\0';
	assert_int_equal(listen_on(rig, name), 0);
	name[107 - strlen(folder) - 1] = 'x';
	name[108 - strlen(folder) - 1] = '\0';
	control_server_destroy(rig->server);
	rig->server = NULL;
	rig_teardown(state);
	rig_setup(state);
	rig = *state;
	assert_int_equal(listen_on(rig, name), -ENAMETOOLONG);
	assert_non_null(strstr(error, "108 octets"));
	assert_int_equal(control_server_listen(rig->server, "", error, sizeof(error)), -EINVAL);
}

static void
removed_in_the_end_if_ours(void **state)
{
	struct rig *rig = *state;
	struct stat st;

	assert_int_equal(listen_on(rig, "s.sock"), 0);
	control_server_destroy(rig->server);
	rig->server = NULL;
	assert_int_equal(lstat(folder_path(folder, "s.sock"), &st), -1);
	rig_teardown(state);

	rig_setup(state);
	rig = *state;
	assert_int_equal(listen_on(rig, "s.sock"), 0);
	assert_int_equal(unlink(folder_path(folder, "s.sock")), 0);
	int other = make_socket("s.sock", true);

	control_server_destroy(rig->server);
	rig->server = NULL;
	assert_int_equal(lstat(folder_path(folder, "s.sock"), &st), 0);
	close(other);
}

/* The client's side of it. */
static void
client_says_whom_it_cannot_reach(void **state)
{
	char text[CONTROL_ERROR_MAX];

	(void)state;
	assert_null(control_client_open(folder_path(folder, "none"), error, sizeof(error)));
	snprintf(text, sizeof(text), "cannot reach segseal at %s: No such file or directory",
		 folder_path(folder, "none"));
	assert_string_equal(error, text);
	make_socket("dead", false);
	assert_null(control_client_open(folder_path(folder, "dead"), error, sizeof(error)));
	assert_non_null(strstr(error, "/dead: Connection refused"));
	assert_null(control_client_open("", error, sizeof(error)));
}

/* What the client says of servers that are not ours, or not well. */
static void
check_answer(const char *answer, bool stay, const char *expected)
{
	json_t *request = json_pack("{s:s}", "method", "echo");
	int fd = make_socket("fake", true);
	struct control_client *client;
	int server;

	client = control_client_open(folder_path(folder, "fake"), error, sizeof(error));
	assert_non_null(client);
	control_client_set_timeout(client, 100);
	server = accept(fd, NULL, NULL);
	assert_true(server >= 0);
	assert_int_equal(write(server, answer, strlen(answer)), strlen(answer));
	if (!stay)
		shutdown(server, SHUT_RDWR);
	assert_null(control_client_transport(client, request, error, sizeof(error)));
	assert_non_null(strstr(error, expected));
	assert_null(strchr(error, '\n'));
	close(server);
	control_client_close(client);
	close(fd);
	unlink(folder_path(folder, "fake"));
	json_decref(request);
}

static void
client_survives_strange_servers(void **state)
{
	(void)state;
	check_answer("", true, "gave no answer for 100 ms");
	check_answer("{\"half\":", true, "gave no answer for 100 ms");
	check_answer("", false, "closed the connection");
	check_answer("{\"half\":", false, "closed the connection");
	check_answer("SSH-2.0-OpenSSH\r\n", true, "is not segseal");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(makes_socket_and_parents),	     T(mode_does_not_depend_on_the_umask),
		T(existing_parents_are_left_alone),  T(live_socket_is_refused),
		T(dead_socket_is_taken_over),	     T(anything_else_is_refused),
		T(long_paths_are_refused),	     T(removed_in_the_end_if_ours),
		T(client_says_whom_it_cannot_reach), T(client_survives_strange_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
