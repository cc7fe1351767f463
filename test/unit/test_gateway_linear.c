/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets in several segments for a port that sends one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <rte_mbuf.h>

#include "eal.h"
#include "gateway/linear.h"

#define ROOM 512u

static struct rte_mempool *pool;

/* Segments of these lengths, filled with one octet after the other. */
static struct rte_mbuf *
packet(const uint16_t *lens, unsigned n)
{
	struct rte_mbuf *first = NULL;
	uint8_t octet = 0;

	for (unsigned i = 0; i < n; i++) {
		struct rte_mbuf *segment = rte_pktmbuf_alloc(pool);
		uint8_t *data = (uint8_t *)rte_pktmbuf_append(segment, lens[i]);

		assert_non_null(data);
		for (unsigned at = 0; at < lens[i]; at++)
			data[at] = octet++;
		if (first == NULL)
			first = segment;
		else
			assert_int_equal(rte_pktmbuf_chain(first, segment), 0);
	}
	return first;
}

static void
assert_whole(const struct rte_mbuf *pkt, unsigned len)
{
	assert_int_equal(pkt->nb_segs, 1);
	assert_int_equal(pkt->pkt_len, len);
	assert_int_equal(pkt->data_len, len);
	for (unsigned at = 0; at < len; at++)
		assert_int_equal(rte_pktmbuf_mtod(pkt, const uint8_t *)[at], at & 0xff);
}

static void
test_those_that_fit_are_joined(void **state)
{
	struct rte_mbuf *pkts[] = {
		packet((const uint16_t[]){100}, 1),
		packet((const uint16_t[]){100, 200}, 2),
		packet((const uint16_t[]){1, 1, 300, 7}, 4),
	};
	const struct rte_mbuf *before[] = {pkts[0], pkts[1], pkts[2]};

	(void)state;
	assert_int_equal(linear_keep(pkts, 3), 3);
	assert_memory_equal(pkts, before, sizeof(pkts));
	assert_whole(pkts[0], 100);
	assert_whole(pkts[1], 300);
	assert_whole(pkts[2], 309);
	rte_pktmbuf_free_bulk(pkts, 3);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static void
test_the_others_are_freed(void **state)
{
	struct rte_mbuf *pkts[] = {
		packet((const uint16_t[]){400, 400}, 2),
		packet((const uint16_t[]){60, 4}, 2),
		packet((const uint16_t[]){ROOM, 1}, 2),
		packet((const uint16_t[]){50}, 1),
	};

	(void)state;
	assert_int_equal(linear_keep(pkts, 4), 2);
	assert_whole(pkts[0], 64);
	assert_whole(pkts[1], 50);
	rte_pktmbuf_free_bulk(pkts, 2);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static void
test_what_is_shared_stays_as_it_is(void **state)
{
	struct rte_mbuf *pkt = packet((const uint16_t[]){60, 4}, 2);
	struct rte_mbuf *pkts[] = {pkt};

	(void)state;
	rte_pktmbuf_refcnt_update(pkt, 1);
	assert_int_equal(linear_keep(pkts, 1), 0);
	assert_int_equal(pkt->nb_segs, 2);
	assert_int_equal(rte_mbuf_refcnt_read(pkt), 1);
	rte_pktmbuf_free(pkt);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static void
test_none(void **state)
{
	(void)state;
	assert_int_equal(linear_keep(NULL, 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_those_that_fit_are_joined),
		cmocka_unit_test(test_the_others_are_freed),
		cmocka_unit_test(test_what_is_shared_stays_as_it_is),
		cmocka_unit_test(test_none),
	};

	if (eal_start() != 0)
		return 1;
	pool = rte_pktmbuf_pool_create("linear", 63, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM,
				       SOCKET_ID_ANY);
	if (pool == NULL)
		return 1;
	int rc = cmocka_run_group_tests_name("gateway-linear", tests, NULL, NULL);

	rte_mempool_free(pool);
	rte_eal_cleanup();
	return rc;
}
