/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet that was sealed and stripped again is octet for octet what it was, but for Linux's flag;
 * and one that was translated from one key to another is right under the other.
 *
 * Input: an octet for two keys, the layout, the frame (see gate_rig.c).
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

static void
check_stripped(const uint8_t *frame, size_t len, const struct reference *r,
	       const struct oracle_result *stripped)
{
	FUZZ_ASSERT(stripped->stripped);
	FUZZ_ASSERT_SAME(stripped->len, len);
	for (size_t i = 0; i < len; i++) {
		uint8_t differs = frame[i] ^ stripped->frame[i];

		if (i == (size_t)r->srh_off + 5)
			differs &= (uint8_t)~SRH_FLAG_LINUX_HMAC;
		FUZZ_ASSERT_SAME(differs, 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[RIG_FRAME_MAX];
	static struct oracle_result sealed, stripped, translated, judged;
	struct fuzz_input input = {data, size};
	uint8_t keys = fuzz_take8(&input);
	const struct keyring_spec *key = &rig_keys[keys % RIG_KEYS];
	const struct keyring_spec *other = &rig_keys[keys / RIG_KEYS % RIG_KEYS];
	struct rig_layout layout = rig_take_layout(&input);
	const struct gate_port seal = {.insert_key = key->id};
	const struct gate_port strip = {.verify = GATE_VERIFY_IF_PRESENT, .strip = true};
	const struct gate_port translate = {
		.verify = GATE_VERIFY_REQUIRE, .strip = true, .insert_key = other->id};
	const struct gate_port require = {.verify = GATE_VERIFY_REQUIRE};
	size_t len = rig_take_frame(&input, frame);
	struct reference r;

	rig_run(&seal, false, frame, len, &layout, &sealed);
	/* Nothing to give back when an HMAC TLV that was there was filled in. */
	if (!sealed.inserted || sealed.len == len)
		return 0;
	r = reference_parse(frame, len);
	rig_run(&strip, false, sealed.frame, sealed.len, &layout, &stripped);
	if (stripped.verdict == GATE_DA_MISMATCH)
		return 0; /* fuzz_insert_verify says when */
	FUZZ_ASSERT_SAME(stripped.verdict, GATE_VERIFIED);
	check_stripped(frame, len, &r, &stripped);

	rig_run(&translate, false, sealed.frame, sealed.len, &layout, &translated);
	/* The other key's TLV may be too much where the first one's just fitted. */
	if (translated.verdict == GATE_SRH_FULL || translated.verdict == GATE_TOO_BIG) {
		FUZZ_ASSERT(oracle_field_len(other) > oracle_field_len(key));
		return 0;
	}
	FUZZ_ASSERT_SAME(translated.verdict, GATE_VERIFIED);
	FUZZ_ASSERT(translated.stripped && translated.inserted);
	rig_run(&require, false, translated.frame, translated.len, &layout, &judged);
	if (judged.verdict == GATE_DA_MISMATCH)
		return 0;
	FUZZ_ASSERT_SAME(judged.verdict, GATE_VERIFIED);
	return 0;
}
