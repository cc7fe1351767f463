/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers look without pause while control changes keys under them. What a reader finds must be a
 * key of this ID whole and right, old or new but never older than seen before, and stay so until
 * the reader reports; what is only ever replaced must always be there; what was deleted must be
 * gone once control is told so.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_hash.h>

#include "eal.h"
#include "keyring_fixture.h"

#define READERS 3u /* as many as the fixture's keyrings have workers */
#define VERSIONS 4u
#define REPLACED 16u /* IDs 1 to 16: replaced, never absent */
#define CONSTANT 17u /* this ID: never changed */
#define COMING 16u   /* IDs 18 to 33: come and go */
#define IDS (1u + REPLACED + 1u + COMING)
#define NO_PLACE 999u /* this ID: the hash table has no place for it (--wrap) */
#define BURST 64u
#ifdef __SANITIZE_ADDRESS__
#define CHANGES 5000u
#else
#define CHANGES 10000u
#endif

/* --- the hash table, by way of --wrap --- */

#ifdef __SANITIZE_THREAD__
/* The thread sanitizer does not see the loads and stores of DPDK's libraries that order things:
 * tell it what they say, so that it finds what is not ordered by them. */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
#define in_library(kind, call)                                                                     \
	({                                                                                         \
		AnnotateIgnore##kind##Begin(__FILE__, __LINE__);                                   \
		__auto_type in_library_rc = (call);                                                \
		AnnotateIgnore##kind##End(__FILE__, __LINE__);                                     \
		in_library_rc;                                                                     \
	})
#define published(data) __tsan_release(data)
#define found(data) __tsan_acquire(data)
#else
#define in_library(kind, call) (call)
#define published(data) ((void)(data))
#define found(data) ((void)(data))
#endif

int __real_rte_hash_add_key_with_hash_data(const struct rte_hash *h, const void *key,
					   hash_sig_t sig, void *data);
int __wrap_rte_hash_add_key_with_hash_data(const struct rte_hash *h, const void *key,
					   hash_sig_t sig, void *data);
int __real_rte_hash_lookup_with_hash_data(const struct rte_hash *h, const void *key, hash_sig_t sig,
					  void **data);
int __wrap_rte_hash_lookup_with_hash_data(const struct rte_hash *h, const void *key, hash_sig_t sig,
					  void **data);
int __real_rte_hash_lookup_with_hash_bulk_data(const struct rte_hash *h, const void **keys,
					       hash_sig_t *sig, uint32_t n, uint64_t *hits,
					       void *data[]);
int __wrap_rte_hash_lookup_with_hash_bulk_data(const struct rte_hash *h, const void **keys,
					       hash_sig_t *sig, uint32_t n, uint64_t *hits,
					       void *data[]);

int
__wrap_rte_hash_add_key_with_hash_data(const struct rte_hash *h, const void *key, hash_sig_t sig,
				       void *data)
{
	static unsigned adds;

	/* Time for readers to see what they must not. */
	if (*(const uint32_t *)key == NO_PLACE || ++adds % 16 == 0)
		usleep(20);
	if (*(const uint32_t *)key == NO_PLACE)
		return -ENOSPC;
	published(data);
	return in_library(Writes, __real_rte_hash_add_key_with_hash_data(h, key, sig, data));
}

int
__wrap_rte_hash_lookup_with_hash_data(const struct rte_hash *h, const void *key, hash_sig_t sig,
				      void **data)
{
	int rc = in_library(Reads, __real_rte_hash_lookup_with_hash_data(h, key, sig, data));

	if (rc >= 0)
		found(*data);
	return rc;
}

int
__wrap_rte_hash_lookup_with_hash_bulk_data(const struct rte_hash *h, const void **keys,
					   hash_sig_t *sig, uint32_t n, uint64_t *hits,
					   void *data[])
{
	int rc = in_library(
		Reads, __real_rte_hash_lookup_with_hash_bulk_data(h, keys, sig, n, hits, data));

	for (uint32_t i = 0; i < n; i++)
		if (*hits >> i & 1)
			found(data[i]);
	return rc;
}

/* --- readers --- */

static struct hmac_key expected[IDS][VERSIONS];
/* Odd while control knows the ID to be absent and no reader to hold it. */
static uint32_t absence[IDS];
static bool stop;

