/* SPDX-License-Identifier: BSD-3-Clause */
/* Key files: every line that is right, every way to be wrong, and whose files are read at all. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "keyring/keyring.h"

static char folder[] = "/tmp/segseal-keys-XXXXXX";
static char path[sizeof(folder) + 32];
static char error[256];
static struct keyring_spec *specs;
static unsigned n;

/* --- lines --- */

static int
parse(const char *text, size_t len)
{
	/* On the heap, for the sanitizer to watch its end. */
	char *copy = malloc(len != 0 ? len : 1);
	int rc;

	assert_non_null(copy);
	memcpy(copy, text, len);
	specs = NULL;
	n = 999;
	strcpy(error, "untouched");
	rc = keyring_file_parse("F", copy, len, &specs, &n, error, sizeof(error));
	free(copy);
	return rc;
}

static void
assert_spec(unsigned i, uint32_t id, enum hmac_algorithm algorithm, enum hmac_profile profile,
	    const char *secret)
{
	assert_int_equal(specs[i].id, id);
	assert_int_equal(specs[i].algorithm, algorithm);
	assert_int_equal(specs[i].profile, profile);
	assert_int_equal(specs[i].secret_len, strlen(secret));
	assert_memory_equal(specs[i].secret, secret, strlen(secret));
}

static void
test_the_example_of_the_docs(void **state)
{
	static const char text[] = "# ID ALGORITHM PROFILE SECRET\n"
				   "1001 sha256 linux   text:secret-key-one\n"
				   "1002 sha256 rfc8754 hex:30313233343536373839616263646566\n";

	(void)state;
	assert_int_equal(parse(text, strlen(text)), 0);
	assert_int_equal(n, 2);
	assert_spec(0, 1001, HMAC_SHA256, HMAC_LINUX, "secret-key-one");
	assert_spec(1, 1002, HMAC_SHA256, HMAC_RFC8754, "0123456789abcdef");
	assert_string_equal(error, "untouched");
	keyring_specs_free(specs, n);
}

static void
test_files_without_a_key(void **state)
{
	const char *const texts[] = {
		"", "\n", "\n\n", "#", "# 1 sha1 linux text:x", " \t \n\t# x\n"};

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(parse(texts[i], strlen(texts[i])), 0);
		assert_int_equal(n, 0);
		assert_non_null(specs);
		keyring_specs_free(specs, n);
	}
	keyring_specs_free(NULL, 0);
}

struct good {
	const char *line;
	uint32_t id;
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;
	const char *secret;
};

#define X16 "xxxxxxxxxxxxxxxx"
#define H16 "78787878787878787878787878787878"

static const struct good good[] = {
	{"1 sha1 linux text:x", 1, HMAC_SHA1, HMAC_LINUX, "x"},
	{"4294967295 sha384 rfc8754 text:x", UINT32_MAX, HMAC_SHA384, HMAC_RFC8754, "x"},
	{"0x1 sha512 linux text:x", 1, HMAC_SHA512, HMAC_LINUX, "x"},
	{"0xFfFfFfFf sha256 linux text:x", UINT32_MAX, HMAC_SHA256, HMAC_LINUX, "x"},
	{"0X0000000000000002a sha256 linux text:x", 42, HMAC_SHA256, HMAC_LINUX, "x"},
	{" \t 7\tsha256 \t linux\t text:x", 7, HMAC_SHA256, HMAC_LINUX, "x"},
	/* As it stands, to the end of the line. */
	{"7 sha256 linux text: x\ty ", 7, HMAC_SHA256, HMAC_LINUX, " x\ty "},
	{"7 sha256 linux text:# x", 7, HMAC_SHA256, HMAC_LINUX, "# x"},
	{"7 sha256 linux text:text:", 7, HMAC_SHA256, HMAC_LINUX, "text:"},
	{"7 sha256 linux text:\xc3\xa4\xff\x01", 7, HMAC_SHA256, HMAC_LINUX, "\xc3\xa4\xff\x01"},
	{"7 sha256 linux text:" X16 X16 X16 X16, 7, HMAC_SHA256, HMAC_LINUX, X16 X16 X16 X16},
	{"7 sha256 linux hex:" H16 H16 H16 H16, 7, HMAC_SHA256, HMAC_LINUX, X16 X16 X16 X16},
	{"7 sha256 linux hex:4a4B6c \t", 7, HMAC_SHA256, HMAC_LINUX, "JKl"},
};

