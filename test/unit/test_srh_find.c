/* SPDX-License-Identifier: BSD-3-Clause */
/* srh_find() from the Ethernet header to the SRH's own bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "srh/srh.h"
#include "srh_packet.h"

static struct packet p;
static struct srh_view v;

static enum srh_status
find(void)
{
	memset(&v, 0xee, sizeof(v));
	return srh_find(p.octets, p.len, p.len, &v);
}

static void
test_plain_srh(void **state)
{
	(void)state;
	packet_start(&p);
	packet_srh(&p, 3, NULL, 0);
	p.octets[p.srh_off + 3] = 2;
	p.octets[p.srh_off + 5] = 0x20;
	packet_end(&p, 17, 16);
	assert_int_equal(find(), SRH_FOUND);
	assert_int_equal(v.ip_off, 14);
	assert_int_equal(v.ip_payload, 8 + 48 + 16);
	assert_int_equal(v.srh_off, 54);
	assert_int_equal(v.srh_len, 56);
	assert_int_equal(v.tlv_off, 54 + 56);
	assert_int_equal(v.chain_end, 54 + 56);
	assert_int_equal(v.segments_left, 2);
	assert_int_equal(v.last_entry, 2);
	assert_int_equal(v.flags, 0x20);
	assert_int_equal(v.tlvs, 0);
	assert_int_equal(v.hmac_off, 0);
	assert_int_equal(v.err_off, 0);
	assert_false(v.hmac_linux);
	assert_false(v.fragmentable);
}

static void
test_ethernet(void **state)
{
	static const struct {
		uint16_t tags[10];
		enum srh_status status;
	} cases[] = {
		{{0}, SRH_FOUND},
		{{0x8100}, SRH_FOUND},
		{{0x88a8}, SRH_FOUND},
		{{0x9100}, SRH_FOUND},
		{{0x88a8, 0x8100}, SRH_FOUND},
		{{0x8100, 0x8100}, SRH_FOUND},
		{{0x9100, 0x8100}, SRH_FOUND},
		{{0x8100, 0x8100, 0x8100}, SRH_FOUND},
		{{0x88a8, 0x8100, 0x9100, 0x8100, 0x88a8, 0x88a8, 0x8100, 0x8100}, SRH_FOUND},
		{{0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100},
		 SRH_MALFORMED},
		{{0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x8100, 0x0800},
		 SRH_NOT_IPV6},
		{{0x9200}, SRH_NOT_IPV6},
		{{0x0800}, SRH_NOT_IPV6},
		{{0x8100, 0x8847}, SRH_NOT_IPV6},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned tags = 0;

		while (cases[i].tags[tags] != 0)
			tags++;
		packet_ether(&p, cases[i].tags);
		packet_ipv6(&p);
		packet_srh(&p, 2, NULL, 0);
		packet_end(&p, 17, 8);
		assert_int_equal(find(), cases[i].status);
		assert_int_equal(v.ip_off, cases[i].status == SRH_FOUND ? 14 + 4 * tags : 0);
		assert_int_equal(v.srh_off, cases[i].status == SRH_FOUND ? 54 + 4 * tags : 0);
	}
	/* What looks like IPv6 under another EtherType is not looked at. */
	packet_start(&p);
	packet_srh(&p, 2, NULL, 0);
	packet_end(&p, 17, 8);
	for (unsigned type = 0; type < 0x10000; type++) {
		p.octets[12] = type >> 8;
		p.octets[13] = type & 0xff;
		if (type == 0x8100 || type == 0x88a8 || type == 0x9100)
			continue;
		assert_int_equal(find(), type == 0x86dd ? SRH_FOUND : SRH_NOT_IPV6);
	}
}

