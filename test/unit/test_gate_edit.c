/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Insert, fill, strip and translate, octet by octet against frames that were built in the form
 * they must come out in, however the packet lies in its mbufs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate_lab.h"

/* What surrounds the SRH; the key and the HMAC TLV come on top. */
static const struct packet_spec surroundings[] = {
	{.segments_left = 0, .payload = 40},
	{.segments_left = 0, .payload = 0},
	{.segments_left = 0, .payload = 13, .tags = 1, .flags = 0x20, .tag = 0x1234},
	{.segments_left = 0, .payload = 1300, .tags = 2},
	{.reduced = true, .payload = 64},
	{.segments_left = 0, .payload = 64, .before = {EXT(0, 2), EXT(60, 1)}},
	{.segments_left = 0, .payload = 64, .padding = 6, .after = {EXT(60, 1)}},
};

static const struct lab_layout layouts[] = {
	{0},
	{.headroom = 40},
	{.headroom = 39},
	{.headroom = 31},
	{.headroom = LAB_NO_HEADROOM},
	{.split = {14}},
	{.split = {60}},
	{.split = {1, 2, 100, 101}},
	{.split = {120}},
	{.shared = true},
	{.shared = true, .split = {62}},
	{.shared = true, .split = {40, 130}},
	{.indirect = true},
	{.indirect = true, .split = {77, 140}},
	{.external = true},
	{.external = true, .split = {50, 51, 150}},
};

static const uint8_t other_tlvs[16] = {4, 6, [8] = 200, 6, 1, 2, 3, 4, 5, 6};

/* The frame with the HMAC TLV of this key where its profile puts it, and other TLVs if wanted. */
static void
build(struct packet *packet, const struct packet_spec *around, unsigned segments, bool others,
      uint32_t key_id, enum packet_hmac hmac)
{
	struct packet_spec spec = *around;
	bool last = packet_key(key_id)->profile == HMAC_LINUX;

	spec.segments = segments;
	spec.hmac = hmac;
	spec.key_id = key_id;
	if (spec.reduced && !last)
		spec.dres = 0x8000;
	if (others && (last || hmac == HMAC_NOT)) {
		memcpy(spec.tlvs, other_tlvs, sizeof(other_tlvs));
		spec.n_tlvs = sizeof(other_tlvs);
	} else if (others) {
		memcpy(spec.more_tlvs, other_tlvs, sizeof(other_tlvs));
		spec.n_more_tlvs = sizeof(other_tlvs);
	}
	packet_build(packet, &spec);
}

struct trial {
	const char *what;
	const struct packet *in, *out;
	struct gate_port port;
	enum gate_verdict verdict;
	bool inserted, stripped;
};

static void
run(const struct trial *t, const struct lab_layout *layout)
{
	static struct lab_result r;
	struct rte_mbuf *m = lab_mbuf(t->in->octets, t->in->len, layout);

	lab_burst(&t->port, &m, 1, &r);
	if (r.verdict != t->verdict || r.inserted != t->inserted || r.stripped != t->stripped)
		fail_msg("%s: %s inserted %d stripped %d", t->what, gate_verdict_name(r.verdict),
			 r.inserted, r.stripped);
	assert_int_equal(r.len, t->out->len);
	assert_memory_equal(r.octets, t->out->octets, t->out->len);
	assert_int_equal(lab_mbufs_out(), 0);
}

static void
with_key(const struct packet_spec *around, unsigned segments, bool others, uint32_t id,
	 const struct lab_layout *layout)
{
	static struct packet bare, zero, sealed, translated;
	/* As it was before it was sealed: Flags without 0x08, nothing else changed. */
	build(&bare, around, segments, others, id, HMAC_NOT);
	build(&zero, around, segments, others, id, HMAC_ZERO);
	build(&sealed, around, segments, others, id, HMAC_GOOD);

	run(&(struct trial){"insert",
			    &bare,
			    &sealed,
			    {.insert_key = id},
			    GATE_UNCHECKED,
			    .inserted = true},
	    layout);
	run(&(struct trial){"fill",
			    &zero,
			    &sealed,
			    {.insert_key = id},
			    GATE_UNCHECKED,
			    .inserted = true},
	    layout);
	run(&(struct trial){"strip",
			    &sealed,
			    &bare,
			    {.verify = GATE_VERIFY_REQUIRE, .strip = true},
			    GATE_VERIFIED,
			    .stripped = true},
	    layout);
	for (unsigned k = PACKET_KEYS / 2; k < PACKET_KEYS; k++) {
		uint32_t to = packet_keys[k].id;

		build(&translated, around, segments, others, to, HMAC_GOOD);
		run(&(struct trial){"translate",
				    &sealed,
				    &translated,
				    {GATE_VERIFY_IF_PRESENT, .strip = true, .insert_key = to},
				    GATE_VERIFIED,
				    .inserted = true,
				    .stripped = true},
		    layout);
	}
}

