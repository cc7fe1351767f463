/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * srh_find() on frames of which only a front part lies together, and on frames that end early.
 * Each range is a heap block of its own length, so that the sanitizers see an octet too many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "srh/srh.h"
#include "srh_packet.h"

static struct packet p;

static enum srh_status
find(uint32_t len, uint32_t frame_len, struct srh_view *view)
{
	uint8_t *block = malloc(len + 1); /* also for len 0; what is past its end is what matters */
	enum srh_status status;

	if (block == NULL)
		abort();
	memcpy(block + 1, p.octets, len);
	status = srh_find(block + 1, len, frame_len, view);
	free(block);
	return status;
}

/* Frames that take every way there is through srh_find(); returns false past the last. */
static bool
build(unsigned number)
{
	uint8_t tlvs[96] = {0};

	packet_start(&p);
	switch (number) {
	case 0: /* the common case */
		packet_srh(&p, 2, tlvs, hmac_tlv(tlvs, 38, 4));
		packet_end(&p, 41, 40);
		return true;
	case 1: /* tags, other headers before and behind, other TLVs */
		packet_ether(&p, (const uint16_t[]){0x88a8, 0x8100, 0});
		packet_ipv6(&p);
		packet_ext(&p, 0, 16);
		packet_ext(&p, 60, 8);
		packet_ext(&p, 51, 12);
		tlvs[0] = 0x7c;
		tlvs[1] = 6;
		hmac_tlv(tlvs + 8, 30, 4);
		tlvs[40] = 4;
		tlvs[41] = 3;
		packet_srh(&p, 3, tlvs, 48);
		packet_ext(&p, 60, 16);
		packet_ext(&p, 135, 8);
		packet_end(&p, 6, 20);
		return true;
	case 2: /* a second routing header */
		packet_srh(&p, 1, NULL, 0);
		packet_ext(&p, 60, 8);
		packet_srh(&p, 1, NULL, 0);
		packet_end(&p, 6, 20);
		return true;
	case 3: /* later fragment */
		packet_ext(&p, 60, 24);
		packet_fragment(&p, 1280, 1);
		packet_end(&p, 43, 64);
		return true;
	case 4: /* malformed SRH */
		packet_ext(&p, 60, 24);
		packet_srh(&p, 2, NULL, 0);
		p.octets[p.srh_off + 4] = 2;
		packet_end(&p, 17, 8);
		return true;
	case 5: /* malformed TLV */
		tlvs[7] = 1;
		packet_srh(&p, 2, tlvs, 8);
		packet_end(&p, 17, 8);
		return true;
	case 6: /* HMAC faults */
		hmac_tlv(tlvs, 38, 1);
		hmac_tlv(tlvs + 40, 38, 1);
		packet_srh(&p, 2, tlvs, 80);
		packet_end(&p, 17, 8);
		return true;
	case 7:
		tlvs[0] = 5;
		tlvs[1] = 5;
		packet_srh(&p, 2, tlvs, 8);
		packet_end(&p, 17, 8);
		return true;
	case 8: /* no SRH */
		packet_ext(&p, 0, 8);
		packet_end(&p, 17, 30);
		return true;
	case 9: /* not IPv6 */
		p.octets[13] = 0;
		packet_end(&p, 17, 30);
		return true;
	case 10: /* the payload ends in the SRH, the frame does not */
		packet_srh(&p, 2, NULL, 0);
		packet_end(&p, 17, 8);
		p.octets[19] = 39;
		return true;
	case 11: /* as long as it may be: more than one extension header of 2 kB */
		packet_ext(&p, 60, 2040);
		packet_srh(&p, 123, tlvs, hmac_tlv(tlvs, 22, 4));
		packet_end(&p, 17, 200);
		return true;
	case 12: /* too many headers */
		for (int i = 0; i < 9; i++)
			packet_ext(&p, 60, 8);
		packet_end(&p, 17, 8);
		return true;
	default:
		return false;
	}
}

