/* SPDX-License-Identifier: BSD-3-Clause */
/* srh_find() on the TLVs of an SRH, and on what two readers could see differently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "srh/srh.h"
#include "srh_packet.h"

#define TLV_OFF (54u + 8 + 32) /* of a plain frame's SRH with two segments */
#define HDR_EXT_LEN_PTR 41u

static struct packet p;
static struct srh_view v;

static enum srh_status
find(uint8_t flags, const uint8_t *tlvs, uint32_t n)
{
	packet_start(&p);
	packet_srh(&p, 2, tlvs, n);
	p.octets[54 + 5] = flags;
	packet_end(&p, 17, 8);
	memset(&v, 0xee, sizeof(v));
	return srh_find(p.octets, p.len, p.len, &v);
}

static void
test_hmac_alone(void **state)
{
	(void)state;
	/* 14, 22, 30 and 38 are the forms there are; the others are for the key to judge. */
	for (uint32_t length = 6; length <= 254; length += 8) {
		for (unsigned flags = 0; flags < 256; flags += 8) {
			uint8_t tlv[256];
			uint32_t n = hmac_tlv(tlv, length, 0xfedcba98);

			tlv[2] = 0x81;
			tlv[3] = 0x23;
			assert_int_equal(find(flags, tlv, n), SRH_FOUND);
			assert_int_equal(v.hmac_off, TLV_OFF);
			assert_int_equal(v.hmac_len, length);
			assert_int_equal(v.hmac_dres, 0x8123);
			assert_int_equal(v.key_id, 0xfedcba98);
			assert_int_equal(v.tlvs, 1);
			assert_int_equal(v.err_off, TLV_OFF - 14);
			assert_int_equal(v.hmac_linux, (flags & 0x08) && length == 38);
		}
	}
}

static void
test_hmac_length_too_small(void **state)
{
	(void)state;
	for (uint32_t length = 0; length < 6; length++) {
		uint8_t tlvs[8] = {0, 5, length};

		assert_int_equal(find(0, tlvs, 8), SRH_HMAC_MALFORMED);
		assert_int_equal(v.err_off, TLV_OFF + 1 - 14);
		assert_int_equal(v.hmac_off, 0);
	}
}

static void
test_padding(void **state)
{
	(void)state;
	/* Pad1, any number; then an HMAC that need not be aligned for us to see it. */
	for (uint32_t n = 1; n <= 33; n++) {
		uint8_t tlvs[96] = {0};
		uint32_t len = n + hmac_tlv(tlvs + n, 38, 7);

		len += -len % 8;
		assert_int_equal(find(0, tlvs, len), SRH_FOUND);
		assert_int_equal(v.hmac_off, TLV_OFF + n);
		assert_int_equal(v.tlvs, n % 8 == 0 ? 2 : 3);
	}
	/* PadN of every length that there can be, the RFC's 0..5 and beyond, with any content. */
	for (uint32_t n = 0; n < 256; n++) {
		uint8_t tlvs[320];
		uint32_t len = 2 + n;

		memset(tlvs, 5, sizeof(tlvs));
		tlvs[0] = 4;
		tlvs[1] = n;
		len += hmac_tlv(tlvs + len, 38, 7);
		while (len % 8 != 0)
			tlvs[len++] = 0;
		assert_int_equal(find(0, tlvs, len), SRH_FOUND);
		assert_int_equal(v.hmac_off, TLV_OFF + 2 + n);
	}
	/* One that fills the TLV area as an HMAC would, and none. */
	for (unsigned type = 1; type < 256; type++) {
		uint8_t tlvs[40] = {type, 38};

		if (type == 5)
			continue;
		assert_int_equal(find(0x08, tlvs, 40), SRH_FOUND);
		assert_int_equal(v.hmac_off, 0);
		assert_int_equal(v.tlvs, 1);
	}
	/* Only padding. */
	for (uint32_t n = 8; n <= 64; n += 8) {
		uint8_t tlvs[64] = {0};

		assert_int_equal(find(0x08, tlvs, n), SRH_FOUND);
		assert_int_equal(v.hmac_off, 0);
		assert_int_equal(v.tlvs, 1);
		assert_int_equal(v.err_off, 0);
	}
}

static void
test_unknown_types(void **state)
{
	(void)state;
	for (unsigned type = 1; type < 256; type++) {
		uint8_t tlvs[48] = {type, 6, 5, 38};

		if (type == 5)
			continue;
		hmac_tlv(tlvs + 8, 38, 9);
		assert_int_equal(find(0x08, tlvs, 48), SRH_FOUND);
		assert_int_equal(v.hmac_off, TLV_OFF + 8);
		assert_true(v.hmac_linux);
		assert_int_equal(v.tlvs, 2);
		/* Behind it. */
		hmac_tlv(tlvs, 38, 9);
		tlvs[40] = type;
		tlvs[41] = 6;
		assert_int_equal(find(0x08, tlvs, 48), SRH_FOUND);
		assert_int_equal(v.hmac_off, TLV_OFF);
		assert_false(v.hmac_linux);
	}
}