static void
each_surrounding(void **state)
{
	static const unsigned segments[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 40};

	(void)state;
	for (unsigned a = 0; a < RTE_DIM(surroundings); a++) {
		for (unsigned s = 0; s < RTE_DIM(segments); s++) {
			for (unsigned k = 0; k < PACKET_KEYS / 2; k++) {
				with_key(&surroundings[a], segments[s], false, packet_keys[k].id,
					 NULL);
				with_key(&surroundings[a], segments[s], true, packet_keys[k].id,
					 NULL);
			}
		}
	}
}

static void
each_layout(void **state)
{
	(void)state;
	for (unsigned l = 0; l < RTE_DIM(layouts); l++) {
		for (unsigned a = 0; a < RTE_DIM(surroundings); a++) {
			for (unsigned k = 0; k < 4; k++)
				with_key(&surroundings[a], 2, k % 2, packet_keys[k].id,
					 &layouts[l]);
		}
	}
}

/* Insertion recalls what it computed before, and what it recalls is the same. */
static void
recalled(void **state)
{
	struct memo_stats stats;

	lab_worker(4096);
	for (unsigned twice = 0; twice < 2; twice++)
		each_layout(state);
	gate_worker_memo(lab.worker, &stats);
	assert_true(stats.hits > 1000);
	each_surrounding(state);
	lab_worker(0);
	gate_worker_memo(lab.worker, &stats);
	assert_int_equal(stats.hits, 0);
}

/* In every mix of layouts in one burst, too, and with drops in between. */
static void
mixed_burst(void **state)
{
	static struct packet bare, sealed, broken;
	static struct lab_result r[GATE_BURST_MAX];
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	const uint32_t id = packet_key_id(1, HMAC_SHA256, HMAC_RFC8754);

	(void)state;
	build(&bare, &surroundings[0], 2, true, id, HMAC_NOT);
	build(&sealed, &surroundings[0], 2, true, id, HMAC_GOOD);
	broken = bare;
	broken.octets[broken.srh_off + 3] = 7;
	for (unsigned i = 0; i < GATE_BURST_MAX; i++) {
		const struct packet *p = i % 3 == 1 ? &broken : i % 3 == 2 ? &sealed : &bare;

		pkts[i] = lab_mbuf(p->octets, p->len, &layouts[i % RTE_DIM(layouts)]);
	}
	lab_burst(&(struct gate_port){.insert_key = id}, pkts, GATE_BURST_MAX, r);
	for (unsigned i = 0; i < GATE_BURST_MAX; i++) {
		if (i % 3 == 1) {
			assert_int_equal(r[i].verdict, GATE_SRH_MALFORMED);
			continue;
		}
		assert_int_equal(r[i].verdict, GATE_TX);
		assert_int_equal(r[i].len, sealed.len);
		assert_memory_equal(r[i].octets, sealed.octets, sealed.len);
	}
	assert_int_equal(lab_mbufs_out(), 0);
}

