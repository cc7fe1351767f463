/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An engine that makes no HMAC, which none has been seen to do: nothing is verified by it, nothing
 * leaves unsealed, nothing is remembered. Linked with hmac_run() wrapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gate_lab.h"

#define LINUX 103
#define BURST 12u

void __real_hmac_run(struct hmac_engine *engine, struct hmac_job *jobs, unsigned n);
void __wrap_hmac_run(struct hmac_engine *engine, struct hmac_job *jobs, unsigned n);

static unsigned fail_every; /* 0 = never */

/* As hmac_run() says of a job that failed. */
void
__wrap_hmac_run(struct hmac_engine *engine, struct hmac_job *jobs, unsigned n)
{
	__real_hmac_run(engine, jobs, n);
	for (unsigned i = 0; fail_every != 0 && i < n; i++) {
		if (i % fail_every != 0)
			continue;
		jobs[i].ok = false;
		memset(jobs[i].tag, 0, HMAC_TAG_MAX);
	}
}

static void
burst(const struct gate_port *port, enum packet_hmac hmac, struct packet *packet,
      struct lab_result *results)
{
	struct rte_mbuf *pkts[BURST];

	packet_build(packet, &(struct packet_spec){
				     .segments = 2, .hmac = hmac, .key_id = LINUX, .payload = 20});
	for (unsigned i = 0; i < BURST; i++)
		pkts[i] = lab_mbuf(packet->octets, packet->len, NULL);
	lab_burst(port, pkts, BURST, results);
}

static void
verified_by_nothing(void **state)
{
	static const struct gate_port port = {.verify = GATE_VERIFY_IF_PRESENT};
	static struct lab_result r[BURST];
	static struct packet packet;

	(void)state;
	fail_every = 3;
	burst(&port, HMAC_GOOD, &packet, r);
	for (unsigned i = 0; i < BURST; i++)
		assert_int_equal(r[i].verdict, i % 3 == 0 ? GATE_HMAC_MISMATCH : GATE_TX);
	/* What a failed job leaves behind is zero, and zero is what an attacker sends. */
	fail_every = 1;
	burst(&port, HMAC_ZERO, &packet, r);
	for (unsigned i = 0; i < BURST; i++)
		assert_int_equal(r[i].verdict, GATE_HMAC_MISMATCH);
	fail_every = 0;
}

static void
not_sealed_not_sent(void **state)
{
	static const struct gate_port port = {.insert_key = LINUX};
	static struct lab_result r[BURST];
	static struct packet packet, sealed;
	struct keyring_info before, after;

	(void)state;
	packet_build(&sealed,
		     &(struct packet_spec){
			     .segments = 2, .hmac = HMAC_GOOD, .key_id = LINUX, .payload = 20});
	keyring_info(lab.keyring, LINUX, &before);
	fail_every = 4;
	burst(&port, HMAC_NOT, &packet, r);
	fail_every = 0;
	keyring_info(lab.keyring, LINUX, &after);
	assert_int_equal(after.use.inserted - before.use.inserted, BURST - BURST / 4);
	for (unsigned i = 0; i < BURST; i++) {
		if (i % 4 == 0) {
			assert_int_equal(r[i].verdict, GATE_INSERT_KEY_UNKNOWN);
			continue;
		}
		assert_int_equal(r[i].verdict, GATE_TX);
		assert_int_equal(r[i].len, sealed.len);
		assert_memory_equal(r[i].octets, sealed.octets, sealed.len);
	}
}

static void
nothing_remembered(void **state)
{
	static const struct gate_port verify = {.verify = GATE_VERIFY_REQUIRE};
	static const struct gate_port seal = {.insert_key = LINUX};
	static struct lab_result r[BURST];
	static struct packet packet;
	struct memo_stats stats;

	(void)state;
	lab_worker(64);
	fail_every = 1;
	for (unsigned twice = 0; twice < 2; twice++) {
		burst(&verify, HMAC_ZERO, &packet, r);
		burst(&verify, HMAC_GOOD, &packet, r);
		burst(&seal, HMAC_NOT, &packet, r);
		for (unsigned i = 0; i < BURST; i++)
			assert_true(gate_is_drop(r[i].verdict));
	}
	fail_every = 0;
	gate_worker_memo(lab.worker, &stats);
	assert_int_equal(stats.hits, 0);
	burst(&verify, HMAC_ZERO, &packet, r);
	assert_int_equal(r[0].verdict, GATE_HMAC_MISMATCH);
	lab_worker(0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verified_by_nothing),
		cmocka_unit_test(not_sealed_not_sent),
		cmocka_unit_test(nothing_remembered),
	};

	return cmocka_run_group_tests_name("gate-fail", tests, lab_open, lab_close);
}