static void
test_too_short_for_ethernet(void **state)
{
	(void)state;
	packet_ether(&p, (const uint16_t[]){0x8100, 0});
	packet_ipv6(&p);
	packet_srh(&p, 1, NULL, 0);
	packet_end(&p, 17, 8);
	for (uint32_t len = 0; len < 18; len++)
		assert_int_equal(srh_find(p.octets, len, len, &v), SRH_NOT_IPV6);
	for (uint32_t len = 18; len < 18 + 40 + 24; len++)
		assert_int_equal(srh_find(p.octets, len, len, &v), SRH_TRUNCATED);
	assert_int_equal(srh_find(p.octets, 18 + 40 + 24, 18 + 40 + 24, &v), SRH_FOUND);
}

static void
test_ip_version(void **state)
{
	(void)state;
	for (unsigned version = 0; version < 16; version++) {
		packet_start(&p);
		packet_srh(&p, 1, NULL, 0);
		packet_end(&p, 17, 8);
		p.octets[14] = version << 4 | 0xf;
		assert_int_equal(find(), version == 6 ? SRH_FOUND : SRH_MALFORMED);
		assert_int_equal(v.ip_off, 14);
		assert_int_equal(v.err_off, 0);
	}
}

static void
test_no_extension_header(void **state)
{
	static const uint8_t kinds[] = {1,   2,	  4,   6,   17,	 41,  46,  47,	50,  58,
					59,  61,  89,  94,  112, 115, 132, 137, 138, 141,
					142, 143, 144, 200, 252, 253, 254, 255};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds); i++) {
		packet_start(&p);
		packet_srh(&p, 1, NULL, 0);
		packet_end(&p, 17, 0);
		/* What looks like an SRH behind them is not one. */
		p.octets[14 + 6] = kinds[i];
		assert_int_equal(find(), SRH_ABSENT);
		assert_int_equal(v.ip_off, 14);
		assert_int_equal(v.chain_end, 54);
		assert_int_equal(v.srh_off, 0);
		packet_start(&p);
		packet_end(&p, kinds[i], 0);
		assert_int_equal(find(), SRH_ABSENT);
	}
}

static void
test_extension_headers_before(void **state)
{
	static const struct {
		uint8_t kind;
		uint32_t len;
	} cases[] = {
		{0, 8},	   {0, 16},   {0, 2048}, {60, 8},    {60, 24}, {60, 2048},
		{51, 8},   {51, 12},  {51, 24},	 {51, 1028}, {135, 8}, {135, 64},
		{139, 40}, {140, 16}, {140, 8},	 {44, 8},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		packet_start(&p);
		packet_ext(&p, cases[i].kind, cases[i].len);
		if (cases[i].kind == 44)
			p.octets[55] = 0xff; /* reserved, not a length */
		packet_srh(&p, 2, NULL, 0);
		packet_end(&p, 6, 20);
		assert_int_equal(find(), SRH_FOUND);
		assert_int_equal(v.srh_off, 54 + cases[i].len);
		assert_int_equal(v.chain_end, 54 + cases[i].len + 40);
		/* And behind. */
		packet_start(&p);
		packet_srh(&p, 2, NULL, 0);
		packet_ext(&p, cases[i].kind, cases[i].len);
		packet_end(&p, 6, 20);
		assert_int_equal(find(), SRH_FOUND);
		assert_int_equal(v.srh_off, 54);
		assert_int_equal(v.chain_end, 54 + 40 + cases[i].len);
		/* And without an SRH. */
		packet_start(&p);
		packet_ext(&p, cases[i].kind, cases[i].len);
		packet_end(&p, 6, 20);
		assert_int_equal(find(), SRH_ABSENT);
		assert_int_equal(v.chain_end, 54 + cases[i].len);
	}
}

static void
test_several_extension_headers(void **state)
{
	(void)state;
	packet_start(&p);
	packet_ext(&p, 0, 16);
	packet_ext(&p, 60, 8);
	packet_fragment(&p, 0, 0);
	packet_ext(&p, 51, 24);
	packet_ext(&p, 60, 24);
	packet_srh(&p, 1, NULL, 0);
	packet_ext(&p, 60, 8);
	packet_end(&p, 41, 40);
	assert_int_equal(find(), SRH_FOUND);
	assert_int_equal(v.srh_off, 54 + 16 + 8 + 8 + 24 + 24);
	assert_false(v.fragmentable);
}