static void
test_good_lines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++) {
		const struct good *g = &good[i];
		char text[512];

		/* With and without a newline at the end. */
		for (int newline = 0; newline < 2; newline++) {
			snprintf(text, sizeof(text), "\n%s%s", g->line, newline ? "\n" : "");
			if (parse(text, strlen(text)) != 0)
				fail_msg("%s: %s", g->line, error);
			assert_int_equal(n, 1);
			assert_spec(0, g->id, g->algorithm, g->profile, g->secret);
			keyring_specs_free(specs, n);
		}
	}
}

struct bad {
	const char *line;
	const char *error;
};

#define BAD_ID "the key ID is not a number from 1 to 4294967295, decimal or 0x hex"
#define BAD_ALGORITHM "unknown algorithm; there are sha1, sha256, sha384 and sha512"
#define BAD_PROFILE "unknown profile; there are linux and rfc8754"
#define NO_PREFIX "the secret must begin with text: or hex:"
#define TOO_LONG "the secret is longer than 64 octets"
#define NOT_HEX "the secret after hex: has something that is not a hex digit"
#define ODD "the secret after hex: has an odd number of digits"
#define CR "a carriage return; end lines with LF alone, or write such a secret as hex:"

static const struct bad bad[] = {
	{"0 sha256 linux text:hunter2", BAD_ID},
	{"0x0 sha256 linux text:hunter2", BAD_ID},
	{"0x sha256 linux text:hunter2", BAD_ID},
	{"-1 sha256 linux text:hunter2", BAD_ID},
	{"+1 sha256 linux text:hunter2", BAD_ID},
	{"010 sha256 linux text:hunter2", BAD_ID},
	{"1a sha256 linux text:hunter2", BAD_ID},
	{"0x1g sha256 linux text:hunter2", BAD_ID},
	{"4294967296 sha256 linux text:hunter2", BAD_ID},
	{"0x100000000 sha256 linux text:hunter2", BAD_ID},
	{"18446744073709551617 sha256 linux text:hunter2", BAD_ID},
	{"99999999999999999999999999999999999999 sha256 linux text:hunter2", BAD_ID},
	{"hunter2", BAD_ID},
	{"text:hunter2 1 sha256 linux", BAD_ID},
	{"\xef\xbb\xbf"
	 "1 sha256 linux text:hunter2",
	 BAD_ID},
	{"1", "the algorithm is missing"},
	{"1 \t", "the algorithm is missing"},
	{"1 hunter2", BAD_ALGORITHM},
	{"1 SHA256 linux text:hunter2", BAD_ALGORITHM},
	{"1 sha224 linux text:hunter2", BAD_ALGORITHM},
	{"1 sha2567 linux text:hunter2", BAD_ALGORITHM},
	{"1 sha25 linux text:hunter2", BAD_ALGORITHM},
	{"1 sha256sha256sha256sha256sha256 linux text:hunter2", BAD_ALGORITHM},
	{"1 text:hunter2 sha256 linux", BAD_ALGORITHM},
	{"1 sha256", "the profile is missing"},
	{"1 sha256 hunter2", BAD_PROFILE},
	{"1 sha256 text:hunter2", BAD_PROFILE},
	{"1 sha256 rfc text:hunter2", BAD_PROFILE},
	{"1 sha256 rfc8754rfc8754rfc8754 text:hunter2", BAD_PROFILE},
	{"1 sha256 linux", "the secret is missing"},
	{"1 sha256 linux \t ", "the secret is missing"},
	{"1 sha256 linux hunter2", NO_PREFIX},
	{"1 sha256 linux Text:hunter2", NO_PREFIX},
	{"1 sha256 linux text", NO_PREFIX},
	{"1 sha256 linux # text:hunter2", NO_PREFIX},
	{"1 sha256 linux text :hunter2", NO_PREFIX},
	{"1 sha256 linux text:", "the secret is empty"},
	{"1 sha256 linux hex:", "the secret is empty"},
	{"1 sha256 linux hex: ", "the secret is empty"},
	{"1 sha256 linux hex: 00", NOT_HEX},
	{"1 sha256 linux text:" X16 X16 X16 X16 "y", TOO_LONG},
	{"1 sha256 linux hex:" H16 H16 H16 H16 "79", TOO_LONG},
	{"1 sha256 linux hex:0", ODD},
	{"1 sha256 linux hex:68756e746572320", ODD},
	{"1 sha256 linux hex:0g", NOT_HEX},
	{"1 sha256 linux hex:0x00", NOT_HEX},
	{"1 sha256 linux hex:hunter2", NOT_HEX},
	{"1 sha256 linux hex:00 hunter2", NOT_HEX},
	{"1 sha256 linux hex:00 # hunter2", NOT_HEX},
	{"1 sha256 linux hex:00:11", NOT_HEX},
	{"1 sha256 linux text:hunter2\r", CR},
	{"1 sha256 linux text:hunt\rer2", CR},
	{"1 sha256 linux hex:00\r", CR},
	{"\r", CR},
};

