/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one gate seals, another one with the key lets pass, and does not once a single bit of what
 * the HMAC covers has changed.
 *
 * Input: an octet for the key, the layout, the frame (see gate_rig.c), whose first octets say which
 * bit is changed, too.
 *
 * libFuzzer: -max_len=1500 -len_control=20
 */
#include "gate_rig.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	rig_open();
	return 0;
}

/* The octet of the frame that is at place n of what is authenticated, HMAC and TLV header too. */
static size_t
covered(const struct reference *r, const struct keyring_spec *key, size_t n)
{
	const size_t source = 16, fields = 2, list = 16 * (size_t)(r->last_entry + 1);
	size_t tlv = 8 + oracle_field_len(key);

	n %= source + fields + list + tlv;
	if (n < source)
		return (size_t)r->ip_off + 8 + n;
	n -= source;
	if (n < fields)
		return (size_t)r->srh_off + 4 + n;
	n -= fields;
	if (n < list)
		return (size_t)r->srh_off + 8 + n;
	n -= list;
	/* Linux leaves D and the reserved bits out. */
	if (key->profile == HMAC_LINUX && (n == 2 || n == 3))
		n += 2;
	return (size_t)r->hmac_off + n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[RIG_FRAME_MAX + 64];
	static struct oracle_result sealed, judged;
	struct fuzz_input input = {data, size};
	const struct keyring_spec *key = &rig_keys[fuzz_take8(&input) % RIG_KEYS];
	struct rig_layout layout = rig_take_layout(&input);
	uint16_t bit = input.size >= 3 ? (uint16_t)(input.data[1] << 8 | input.data[2]) : 0;
	const struct gate_port seal = {.insert_key = key->id};
	const struct gate_port require = {.verify = GATE_VERIFY_REQUIRE};
	size_t len = rig_take_frame(&input, frame);
	struct reference r;

	rig_run(&seal, false, frame, len, &layout, &sealed);
	if (!sealed.inserted)
		return 0;
	rig_run(&require, false, sealed.frame, sealed.len, &layout, &judged);
	r = reference_parse(sealed.frame, sealed.len);
	/* Whoever sends to what the segment list does not say gets a seal, and is found out. */
	if (judged.verdict == GATE_DA_MISMATCH) {
		FUZZ_ASSERT(key->profile == HMAC_RFC8754 && r.segments_left <= r.last_entry);
		FUZZ_ASSERT(memcmp(sealed.frame + r.ip_off + 24,
				   sealed.frame + r.srh_off + 8 + 16 * r.segments_left, 16) != 0);
		return 0;
	}
	FUZZ_ASSERT_SAME(judged.verdict, GATE_VERIFIED);

	memcpy(frame, sealed.frame, sealed.len);
	frame[covered(&r, key, bit / 8)] ^= (uint8_t)(1u << bit % 8);
	rig_run(&require, false, frame, sealed.len, &layout, &judged);
	FUZZ_ASSERT(gate_is_drop(judged.verdict));
	return 0;
}