static void
test_number_of_extension_headers(void **state)
{
	(void)state;
	for (unsigned before = 0; before <= 9; before++) {
		for (unsigned after = 0; after <= 9; after++) {
			bool fits = before + 1 + after <= SRH_MAX_EXT_HEADERS;

			packet_start(&p);
			for (unsigned i = 0; i < before; i++)
				packet_ext(&p, 60, 8);
			packet_srh(&p, 1, NULL, 0);
			for (unsigned i = 0; i < after; i++)
				packet_ext(&p, 60, 8);
			packet_end(&p, 17, 8);
			assert_int_equal(find(), fits ? SRH_FOUND : SRH_MALFORMED);
			if (!fits)
				assert_int_equal(v.err_off, 40 + 8 * 8 + (before < 8 ? 16 : 0));
		}
	}
	/* The bound holds without an SRH, too. */
	for (unsigned n = 7; n <= 9; n++) {
		packet_start(&p);
		for (unsigned i = 0; i < n; i++)
			packet_ext(&p, 60, 8);
		packet_end(&p, 17, 8);
		assert_int_equal(find(), n <= 8 ? SRH_ABSENT : SRH_MALFORMED);
	}
}

static void
test_chain_length(void **state)
{
	(void)state;
	/* Ends at 54 + 2048 + fill + 40, where 4096 is allowed. */
	for (uint32_t fill = 1940; fill <= 1972; fill += 4) {
		uint32_t end = 54 + 2048 + fill + 24;
		bool fits = end <= SRH_MAX_CHAIN_LEN;

		packet_start(&p);
		packet_ext(&p, 60, 2048);
		packet_ext(&p, 60, fill / 8 * 8 - 16);
		packet_ext(&p, 51, 16 + fill % 8);
		packet_srh(&p, 1, NULL, 0);
		packet_end(&p, 17, 100);
		assert_int_equal(find(), fits ? SRH_FOUND : SRH_MALFORMED);
		if (fits)
			assert_int_equal(v.chain_end, end);
		else
			assert_int_equal(v.err_off, end - 24 + 1 - 14);
		/* The same bound for a header behind the SRH. */
		packet_start(&p);
		packet_srh(&p, 1, NULL, 0);
		packet_ext(&p, 60, 2048);
		packet_ext(&p, 60, fill / 8 * 8 - 16);
		packet_ext(&p, 51, 16 + fill % 8);
		packet_end(&p, 17, 100);
		assert_int_equal(find(), fits ? SRH_FOUND : SRH_MALFORMED);
	}
}

static void
test_payload_length_bounds_the_packet(void **state)
{
	(void)state;
	packet_start(&p);
	packet_ext(&p, 60, 16);
	packet_srh(&p, 2, NULL, 0);
	packet_end(&p, 17, 32);
	for (uint32_t n = 0; n <= 16 + 40 + 100; n++) {
		p.octets[18] = n >> 8;
		p.octets[19] = n & 0xff;
		assert_int_equal(find(), n < 16 + 40 ? SRH_TRUNCATED : SRH_FOUND);
		assert_int_equal(v.ip_payload, n);
		if (n < 16 + 40)
			assert_int_equal(v.err_off, n < 16 ? 40 : 40 + 16);
	}
	/* Nothing behind the IPv6 payload is packet. */
	packet_start(&p);
	packet_end(&p, 43, 0);
	p.len += 46;
	assert_int_equal(find(), SRH_TRUNCATED);
	assert_int_equal(v.err_off, 40);
	packet_start(&p);
	packet_end(&p, 0, 0);
	p.len += 46;
	assert_int_equal(find(), SRH_TRUNCATED);
}

