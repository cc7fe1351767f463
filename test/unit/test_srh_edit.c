/* SPDX-License-Identifier: BSD-3-Clause */
/* srh_fits(), srh_hmac_place(), srh_open() and srh_close(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "srh/srh.h"
#include "srh_packet.h"

#define ROOM 64u /* octets before the frame */

static struct packet p;
static uint8_t buffer[ROOM + sizeof(p.octets)];

/* Frames with an SRH without HMAC; returns false past the last. */
static bool
build(unsigned number)
{
	static const uint8_t other[24] = {0x7c, 6, 1, 2, 3, 4, 5, 6, 0, 0, 4, 3, 9, 9, 9, 0, 4, 6};
	static const uint8_t pad[8] = {0};

	packet_start(&p);
	switch (number) {
	case 0:
		packet_srh(&p, 1, NULL, 0);
		packet_end(&p, 17, 8);
		return true;
	case 1:
		packet_srh(&p, 3, other, sizeof(other) - 8);
		packet_end(&p, 41, 1400);
		return true;
	case 2:
		packet_ether(&p, (const uint16_t[]){0x88a8, 0x8100, 0});
		packet_ipv6(&p);
		packet_ext(&p, 0, 16);
		packet_ext(&p, 60, 8);
		packet_srh(&p, 2, pad, sizeof(pad));
		packet_ext(&p, 60, 24);
		packet_end(&p, 6, 33);
		return true;
	case 3: /* as many segments as go with an HMAC TLV of 40 octets */
		packet_srh(&p, 125, NULL, 0);
		packet_end(&p, 17, 8);
		return true;
	case 4:
		packet_ether(&p, (const uint16_t[]){0x8100, 0});
		packet_ipv6(&p);
		packet_ext(&p, 51, 12);
		packet_srh(&p, 14, other, sizeof(other));
		packet_end(&p, 59, 0);
		return true;
	default:
		return false;
	}
}

static void
assert_same_view(const struct srh_view *a, const struct srh_view *b)
{
	assert_int_equal(a->ip_off, b->ip_off);
	assert_int_equal(a->ip_payload, b->ip_payload);
	assert_int_equal(a->chain_end, b->chain_end);
	assert_int_equal(a->srh_off, b->srh_off);
	assert_int_equal(a->srh_len, b->srh_len);
	assert_int_equal(a->tlv_off, b->tlv_off);
	assert_int_equal(a->tlvs, b->tlvs);
	assert_int_equal(a->hmac_off, b->hmac_off);
	assert_int_equal(a->hmac_dres, b->hmac_dres);
	assert_int_equal(a->hmac_len, b->hmac_len);
	assert_int_equal(a->hmac_linux, b->hmac_linux);
	assert_int_equal(a->segments_left, b->segments_left);
	assert_int_equal(a->last_entry, b->last_entry);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->fragmentable, b->fragmentable);
	assert_int_equal(a->key_id, b->key_id);
	assert_int_equal(a->err_off, b->err_off);
}

/* Fill the gap as an HMAC TLV would be, and note it as the caller of srh_open() does. */
static void
fill(uint8_t *frame, struct srh_view *view, uint16_t at, uint16_t n)
{
	hmac_tlv(frame + at, n - 2, 0x01020304);
	view->hmac_off = at;
	view->hmac_len = n - 2;
	view->hmac_dres = 0;
	view->key_id = 0x01020304;
	view->err_off = at - view->ip_off;
	view->hmac_linux = (view->flags & SRH_FLAG_LINUX_HMAC) && n == 40 &&
			   at + n == view->srh_off + view->srh_len;
}

static void
round_trip(bool last, uint16_t n, uint8_t flags)
{
	for (unsigned number = 0; build(number); number++) {
		uint8_t *frame = buffer + ROOM - n;
		struct srh_view before, view, found;
		uint16_t at, srh_end;

		p.octets[p.srh_off + 5] = flags;
		memset(buffer, 0xcc, ROOM);
		memcpy(buffer + ROOM, p.octets, p.len);
		assert_int_equal(srh_find(p.octets, p.len, p.len, &before), SRH_FOUND);
		view = before;
		at = srh_hmac_place(&view, last);
		srh_end = view.srh_off + view.srh_len;
		assert_int_equal(at, last ? srh_end : view.tlv_off);
		assert_int_equal(srh_fits(&view, n), SRH_FITS);
		srh_open(frame, &view, at, n);

		/* What stood before and behind is there, but for the two length fields. */
		assert_int_equal(frame[view.srh_off + 1], p.octets[p.srh_off + 1] + n / 8);
		assert_int_equal(frame[view.ip_off + 4] << 8 | frame[view.ip_off + 5],
				 p.len - p.ip_off - 40 + n);
		for (uint32_t i = 0; i < at; i++) {
			if (i == p.srh_off + 1 || i == p.ip_off + 4 || i == p.ip_off + 5)
				continue;
			assert_int_equal(frame[i], p.octets[i]);
		}
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(frame[at + i], 0);
		assert_memory_equal(frame + at + n, p.octets + at, p.len - at);

		fill(frame, &view, at, n);
		assert_int_equal(srh_find(frame, p.len + n, p.len + n, &found), SRH_FOUND);
		assert_same_view(&view, &found);

		srh_close(frame, &view, at, n);
		assert_memory_equal(buffer + ROOM, p.octets, p.len);
		assert_same_view(&view, &before);
	}
}