struct reader {
	pthread_t thread;
	unsigned index;
	uint64_t looks;
	uint64_t generation[IDS];
	const char *wrong;
	uint32_t wrong_id;
	uint64_t verified; /* lookups of CONSTANT, which the keyring must count, too */
};

static void
complain(struct reader *reader, uint32_t id, const char *wrong)
{
	if (reader->wrong == NULL) {
		reader->wrong = wrong;
		reader->wrong_id = id;
	}
}

/* The version that the key is of, or VERSIONS if it is none. */
static unsigned
version_of(const struct keyring_key *key, uint32_t id)
{
	unsigned v;

	for (v = 0; v < VERSIONS; v++)
		if (key->id == id &&
		    memcmp(key->hmac.inner, expected[id][v].inner, sizeof(key->hmac.inner)) == 0 &&
		    memcmp(key->hmac.outer, expected[id][v].outer, sizeof(key->hmac.outer)) == 0)
			break;
	return v;
}

static void
check(struct reader *reader, uint32_t id, const struct keyring_key *key)
{
	reader->looks++;
	if (key == NULL) {
		if (id != 0 && id <= CONSTANT)
			complain(reader, id, "is missing");
		return;
	}
	if (id == 0)
		complain(reader, id, "is no ID");
	if (version_of(key, id) == VERSIONS)
		complain(reader, id, "is of no version");
	if (key->generation < reader->generation[id])
		complain(reader, id, "went back to an older key");
	reader->generation[id] = key->generation;
}

static void
look_one_by_one(struct reader *reader, unsigned *seed, uint32_t *ids,
		const struct keyring_key **keys)
{
	for (unsigned i = 0; i < BURST; i++) {
		uint32_t id = ids[i] = (uint32_t)rand_r(seed) % IDS;
		uint32_t before = __atomic_load_n(&absence[id], __ATOMIC_ACQUIRE);

		keys[i] = keyring_lookup(keyring, id);
		if (keys[i] != NULL && before % 2 == 1 &&
		    __atomic_load_n(&absence[id], __ATOMIC_ACQUIRE) == before)
			complain(reader, id, "was seen after it was gone");
	}
}

static void
look_in_bulk(unsigned *seed, uint32_t *ids, const struct keyring_key **keys)
{
	for (unsigned i = 0; i < BURST; i++)
		ids[i] = (uint32_t)rand_r(seed) % IDS;
	keyring_lookup_bulk(keyring, ids, BURST, keys);
}

static void *
look(void *arg)
{
	struct reader *reader = arg;
	struct keyring_use *use = keyring_use(keyring, reader->index);
	const struct keyring_key *keys[BURST];
	unsigned version[BURST], seed = reader->index;
	uint32_t ids[BURST];

	rte_rcu_qsbr_thread_online(rcu, reader->index);
	for (unsigned round = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); round++) {
		if (round % 2 == 0)
			look_one_by_one(reader, &seed, ids, keys);
		else
			look_in_bulk(&seed, ids, keys);
		for (unsigned i = 0; i < BURST; i++) {
			check(reader, ids[i], keys[i]);
			version[i] = keys[i] != NULL ? version_of(keys[i], ids[i]) : 0;
			if (ids[i] == CONSTANT && keys[i] != NULL) {
				reader->verified++;
				__atomic_store_n(&use[keys[i]->slot].verified, reader->verified,
						 __ATOMIC_RELAXED);
			}
		}
		/* Preempted in the middle or not, all of them are as they were. */
		for (unsigned i = 0; i < BURST; i++)
			if (keys[i] != NULL && version_of(keys[i], ids[i]) != version[i])
				complain(reader, ids[i], "changed while it was held");
		rte_rcu_qsbr_quiescent(rcu, reader->index);
	}
	rte_rcu_qsbr_thread_offline(rcu, reader->index);
	return NULL;
}

/* --- control --- */

static void
start(struct reader *readers)
{
	memset(readers, 0, READERS * sizeof(*readers));
	memset(absence, 0, sizeof(absence));
	stop = false;
	for (unsigned i = 0; i < READERS; i++) {
		readers[i].index = i;
		assert_int_equal(rte_rcu_qsbr_thread_register(rcu, i), 0);
		assert_int_equal(pthread_create(&readers[i].thread, NULL, look, &readers[i]), 0);
	}
}