static void
test_srh_bounds(void **state)
{
	(void)state;
	for (unsigned ext_len = 0; ext_len < 256; ext_len++) {
		int max = (int)ext_len / 2 - 1;

		for (int last = max - 2 < 0 ? 0 : max - 2; last <= max + 2 && last < 256; last++) {
			for (int left = 0; left<256; left += left> 4 && left < last - 2 ? 3 : 1) {
				bool ok = last <= max && left <= last + 1;

				packet_start(&p);
				packet_routing(&p, 4, (ext_len + 1) * 8);
				p.octets[54 + 3] = left;
				p.octets[54 + 4] = last;
				packet_end(&p, 17, 8);
				assert_int_equal(find(), ok ? SRH_FOUND : SRH_MALFORMED);
				if (ok) {
					assert_int_equal(v.tlv_off, 54 + 8 + 16 * (last + 1));
					assert_int_equal(v.srh_len, (ext_len + 1) * 8);
				} else {
					assert_int_equal(v.err_off, 40 + 3);
					assert_int_equal(v.srh_off, 0);
				}
			}
		}
	}
}

static void
test_other_routing_types(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		packet_start(&p);
		packet_routing(&p, type, 24);
		packet_end(&p, 17, 8);
		assert_int_equal(find(), type == 4 ? SRH_FOUND : SRH_ABSENT);
		/* Segments Left and Last Entry of another type are none of ours. */
		packet_start(&p);
		packet_routing(&p, type, 8);
		memset(p.octets + 54 + 3, 0xff, 5);
		packet_end(&p, 17, 8);
		assert_int_equal(find(), type == 4 ? SRH_MALFORMED : SRH_ABSENT);
	}
	packet_start(&p);
	packet_routing(&p, 2, 24);
	packet_routing(&p, 3, 24);
	packet_end(&p, 17, 8);
	assert_int_equal(find(), SRH_ABSENT);
}

static void
test_second_routing_header(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 7; type++) {
		for (unsigned between = 0; between < 2; between++) {
			uint32_t second;

			packet_start(&p);
			packet_srh(&p, 2, NULL, 0);
			if (between)
				packet_ext(&p, 60, 16);
			second = packet_routing(&p, type, 24);
			packet_end(&p, 17, 8);
			assert_int_equal(find(), SRH_SECOND_ROUTING);
			assert_int_equal(v.err_off, second - 14);
			assert_int_equal(v.srh_off, 54);

			packet_start(&p);
			packet_routing(&p, type, 24);
			if (between)
				packet_ext(&p, 60, 16);
			second = packet_srh(&p, 2, NULL, 0);
			packet_end(&p, 17, 8);
			assert_int_equal(find(), SRH_SECOND_ROUTING);
			assert_int_equal(v.err_off, second - 14);
			assert_int_equal(v.srh_off, type == 4 ? 54 : 0);
		}
	}
	/* The inner packet's SRH is not ours. */
	packet_start(&p);
	packet_srh(&p, 1, NULL, 0);
	p.octets[p.srh_off] = 41;
	packet_ipv6(&p);
	packet_srh(&p, 1, NULL, 0);
	packet_end(&p, 17, 8);
	p.ip_off = 14;
	packet_fix_length(&p);
	assert_int_equal(find(), SRH_FOUND);
	assert_int_equal(v.srh_off, 54);
}