static void
assert_error(int rc, int expected, const char *text)
{
	assert_int_equal(rc, expected);
	assert_string_equal(error, text);
	assert_null(specs);
	assert_int_equal(n, 999);
}

static void
test_bad_lines(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[512], expected[512];
		int rc;

		snprintf(text, sizeof(text), "# first\n5 sha1 linux text:hunter2\n%s\n",
			 bad[i].line);
		snprintf(expected, sizeof(expected), "F:3: %s", bad[i].error);
		rc = parse(text, strlen(text));
		if (strcmp(error, expected) != 0)
			fail_msg("%s: %s", bad[i].line, error);
		assert_error(rc, -EINVAL, expected);
		assert_null(strstr(error, "hunter2"));
	}
}

static void
test_nul_octets(void **state)
{
	static const char in_secret[] = "1 sha256 linux text:a\0b\n";
	static const char in_word[] = "1\0 sha256 linux text:a\n";

	(void)state;
	assert_error(parse(in_secret, sizeof(in_secret) - 1), -EINVAL,
		     "F:1: a NUL octet; write such a secret as hex:");
	assert_error(parse(in_word, sizeof(in_word) - 1), -EINVAL,
		     "F:1: a NUL octet; write such a secret as hex:");
}

static void
test_long_lines(void **state)
{
	char text[4096];
	int len;

	(void)state;
	/* 1024 octets are a line still, and so is a comment of any length. */
	len = sprintf(text, "#%2000s\n%1023s\n", "", "1");
	assert_error(parse(text, (size_t)len), -EINVAL, "F:2: the algorithm is missing");
	len = sprintf(text, "#%2000s\n%1024s\n", "", "1 ");
	assert_error(parse(text, (size_t)len), -EINVAL, "F:2: the algorithm is missing");
	len = sprintf(text, "#%2000s\n%1025s\n", "", "1 ");
	assert_error(parse(text, (size_t)len), -EINVAL, "F:2: longer than 1024 octets");
}

static void
test_an_id_twice(void **state)
{
	static const char twice[] = "9 sha1 linux text:a\n\n7 sha1 linux text:a\n"
				    "# x\n8 sha1 linux text:b\n0x7 sha256 linux text:a\n";
	static const char more[] = "3 sha1 linux text:a\n2 sha1 linux text:a\n1 sha1 linux text:b\n"
				   "2 sha1 linux text:a\n1 sha1 linux text:a\n2 sha1 linux text:a";

	(void)state;
	assert_error(parse(twice, strlen(twice)), -EEXIST, "F:6: key 7 is on line 3, too");
	assert_error(parse(more, strlen(more)), -EEXIST, "F:4: key 2 is on line 2, too");
}

static void
test_short_error_buffers(void **state)
{
	char room[16];

	(void)state;
	memset(room, 'x', sizeof(room));
	assert_int_equal(keyring_file_parse("F", "0", 1, &specs, &n, room, 0), -EINVAL);
	assert_int_equal(room[0], 'x');
	for (size_t size = 1; size < sizeof(room); size++) {
		memset(room, 'x', sizeof(room));
		assert_int_equal(keyring_file_parse("F", "0", 1, &specs, &n, room, size), -EINVAL);
		assert_int_equal(strlen(room), size - 1);
		assert_int_equal(strncmp(room, "F:1: " BAD_ID, size - 1), 0);
		assert_int_equal(room[size], 'x');
	}
}

