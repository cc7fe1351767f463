/* SPDX-License-Identifier: BSD-3-Clause */
/* Protected prefixes against a list that is searched bit by bit. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "eal.h"
#include "gate/sids.h"

#define READERS 2u
#define READER READERS /* the test's own, whose reports it gives by hand */

struct prefix {
	uint8_t addr[16];
	uint8_t depth;
};

static struct rte_rcu_qsbr *rcu;
static struct sids *sids;
static struct prefix model[SIDS_MAX];
static unsigned models;

static int
setup(void **state)
{
	(void)state;
	sids = sids_create(rcu, 0);
	models = 0;
	return sids != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	sids_destroy(sids);
	sids = NULL;
	return 0;
}

static struct prefix
parse(const char *text)
{
	struct prefix prefix;
	char addr[INET6_ADDRSTRLEN];
	const char *slash = strchr(text, '/');

	snprintf(addr, sizeof(addr), "%.*s", (int)(slash - text), text);
	assert_int_equal(inet_pton(AF_INET6, addr, prefix.addr), 1);
	prefix.depth = (uint8_t)atoi(slash + 1);
	return prefix;
}

static int
add(const char *text)
{
	struct prefix prefix = parse(text);

	return sids_add(sids, prefix.addr, prefix.depth);
}

static int
del(const char *text)
{
	struct prefix prefix = parse(text);

	return sids_del(sids, prefix.addr, prefix.depth);
}

static bool
covers_octets(const uint8_t addr[16])
{
	const struct sids_table *table = sids_table(sids);

	return table != NULL && sids_covers(table, addr);
}

static bool
covers(const char *text)
{
	uint8_t room[17]; /* at an odd address */

	assert_int_equal(inet_pton(AF_INET6, text, room + 1), 1);
	return covers_octets(room + 1);
}

static void
test_none(void **state)
{
	(void)state;
	assert_null(sids_table(sids));
	assert_int_equal(sids_count(sids), 0);
	assert_int_equal(sids_reclaim(sids), 0);
}

