/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the keyring asks of others fails: memory, hash table, key preparation. The linker leads
 * those calls here (--wrap). Nothing may have changed then, and nothing may be lost.
 */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>

#include "eal.h"
#include "keyring_fixture.h"

/* The call that fails, counted from 1; 0: none. */
static unsigned fail_call;
static unsigned calls;

static bool
fails(void)
{
	return ++calls == fail_call;
}

int __real_hmac_key_prepare(struct hmac_key *key, enum hmac_algorithm algorithm,
			    const uint8_t *secret, size_t len);
int __wrap_hmac_key_prepare(struct hmac_key *key, enum hmac_algorithm algorithm,
			    const uint8_t *secret, size_t len);
int __real_hmac_compute(enum hmac_algorithm algorithm, const uint8_t *secret, size_t len,
			const uint8_t *text, size_t text_len, uint8_t tag[HMAC_TAG_MAX]);
int __wrap_hmac_compute(enum hmac_algorithm algorithm, const uint8_t *secret, size_t len,
			const uint8_t *text, size_t text_len, uint8_t tag[HMAC_TAG_MAX]);
void *__real_hmac_pages_alloc(size_t size, int socket);
void *__wrap_hmac_pages_alloc(size_t size, int socket);
int __real_rte_hash_add_key_with_hash_data(const struct rte_hash *h, const void *key,
					   hash_sig_t sig, void *data);
int __wrap_rte_hash_add_key_with_hash_data(const struct rte_hash *h, const void *key,
					   hash_sig_t sig, void *data);
struct rte_hash *__real_rte_hash_create(const struct rte_hash_parameters *params);
struct rte_hash *__wrap_rte_hash_create(const struct rte_hash_parameters *params);
void *__real_rte_zmalloc_socket(const char *type, size_t size, unsigned align, int socket);
void *__wrap_rte_zmalloc_socket(const char *type, size_t size, unsigned align, int socket);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void __real_free(void *p);
void __wrap_free(void *p);
void __real_hmac_pages_free(void *p, size_t size);
void __wrap_hmac_pages_free(void *p, size_t size);

int
__wrap_hmac_key_prepare(struct hmac_key *key, enum hmac_algorithm algorithm, const uint8_t *secret,
			size_t len)
{
	return fails() ? -ENOTSUP : __real_hmac_key_prepare(key, algorithm, secret, len);
}

int
__wrap_hmac_compute(enum hmac_algorithm algorithm, const uint8_t *secret, size_t len,
		    const uint8_t *text, size_t text_len, uint8_t tag[HMAC_TAG_MAX])
{
	return fails() ? -ENOTSUP
		       : __real_hmac_compute(algorithm, secret, len, text, text_len, tag);
}

void *
__wrap_hmac_pages_alloc(size_t size, int socket)
{
	return fails() ? NULL : __real_hmac_pages_alloc(size, socket);
}

int
__wrap_rte_hash_add_key_with_hash_data(const struct rte_hash *h, const void *key, hash_sig_t sig,
				       void *data)
{
	return fails() ? -ENOSPC : __real_rte_hash_add_key_with_hash_data(h, key, sig, data);
}

struct rte_hash *
__wrap_rte_hash_create(const struct rte_hash_parameters *params)
{
	rte_errno = ENOMEM;
	return fails() ? NULL : __real_rte_hash_create(params);
}