/* Whatever stands there: an answer, and none of it beyond the buffer. */
static void
test_mutilated_text(void **state)
{
	static const char text[] = "# c\n1 sha256 linux text:abc\n0x2 sha1 rfc8754 hex:0a0B\n\n"
				   "3 sha512 linux text: d \n";
	static const char octets[] = "\0\r\n \t#0xgf:";
	unsigned right = 0;
	char copy[sizeof(text)];

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++)
		if (parse(text, len) == 0)
			keyring_specs_free(specs, n);
	srand(1);
	for (unsigned i = 0; i < 100000; i++) {
		memcpy(copy, text, sizeof(text));
		for (int k = rand() % 3; k >= 0; k--)
			copy[(size_t)rand() % (sizeof(text) - 1)] =
				rand() % 4 ? octets[(size_t)rand() % sizeof(octets)] : (char)rand();
		if (parse(copy, sizeof(text) - 1) != 0) {
			assert_memory_equal(error, "F:", 2);
			continue;
		}
		right++;
		for (unsigned k = 0; k < n; k++) {
			assert_int_not_equal(specs[k].id, 0);
			assert_in_range(specs[k].secret_len, 1, HMAC_SECRET_MAX);
			assert_true((unsigned)specs[k].algorithm < HMAC_ALGORITHMS);
			assert_true((unsigned)specs[k].profile < HMAC_PROFILES);
		}
		keyring_specs_free(specs, n);
	}
	assert_in_range(right, 1000, 99000);
}

static void
test_id_words(void **state)
{
	uint32_t id = 5;

	(void)state;
	assert_int_equal(keyring_id_parse("4294967295x", 10, &id), 0);
	assert_int_equal(id, UINT32_MAX);
	assert_int_equal(keyring_id_parse("", 0, &id), -EINVAL);
	assert_int_equal(keyring_id_parse("0", 1, &id), -EINVAL);
	assert_int_equal(keyring_id_parse("00", 2, &id), -EINVAL);
	assert_int_equal(keyring_id_parse("0x", 2, &id), -EINVAL);
	assert_int_equal(keyring_id_parse("1 ", 2, &id), -EINVAL);
	assert_int_equal(keyring_id_parse(" 1", 2, &id), -EINVAL);
	assert_int_equal(id, UINT32_MAX);
}

/* --- files --- */

static int
make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int
remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static int
remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static int
name_file(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/keys", folder);
	return 0;
}

static void
write_file(const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int
read_path(const char *name)
{
	specs = NULL;
	n = 999;
	error[0] = '\0';
	return keyring_file_read(name, &specs, &n, error, sizeof(error));
}

static void
assert_read_error(int expected, const char *reason)
{
	char text[256];
	int rc = read_path(path);

	snprintf(text, sizeof(text), "%s%s", path, reason);
	assert_error(rc, expected, text);
}

static void
test_reads_a_file(void **state)
{
	const mode_t modes[] = {0600, 0400};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		write_file("1 sha256 linux text:abc\n", modes[i]);
		assert_int_equal(read_path(path), 0);
		assert_int_equal(n, 1);
		assert_spec(0, 1, HMAC_SHA256, HMAC_LINUX, "abc");
		keyring_specs_free(specs, n);
		unlink(path);
	}
}

static void
test_names_file_and_line(void **state)
{
	(void)state;
	write_file("1 sha256 linux text:abc\n2 sha3\n", 0600);
	assert_read_error(-EINVAL, ":2: " BAD_ALGORITHM);
}

static void
test_refuses_files_that_others_may_open(void **state)
{
	const mode_t modes[] = {0640, 0620, 0610, 0604, 0602, 0601, 0644, 0666, 0777, 0700, 04600};

	(void)state;
	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		char reason[128];

		write_file("1 sha256 linux text:abc\n", modes[i]);
		snprintf(reason, sizeof(reason), ": mode %04o; a key file must be 0600 or stricter",
			 (unsigned)modes[i]);
		assert_read_error(-EACCES, reason);
		unlink(path);
	}
}