static void
test_every_split(void **state)
{
	bool seen[SRH_SECOND_ROUTING + 1] = {false};

	(void)state;
	for (unsigned number = 0; build(number); number++) {
		struct srh_view whole, view;
		enum srh_status status = find(p.len, p.len, &whole);
		bool enough = false;

		assert_int_not_equal(status, SRH_MORE);
		seen[status] = true;
		for (uint32_t len = 0; len < p.len; len++) {
			enum srh_status part;

			memset(&view, 0xee, sizeof(view));
			part = find(len, p.len, &view);
			if (part == SRH_MORE) {
				/* Once it was enough, more is enough, too. */
				assert_false(enough);
				assert_true(len < SRH_MAX_CHAIN_LEN + 64);
				seen[part] = true;
				continue;
			}
			enough = true;
			assert_int_equal(part, status);
			assert_int_equal(view.ip_off, whole.ip_off);
			assert_int_equal(view.ip_payload, whole.ip_payload);
			assert_int_equal(view.chain_end, whole.chain_end);
			assert_int_equal(view.srh_off, whole.srh_off);
			assert_int_equal(view.srh_len, whole.srh_len);
			assert_int_equal(view.tlv_off, whole.tlv_off);
			assert_int_equal(view.tlvs, whole.tlvs);
			assert_int_equal(view.hmac_off, whole.hmac_off);
			assert_int_equal(view.key_id, whole.key_id);
			assert_int_equal(view.err_off, whole.err_off);
			assert_int_equal(view.frag_offset, whole.frag_offset);
		}
	}
	for (unsigned i = 0; i < sizeof(seen); i++) {
		/* SRH_TRUNCATED by the payload is case 10. */
		assert_true(seen[i]);
	}
}

static void
test_every_truncation(void **state)
{
	(void)state;
	for (unsigned number = 0; build(number); number++) {
		struct srh_view view;
		enum srh_status status = find(p.len, p.len, &view);
		uint32_t ip_end = view.ip_off == 0 ? p.len : view.ip_off + 40u;
		enum srh_status before = SRH_NOT_IPV6;

		for (uint32_t len = 0; len < p.len; len++) {
			enum srh_status part = find(len, len, &view);

			/* Too short for Ethernet, then for IPv6 or a header, then whole. */
			assert_true(part == SRH_NOT_IPV6 || part == SRH_TRUNCATED ||
				    part == status);
			if (len >= ip_end && status != SRH_NOT_IPV6)
				assert_int_not_equal(part, SRH_NOT_IPV6);
			if (before != SRH_NOT_IPV6 && before != SRH_TRUNCATED)
				assert_int_equal(part, status);
			before = part;
		}
	}
}

static void
test_smallest_enough(void **state)
{
	struct srh_view view;

	(void)state;
	build(0);
	assert_int_equal(find(54 + 80 - 1, p.len, &view), SRH_MORE);
	assert_int_equal(find(54 + 80, p.len, &view), SRH_FOUND);
	/* A header behind the SRH needs its first 8 octets. */
	build(2);
	assert_int_equal(find(54 + 24 + 8 + 7, p.len, &view), SRH_MORE);
	assert_int_equal(find(54 + 24 + 8 + 8, p.len, &view), SRH_SECOND_ROUTING);
	/* A header that ends behind SRH_MAX_CHAIN_LEN never asks for more than it. */
	packet_start(&p);
	packet_ext(&p, 60, 2048);
	packet_ext(&p, 60, 1992);
	assert_int_equal(packet_srh(&p, 60, NULL, 0), 4094);
	packet_end(&p, 17, 2000);
	assert_int_equal(find(4094 + 7, p.len, &view), SRH_MORE);
	assert_int_equal(find(4094 + 8, p.len, &view), SRH_MALFORMED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_split),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_smallest_enough),
	};

	return cmocka_run_group_tests_name("srh_more", tests, NULL, NULL);
}