static void
test_round_trips(void **state)
{
	(void)state;
	for (uint16_t n = 16; n <= 40; n += 8) {
		round_trip(true, n, 0);
		round_trip(true, n, 0x08);
		round_trip(false, n, 0);
	}
	round_trip(false, 32, 0x08);
}

static void
test_fits(void **state)
{
	struct srh_view view;

	(void)state;
	for (unsigned segments = 1; segments <= 127; segments++) {
		uint32_t room = 2048 - 8 - 16 * segments;

		packet_start(&p);
		packet_srh(&p, segments, NULL, 0);
		packet_end(&p, 17, 8);
		assert_int_equal(srh_find(p.octets, p.len, p.len, &view), SRH_FOUND);
		for (uint32_t n = 8; n <= 2048; n += 8)
			assert_int_equal(srh_fits(&view, n), n <= room ? SRH_FITS : SRH_FULL);
		assert_int_equal(srh_fits(&view, 0xfffffff8u), SRH_FULL);
	}
}

static void
test_fits_payload(void **state)
{
	struct srh_view view;

	(void)state;
	packet_start(&p);
	packet_srh(&p, 2, NULL, 0);
	packet_end(&p, 17, 8);
	assert_int_equal(srh_find(p.octets, p.len, p.len, &view), SRH_FOUND);
	view.ip_payload = 65535 - 40;
	assert_int_equal(srh_fits(&view, 40), SRH_FITS);
	view.ip_payload = 65535 - 39;
	assert_int_equal(srh_fits(&view, 40), SRH_TOO_BIG);
	assert_int_equal(srh_fits(&view, 32), SRH_FITS);
}

/* What srh_find() would refuse afterwards is not made. */
static void
test_fits_own_bounds(void **state)
{
	static const uint8_t unknown[2] = {0x7c, 0};
	struct srh_view view;
	uint8_t tlvs[128];

	(void)state;
	for (unsigned behind = 0; behind < 2; behind++) {
		packet_start(&p);
		packet_ext(&p, 60, 2048);
		if (!behind)
			packet_ext(&p, 60, 1928);
		packet_srh(&p, 1, NULL, 0);
		if (behind)
			packet_ext(&p, 60, 1928);
		packet_end(&p, 17, 8);
		assert_int_equal(srh_find(p.octets, p.len, p.len, &view), SRH_FOUND);
		assert_int_equal(view.chain_end, 4054);
		assert_int_equal(srh_fits(&view, 40), SRH_FITS);
		assert_int_equal(srh_fits(&view, 48), SRH_FULL);
	}
	for (unsigned i = 0; i < 64; i++)
		memcpy(tlvs + 2 * i, unknown, 2);
	packet_start(&p);
	packet_srh(&p, 1, tlvs, 128);
	packet_end(&p, 17, 8);
	assert_int_equal(srh_find(p.octets, p.len, p.len, &view), SRH_FOUND);
	assert_int_equal(view.tlvs, 64);
	assert_int_equal(srh_fits(&view, 40), SRH_FULL);
	packet_start(&p);
	packet_srh(&p, 1, tlvs, 120);
	packet_end(&p, 17, 8);
	assert_int_equal(srh_find(p.octets, p.len, p.len, &view), SRH_FOUND);
	assert_int_equal(srh_fits(&view, 40), SRH_FITS);
}

/* Edits around an HMAC TLV that stays. */
static void
test_view_follows(void **state)
{
	uint8_t tlvs[48] = {0x7c, 6}, *frame = buffer + ROOM;
	struct srh_view view, found;

	(void)state;
	hmac_tlv(tlvs + 8, 38, 6);
	packet_start(&p);
	packet_srh(&p, 2, tlvs, 48);
	p.octets[p.srh_off + 5] = 0x08;
	packet_end(&p, 17, 8);
	memcpy(frame, p.octets, p.len);
	assert_int_equal(srh_find(frame, p.len, p.len, &view), SRH_FOUND);
	assert_true(view.hmac_linux);
	/* Take the unknown TLV before it. */
	srh_close(frame, &view, view.tlv_off, 8);
	assert_int_equal(srh_find(frame + 8, p.len - 8, p.len - 8, &found), SRH_FOUND);
	assert_same_view(&view, &found);
	assert_int_equal(view.hmac_off, view.tlv_off);
	/* Give it back. */
	srh_open(frame, &view, view.tlv_off, 8);
	memcpy(frame + view.tlv_off, tlvs, 8);
	assert_int_equal(srh_find(frame, p.len, p.len, &found), SRH_FOUND);
	assert_same_view(&view, &found);
	assert_memory_equal(frame, p.octets, p.len);
	/* Room behind it: it is not last any more. */
	srh_open(frame - 8, &view, view.srh_off + view.srh_len, 8);
	assert_int_equal(srh_find(frame - 8, p.len + 8, p.len + 8, &found), SRH_FOUND);
	assert_same_view(&view, &found);
	assert_false(found.hmac_linux);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),  cmocka_unit_test(test_fits),
		cmocka_unit_test(test_fits_payload), cmocka_unit_test(test_fits_own_bounds),
		cmocka_unit_test(test_view_follows),
	};

	return cmocka_run_group_tests_name("srh_edit", tests, NULL, NULL);
}
