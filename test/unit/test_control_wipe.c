/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After a key was added, its secret is nowhere in the memory of the process: neither as it was
 * sent, nor decoded, nor in what was freed on the way.
 */
#include "control_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/buf.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#define SECRET_LEN 24u

/* The secret is kept masked, so that the test itself is not what is found. */
static uint8_t masked[SECRET_LEN];
#define MASK 0x80

static void
make_secret(char *secret)
{
	static unsigned seed = 9;

	for (unsigned i = 0; i < SECRET_LEN; i++) {
		char c = (char)('a' + rand_r(&seed) % 26);

		masked[i] = (uint8_t)c ^ MASK;
		if (secret)
			secret[i] = c;
	}
}

/* Where the octets that masked hides are found in [start, end), or 0. */
static size_t
find(const uint8_t *start, size_t len, bool hex)
{
	static const char digits[] = "0123456789abcdef";
	size_t need = hex ? 2 * SECRET_LEN : SECRET_LEN;

	for (size_t at = 0; at + need <= len; at++) {
		size_t i = 0;

		while (i < need) {
			uint8_t c = masked[hex ? i / 2 : i] ^ MASK;

			if (hex)
				c = (uint8_t)digits[i % 2 ? c & 15 : c >> 4];
			if (start[at + i] != c)
				break;
			i++;
		}
		if (i >= 12) /* half of it would be too much already */
			return at + 1;
	}
	return 0;
}

static void
check_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned searched = 0;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end;
		char mode[8], name[256] = "";

		if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255s", &start, &end, mode, name) < 3 ||
		    mode[0] != 'r' || mode[1] != 'w' || name[0] == '/')
			continue;
		if (strcmp(name, "[heap]") != 0 && name[0] == '[' && strcmp(name, "[stack]") != 0)
			continue;
		/* Only what is below our own frame is dead stack; above it are callers. */
		for (int hex = 0; hex < 2; hex++) {
			size_t at = find((const uint8_t *)start, end - start, hex);

			if (at)
				fail_msg("%s of the secret is left in %s, octet %zu",
					 hex ? "hex" : "text", name[0] ? name : "memory", at - 1);
		}
		searched++;
	}
	fclose(maps);
	assert_true(searched >= 2);
}

static void
need_plain_memory(void)
{
#ifdef SANITIZED
	print_message("the sanitizer's memory is too large to search\n");
	skip();
#endif
}

static void
search_finds_what_is_there(void **state)
{
	char *secret;

	(void)state;
	need_plain_memory();
	secret = malloc(SECRET_LEN);
	make_secret(secret);
	assert_true(find((uint8_t *)secret, SECRET_LEN, false) > 0);
	explicit_bzero(secret, SECRET_LEN);
	free(secret);
	check_memory();
}

static void
send_secret(struct rig *rig, const char *member, bool hex, const char *algorithm,
	    const char *answer)
{
	char line[512], secret[2 * SECRET_LEN + 1] = "";
	int fd = rig_client(rig);

	make_secret(secret);
	for (int i = SECRET_LEN - 1; hex && i >= 0; i--) {
		char digits[3];

		sprintf(digits, "%02x", (uint8_t)secret[i]);
		memcpy(secret + 2 * i, digits, 2);
	}
	snprintf(line, sizeof(line),
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"key.add\",\"params\":{\"id\":1,"
		 "\"algorithm\":\"%s\",\"profile\":\"linux\",\"%s\":\"%s\"}}\n",
		 algorithm, member, secret);
	explicit_bzero(secret, sizeof(secret));
	/* In pieces, so that buffers grow and the parser waits. */
	for (char *c = line; *c; c++) {
		assert_int_equal(write(fd, c, 1), 1);
		if ((c - line) % 16 == 0)
			rig_pump(rig);
	}
	explicit_bzero(line, sizeof(line));
	assert_non_null(strstr(rig_read(rig, fd), answer));
	close(fd);
	rig_pump(rig);
}

static void
server_keeps_no_secret(void **state)
{
	need_plain_memory();
	send_secret(*state, "secret", false, "sha256", "result");
	check_memory();
	send_secret(*state, "secret_hex", true, "sha256", "result");
	check_memory();
	send_secret(*state, "secret", false, "md5", "must be one of");
	check_memory();
	send_secret(*state, "sekret", false, "sha256", "unknown parameter");
	check_memory();
}

/* A secret in JSON that is cut off, or followed by junk, goes the same way. */
static void
parser_keeps_no_secret(void **state)
{
	struct rig *rig = *state;
	char secret[SECRET_LEN + 1] = "", line[128];
	int fd;

	need_plain_memory();
	fd = rig_client(rig);
	make_secret(secret);
	snprintf(line, sizeof(line), "{\"secret\":\"%s\",\n", secret);
	explicit_bzero(secret, sizeof(secret));
	rig_send(rig, fd, line);
	explicit_bzero(line, sizeof(line));
	assert_non_null(strstr(rig_read(rig, fd), "-32700"));
	check_memory();
	close(fd);
}

static void
commands_keep_no_secret(void **state)
{
	struct rig *rig = *state;
	struct control_session session = {
		.transport = control_local_transport,
		.transport_arg = rig->server,
	};
	char error[CONTROL_ERROR_MAX], secret[SECRET_LEN + 1] = "", line[128];
	char *folder;
	int fd;

	need_plain_memory();
	folder = folder_make();
	make_secret(secret);
	folder_write(folder, "s", secret, SECRET_LEN);
	explicit_bzero(secret, sizeof(secret));
	snprintf(line, sizeof(line), "key add 1 sha256 linux secret-file %s/s", folder);
	assert_int_equal(control_run_line(&session, line, error, sizeof(error)), 0);
	assert_int_equal(rig->secret_len, SECRET_LEN);
	check_memory();

	fd = open(folder_path(folder, "s"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	assert_int_equal(control_run_line(&session, "key set 1 sha256 linux", error, sizeof(error)),
			 0);
	check_memory();
	folder_remove(folder);
}

static void
buffers_wipe_what_goes_out(void **state)
{
	struct buf buf = {0};
	char *data;

	(void)state;
	assert_true(buf_append(&buf, "0123456789", 10));
	data = buf.data;
	buf_consume(&buf, 4);
	assert_memory_equal(data,
			    "\0\0\0\0"
			    "456789",
			    10);
	/* Moving to the front leaves nothing behind either. */
	buf_consume(&buf, 4);
	assert_true(buf_reserve(&buf, buf.cap - 2));
	assert_ptr_equal(buf.data, data);
	assert_memory_equal(buf.data, "89\0\0\0\0\0\0\0\0", 10);
	buf_free(&buf);
	assert_null(buf.data);
}

#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(search_finds_what_is_there), T(server_keeps_no_secret),
		T(parser_keeps_no_secret),     T(commands_keep_no_secret),
		T(buffers_wipe_what_goes_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
