/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's verdict does not depend on how its octets lie in mbufs, at any length that it may be
 * cut off at, and nothing behind a segment's end is read (the sanitizer build sees to that).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gate_lab.h"

static const struct packet_spec specs[] = {
	{.segments = 2, .hmac = HMAC_GOOD, .key_id = 103, .payload = 9},
	{.segments = 3,
	 .hmac = HMAC_GOOD,
	 .key_id = 104,
	 .tags = 2,
	 .before = {EXT(0, 1), EXT(60, 2)},
	 .more_tlvs = {4, 6},
	 .n_more_tlvs = 8,
	 .after = {EXT(60, 1)},
	 .payload = 5},
	{.segments = 1, .hmac = HMAC_BAD, .key_id = 102, .before = {{44, 1, .frag = 1}}},
	{.segments = 2, .payload = 3},
};

static const struct gate_port ports[] = {
	{.verify = GATE_VERIFY_REQUIRE},
	{.verify = GATE_VERIFY_IF_PRESENT, .strip = true, .insert_key = 204},
};

static void
fate(const struct gate_port *port, const struct packet *packet, uint32_t len,
     const struct lab_layout *layout, struct lab_result *result)
{
	struct rte_mbuf *m = lab_mbuf(packet->octets, len, layout);

	lab_burst(port, &m, 1, result);
}

static void
check_same(const struct lab_result *a, const struct lab_result *b, uint32_t len, const uint32_t *at)
{
	if (a->verdict != b->verdict || a->key_id != b->key_id || a->err_off != b->err_off)
		fail_msg("%u octets: %s in one piece, %s split at %u and %u", len,
			 gate_verdict_name(a->verdict), gate_verdict_name(b->verdict), at[0],
			 at[1]);
	assert_int_equal(a->len, b->len);
	assert_memory_equal(a->octets, b->octets, a->len);
}

/* Every length, every place where one split can be. */
static void
cut_and_split(void **state)
{
	static struct packet packet;
	static struct lab_result whole, split;

	(void)state;
	for (unsigned s = 0; s < RTE_DIM(specs); s++) {
		packet_build(&packet, &specs[s]);
		for (unsigned p = 0; p < RTE_DIM(ports); p++) {
			for (uint32_t len = 0; len <= packet.len; len++) {
				fate(&ports[p], &packet, len, NULL, &whole);
				if (len >= packet.ip_off && len < packet.srh_off + packet.srh_len)
					assert_int_equal(whole.verdict, GATE_SRH_TRUNCATED);
				for (uint32_t at = 1; at < len; at++) {
					struct lab_layout layout = {.split = {at}};

					fate(&ports[p], &packet, len, &layout, &split);
					check_same(&whole, &split, len, layout.split);
				}
			}
		}
	}
}

/* The whole packet in three segments, at every pair of places. */
static void
split_in_three(void **state)
{
	static struct packet packet;
	static struct lab_result whole, split;

	(void)state;
	for (unsigned s = 0; s < RTE_DIM(specs); s++) {
		packet_build(&packet, &specs[s]);
		for (unsigned p = 0; p < RTE_DIM(ports); p++) {
			fate(&ports[p], &packet, packet.len, NULL, &whole);
			for (uint32_t a = 1; a < packet.len; a++) {
				for (uint32_t b = a + 1; b < packet.len; b++) {
					struct lab_layout layout = {.split = {a, b}};

					fate(&ports[p], &packet, packet.len, &layout, &split);
					check_same(&whole, &split, packet.len, layout.split);
				}
			}
		}
	}
}

/* The longest chain that is walked, and what is longer, across segments. */
static void
long_chains(void **state)
{
	static struct packet packet;
	static struct lab_result whole, split;
	static const struct {
		uint8_t units, more_units;
		enum gate_verdict verdict;
	} chains[] = {
		{255, 155, GATE_NO_HMAC}, /* the SRH ends at most at 4096 */
		{255, 254, GATE_SRH_MALFORMED},
		{255, 0, GATE_NO_HMAC},
	};

	(void)state;
	for (unsigned c = 0; c < RTE_DIM(chains); c++) {
		struct packet_spec spec = {
			.segments = 45,
			.before = {EXT(60, chains[c].units), EXT(60, chains[c].more_units)},
			.payload = 100,
		};

		packet_build(&packet, &spec);
		fate(&(struct gate_port){.verify = GATE_VERIFY_IF_PRESENT}, &packet, packet.len,
		     NULL, &whole);
		assert_int_equal(whole.verdict, chains[c].verdict);
		for (uint32_t at = 1; at < packet.len; at += 61) {
			struct lab_layout layout = {.split = {at, at + 500, at + 2000}};

			fate(&(struct gate_port){.verify = GATE_VERIFY_IF_PRESENT}, &packet,
			     packet.len, &layout, &split);
			check_same(&whole, &split, packet.len, layout.split);
		}
	}
}

/* An empty first segment. */
static void
empty_segment(void **state)
{
	static const struct lab_layout layouts[] = {
		{.empty_first = true},
		{.empty_first = true, .split = {70}},
		{.empty_first = true, .shared = true},
	};
	static struct packet packet;
	static struct lab_result whole, split;

	(void)state;
	for (unsigned s = 0; s < RTE_DIM(specs); s++) {
		packet_build(&packet, &specs[s]);
		for (unsigned p = 0; p < RTE_DIM(ports); p++) {
			fate(&ports[p], &packet, packet.len, NULL, &whole);
			for (unsigned l = 0; l < RTE_DIM(layouts); l++) {
				fate(&ports[p], &packet, packet.len, &layouts[l], &split);
				check_same(&whole, &split, packet.len, layouts[l].split);
			}
		}
	}
}

static void
none_lost(void **state)
{
	(void)state;
	assert_int_equal(lab_mbufs_out(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_and_split), cmocka_unit_test(split_in_three),
		cmocka_unit_test(long_chains),	 cmocka_unit_test(empty_segment),
		cmocka_unit_test(none_lost),
	};

	return cmocka_run_group_tests_name("gate-split", tests, lab_open, lab_close);
}