static void
test_edges_of_a_prefix(void **state)
{
	(void)state;
	assert_int_equal(add("2001:db8:1::/48"), 0);
	assert_non_null(sids_table(sids));
	assert_false(covers("2001:db8:0:ffff:ffff:ffff:ffff:ffff"));
	assert_true(covers("2001:db8:1::"));
	assert_true(covers("2001:db8:1:8000::1"));
	assert_true(covers("2001:db8:1:ffff:ffff:ffff:ffff:ffff"));
	assert_false(covers("2001:db8:2::"));
	assert_false(covers("::"));
	assert_false(covers("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
	assert_int_equal(del("2001:db8:1::/48"), 0);
	assert_null(sids_table(sids));
}

static void
test_one_address(void **state)
{
	(void)state;
	assert_int_equal(add("fc00::1:0:0:0:0/128"), 0);
	assert_false(covers("fc00::0:ffff:ffff:ffff:ffff"));
	assert_true(covers("fc00::1:0:0:0:0"));
	assert_false(covers("fc00::1:0:0:0:1"));
}

static void
test_all_addresses(void **state)
{
	(void)state;
	assert_int_equal(add("::/0"), 0);
	assert_int_equal(add("::/128"), 0);
	assert_int_equal(add("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"), 0);
	assert_true(covers("::"));
	assert_true(covers("2001:db8::1"));
	assert_true(covers("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
	assert_int_equal(del("::/0"), 0);
	assert_true(covers("::"));
	assert_false(covers("::1"));
	assert_false(covers("2001:db8::1"));
	assert_false(covers("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"));
	assert_true(covers("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
}

static void
test_every_depth(void **state)
{
	struct prefix p = {.depth = 0};

	(void)state;
	for (unsigned depth = 0; depth <= 128; depth++) {
		uint8_t addr[16];

		memset(p.addr, 0, sizeof(p.addr));
		for (unsigned bit = 0; bit < depth; bit++)
			p.addr[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
		assert_int_equal(sids_add(sids, p.addr, (uint8_t)depth), 0);
		memset(addr, 0xff, sizeof(addr));
		assert_true(covers_octets(addr));
		assert_true(covers_octets(p.addr));
		if (depth != 0) {
			addr[(depth - 1) / 8] ^= (uint8_t)(0x80 >> (depth - 1) % 8);
			assert_false(covers_octets(addr));
		}
		assert_int_equal(sids_del(sids, p.addr, (uint8_t)depth), 0);
	}
}

/* A prefix inside another outlives it, and the other way round. */
static void
test_nested(void **state)
{
	(void)state;
	assert_int_equal(add("2001:db8::/32"), 0);
	assert_int_equal(add("2001:db8::/48"), 0);
	assert_int_equal(add("2001:db8:7::/48"), 0);
	assert_int_equal(sids_table(sids)->ranges, 1);
	assert_true(covers("2001:db8:8::1"));
	assert_int_equal(del("2001:db8::/32"), 0);
	assert_true(covers("2001:db8:7::1"));
	assert_true(covers("2001:db8::1"));
	assert_false(covers("2001:db8:8::1"));
	assert_int_equal(add("2001:db8::/32"), 0);
	assert_int_equal(del("2001:db8:7::/48"), 0);
	assert_true(covers("2001:db8:7::1"));
}

static void
test_neighbours_become_one_range(void **state)
{
	(void)state;
	assert_int_equal(add("2001:db8:1::/48"), 0);
	assert_int_equal(add("2001:db8:3::/48"), 0);
	assert_int_equal(sids_table(sids)->ranges, 2);
	assert_int_equal(add("2001:db8:2::/48"), 0);
	assert_int_equal(sids_table(sids)->ranges, 1);
	assert_false(covers("2001:db8:0:ffff::"));
	assert_true(covers("2001:db8:1::"));
	assert_true(covers("2001:db8:2::1"));
	assert_true(covers("2001:db8:3:ffff::"));
	assert_false(covers("2001:db8:4::"));
	assert_int_equal(del("2001:db8:2::/48"), 0);
	assert_false(covers("2001:db8:2::1"));
}

static void
test_errors(void **state)
{
	static const uint8_t zero[16];

	(void)state;
	assert_int_equal(sids_add(sids, zero, 129), -EINVAL);
	assert_int_equal(sids_add(sids, zero, 255), -EINVAL);
	assert_int_equal(sids_del(sids, zero, 129), -EINVAL);
	assert_int_equal(add("2001:db8::1/127"), -EINVAL);
	assert_int_equal(add("2001:db8:0:8000::/48"), -EINVAL);
	assert_int_equal(add("::1/0"), -EINVAL);
	assert_int_equal(del("2001:db8:0:8000::/48"), -EINVAL);
	assert_int_equal(del("2001:db8::/32"), -ENOENT);
	assert_int_equal(add("2001:db8::/32"), 0);
	assert_int_equal(add("2001:db8::/32"), -EEXIST);
	assert_int_equal(del("2001:db8::/33"), -ENOENT);
	assert_int_equal(add("2001:db8::/33"), 0);
	assert_int_equal(sids_count(sids), 2);
}

static int
note(const uint8_t prefix[16], uint8_t depth, void *arg)
{
	char **end = arg, addr[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, prefix, addr, sizeof(addr));
	*end += sprintf(*end, "%s/%u ", addr, depth);
	return depth == 33 ? 77 : 0;
}

static void
test_each_is_in_order(void **state)
{
	char text[256] = "", *end = text;

	(void)state;
	assert_int_equal(sids_each(sids, note, &end), 0);
	assert_string_equal(text, "");
	assert_int_equal(add("fc00::/7"), 0);
	assert_int_equal(add("2001:db8::/48"), 0);
	assert_int_equal(add("2001:db8::/32"), 0);
	assert_int_equal(add("2001:db8:1::/48"), 0);
	assert_int_equal(add("::/0"), 0);
	assert_int_equal(sids_each(sids, note, &end), 0);
	assert_string_equal(text, "::/0 2001:db8::/32 2001:db8::/48 2001:db8:1::/48 fc00::/7 ");
	assert_int_equal(add("2001:db8::/33"), 0);
	end = text;
	assert_int_equal(sids_each(sids, note, &end), 77);
	assert_string_equal(text, "::/0 2001:db8::/32 2001:db8::/33 ");
}

/* --- against the model --- */

static bool
model_covers(const uint8_t addr[16])
{
	for (unsigned i = 0; i < models; i++) {
		unsigned bit = 0;

		while (bit < model[i].depth && (addr[bit / 8] >> (7 - bit % 8) &
						1) == (model[i].addr[bit / 8] >> (7 - bit % 8) & 1))
			bit++;
		if (bit == model[i].depth)
			return true;
	}
	return false;
}

static int
model_find(const struct prefix *p)
{
	for (unsigned i = 0; i < models; i++)
		if (model[i].depth == p->depth && memcmp(model[i].addr, p->addr, 16) == 0)
			return (int)i;
	return -1;
}

/* Few distinct octets, so that prefixes nest, touch and collide. */
static struct prefix
random_prefix(void)
{
	struct prefix p;

	p.depth = (uint8_t)(rand() % 8 == 0 ? rand() % 129 : 8 * (rand() % 17));
	for (unsigned i = 0; i < 16; i++)
		p.addr[i] = (uint8_t)(rand() % 3 - 1);
	for (unsigned bit = p.depth; bit < 128; bit++)
		p.addr[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	return p;
}

/* Up or down by one. */
static void
step(uint8_t addr[16], int by)
{
	for (int i = 15; i >= 0; i--) {
		addr[i] = (uint8_t)(addr[i] + by);
		if (addr[i] != (by > 0 ? 0 : 0xff))
			break;
	}
}

static void
assert_same(const uint8_t addr[16])
{
	assert_int_equal(covers_octets(addr), model_covers(addr));
}

static void
compare_with_model(void)
{
	for (unsigned i = 0; i < models; i++) {
		uint8_t addr[16];

		memcpy(addr, model[i].addr, 16);
		assert_true(covers_octets(addr));
		step(addr, -1);
		assert_same(addr);
		memcpy(addr, model[i].addr, 16);
		for (unsigned bit = model[i].depth; bit < 128; bit++)
			addr[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
		assert_true(covers_octets(addr));
		step(addr, 1);
		assert_same(addr);
	}
	for (unsigned i = 0; i < 100; i++) {
		struct prefix p = random_prefix();

		assert_same(p.addr);
	}
}

static void
test_random_changes(void **state)
{
	(void)state;
	srand(1);
	for (unsigned i = 0; i < 3000; i++) {
		struct prefix p = random_prefix();
		int at = model_find(&p);

		/* The short ones would cover all the rest. */
		if (p.depth < 24 && i % 16 != 0)
			continue;
		if (rand() % 3 == 0 && models != 0) {
			at = rand() % (int)models;
			p = model[at];
		}
		if (at < 0) {
			assert_int_equal(sids_del(sids, p.addr, p.depth), -ENOENT);
			assert_int_equal(sids_add(sids, p.addr, p.depth), 0);
			model[models++] = p;
		} else {
			assert_int_equal(sids_add(sids, p.addr, p.depth), -EEXIST);
			assert_int_equal(sids_del(sids, p.addr, p.depth), 0);
			model[at] = model[--models];
		}
		assert_int_equal(sids_count(sids), models);
		if (i % 32 == 0)
			compare_with_model();
	}
	while (models != 0) {
		models--;
		assert_int_equal(sids_del(sids, model[models].addr, model[models].depth), 0);
		if (models % 64 == 0)
			compare_with_model();
	}
	assert_null(sids_table(sids));
}

static void
numbered(unsigned i, struct prefix *p)
{
	memset(p, 0, sizeof(*p));
	p->addr[0] = 0xfc;
	p->addr[3] = (uint8_t)(i >> 8);
	p->addr[4] = (uint8_t)i;
	p->addr[5] = 1; /* a gap, or they were one range */
	p->depth = 48;
}

static void
test_as_many_as_there_may_be(void **state)
{
	struct prefix p;

	(void)state;
	for (unsigned i = 0; i < SIDS_MAX; i++) {
		numbered(i, &p);
		if (sids_add(sids, p.addr, p.depth) != 0)
			fail_msg("prefix %u", i);
	}
	assert_int_equal(sids_table(sids)->ranges, SIDS_MAX);
	assert_int_equal(add("2001:db8::/32"), -ENOSPC);
	assert_false(covers("2001:db8::1"));
	for (unsigned i = 0; i < SIDS_MAX; i++) {
		numbered(i, &p);
		assert_true(covers_octets(p.addr));
		step(p.addr, -1);
		assert_false(covers_octets(p.addr));
		numbered(i, &p);
		p.addr[5]++;
		assert_false(covers_octets(p.addr));
	}
	for (unsigned i = 0; i < SIDS_MAX; i++) {
		numbered(i, &p);
		assert_int_equal(sids_del(sids, p.addr, p.depth), 0);
	}
	assert_null(sids_table(sids));
}

/* --- readers --- */

static void
test_old_tables_wait_for_readers(void **state)
{
	const struct sids_table *table;
	unsigned before = eal_allocations(), i;
	struct prefix p;
	int rc = 0;

	(void)state;
	assert_int_equal(rte_rcu_qsbr_thread_register(rcu, READER), 0);
	rte_rcu_qsbr_thread_online(rcu, READER);
	assert_int_equal(add("2001:db8::/32"), 0);
	table = sids_table(sids);
	for (i = 0; rc == 0; i++) {
		numbered(i, &p);
		rc = sids_add(sids, p.addr, p.depth);
	}
	i--;
	assert_int_equal(rc, -EBUSY);
	assert_int_equal(sids_reclaim(sids), i);
	assert_int_equal(sids_count(sids), i + 1);
	assert_false(covers_octets(p.addr));
	assert_int_equal(del("2001:db8::/32"), -EBUSY);
	assert_true(covers("2001:db8::1"));
	/* What the reader has is as it was. */
	assert_int_equal(table->ranges, 1);
	numbered(0, &p);
	assert_false(sids_covers(table, p.addr));
	rte_rcu_qsbr_quiescent(rcu, READER);
	assert_int_equal(del("2001:db8::/32"), 0);
	assert_int_equal(sids_reclaim(sids), 1);
	assert_false(covers("2001:db8::1"));
	rte_rcu_qsbr_thread_offline(rcu, READER);
	assert_int_equal(rte_rcu_qsbr_thread_unregister(rcu, READER), 0);
	assert_int_equal(sids_reclaim(sids), 0);
	assert_int_equal(eal_allocations(), before + 1);
	/* With tables that wait: */
	assert_int_equal(rte_rcu_qsbr_thread_register(rcu, READER), 0);
	rte_rcu_qsbr_thread_online(rcu, READER);
	assert_int_equal(add("2001:db8::/32"), 0);
	assert_int_equal(sids_reclaim(sids), 1);
	sids_destroy(sids);
	sids = NULL;
	rte_rcu_qsbr_thread_offline(rcu, READER);
	assert_int_equal(rte_rcu_qsbr_thread_unregister(rcu, READER), 0);
	assert_int_equal(eal_allocations(), before - 1);
}

struct reader {
	pthread_t thread;
	unsigned index;
	unsigned wrong;
	uint64_t looks;
};

static bool stop;

/* What stays must always be there, what never was never, while others come and go. */
static void *
look(void *arg)
{
	struct reader *reader = arg;
	struct prefix stays, never;

	numbered(500, &stays);
	numbered(501, &never);
	rte_rcu_qsbr_thread_online(rcu, reader->index);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (unsigned i = 0; i < 64; i++) {
			const struct sids_table *table = sids_table(sids);

			if (table == NULL || !sids_covers(table, stays.addr) ||
			    sids_covers(table, never.addr))
				reader->wrong++;
			reader->looks++;
		}
		rte_rcu_qsbr_quiescent(rcu, reader->index);
	}
	rte_rcu_qsbr_thread_offline(rcu, reader->index);
	return NULL;
}

static void
test_changes_under_readers(void **state)
{
	struct reader readers[READERS] = {0};
	unsigned busy = 0, changes = 0;
	struct prefix p;
	int rc;

	(void)state;
	numbered(500, &p);
	assert_int_equal(sids_add(sids, p.addr, p.depth), 0);
	stop = false;
	for (unsigned i = 0; i < READERS; i++) {
		readers[i].index = i;
		assert_int_equal(rte_rcu_qsbr_thread_register(rcu, i), 0);
		assert_int_equal(pthread_create(&readers[i].thread, NULL, look, &readers[i]), 0);
	}
	for (unsigned round = 0; round < 20; round++)
		for (unsigned i = 0; i < 1000; i++) {
			if (i == 500 || i == 501)
				continue;
			numbered(i, &p);
			do {
				rc = round % 2 == 0 ? sids_add(sids, p.addr, p.depth)
						    : sids_del(sids, p.addr, p.depth);
				busy += rc == -EBUSY;
				if (rc == -EBUSY)
					sched_yield();
			} while (rc == -EBUSY);
			assert_int_equal(rc, 0);
			changes++;
		}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(readers[i].thread, NULL);
		rte_rcu_qsbr_thread_unregister(rcu, i);
		assert_int_equal(readers[i].wrong, 0);
		assert_true(readers[i].looks > 0);
	}
	print_message("%u changes, %u times busy, %lu looks\n", changes, busy,
		      (unsigned long)(readers[0].looks + readers[1].looks));
	assert_int_equal(sids_reclaim(sids), 0);
	assert_int_equal(sids_count(sids), 1);
}

static void
test_create_and_destroy_leave_nothing(void **state)
{
	unsigned before = eal_allocations();

	(void)state;
	setup(NULL);
	assert_int_equal(add("2001:db8::/32"), 0);
	assert_int_equal(add("2001:db9::/32"), 0);
	teardown(NULL);
	sids_destroy(NULL);
	assert_int_equal(eal_allocations(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_edges_of_a_prefix, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_address, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_depth, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nested, setup, teardown),
		cmocka_unit_test_setup_teardown(test_neighbours_become_one_range, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_is_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_as_many_as_there_may_be, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_tables_wait_for_readers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_changes_under_readers, setup, teardown),
		cmocka_unit_test(test_create_and_destroy_leave_nothing),
	};
	int rc;

	if (eal_start() < 0)
		return 1;
	rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(READERS + 1), RTE_CACHE_LINE_SIZE);
	if (rcu == NULL || rte_rcu_qsbr_init(rcu, READERS + 1) != 0)
		return 1;
	rc = cmocka_run_group_tests_name("sids", tests, NULL, NULL);
	rte_free(rcu);
	rte_eal_cleanup();
	return rc;
}