static void
test_refuses_files_of_others(void **state)
{
	(void)state;
	write_file("1 sha256 linux text:abc\n", 0600);
	if (chown(path, 12345, 0) < 0) {
		print_message("only root can give files away\n");
		skip();
	}
	assert_read_error(-EACCES, ": belongs to user 12345; a key file must be root's or the "
				   "gateway's own");
}

static void
test_refuses_what_is_no_file(void **state)
{
	(void)state;
	assert_read_error(-ENOENT, ": No such file or directory");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_read_error(-EINVAL, ": not a regular file");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_read_error(-EINVAL, ": not a regular file");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(read_path("/dev/null"), -EINVAL);
	assert_string_equal(error, "/dev/null: not a regular file");
}

static void
test_judges_what_a_link_leads_to(void **state)
{
	char link[sizeof(path) + 8];

	(void)state;
	snprintf(link, sizeof(link), "%s.link", path);
	write_file("1 sha256 linux text:abc\n", 0600);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(read_path(link), 0);
	keyring_specs_free(specs, n);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(read_path(link), -EACCES);
	unlink(link);
}

static void
test_refuses_huge_files(void **state)
{
	(void)state;
	write_file("1 sha256 linux text:abc\n", 0600);
	assert_int_equal(truncate(path, (32 << 20) + 1), 0);
	assert_read_error(-EFBIG, ": larger than 33554432 octets");
	assert_int_equal(truncate(path, 32 << 20), 0);
	assert_read_error(-EINVAL, ":2: longer than 1024 octets");
}

static void
test_error_is_one_line(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/a\nb\033c", folder);
	assert_int_equal(read_path(path), -ENOENT);
	assert_null(strpbrk(error, "\n\033"));
	assert_non_null(strstr(error, "/a?b?c: No such file"));
}

static void
test_a_hundred_thousand_keys(void **state)
{
	FILE *f = fopen(path, "w");
	struct timespec start, end;
	double seconds;

	(void)state;
	assert_non_null(f);
	for (uint32_t i = 1; i <= 100000; i++)
		fprintf(f, "%u sha256 linux text:secret of key %u\n", i * 40503u, i);
	fclose(f);
	assert_int_equal(chmod(path, 0600), 0);
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(read_path(path), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_int_equal(n, 100000);
	assert_spec(99999, 100000 * 40503u, HMAC_SHA256, HMAC_LINUX, "secret of key 100000");
	keyring_specs_free(specs, n);
	seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	print_message("100000 keys in %.3f s\n", seconds);
}

static void
test_too_many_keys(void **state)
{
	FILE *f = fopen(path, "w");

	(void)state;
	assert_non_null(f);
	for (uint32_t i = 1; i <= (1u << 18) + 1; i++)
		fprintf(f, "%u sha1 linux text:x\n", i);
	fclose(f);
	assert_int_equal(chmod(path, 0600), 0);
	assert_read_error(-E2BIG, ":262145: more than 262144 keys");
}

#define FILE_TEST(f) cmocka_unit_test_setup_teardown(f, name_file, remove_file)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_example_of_the_docs),
		cmocka_unit_test(test_files_without_a_key),
		cmocka_unit_test(test_good_lines),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_nul_octets),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_an_id_twice),
		cmocka_unit_test(test_short_error_buffers),
		cmocka_unit_test(test_mutilated_text),
		cmocka_unit_test(test_id_words),
		FILE_TEST(test_reads_a_file),
		FILE_TEST(test_names_file_and_line),
		FILE_TEST(test_refuses_files_that_others_may_open),
		FILE_TEST(test_refuses_files_of_others),
		FILE_TEST(test_refuses_what_is_no_file),
		FILE_TEST(test_judges_what_a_link_leads_to),
		FILE_TEST(test_refuses_huge_files),
		FILE_TEST(test_error_is_one_line),
		FILE_TEST(test_a_hundred_thousand_keys),
		FILE_TEST(test_too_many_keys),
	};

	return cmocka_run_group_tests_name("keyring-file", tests, make_folder, remove_folder);
}