/* With any number of buffers left: done whole or not at all, and nothing is lost. */
static void
few_buffers(void **state)
{
	static struct packet bare, sealed;
	static struct lab_result r[4];
	static struct rte_mbuf *taken[4096];
	const uint32_t id = packet_key_id(1, HMAC_SHA256, HMAC_LINUX);
	unsigned n = 0, passed = 0, dropped = 0;

	(void)state;
	build(&bare, &surroundings[0], 3, true, id, HMAC_NOT);
	build(&sealed, &surroundings[0], 3, true, id, HMAC_GOOD);
	while ((taken[n] = rte_pktmbuf_alloc(lab.edit_pool)) != NULL)
		n++;
	for (unsigned left = 0; left < 20; left++) {
		struct rte_mbuf *pkts[RTE_DIM(r)];

		for (unsigned i = 0; i < RTE_DIM(r); i++)
			pkts[i] = lab_mbuf(bare.octets, bare.len,
					   &layouts[9 + (left + i) % (RTE_DIM(layouts) - 9)]);
		lab_burst(&(struct gate_port){.insert_key = id}, pkts, RTE_DIM(r), r);
		for (unsigned i = 0; i < RTE_DIM(r); i++) {
			if (gate_is_drop(r[i].verdict)) {
				assert_int_equal(r[i].verdict, GATE_NO_BUFFER);
				dropped++;
			} else {
				assert_memory_equal(r[i].octets, sealed.octets, sealed.len);
				passed++;
			}
		}
		assert_int_equal(lab_mbufs_out(), n);
		rte_pktmbuf_free(taken[--n]);
	}
	assert_true(passed > 10 && dropped > 10);
	rte_pktmbuf_free_bulk(taken, n);
	assert_int_equal(lab_mbufs_out(), 0);
}

/* Keys are counted by what they were used for. */
static void
key_use(void **state)
{
	static struct packet good, bad, bare;
	static struct lab_result r[7];
	const uint32_t id = packet_key_id(2, HMAC_SHA384, HMAC_RFC8754);
	struct rte_mbuf *pkts[7];
	struct keyring_info before, after;

	(void)state;
	build(&good, &surroundings[0], 3, true, id, HMAC_GOOD);
	build(&bad, &surroundings[0], 3, true, id, HMAC_BAD);
	build(&bare, &surroundings[0], 3, true, id, HMAC_NOT);
	for (unsigned i = 0; i < 7; i++) {
		const struct packet *p = i < 2 ? &good : i < 5 ? &bad : &bare;

		pkts[i] = lab_mbuf(p->octets, p->len, NULL);
	}
	assert_int_equal(keyring_info(lab.keyring, id, &before), 0);
	lab_burst(&(struct gate_port){.verify = GATE_VERIFY_IF_PRESENT, .insert_key = id}, pkts, 7,
		  r);
	assert_int_equal(keyring_info(lab.keyring, id, &after), 0);
	assert_int_equal(after.use.verified - before.use.verified, 2);
	assert_int_equal(after.use.failed - before.use.failed, 3);
	assert_int_equal(after.use.inserted - before.use.inserted, 2);
	assert_true(after.use.last_used > before.use.last_used);
}

/* Linux's flag, set without an HMAC of Linux's, does not stay with one of RFC 8754. */
static void
foreign_flag(void **state)
{
	static struct packet bare, sealed;
	struct packet_spec spec = {.segments_left = 0, .payload = 40};

	(void)state;
	for (unsigned algorithm = 0; algorithm < HMAC_ALGORITHMS; algorithm++) {
		uint32_t id = packet_key_id(1, algorithm, HMAC_RFC8754);

		for (unsigned others = 0; others < 2; others++) {
			for (unsigned hmac = HMAC_NOT; hmac <= HMAC_ZERO; hmac += HMAC_ZERO) {
				spec.flags = 0x2c;
				build(&bare, &spec, 2, others, id, hmac);
				spec.flags = 0x24;
				build(&sealed, &spec, 2, others, id, HMAC_GOOD);
				run(&(struct trial){"insert",
						    &bare,
						    &sealed,
						    {.insert_key = id},
						    GATE_UNCHECKED,
						    .inserted = true},
				    NULL);
			}
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_surrounding), cmocka_unit_test(each_layout),
		cmocka_unit_test(recalled),	    cmocka_unit_test(mixed_burst),
		cmocka_unit_test(few_buffers),	    cmocka_unit_test(key_use),
		cmocka_unit_test(foreign_flag),
	};

	return cmocka_run_group_tests_name("gate-edit", tests, lab_open, lab_close);
}