void *
__wrap_rte_zmalloc_socket(const char *type, size_t size, unsigned align, int socket)
{
	return fails() ? NULL : __real_rte_zmalloc_socket(type, size, align, socket);
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *
__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

/* Memory that was given back with something of a key in it. */
static unsigned leaks;
static const char canary[] = "canary in a coal mine";

void
__wrap_free(void *p)
{
	if (p != NULL && memmem(p, malloc_usable_size(p), canary, strlen(canary)) != NULL)
		leaks++;
	__real_free(p);
}

void
__wrap_hmac_pages_free(void *p, size_t size)
{
	for (size_t i = 0; p != NULL && i < size; i++)
		leaks += ((const uint8_t *)p)[i] != 0;
	__real_hmac_pages_free(p, size);
}

static void
fail_at(unsigned call)
{
	calls = 0;
	fail_call = call;
}

/* Nothing fails any more. Whether the call that was to fail was reached. */
static bool
failed_at(unsigned call)
{
	fail_call = 0;
	return calls >= call;
}

static unsigned
fail_each_call_of_create(bool keep_secrets)
{
	struct keyring_conf conf = conf_of(8);
	unsigned before = eal_allocations(), call;
	struct keyring *made;

	conf.keep_secrets = keep_secrets;
	for (call = 1;; call++) {
		fail_at(call);
		rte_errno = 0;
		made = keyring_create(&conf);
		fail_call = 0;
		if (made != NULL)
			break;
		assert_int_equal(rte_errno, ENOMEM);
		assert_int_equal(eal_allocations(), before);
	}
	keyring_destroy(made);
	assert_int_equal(eal_allocations(), before);
	return call;
}

static void
test_create(void **state)
{
	unsigned calls_without = fail_each_call_of_create(false);

	(void)state;
	assert_true(calls_without > 10);
	/* The secrets' arena. */
	assert_int_equal(fail_each_call_of_create(true), calls_without + 1);
}

static void
test_add(void **state)
{
	struct keyring_spec spec = numbered(5, 0);
	unsigned call;
	int rc;

	(void)state;
	assert_int_equal(add(6, 0), 0);
	for (call = 1; fail_at(call), rc = keyring_add(keyring, &spec), failed_at(call); call++) {
		assert_true(rc == -ENOTSUP || rc == -ENOSPC);
		assert_null(keyring_lookup(keyring, 5));
		assert_int_equal(keyring_count(keyring), 1);
		assert_int_equal(keyring_reclaim(keyring), 0);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(call, 4);
	assert_version(5, 0);
	assert_version(6, 0);
}

static void
test_set(void **state)
{
	struct keyring_spec spec = numbered(5, 1);
	const struct keyring_key *old;
	unsigned call;
	int rc;

	(void)state;
	assert_int_equal(add(5, 0), 0);
	old = keyring_lookup(keyring, 5);
	for (call = 1; fail_at(call), rc = keyring_set(keyring, &spec), failed_at(call); call++) {
		assert_true(rc == -ENOTSUP || rc == -ENOSPC);
		assert_ptr_equal(keyring_lookup(keyring, 5), old);
		assert_version(5, 0);
		assert_int_equal(keyring_reclaim(keyring), 0);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(call, 4);
	assert_version(5, 1);
	assert_int_equal(keyring_count(keyring), 1);
}

/* No slot and no position may be lost on the way: a hundred times more failures than slots. */
static void
test_failures_cost_nothing(void **state)
{
	struct keyring_spec spec = numbered(5, 0);

	(void)state;
	for (unsigned i = 0; i < 6400; i++) {
		fail_at(i % 3 + 1);
		assert_true(keyring_add(keyring, &spec) < 0);
	}
	fail_call = 0;
	for (uint32_t id = 1; id <= 8; id++)
		assert_int_equal(add(id, 0), 0);
}

static void
test_replace_all(void **state)
{
	/* 1 stays, 2 and 3 change, 4 goes, 11 to 13 come. */
	struct keyring_spec specs[] = {numbered(11, 0), numbered(1, 0), numbered(2, 1),
				       numbered(12, 0), numbered(3, 1), numbered(13, 0)};
	const struct keyring_key *before[5];
	unsigned call, bad;
	int rc;

	(void)state;
	for (uint32_t id = 1; id <= 4; id++) {
		assert_int_equal(add(id, 0), 0);
		before[id] = keyring_lookup(keyring, id);
	}
	/* Only what can fail: the pointer stores of the commit cannot. 1 memory, 6 keys with
	 * their fingerprints, 3 places for new IDs. */
	for (call = 1; call <= 1 + 2 * 6 + 3; call++) {
		bad = 999;
		fail_at(call);
		rc = keyring_replace_all(keyring, specs, 6, &bad);
		fail_call = 0;
		assert_int_equal(rc, call == 1 ? -ENOMEM : call <= 13 ? -ENOTSUP : -ENOSPC);
		if (call > 1 && call <= 13)
			assert_int_equal(bad, (call - 2) / 2);
		assert_int_equal(keyring_count(keyring), 4);
		for (uint32_t id = 1; id <= 4; id++) {
			assert_ptr_equal(keyring_lookup(keyring, id), before[id]);
			assert_version(id, 0);
		}
		for (uint32_t id = 11; id <= 13; id++)
			assert_null(keyring_lookup(keyring, id));
		assert_int_equal(keyring_reclaim(keyring), 0);
	}
	fail_call = 0;
	assert_int_equal(keyring_replace_all(keyring, specs, 6, &bad), 0);
	assert_int_equal(keyring_count(keyring), 6);
	assert_version(1, 0);
	assert_version(2, 1);
	assert_version(3, 1);
	assert_null(keyring_lookup(keyring, 4));
	assert_version(13, 0);
}

/* Places that new IDs had taken are given back when readers are through, not before. */
static void
test_replace_all_while_a_reader_is_stuck(void **state)
{
	struct keyring_spec specs[8];
	unsigned bad;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		specs[i] = numbered(20 + i, 0);
	reader_start();
	fail_at(1 + 2 * 8 + 8);
	assert_int_equal(keyring_replace_all(keyring, specs, 8, &bad), -ENOSPC);
	fail_call = 0;
	assert_int_equal(bad, 7);
	assert_int_equal(keyring_reclaim(keyring), 7);
	for (uint32_t id = 20; id < 28; id++)
		assert_null(keyring_lookup(keyring, id));
	assert_int_equal(keyring_replace_all(keyring, specs, 8, &bad), 0);
	for (uint32_t id = 20; id < 28; id++)
		assert_version(id, 0);
	reader_report();
	assert_int_equal(keyring_reclaim(keyring), 0);
	reader_stop();
}

static int
parse(const char *text, struct keyring_spec **specs, unsigned *n, char error[128])
{
	return keyring_file_parse("F", text, strlen(text), specs, n, error, 128);
}

static void
test_file(void **state)
{
	static const char text[] = "1 sha256 linux text:a\n2 sha256 linux text:b\n";
	struct keyring_spec *specs = NULL;
	char error[128];
	unsigned n = 999, call;
	int rc;

	(void)state;
	for (call = 1; fail_at(call), rc = parse(text, &specs, &n, error), failed_at(call);
	     call++) {
		assert_int_equal(rc, -ENOMEM);
		assert_string_equal(error, "F: no memory for 2 keys");
		assert_null(specs);
		assert_int_equal(n, 999);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(call, 4);
	assert_int_equal(n, 2);
	keyring_specs_free(specs, n);
}

/* --- nothing of a key stays behind --- */

static void
destroy_wipes(bool keep_secrets)
{
	struct keyring_conf conf = conf_of(8);

	conf.keep_secrets = keep_secrets;
	leaks = 0;
	keyring = keyring_create(&conf);
	assert_non_null(keyring);
	reader_start();
	for (uint32_t id = 1; id <= 8; id++)
		assert_int_equal(add(id, 0), 0);
	assert_int_equal(set(1, 1), 0);
	assert_int_equal(keyring_del(keyring, 2), 0);
	assert_int_equal(keyring_reclaim(keyring), 2);
	reader_stop();
	keyring_destroy(keyring);
	keyring = NULL;
	assert_int_equal(leaks, 0);
}

static void
test_destroy_wipes(void **state)
{
	(void)state;
	destroy_wipes(false);
	destroy_wipes(true);
}

static void
test_files_are_wiped(void **state)
{
	static const char *const ends[] = {"", "2 sha256 linux text:canary in a coal mine\nbad\n",
					   "1 sha1 linux text:canary in a coal mine"};
	char path[] = "/tmp/segseal-key-XXXXXX", error[128];
	struct keyring_spec *specs;
	int fd = mkstemp(path);
	char *copy;
	unsigned n;

	(void)state;
	assert_true(fd >= 0);
	leaks = 0;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		dprintf(fd, "1 sha256 linux text:%s\n%s", canary, ends[i]);
		if (keyring_file_read(path, &specs, &n, error, sizeof(error)) == 0) {
			assert_int_equal(i, 0);
			assert_memory_equal(specs[0].secret, canary, strlen(canary));
			keyring_specs_free(specs, n);
		}
		assert_null(strstr(error, "canary"));
	}
	close(fd);
	unlink(path);
	assert_int_equal(leaks, 0);
	/* That a leak would be seen: */
	copy = strdup(canary);
	/* Or the compiler makes nothing of the two. */
	__asm__ volatile("" ::"r"(copy) : "memory");
	free(copy);
	assert_int_equal(leaks, 1);
}

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create),
		cmocka_unit_test_setup_teardown(test_add, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_set, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_failures_cost_nothing, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_replace_all, setup_small, teardown),
		cmocka_unit_test_setup_teardown(test_replace_all_while_a_reader_is_stuck,
						setup_small, teardown),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_destroy_wipes),
		cmocka_unit_test(test_files_are_wiped),
	};

	return cmocka_run_group_tests_name("keyring-fail", tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
