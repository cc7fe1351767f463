/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each single bit of the SRH, of its HMAC TLV and of the source address of a sealed packet, flipped
 * in turn: what the construction covers is dropped, and what is let through lies in a field that is
 * named here as one that the construction does not cover.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gate_lab.h"

#define PAYLOAD 1100u

enum field {
	SOURCE_ADDRESS,
	NEXT_HEADER,
	HDR_EXT_LEN,
	ROUTING_TYPE,
	SEGMENTS_LEFT,
	LAST_ENTRY,
	FLAGS,
	TAG,
	SEGMENT_LIST,
	TLV_TYPE,
	TLV_LENGTH,
	D_RESERVED,
	KEY_ID,
	HMAC_FIELD,
	FIELDS
};

static const char *const names[FIELDS] = {
	[SOURCE_ADDRESS] = "Source Address",
	[NEXT_HEADER] = "Next Header",
	[HDR_EXT_LEN] = "Hdr Ext Len",
	[ROUTING_TYPE] = "Routing Type",
	[SEGMENTS_LEFT] = "Segments Left",
	[LAST_ENTRY] = "Last Entry",
	[FLAGS] = "Flags",
	[TAG] = "Tag",
	[SEGMENT_LIST] = "Segment List",
	[TLV_TYPE] = "HMAC TLV Type",
	[TLV_LENGTH] = "HMAC TLV Length",
	[D_RESERVED] = "D and reserved bits",
	[KEY_ID] = "HMAC Key ID",
	[HMAC_FIELD] = "HMAC",
};

/*
 * What a changed bit may get through in. Hdr Ext Len, by the RFC: behind the HMAC TLV there may be
 * anything that reads as TLVs. Linux finds its HMAC from the end, so a changed end loses it. By the
 * RFC a changed Segments Left no longer points at the destination.
 */
static const bool uncovered[HMAC_PROFILES][FIELDS] = {
	[HMAC_LINUX] =
		{[NEXT_HEADER] = true, [SEGMENTS_LEFT] = true, [TAG] = true, [D_RESERVED] = true},
	[HMAC_RFC8754] = {[NEXT_HEADER] = true, [HDR_EXT_LEN] = true, [TAG] = true},
};

static bool let_through[HMAC_PROFILES][FIELDS];

static enum field
field_at(const struct packet *p, uint32_t off)
{
	static const enum field fixed[8] = {NEXT_HEADER, HDR_EXT_LEN, ROUTING_TYPE, SEGMENTS_LEFT,
					    LAST_ENTRY,	 FLAGS,	      TAG,	    TAG};
	static const enum field tlv[8] = {TLV_TYPE, TLV_LENGTH, D_RESERVED, D_RESERVED,
					  KEY_ID,   KEY_ID,	KEY_ID,	    KEY_ID};

	if (off < p->srh_off)
		return SOURCE_ADDRESS;
	if (off < p->srh_off + 8)
		return fixed[off - p->srh_off];
	if (off < p->hmac_off)
		return SEGMENT_LIST;
	if (off < p->hmac_off + 8)
		return tlv[off - p->hmac_off];
	return HMAC_FIELD;
}

static void
flip(struct packet *p, uint32_t off, unsigned bit, enum hmac_profile profile)
{
	static const struct gate_port port = {.verify = GATE_VERIFY_REQUIRE};
	static struct lab_result r;
	enum field field = field_at(p, off);

	p->octets[off] ^= 1u << bit;
	lab_one(&port, p, &r);
	p->octets[off] ^= 1u << bit;
	if (gate_is_drop(r.verdict))
		return;
	if (!uncovered[profile][field])
		fail_msg("bit %u of octet %u (%s) let through as %s", bit, off, names[field],
			 gate_verdict_name(r.verdict));
	assert_int_equal(r.verdict, GATE_VERIFIED);
	let_through[profile][field] = true;
}

static void
flip_all(const struct keyring_spec *key, unsigned segments)
{
	static struct packet p;
	static struct lab_result r;

	packet_build(&p, &(struct packet_spec){
				 .segments = segments,
				 .segments_left = segments / 2,
				 .hmac = HMAC_GOOD,
				 .key_id = key->id,
				 .payload = PAYLOAD,
				 .next = 59,
			 });
	/* A payload that reads as padding, so that a longer SRH is not refused for that. */
	memset(p.octets + p.len - PAYLOAD, 0, PAYLOAD);
	lab_one(&(struct gate_port){.verify = GATE_VERIFY_REQUIRE}, &p, &r);
	assert_int_equal(r.verdict, GATE_VERIFIED);

	for (unsigned bit = 0; bit < 8; bit++) {
		for (uint32_t off = p.ip_off + 8; off < p.ip_off + 24; off++)
			flip(&p, off, bit, key->profile);
		for (uint32_t off = p.srh_off; off < p.srh_off + p.srh_len; off++)
			flip(&p, off, bit, key->profile);
	}
}

static void
each_bit(void **state)
{
	static const unsigned segments[] = {1, 2, 3, 6, 10};
	/* Packets without an SRH do not get in, so a changed Routing Type does not help. */
	static const uint8_t prefix[16] = {0xfc, 0, 0, 0x11};

	(void)state;
	assert_int_equal(gate_sid_add(lab.gate, prefix, 32), 0);
	for (unsigned k = 0; k < PACKET_KEYS / 2; k++) {
		for (unsigned s = 0; s < RTE_DIM(segments); s++)
			flip_all(&packet_keys[k], segments[s]);
	}
	assert_int_equal(gate_sid_del(lab.gate, prefix, 32), 0);
}

/* What was proved before does not help a packet that differs from it by one bit. */
static void
each_bit_with_memo(void **state)
{
	struct memo_stats stats;

	lab_worker(1024);
	each_bit(state);
	gate_worker_memo(lab.worker, &stats);
	assert_true(stats.hits > 0);
	lab_worker(0);
}

/* The list above names no field in which nothing gets through. */
static void
list_is_exact(void **state)
{
	(void)state;
	for (unsigned profile = 0; profile < HMAC_PROFILES; profile++) {
		for (unsigned field = 0; field < FIELDS; field++) {
			if (let_through[profile][field] != uncovered[profile][field])
				fail_msg("profile %s: %s", hmac_profile_name(profile),
					 names[field]);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bit),
		cmocka_unit_test(each_bit_with_memo),
		cmocka_unit_test(list_is_exact),
	};

	return cmocka_run_group_tests_name("gate-flip", tests, lab_open, lab_close);
}