static void
test_overrun(void **state)
{
	(void)state;
	for (unsigned type = 1; type < 256; type++) {
		for (unsigned length = 5; length < 256; length++) {
			uint8_t tlvs[8] = {type, length, 5, 38, 5, 38, 5, 38};

			if (length == 6 || (type == 5 && length < 6))
				continue;
			/* At 5 one octet is left, which is no TLV unless it is Pad1. */
			assert_int_equal(find(0, tlvs, 8), SRH_TLV_MALFORMED);
			assert_int_equal(v.err_off, HDR_EXT_LEN_PTR);
			assert_int_equal(v.hmac_off, 0);
		}
	}
	/* Exactly to the end, one past it, and a lone last octet. */
	for (uint32_t n = 16; n <= 256; n += 8) {
		uint8_t tlvs[256] = {0x7c, n - 2};

		assert_int_equal(find(0, tlvs, n), SRH_FOUND);
		tlvs[1] = n - 1;
		assert_int_equal(find(0, tlvs, n), SRH_TLV_MALFORMED);
		tlvs[1] = n - 3;
		assert_int_equal(find(0, tlvs, n), SRH_FOUND);
		for (unsigned last = 1; last < 256; last++) {
			tlvs[n - 1] = last;
			assert_int_equal(find(0, tlvs, n), SRH_TLV_MALFORMED);
			assert_int_equal(v.err_off, HDR_EXT_LEN_PTR);
		}
	}
	/* An overrun behind an HMAC: what was read of the HMAC stays to be told. */
	uint8_t tlvs[48] = {0};

	hmac_tlv(tlvs, 38, 0xabcd);
	tlvs[40] = 0x7c;
	tlvs[41] = 7;
	assert_int_equal(find(0, tlvs, 48), SRH_TLV_MALFORMED);
	assert_int_equal(v.key_id, 0xabcd);
}

static void
test_duplicate(void **state)
{
	uint8_t tlvs[96] = {0};

	(void)state;
	hmac_tlv(tlvs, 38, 1);
	hmac_tlv(tlvs + 40, 38, 2);
	assert_int_equal(find(0x08, tlvs, 80), SRH_HMAC_DUPLICATE);
	assert_int_equal(v.err_off, TLV_OFF + 40 - 14);
	assert_int_equal(v.hmac_off, TLV_OFF);
	assert_int_equal(v.key_id, 1);
	tlvs[1] = 14;
	tlvs[16] = 4;
	tlvs[17] = 22;
	assert_int_equal(find(0, tlvs, 80), SRH_HMAC_DUPLICATE);
	/* The first of two faults decides. */
	tlvs[41] = 255;
	assert_int_equal(find(0, tlvs, 80), SRH_TLV_MALFORMED);
	tlvs[41] = 3;
	assert_int_equal(find(0, tlvs, 80), SRH_HMAC_MALFORMED);
	assert_int_equal(v.err_off, TLV_OFF + 40 - 14);
}

static void
test_number_of_tlvs(void **state)
{
	uint8_t tlvs[256];
	uint32_t n;

	(void)state;
	/* 62, 63, 64 and 65 TLVs, of which the last is the HMAC. */
	for (unsigned count = 62; count <= 65; count++) {
		bool fits = count <= SRH_MAX_TLVS;

		memset(tlvs, 0, sizeof(tlvs));
		n = 0;
		for (unsigned i = 0; i < count - 1; i++) {
			tlvs[n] = 0x7c;
			tlvs[n + 1] = i == 0 ? 8 - (count - 2) * 2 % 8 + 6 : 0;
			n += 2 + tlvs[n + 1];
		}
		n += hmac_tlv(tlvs + n, 38, 3);
		assert_int_equal(n % 8, 0);
		assert_int_equal(find(0x08, tlvs, n), fits ? SRH_FOUND : SRH_TLV_MALFORMED);
		assert_int_equal(v.tlvs, fits ? count : SRH_MAX_TLVS);
		assert_int_equal(v.hmac_linux, fits);
		if (!fits)
			assert_int_equal(v.err_off, HDR_EXT_LEN_PTR);
	}
	/* A run of Pad1 counts once, whatever its length. */
	static uint8_t pads[1024];

	assert_int_equal(find(0, pads, sizeof(pads)), SRH_FOUND);
	assert_int_equal(v.tlvs, 1);
}