static void
finish(struct reader *readers)
{
	uint64_t looks = 0, verified = 0;
	struct keyring_info info;

	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		assert_int_equal(rte_rcu_qsbr_thread_unregister(rcu, i), 0);
		looks += readers[i].looks;
		verified += readers[i].verified;
	}
	for (unsigned i = 0; i < READERS; i++) {
		if (readers[i].wrong != NULL)
			fail_msg("key %u %s", readers[i].wrong_id, readers[i].wrong);
		assert_true(readers[i].looks > 0);
	}
	assert_int_equal(keyring_reclaim(keyring), 0);
	assert_int_equal(keyring_info(keyring, CONSTANT, &info), 0);
	assert_int_equal(info.use.verified, verified);
	print_message("%lu looks\n", (unsigned long)looks);
}

/* Try again until readers let go of a slot. */
static int
set_patiently(uint32_t id, unsigned version)
{
	int rc;

	while ((rc = set(id, version)) == -EBUSY)
		sched_yield();
	return rc;
}

static void
come_or_go(uint32_t id, unsigned version, bool wait)
{
	if (keyring_lookup(keyring, id) == NULL) {
		if (absence[id] % 2 == 1)
			__atomic_store_n(&absence[id], absence[id] + 1, __ATOMIC_SEQ_CST);
		assert_int_equal(set_patiently(id, version), 0);
		return;
	}
	assert_int_equal(keyring_del(keyring, id), 0);
	if (!wait)
		return;
	while (!keyring_settled(keyring, keyring_mark(keyring)))
		sched_yield();
	__atomic_store_n(&absence[id], absence[id] + 1, __ATOMIC_RELEASE);
}

static void
test_single_changes(void **state)
{
	struct reader readers[READERS];
	unsigned seed = 1;

	(void)state;
	for (uint32_t id = 1; id <= CONSTANT; id++)
		assert_int_equal(add(id, 0), 0);
	start(readers);
	for (unsigned i = 0; i < CHANGES; i++) {
		uint32_t id = (uint32_t)rand_r(&seed);
		unsigned version = (unsigned)rand_r(&seed) % VERSIONS;

		if (i % 2 == 0)
			assert_int_equal(set_patiently(id % REPLACED + 1, version), 0);
		else
			come_or_go(id % COMING + CONSTANT + 1, version, i % 64 == 1);
	}
	finish(readers);
}

static void
test_whole_tables(void **state)
{
	struct reader readers[READERS];
	struct keyring_spec specs[IDS];
	unsigned seed = 1, bad;

	(void)state;
	for (uint32_t id = 1; id <= CONSTANT; id++)
		assert_int_equal(add(id, 0), 0);
	start(readers);
	for (unsigned i = 0; i < CHANGES / 16; i++) {
		unsigned n = 0;
		int rc;

		for (uint32_t id = 1; id < IDS; id++)
			if (id <= CONSTANT || rand_r(&seed) % 2 == 0)
				specs[n++] = numbered(id, id == CONSTANT ? 0
									 : (unsigned)rand_r(&seed) %
										   VERSIONS);
		while ((rc = keyring_replace_all(keyring, specs, n, &bad)) == -EBUSY)
			sched_yield();
		assert_int_equal(rc, 0);
		assert_int_equal(keyring_count(keyring), n);
		/* Whole, but for the last: what was prepared of it must never be seen. */
		for (unsigned k = 0; k < COMING; k++)
			specs[k] = numbered(CONSTANT + 1 + k, VERSIONS);
		specs[COMING] = numbered(NO_PLACE, VERSIONS);
		do
			rc = keyring_replace_all(keyring, specs, COMING + 1, &bad);
		while (rc == -EBUSY && sched_yield() == 0);
		assert_int_equal(rc, -ENOSPC);
		assert_int_equal(bad, COMING);
		assert_int_equal(keyring_count(keyring), n);
	}
	finish(readers);
}

static int
setup_256(void **state)
{
	(void)state;
	return create(256);
}

static int
run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_single_changes, setup_256, teardown),
		cmocka_unit_test_setup_teardown(test_whole_tables, setup_256, teardown),
	};

	for (uint32_t id = 1; id < IDS; id++)
		for (unsigned v = 0; v < VERSIONS; v++) {
			struct keyring_spec spec = numbered(id, v);

			if (hmac_key_prepare(&expected[id][v], spec.algorithm, spec.secret,
					     spec.secret_len) != 0)
				return 1;
		}
	return cmocka_run_group_tests_name("keyring-threads", tests, NULL, NULL);
}

int
main(void)
{
	return keyring_fixture_main(run);
}
