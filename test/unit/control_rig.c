/* SPDX-License-Identifier: BSD-3-Clause */
#include "control_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static json_t *
echo(struct control_call *call, const json_t *params)
{
	struct rig *rig = control_arg(call);

	rig->calls++;
	return json_deep_copy(params);
}

static json_t *
failing(struct control_call *call, const json_t *params)
{
	struct rig *rig = control_arg(call);

	(void)params;
	rig->calls++;
	return control_fail(call, EEXIST, "it is\nthere");
}

static bool
is_released(void *arg, uint64_t mark)
{
	const struct rig *rig = arg;

	assert_int_equal(mark, 77);
	return rig->released;
}

static json_t *
slow(struct control_call *call, const json_t *params)
{
	struct rig *rig = control_arg(call);

	(void)params;
	rig->calls++;
	return control_later(call, is_released, 77, json_string("late"));
}

static json_t *
big(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"n", NULL};
	json_t *answer;
	uint64_t n;
	char *text;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "n", 1, 40u << 20, &n))
		return NULL;
	text = malloc(n);
	assert_non_null(text);
	memset(text, 'x', n);
	answer = json_stringn(text, n);
	free(text);
	return answer;
}

static json_t *
key_write(struct control_call *call, const json_t *params)
{
	static const char *const names[] = {"id",     "algorithm",  "profile",
					    "secret", "secret_hex", NULL};
	static const char *const algorithms[] = {"sha1", "sha256", NULL};
	struct rig *rig = control_arg(call);
	uint8_t secret[64];
	unsigned algorithm;
	const char *profile;
	uint64_t id;
	size_t len;

	if (!control_params_only(call, params, names) ||
	    !control_param_uint(call, params, "id", 1, UINT32_MAX, &id) ||
	    !control_param_word(call, params, "algorithm", algorithms, &algorithm) ||
	    !control_param_string(call, params, "profile", &profile) ||
	    !control_param_secret(call, params, secret, sizeof(secret), &len))
		return NULL;
	if (rig->keep_secret) {
		memcpy(rig->secret, secret, len);
		rig->secret[len] = '\0';
	}
	rig->secret_len = len;
	explicit_bzero(secret, sizeof(secret));
	if (id == 7)
		return control_fail(call, ENOSPC, "the table is full");
	return json_pack("{s:I}", "octets", (json_int_t)len);
}

static json_t *
flag(struct control_call *call, const json_t *params)
{
	bool value;

	if (!control_param_bool(call, params, "flag", &value))
		return NULL;
	return json_boolean(value);
}

static json_t *
subscribe(struct control_call *call, const json_t *params)
{
	uint32_t *topics = control_topics(call);
	uint64_t wanted;

	if (!topics)
		return control_fail(call, ENOTCONN, "no connection");
	if (!control_param_uint(call, params, "topics", 0, UINT32_MAX, &wanted))
		return NULL;
	*topics = (uint32_t)wanted;
	return json_object();
}

static const struct control_method methods[] = {
	{"subscribe", subscribe, false},
	{"echo", echo, false},
	{"fail", failing, true},
	{"slow", slow, true},
	{"big", big, false},
	{"flag", flag, false},
	{"key.add", key_write, true},
	{"key.set", key_write, true},
	{0},
};

static void
note(void *arg, const struct control_peer *peer, const char *method, const char *params,
     const char *error)
{
	struct rig *rig = arg;
	size_t at = strlen(rig->log);

	assert_int_equal(peer->uid, getuid());
	assert_int_equal(peer->pid, getpid());
	snprintf(rig->log + at, sizeof(rig->log) - at, "%s %s: %s\n", method, params ? params : "-",
		 error ? error : "ok");
}

int
rig_setup(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->server = control_server_create(methods, rig);
	assert_non_null(rig->server);
	control_server_set_log(rig->server, note);
	*state = rig;
	return 0;
}

int
rig_teardown(void **state)
{
	struct rig *rig = *state;

	control_server_destroy(rig->server);
	free(rig);
	return 0;
}

int
rig_client(struct rig *rig)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(control_server_adopt(rig->server, ends[1]), 0);
	return ends[0];
}

void
rig_pump(struct rig *rig)
{
	int idle = 0;

	/* A second round without work: what the first one wrote may have made a client writable. */
	for (int i = 0; i < 100000 && idle < 2; i++)
		idle = control_server_poll(rig->server) == 0 ? 0 : idle + 1;
	assert_int_equal(idle, 2);
}

void
rig_send(struct rig *rig, int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = send(fd, text, left, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN)
			n = 0;
		assert_true(n >= 0);
		text += n;
		left -= (size_t)n;
		rig_pump(rig);
	}
}

const char *
rig_read(struct rig *rig, int fd)
{
	static char text[1 << 20];
	size_t len = 0;

	rig_pump(rig);
	for (;;) {
		ssize_t n = recv(fd, text + len, sizeof(text) - 1 - len, MSG_DONTWAIT);

		if (n <= 0)
			break;
		len += (size_t)n;
		rig_pump(rig);
	}
	text[len] = '\0';
	return text;
}

const char *
rig_ask(struct rig *rig, int fd, const char *text)
{
	rig_send(rig, fd, text);
	return rig_read(rig, fd);
}

bool
rig_closed(struct rig *rig, int fd)
{
	char c;
	ssize_t n;

	rig_pump(rig);
	n = recv(fd, &c, 1, MSG_DONTWAIT | MSG_PEEK);
	return n == 0 || (n < 0 && errno != EAGAIN);
}

char *
folder_make(void)
{
	char *folder = strdup("/tmp/segseal-test-XXXXXX");

	assert_non_null(folder);
	assert_non_null(mkdtemp(folder));
	return folder;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
folder_remove(char *folder)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(folder);
}

const char *
folder_path(const char *folder, const char *name)
{
	static char paths[4][512];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void
folder_write(const char *folder, const char *name, const void *octets, size_t n)
{
	int fd = open(folder_path(folder, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, octets, n), n);
	close(fd);
}