/* Flags 0x08 and Type 5, Length 38 in the last 40 octets: Linux sees an HMAC there. */
static void
test_linux_place(void **state)
{
	uint8_t tlvs[96] = {0};

	(void)state;
	/* Inside an unknown TLV. */
	tlvs[0] = 0x7c;
	tlvs[1] = 46;
	hmac_tlv(tlvs + 8, 38, 1);
	assert_int_equal(find(0x08, tlvs, 48), SRH_HMAC_MALFORMED);
	assert_int_equal(v.err_off, TLV_OFF + 8 - 14);
	assert_int_equal(v.hmac_off, 0);
	assert_int_equal(find(0xf7, tlvs, 48), SRH_FOUND);
	assert_int_equal(v.hmac_off, 0);
	/* Inside another HMAC TLV. */
	tlvs[0] = 5;
	assert_int_equal(find(0x08, tlvs, 48), SRH_HMAC_MALFORMED);
	assert_int_equal(v.hmac_off, TLV_OFF);
	assert_int_equal(find(0, tlvs, 48), SRH_FOUND);
	assert_int_equal(v.hmac_off, TLV_OFF);
	assert_false(v.hmac_linux);
	/* Not Length 38, or not Type 5: Linux sees none, and there is none. */
	tlvs[0] = 0x7c;
	tlvs[9] = 37;
	assert_int_equal(find(0x08, tlvs, 48), SRH_FOUND);
	tlvs[9] = 38;
	tlvs[8] = 6;
	assert_int_equal(find(0x08, tlvs, 48), SRH_FOUND);
	/* The last 40 octets reach into the segment list: Linux does not look. */
	memset(tlvs, 0, sizeof(tlvs));
	packet_start(&p);
	packet_srh(&p, 2, tlvs, 32);
	p.octets[54 + 5] = 0x08;
	p.octets[TLV_OFF - 8] = 5;
	p.octets[TLV_OFF - 7] = 38;
	packet_end(&p, 17, 8);
	assert_int_equal(srh_find(p.octets, p.len, p.len, &v), SRH_FOUND);
	assert_int_equal(v.hmac_off, 0);
}

/* The same HMAC TLV with a VLAN tag before it all, which goes another way through the parser. */
static void
test_hmac_alone_tagged(void **state)
{
	(void)state;
	for (uint32_t length = 14; length <= 46; length += 8) {
		for (unsigned flags = 0; flags < 16; flags += 8) {
			uint8_t tlv[48];
			uint32_t n = hmac_tlv(tlv, length, 0xfedcba98);

			packet_ether(&p, (const uint16_t[]){0x8100, 0});
			packet_ipv6(&p);
			packet_srh(&p, 2, tlv, n);
			p.octets[58 + 5] = flags;
			packet_end(&p, 17, 8);
			assert_int_equal(srh_find(p.octets, p.len, p.len, &v), SRH_FOUND);
			assert_int_equal(v.hmac_off, TLV_OFF + 4);
			assert_int_equal(v.hmac_len, length);
			assert_int_equal(v.hmac_linux, flags == 8 && length == 38);
			assert_int_equal(v.err_off, TLV_OFF - 14);
		}
	}
}

static void
test_fullest_headers(void **state)
{
	static const struct {
		unsigned segments;
		uint32_t length; /* of the HMAC TLV, which is last */
	} cases[] = {{125, 38}, {126, 22}, {127, 0}, {1, 38}, {64, 14}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t tlv[64];
		uint32_t n = cases[i].length != 0 ? hmac_tlv(tlv, cases[i].length, 77) : 0;
		uint32_t off = 54 + 8 + 16 * cases[i].segments;

		packet_start(&p);
		packet_srh(&p, cases[i].segments, tlv, n);
		packet_end(&p, 17, 8);
		p.octets[54 + 3] = cases[i].segments;
		assert_int_equal(srh_find(p.octets, p.len, p.len, &v), SRH_FOUND);
		assert_int_equal(v.tlv_off, off);
		assert_int_equal(v.srh_len, 8 + 16 * cases[i].segments + n);
		assert_int_equal(v.hmac_off, n != 0 ? off : 0);
		assert_int_equal(v.hmac_len, cases[i].length);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hmac_alone),
		cmocka_unit_test(test_hmac_alone_tagged),
		cmocka_unit_test(test_hmac_length_too_small),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_duplicate),
		cmocka_unit_test(test_number_of_tlvs),
		cmocka_unit_test(test_linux_place),
		cmocka_unit_test(test_fullest_headers),
	};

	return cmocka_run_group_tests_name("srh_tlv", tests, NULL, NULL);
}
