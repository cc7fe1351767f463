/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker gets which queues: every one of them once, and no transmit queue shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gateway/plan.h"

#define PORTS 6u

static struct plan_port
wire(int peer, uint16_t rx, uint16_t tx)
{
	return (struct plan_port){.peer = peer, .rx_queues = rx, .tx_queues = tx};
}

/* What holds for every plan: queues of ports with a peer once each, the right way out, and no two
 * workers on one transmit queue. Fills how many queues each worker has. */
static void
check(const struct plan *plan, const struct plan_port *ports, unsigned n, unsigned *loads)
{
	static int sender[PORTS][64];
	static unsigned seen[PORTS][64];
	unsigned queues = 0;
	unsigned wanted = 0;

	memset(sender, -1, sizeof(sender));
	memset(seen, 0, sizeof(seen));
	for (unsigned w = 0; w < plan->n_workers; w++) {
		loads[w] = plan->workers[w].n;
		for (unsigned i = 0; i < plan->workers[w].n; i++) {
			const struct plan_queue *queue = &plan->workers[w].queues[i];
			int *owner = &sender[queue->tx_port][queue->tx_queue];

			assert_int_equal(queue->tx_port, ports[queue->rx_port].peer);
			assert_true(queue->rx_queue < ports[queue->rx_port].rx_queues);
			assert_true(queue->tx_queue < ports[queue->tx_port].tx_queues);
			assert_int_equal(queue->tx_linear, ports[queue->tx_port].tx_linear);
			assert_int_equal(seen[queue->rx_port][queue->rx_queue]++, 0);
			assert_true(*owner == -1 || *owner == (int)w);
			*owner = (int)w;
			queues++;
		}
	}
	for (unsigned port = 0; port < n; port++)
		if (ports[port].peer >= 0 && ports[ports[port].peer].tx_queues > 0)
			wanted += ports[port].rx_queues;
	assert_int_equal(queues, wanted);
}

static void
test_spread_evenly(void **state)
{
	const struct plan_port ports[] = {wire(1, 4, 4), wire(0, 4, 4)};
	unsigned loads[4];

	(void)state;
	struct plan *plan = plan_create(ports, 2, 4);

	check(plan, ports, 2, loads);
	for (unsigned w = 0; w < 4; w++)
		assert_int_equal(loads[w], 2);
	plan_free(plan);
}

static void
test_one_queue_each(void **state)
{
	const struct plan_port ports[] = {wire(1, 1, 2), wire(0, 1, 2)};
	unsigned loads[2];

	(void)state;
	struct plan *plan = plan_create(ports, 2, 2);

	check(plan, ports, 2, loads);
	assert_int_equal(loads[0], 1);
	assert_int_equal(loads[1], 1);
	plan_free(plan);
}

static void
test_one_transmit_queue_binds_one_worker(void **state)
{
	const struct plan_port ports[] = {wire(1, 8, 4), wire(0, 8, 1)};
	unsigned loads[4];
	unsigned senders = 0;

	(void)state;
	struct plan *plan = plan_create(ports, 2, 4);

	check(plan, ports, 2, loads);
	for (unsigned w = 0; w < 4; w++) {
		bool sends = false;

		for (unsigned i = 0; i < plan->workers[w].n; i++)
			sends |= plan->workers[w].queues[i].tx_port == 1;
		senders += sends;
	}
	assert_int_equal(senders, 1);
	/* The other direction is spread over those that have nothing yet. */
	for (unsigned w = 0; w < 4; w++)
		assert_true(loads[w] > 0);
	plan_free(plan);
}

static void
test_ports_without_a_peer_rest(void **state)
{
	const struct plan_port ports[] = {wire(-1, 2, 2), wire(2, 2, 2), wire(1, 2, 2),
					  wire(-1, 0, 0)};
	unsigned loads[2];

	(void)state;
	struct plan *plan = plan_create(ports, 4, 2);

	check(plan, ports, 4, loads);
	plan_free(plan);
}

static void
test_a_port_that_is_its_own_peer(void **state)
{
	const struct plan_port ports[] = {wire(0, 3, 2)};
	unsigned loads[3];

	(void)state;
	struct plan *plan = plan_create(ports, 1, 3);

	check(plan, ports, 1, loads);
	assert_int_equal(loads[0] + loads[1] + loads[2], 3);
	plan_free(plan);
}

/* Every combination of small numbers. */
static void
test_all_small_ones(void **state)
{
	unsigned loads[4];

	(void)state;
	for (unsigned workers = 1; workers <= 4; workers++)
		for (unsigned i = 0; i < 6 * 6 * 6 * 6; i++) {
			uint16_t rx0 = i % 6, tx0 = i / 6 % 6, rx1 = i / 36 % 6, tx1 = i / 216;
			const struct plan_port ports[] = {wire(1, rx0, tx0), wire(0, rx1, tx1),
							  wire(3, 2, 4), wire(2, 1, 1)};
			struct plan *plan = plan_create(ports, 4, workers);

			assert_non_null(plan);
			check(plan, ports, 4, loads);
			plan_free(plan);
		}
}

static void
test_free_nothing(void **state)
{
	(void)state;
	plan_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spread_evenly),
		cmocka_unit_test(test_one_queue_each),
		cmocka_unit_test(test_one_transmit_queue_binds_one_worker),
		cmocka_unit_test(test_ports_without_a_peer_rest),
		cmocka_unit_test(test_a_port_that_is_its_own_peer),
		cmocka_unit_test(test_all_small_ones),
		cmocka_unit_test(test_free_nothing),
	};

	return cmocka_run_group_tests_name("gateway-plan", tests, NULL, NULL);
}