static void
test_fragments(void **state)
{
	(void)state;
	/* First fragment. */
	packet_start(&p);
	packet_ext(&p, 60, 8);
	packet_fragment(&p, 0, 1);
	packet_srh(&p, 2, NULL, 0);
	packet_end(&p, 17, 8);
	assert_int_equal(find(), SRH_FOUND);
	assert_true(v.fragmentable);
	assert_int_equal(v.frag_offset, 0);
	/* One whose chain it cuts off. */
	packet_start(&p);
	packet_fragment(&p, 0, 1);
	packet_end(&p, 43, 0);
	assert_int_equal(find(), SRH_TRUNCATED);
	assert_int_equal(v.err_off, 48);
	/* A packet in one piece. */
	packet_start(&p);
	packet_fragment(&p, 0, 0);
	p.octets[54 + 3] = 6; /* reserved bits */
	packet_srh(&p, 2, NULL, 0);
	packet_end(&p, 17, 8);
	assert_int_equal(find(), SRH_FOUND);
	assert_false(v.fragmentable);
	/* Later ones, also the last. */
	for (unsigned more = 0; more < 2; more++) {
		packet_start(&p);
		packet_ext(&p, 60, 8);
		packet_fragment(&p, 0xfff8, more);
		packet_srh(&p, 2, NULL, 0);
		packet_end(&p, 17, 8);
		assert_int_equal(find(), SRH_LATER_FRAGMENT);
		assert_int_equal(v.frag_next, 43);
		assert_int_equal(v.frag_offset, 0xfff8);
		assert_int_equal(v.chain_end, 54 + 8 + 8);
		assert_int_equal(v.srh_off, 0);
		packet_start(&p);
		packet_fragment(&p, 8, more);
		packet_end(&p, 17, 0);
		assert_int_equal(find(), SRH_LATER_FRAGMENT);
		assert_int_equal(v.frag_next, 17);
		assert_int_equal(v.frag_offset, 8);
	}
	/* An SRH before the Fragment header is in every piece, and may be resized. */
	packet_start(&p);
	packet_srh(&p, 2, NULL, 0);
	packet_fragment(&p, 1280, 1);
	packet_end(&p, 43, 64);
	assert_int_equal(find(), SRH_FOUND);
	assert_false(v.fragmentable);
	assert_int_equal(v.frag_next, 0);
	assert_int_equal(v.frag_offset, 0);
	/* Behind a first fragment's Fragment header the chain goes on. */
	packet_start(&p);
	packet_srh(&p, 2, NULL, 0);
	packet_fragment(&p, 0, 1);
	packet_routing(&p, 4, 24);
	packet_end(&p, 17, 64);
	assert_int_equal(find(), SRH_SECOND_ROUTING);
}

static void
test_order_of_faults(void **state)
{
	static const uint8_t overrun[8] = {7, 7};

	(void)state;
	/* A second routing header is said before what is wrong with TLVs. */
	packet_start(&p);
	packet_srh(&p, 2, overrun, sizeof(overrun));
	packet_routing(&p, 2, 8);
	packet_end(&p, 17, 8);
	assert_int_equal(find(), SRH_SECOND_ROUTING);
	/* Bounds of the SRH before what stands behind it. */
	p.octets[54 + 3] = 3;
	assert_int_equal(find(), SRH_MALFORMED);
	assert_int_equal(v.err_off, 43);
	/* The end of the packet before the TLVs, and before another routing header's type. */
	p.octets[54 + 3] = 2;
	p.octets[p.next_off + 1] = 2;
	assert_int_equal(find(), SRH_TRUNCATED);
	assert_int_equal(v.err_off, 40 + 48);
	assert_int_equal(v.srh_off, 54);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_srh),
		cmocka_unit_test(test_ethernet),
		cmocka_unit_test(test_too_short_for_ethernet),
		cmocka_unit_test(test_ip_version),
		cmocka_unit_test(test_no_extension_header),
		cmocka_unit_test(test_extension_headers_before),
		cmocka_unit_test(test_several_extension_headers),
		cmocka_unit_test(test_number_of_extension_headers),
		cmocka_unit_test(test_chain_length),
		cmocka_unit_test(test_payload_length_bounds_the_packet),
		cmocka_unit_test(test_srh_bounds),
		cmocka_unit_test(test_other_routing_types),
		cmocka_unit_test(test_second_routing_header),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_order_of_faults),
	};

	return cmocka_run_group_tests_name("srh_find", tests, NULL, NULL);
}
