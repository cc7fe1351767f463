/* SPDX-License-Identifier: BSD-3-Clause */
/* Each verdict, and each rule that leads to one: what is judged, by what, and what it is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gate_lab.h"

#define OFF GATE_VERIFY_OFF
#define IF_PRESENT GATE_VERIFY_IF_PRESENT
#define REQUIRE GATE_VERIFY_REQUIRE

#define LINUX 103
#define RFC 104
#define RFC_SHA1 102
#define NOBODY 999

/* Three segments, the second active, sealed with the key: the least that a case has to say. */
#define LONG(n) .segments = (n), .segments_left = 1
#define BARE LONG(3)
#define HMACED(how, key) .hmac = (how), .key_id = (key)
#define SEALED(key) BARE, HMACED(HMAC_GOOD, key)
#define FORGED(key) BARE, HMACED(HMAC_BAD, key)
#define WAITING(key) BARE, HMACED(HMAC_ZERO, key)
#define PAD(n) 4, (n)

enum scope { NO_PREFIX, INSIDE, OUTSIDE };

struct expectation {
	const char *name;
	struct packet_spec spec;
	struct { /* octets written over those of the frame, from the SRH's start on */
		int16_t at;
		uint8_t value;
	} patch[4];
	int16_t cut; /* octets cut off the frame's end */
	bool ipv4;   /* EtherType 0x0800 */
	enum scope scope;
	uint32_t insert;
	uint32_t max_len;
	bool strip;
	/* by verify off, if-present, require; GATE_RX = not tried */
	enum gate_verdict want[3];
	bool inserted, already_sealed, stripped; /* in those modes in which it passes */
	int16_t error_from_srh; /* err_off of drops, counted from the SRH; -1 = not looked at */
};

#define ALL(v)                                                                                     \
	{                                                                                          \
		GATE_UNCHECKED, v, v                                                               \
	}
#define SAME(v)                                                                                    \
	{                                                                                          \
		v, v, v                                                                            \
	}

static const struct expectation table[] = {
	/* sealed as it should be */
	{"linux sealed", {SEALED(LINUX)}, .want = ALL(GATE_VERIFIED)},
	{"rfc8754 sealed", {SEALED(RFC)}, .want = ALL(GATE_VERIFIED)},
	{"rfc8754 SHA-1", {SEALED(RFC_SHA1)}, .want = ALL(GATE_VERIFIED)},
	{"tagged", {SEALED(LINUX), .tags = 1}, .want = ALL(GATE_VERIFIED)},
	{"tagged twice", {SEALED(RFC), .tags = 2}, .want = ALL(GATE_VERIFIED)},
	{"linux, 15 segments: the kernel cannot, we can",
	 {LONG(15), HMACED(HMAC_GOOD, LINUX)},
	 .want = ALL(GATE_VERIFIED)},
	{"linux, DA not in the list",
	 {SEALED(LINUX), .off_path = true},
	 .want = ALL(GATE_VERIFIED)},
	{"linux, reduced", {SEALED(LINUX), .reduced = true}, .want = ALL(GATE_VERIFIED)},
	{"linux, D set: not looked at",
	 {SEALED(LINUX), .dres = 0x8000},
	 .want = ALL(GATE_VERIFIED)},
	{"linux, TLVs before",
	 {SEALED(LINUX), .tlvs = {PAD(6), [8] = 200, 6}, .n_tlvs = 16},
	 .want = ALL(GATE_VERIFIED)},
	{"rfc8754, TLVs before and behind",
	 {SEALED(RFC), .tlvs = {PAD(6), [8] = 200, 6}, .n_tlvs = 16,
	  .more_tlvs = {0, 0, 0, 0, 0, 0, 0, 0}, .n_more_tlvs = 8},
	 .want = ALL(GATE_VERIFIED)},
	{"rfc8754, Flags 0x08 by chance", {SEALED(RFC), .flags = 0x08}, .want = ALL(GATE_VERIFIED)},
	{"behind hop-by-hop and two destination options",
	 {SEALED(LINUX), .before = {EXT(0, 1), EXT(60, 2), EXT(60, 1)}},
	 .want = ALL(GATE_VERIFIED)},
	{"before a fragment header",
	 {SEALED(RFC), .after = {{44, 1, .frag = 1}}},
	 .want = ALL(GATE_VERIFIED)},
	{"another routing type after all: not an SRH, not two",
	 {.before = {{43, 3, .routing_type = 2}}, .payload = 8},
	 .want = ALL(GATE_NO_SRH)},

	/* not sealed */
	{"no HMAC TLV", {BARE}, .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"no HMAC TLV but Flags 0x08",
	 {BARE, .flags = 0x08},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"linux key without Flags 0x08",
	 {SEALED(LINUX), .no_flag = true},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"linux key, TLV not last",
	 {SEALED(LINUX), .more_tlvs = {PAD(6)}, .n_more_tlvs = 8},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"linux key, Length 30",
	 {SEALED(LINUX), .length = 30},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},

	/* sealed wrongly */
	{"linux, HMAC wrong",
	 {FORGED(LINUX)},
	 .want = ALL(GATE_HMAC_MISMATCH),
	 .error_from_srh = 56},
	{"rfc8754, HMAC wrong",
	 {FORGED(RFC)},
	 .want = ALL(GATE_HMAC_MISMATCH),
	 .error_from_srh = 56},
	{"HMAC all zero", {WAITING(RFC)}, .want = ALL(GATE_HMAC_MISMATCH)},
	{"linux SHA-1, last octet of the zero tail",
	 {FORGED(101)},
	 .want = ALL(GATE_HMAC_MISMATCH)},
	{"rfc8754 SHA-1, last octet of the zero tail",
	 {FORGED(RFC_SHA1)},
	 .patch = {{56 + 31, 1}},
	 .want = ALL(GATE_HMAC_MISMATCH)},
	{"linux MAC named as an rfc8754 key",
	 {SEALED(LINUX), .name_id = RFC},
	 .want = ALL(GATE_HMAC_MISMATCH)},
	{"rfc8754 MAC named as a linux key: absent without the flag",
	 {SEALED(RFC), .name_id = LINUX},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"rfc8754 MAC named as a linux key, with the flag",
	 {SEALED(RFC), .name_id = LINUX, .flags = 0x08},
	 .want = ALL(GATE_HMAC_MISMATCH)},
	{"key unknown",
	 {SEALED(LINUX), .name_id = NOBODY},
	 .want = ALL(GATE_KEY_UNKNOWN),
	 .error_from_srh = 56},
	{"Key ID 0",
	 {SEALED(LINUX)},
	 .patch = {{60, 0}, {61, 0}, {62, 0}, {63, 0}},
	 .want = ALL(GATE_KEY_UNKNOWN)},
	{"key unknown, Length 14",
	 {SEALED(RFC), .name_id = NOBODY, .length = 14},
	 .want = ALL(GATE_KEY_UNKNOWN)},
	{"key unknown, Length 22",
	 {SEALED(RFC), .name_id = NOBODY, .length = 22},
	 .want = ALL(GATE_KEY_UNKNOWN)},
	{"key unknown, Length 46: no key makes that",
	 {SEALED(RFC), .name_id = NOBODY, .length = 46},
	 .want = ALL(GATE_HMAC_MALFORMED)},
	{"key unknown, Length 6: no HMAC in it",
	 {WAITING(RFC), .name_id = NOBODY, .length = 6},
	 .want = ALL(GATE_HMAC_MALFORMED)},
	{"key unknown, not aligned",
	 {SEALED(RFC), .name_id = NOBODY, .tlvs = {PAD(2)}, .n_tlvs = 4, .more_tlvs = {PAD(2)},
	  .n_more_tlvs = 4},
	 .want = ALL(GATE_HMAC_MALFORMED)},
	{"rfc8754, not aligned",
	 {SEALED(RFC), .tlvs = {PAD(2)}, .n_tlvs = 4, .more_tlvs = {PAD(2)}, .n_more_tlvs = 4},
	 .want = ALL(GATE_HMAC_MALFORMED),
	 .error_from_srh = 60},
	{"rfc8754 SHA-256, Length 30: does not shorten what is compared",
	 {SEALED(RFC), .length = 30},
	 .want = ALL(GATE_HMAC_MALFORMED)},
	{"rfc8754 SHA-256, Length 14",
	 {SEALED(RFC), .length = 14},
	 .want = ALL(GATE_HMAC_MALFORMED)},
	{"rfc8754 SHA-1, Length 38",
	 {SEALED(RFC_SHA1), .length = 38},
	 .want = ALL(GATE_HMAC_MALFORMED)},
	{"HMAC TLV without a Key ID",
	 {BARE, .tlvs = {5, 4, [6] = PAD(0)}, .n_tlvs = 8},
	 .want = ALL(GATE_HMAC_MALFORMED),
	 .error_from_srh = 56},
	{"what Linux would take for an HMAC inside a PadN",
	 {BARE, .flags = 0x08, .tlvs = {PAD(46), [8] = 5, 38}, .n_tlvs = 48},
	 .want = ALL(GATE_HMAC_MALFORMED),
	 .error_from_srh = 64},
	{"two HMAC TLVs",
	 {SEALED(LINUX), .tlvs = {5, 38, [7] = LINUX}, .n_tlvs = 40},
	 .want = ALL(GATE_HMAC_DUPLICATE)},

	/* destination, rfc8754 alone */
	{"DA is not the active segment",
	 {SEALED(RFC), .off_path = true},
	 .want = ALL(GATE_DA_MISMATCH),
	 .error_from_srh = 56},
	{"reduced, D not set", {SEALED(RFC), .reduced = true}, .want = ALL(GATE_DA_MISMATCH)},
	{"reduced, D set",
	 {SEALED(RFC), .reduced = true, .dres = 0x8000},
	 .want = ALL(GATE_VERIFIED)},
	{"D set although DA is in the list",
	 {SEALED(RFC), .dres = 0x8000},
	 .want = ALL(GATE_VERIFIED)},
	{"D set and DA is not the active segment",
	 {SEALED(RFC), .dres = 0x8000, .off_path = true},
	 .want = ALL(GATE_DA_MISMATCH)},
	{"reserved bits set and covered",
	 {SEALED(RFC), .dres = 0x7fff},
	 .want = ALL(GATE_VERIFIED)},

	/* TLVs */
	{"PadN of 40 octets",
	 {BARE, .tlvs = {PAD(38)}, .n_tlvs = 40},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"TLV past the end",
	 {BARE, .tlvs = {200, 7}, .n_tlvs = 8},
	 .want = ALL(GATE_TLV_MALFORMED),
	 .error_from_srh = 1},
	{"lone last octet",
	 {BARE, .tlvs = {PAD(5), [7] = 200}, .n_tlvs = 8},
	 .want = ALL(GATE_TLV_MALFORMED)},
	{"lone last octet, Pad1",
	 {BARE, .tlvs = {PAD(5), [7] = 0}, .n_tlvs = 8},
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},

	/* the SRH's own bounds */
	{"Segments Left is one more than the last index may be",
	 {SEALED(LINUX)},
	 .patch = {{3, 4}},
	 .want = ALL(GATE_SRH_MALFORMED),
	 .error_from_srh = 3},
	{"Last Entry past the header",
	 {BARE},
	 .patch = {{4, 3}},
	 .want = ALL(GATE_SRH_MALFORMED),
	 .error_from_srh = 3},
	{"no room for a segment", {BARE}, .patch = {{1, 0}}, .want = ALL(GATE_SRH_MALFORMED)},
	{"IP version 4 under EtherType IPv6",
	 {BARE},
	 .patch = {{-40, 0x40}},
	 .want = ALL(GATE_SRH_MALFORMED)},
	{"Hdr Ext Len past the packet",
	 {SEALED(LINUX)},
	 .patch = {{1, 200}},
	 .want = ALL(GATE_SRH_TRUNCATED)},
	{"cut off in the SRH", {SEALED(RFC)}, .cut = 1, .want = ALL(GATE_SRH_TRUNCATED)},
	{"cut off in the IPv6 header", {.next = 59}, .cut = 1, .want = ALL(GATE_SRH_TRUNCATED)},
	{"too many extension headers",
	 {BARE, .before = {EXT(60, 1), EXT(60, 1), EXT(60, 1), EXT(60, 1), EXT(60, 1), EXT(60, 1),
			   EXT(60, 1), EXT(60, 1)}},
	 .want = ALL(GATE_SRH_MALFORMED)},

	/* more than one routing header */
	{"routing header type 0 before",
	 {SEALED(LINUX), .before = {{43, 3, .routing_type = 0}}},
	 .want = ALL(GATE_SECOND_ROUTING_HEADER)},
	{"routing header behind",
	 {SEALED(LINUX), .after = {EXT(60, 1), {43, 1, .routing_type = 253}}},
	 .want = ALL(GATE_SECOND_ROUTING_HEADER)},

	/* fragments */
	{"first fragment, SRH whole",
	 {SEALED(RFC), .before = {{44, 1, .frag = 1}}, .payload = 8},
	 .want = ALL(GATE_VERIFIED)},
	{"first fragment, chain cut off",
	 {.before = {{44, 1, .frag = 1}}, .next = 43, .payload = 8},
	 .want = ALL(GATE_SRH_TRUNCATED)},
	{"later fragment",
	 {.before = {{44, 1, .frag = 1400}}, .payload = 64},
	 .want = ALL(GATE_NO_SRH)},
	{"later fragment to a protected prefix, chain could have been seen",
	 {.before = {{44, 1, .frag = 24}}, .next = 43, .payload = 64},
	 .scope = INSIDE,
	 .want = ALL(GATE_NO_SRH)},
	{"later fragment to a protected prefix, SRH was before the fragment header",
	 {.before = {{44, 1, .frag = 1400}}, .next = 60, .payload = 64},
	 .scope = INSIDE,
	 .want = ALL(GATE_NO_SRH)},
	{"later fragment to a protected prefix, of UDP",
	 {.before = {{44, 1, .frag = 1400}}, .next = 17, .payload = 64},
	 .scope = INSIDE,
	 .want = {GATE_UNCHECKED, GATE_NO_SRH, GATE_DROP_NO_SRH}},
	{"later fragment to a protected prefix, too early for an SRH before it",
	 {.before = {{44, 1, .frag = 16}}, .next = 43, .payload = 64},
	 .scope = INSIDE,
	 .want = {GATE_UNCHECKED, GATE_NO_SRH, GATE_DROP_NO_SRH}},
	{"later fragment elsewhere, of UDP",
	 {.before = {{44, 1, .frag = 1400}}, .next = 17, .payload = 64},
	 .scope = OUTSIDE,
	 .want = ALL(GATE_OUT_OF_SCOPE)},

	/* scope */
	{"in scope, wrong", {FORGED(RFC)}, .scope = INSIDE, .want = ALL(GATE_HMAC_MISMATCH)},
	{"in scope, right", {SEALED(RFC)}, .scope = INSIDE, .want = ALL(GATE_VERIFIED)},
	{"in scope, no SRH",
	 {.payload = 8},
	 .scope = INSIDE,
	 .want = {GATE_UNCHECKED, GATE_NO_SRH, GATE_DROP_NO_SRH}},
	{"no prefix at all, no SRH", {.payload = 8}, .want = ALL(GATE_NO_SRH)},
	{"out of scope, wrong", {FORGED(RFC)}, .scope = OUTSIDE, .want = ALL(GATE_OUT_OF_SCOPE)},
	{"out of scope, malformed",
	 {SEALED(RFC)},
	 .patch = {{3, 9}},
	 .scope = OUTSIDE,
	 .want = ALL(GATE_OUT_OF_SCOPE)},
	{"out of scope, no SRH", {.payload = 8}, .scope = OUTSIDE, .want = ALL(GATE_OUT_OF_SCOPE)},
	{"prefixes and no whole IPv6 header",
	 {.next = 59},
	 .cut = 4,
	 .scope = OUTSIDE,
	 .want = ALL(GATE_SRH_TRUNCATED)},
	{"IPv4", {.payload = 8}, .ipv4 = true, .want = ALL(GATE_NOT_IPV6)},
	{"IPv4 where prefixes are protected",
	 {.payload = 8},
	 .ipv4 = true,
	 .scope = OUTSIDE,
	 .want = ALL(GATE_NOT_IPV6)},

	/* insertion */
	{"bare, sealed on the way",
	 {BARE},
	 .insert = LINUX,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},
	{"out of scope, sealed all the same",
	 {BARE},
	 .insert = RFC,
	 .scope = OUTSIDE,
	 .want = {GATE_UNCHECKED, GATE_OUT_OF_SCOPE, GATE_OUT_OF_SCOPE},
	 .inserted = true},
	{"IPv4, insertion on",
	 {.payload = 8},
	 .ipv4 = true,
	 .insert = RFC,
	 .want = SAME(GATE_NOT_IPV6)},
	{"no SRH, insertion on", {.payload = 8}, .insert = RFC, .want = SAME(GATE_NO_SRH)},
	{"malformed, insertion on",
	 {BARE},
	 .patch = {{3, 9}},
	 .insert = RFC,
	 .want = SAME(GATE_SRH_MALFORMED)},
	{"malformed, out of scope, insertion on",
	 {BARE},
	 .patch = {{3, 9}},
	 .insert = RFC,
	 .scope = OUTSIDE,
	 .want = SAME(GATE_SRH_MALFORMED)},
	{"truncated, insertion on",
	 {BARE},
	 .cut = 3,
	 .insert = LINUX,
	 .want = SAME(GATE_SRH_TRUNCATED)},
	{"sealed already",
	 {SEALED(RFC)},
	 .insert = LINUX,
	 .want = {GATE_UNCHECKED, GATE_VERIFIED, GATE_VERIFIED},
	 .already_sealed = true},
	{"sealed already by a key that nobody has",
	 {SEALED(RFC), .name_id = NOBODY},
	 .insert = LINUX,
	 .want = {GATE_UNCHECKED, GATE_RX, GATE_RX},
	 .already_sealed = true},
	{"waits for another key's HMAC",
	 {WAITING(RFC)},
	 .insert = LINUX,
	 .want = {GATE_UNCHECKED, GATE_RX, GATE_RX},
	 .already_sealed = true},
	{"waits for this key's HMAC",
	 {WAITING(RFC)},
	 .insert = RFC,
	 .want = {GATE_UNCHECKED, GATE_HMAC_MISMATCH, GATE_HMAC_MISMATCH},
	 .inserted = true},
	{"waits for this key's HMAC, Linux sees none yet",
	 {WAITING(LINUX), .no_flag = true},
	 .insert = LINUX,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},
	{"waits for this key's HMAC in a form that is not its",
	 {WAITING(RFC), .length = 30},
	 .insert = RFC,
	 .want = SAME(GATE_HMAC_MALFORMED)},
	{"waits for this key's HMAC, not aligned",
	 {WAITING(RFC), .tlvs = {PAD(2)}, .n_tlvs = 4, .more_tlvs = {PAD(2)}, .n_more_tlvs = 4},
	 .insert = RFC,
	 .want = SAME(GATE_HMAC_MALFORMED)},
	{"waits for a linux HMAC where Linux would not look",
	 {WAITING(LINUX), .more_tlvs = {PAD(6)}, .n_more_tlvs = 8},
	 .insert = LINUX,
	 .want = {GATE_HMAC_MALFORMED, GATE_HMAC_MALFORMED, GATE_HMAC_MISSING}},
	{"insertion key unknown",
	 {BARE},
	 .insert = NOBODY,
	 .want = {GATE_INSERT_KEY_UNKNOWN, GATE_INSERT_KEY_UNKNOWN, GATE_HMAC_MISSING}},
	{"insertion key unknown, waits for its HMAC",
	 {WAITING(RFC), .name_id = NOBODY},
	 .insert = NOBODY,
	 .want = {GATE_INSERT_KEY_UNKNOWN, GATE_KEY_UNKNOWN, GATE_KEY_UNKNOWN}},
	{"insertion key unknown, sealed already",
	 {SEALED(RFC)},
	 .insert = NOBODY,
	 .want = {GATE_UNCHECKED, GATE_VERIFIED, GATE_VERIFIED},
	 .already_sealed = true},
	{"insertion key unknown, nothing to seal",
	 {.payload = 8},
	 .insert = NOBODY,
	 .want = SAME(GATE_NO_SRH)},
	{"125 segments and a TLV fill the SRH",
	 {LONG(125)},
	 .insert = RFC,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},
	{"126 segments leave no room",
	 {LONG(126)},
	 .insert = LINUX,
	 .want = {GATE_SRH_FULL, GATE_SRH_FULL, GATE_HMAC_MISSING}},
	{"126 segments, room made by stripping",
	 {LONG(125), HMACED(HMAC_GOOD, RFC)},
	 .insert = LINUX,
	 .strip = true,
	 .want = {GATE_RX, GATE_VERIFIED, GATE_VERIFIED},
	 .stripped = true,
	 .inserted = true},
	{"as big as the peer takes",
	 {BARE, .payload = 100},
	 .insert = LINUX,
	 .max_len = 14 + 40 + 56 + 100 + 40,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},
	{"as big as the peer takes, and two tags",
	 {BARE, .tags = 2, .payload = 100},
	 .insert = LINUX,
	 .max_len = 14 + 40 + 56 + 100 + 40,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},
	{"bigger than the peer takes, and a tag",
	 {BARE, .tags = 1, .payload = 101},
	 .insert = LINUX,
	 .max_len = 14 + 40 + 56 + 100 + 40,
	 .want = {GATE_TOO_BIG, GATE_TOO_BIG, GATE_HMAC_MISSING}},
	{"bigger than the peer takes",
	 {BARE, .payload = 101},
	 .insert = LINUX,
	 .max_len = 14 + 40 + 56 + 100 + 40,
	 .want = {GATE_TOO_BIG, GATE_TOO_BIG, GATE_HMAC_MISSING}},
	{"SHA-1 by the RFC is 8 octets shorter",
	 {BARE, .payload = 108},
	 .insert = RFC_SHA1,
	 .max_len = 14 + 40 + 56 + 100 + 40,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},
	{"big, but nothing is put in",
	 {SEALED(RFC), .payload = 500},
	 .insert = LINUX,
	 .max_len = 200,
	 .want = {GATE_UNCHECKED, GATE_VERIFIED, GATE_VERIFIED},
	 .already_sealed = true},
	{"in a fragment, cannot grow",
	 {BARE, .before = {{44, 1, .frag = 1}}, .payload = 8},
	 .insert = LINUX,
	 .want = {GATE_FRAGMENTED, GATE_FRAGMENTED, GATE_HMAC_MISSING}},
	{"in a fragment, can be filled in",
	 {WAITING(RFC), .before = {{44, 1, .frag = 1}}, .payload = 8},
	 .insert = RFC,
	 .want = {GATE_UNCHECKED, GATE_HMAC_MISMATCH, GATE_HMAC_MISMATCH},
	 .inserted = true},
	{"in an atomic fragment, can grow",
	 {BARE, .before = {{44, 1, .frag = 0}}, .payload = 8},
	 .insert = LINUX,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING},
	 .inserted = true},

	/* stripping */
	{"stripped",
	 {SEALED(LINUX)},
	 .strip = true,
	 .want = {GATE_RX, GATE_VERIFIED, GATE_VERIFIED},
	 .stripped = true},
	{"not verified, not stripped",
	 {SEALED(LINUX)},
	 .strip = true,
	 .want = {GATE_UNCHECKED, GATE_RX, GATE_RX}},
	{"out of scope, not stripped",
	 {SEALED(LINUX)},
	 .strip = true,
	 .scope = OUTSIDE,
	 .want = ALL(GATE_OUT_OF_SCOPE)},
	{"nothing to strip",
	 {BARE},
	 .strip = true,
	 .want = {GATE_UNCHECKED, GATE_NO_HMAC, GATE_HMAC_MISSING}},
	{"in a fragment, cannot shrink",
	 {SEALED(RFC), .before = {{44, 1, .frag = 1}}, .payload = 8},
	 .strip = true,
	 .want = ALL(GATE_FRAGMENTED)},
	{"translated",
	 {SEALED(RFC)},
	 .strip = true,
	 .insert = LINUX,
	 .want = {GATE_RX, GATE_VERIFIED, GATE_VERIFIED},
	 .stripped = true,
	 .inserted = true},
	{"not translated: insertion key unknown",
	 {SEALED(RFC)},
	 .strip = true,
	 .insert = NOBODY,
	 .want = {GATE_UNCHECKED, GATE_INSERT_KEY_UNKNOWN, GATE_INSERT_KEY_UNKNOWN},
	 .already_sealed = true},
};

static const uint8_t inside[16] = {0xfc, 0, 0, 0x11};
static const uint8_t outside[16] = {0x20, 0x01, 0x0d, 0xb8};

static void
scope_set(enum scope scope, bool on)
{
	int (*change)(struct gate *, const uint8_t *, uint8_t) = on ? gate_sid_add : gate_sid_del;

	if (scope != NO_PREFIX)
		assert_int_equal(change(lab.gate, outside, 32), 0);
	if (scope == INSIDE)
		assert_int_equal(change(lab.gate, inside, 32), 0);
}

static void
build(struct packet *packet, const struct expectation *e)
{
	packet_build(packet, &e->spec);
	for (unsigned i = 0; i < RTE_DIM(e->patch); i++) {
		if (e->patch[i].at != 0)
			packet->octets[packet->srh_off + e->patch[i].at] = e->patch[i].value;
	}
	if (e->ipv4) {
		packet->octets[packet->ip_off - 2] = 0x08;
		packet->octets[packet->ip_off - 1] = 0x00;
	}
	packet->len -= e->cut;
}

static void
check(const struct expectation *e, const struct packet *packet, const struct gate_port *port)
{
	static struct lab_result r;
	enum gate_verdict want = e->want[port->verify];
	bool passes;

	lab_one(port, packet, &r);
	if (r.verdict != want)
		fail_msg("%s: mode %d: %s, not %s", e->name, port->verify,
			 gate_verdict_name(r.verdict), gate_verdict_name(want));
	passes = !gate_is_drop(want);
	if (r.inserted != (passes && e->inserted) ||
	    r.already_sealed != (passes && e->already_sealed) ||
	    r.stripped != (passes && e->stripped))
		fail_msg("%s: mode %d: inserted %d already_sealed %d stripped %d", e->name,
			 port->verify, r.inserted, r.already_sealed, r.stripped);
	if (!passes && e->error_from_srh != 0)
		assert_int_equal(r.err_off, packet->srh_off - packet->ip_off + e->error_from_srh);
	if (!passes && packet->hmac_off != 0 && want == GATE_HMAC_MISMATCH)
		assert_int_equal(r.key_id, e->spec.name_id ? e->spec.name_id : e->spec.key_id);
	if (passes && !e->inserted && !e->stripped) {
		assert_int_equal(r.len, packet->len);
		assert_memory_equal(r.octets, packet->octets, packet->len);
	}
}

static void
each_rule(void **state)
{
	static struct packet packet;

	(void)state;
	for (unsigned i = 0; i < RTE_DIM(table); i++) {
		const struct expectation *e = &table[i];
		struct gate_port port = {
			.strip = e->strip, .insert_key = e->insert, .max_len = e->max_len};

		build(&packet, e);
		scope_set(e->scope, true);
		for (port.verify = OFF; port.verify <= REQUIRE; port.verify++) {
			if (e->want[port.verify] != GATE_RX)
				check(e, &packet, &port);
		}
		scope_set(e->scope, false);
	}
	assert_int_equal(lab_mbufs_out(), 0);
}

/* With the memo, what was proved once is recalled: the second and third time say the same. */
static void
each_rule_with_memo(void **state)
{
	lab_worker(1024);
	each_rule(state);
	each_rule(state);
	lab_worker(0);
}

/* Payload Length cannot count an HMAC TLV. The frame need not be as long as it says. */
static void
payload_length_full(void **state)
{
	static struct packet packet;
	static struct lab_result r;
	struct gate_port port = {.insert_key = LINUX};

	(void)state;
	packet_build(&packet, &(struct packet_spec){BARE, .payload = 10});
	packet.octets[packet.ip_off + 4] = 0xff;
	packet.octets[packet.ip_off + 5] = 0xff - 40;
	lab_one(&port, &packet, &r);
	assert_int_equal(r.verdict, GATE_UNCHECKED);
	assert_int_equal(r.octets[packet.ip_off + 4], 0xff);
	assert_int_equal(r.octets[packet.ip_off + 5], 0xff);
	packet.octets[packet.ip_off + 5]++;
	lab_one(&port, &packet, &r);
	assert_int_equal(r.verdict, GATE_TOO_BIG);
}

/* Verification off and insertion off: counted, not read; there need not be anything to read. */
static void
nothing_to_do(void **state)
{
	static struct packet packet;
	static struct lab_result r;

	(void)state;
	for (packet.len = 0; packet.len < 20; packet.len++) {
		lab_one(&(struct gate_port){.strip = true}, &packet, &r);
		assert_int_equal(r.verdict, GATE_UNCHECKED);
	}
}

static void
sent_and_not_taken(void **state)
{
	struct gate_counters c;

	(void)state;
	gate_count(lab.worker, 7, GATE_TX, 5);
	gate_count(lab.worker, 7, GATE_TX_FULL, 2);
	gate_count(lab.worker, 7, GATE_TX, 1);
	gate_worker_counters(lab.worker, 7, &c);
	assert_int_equal(c.v[GATE_TX], 6);
	assert_int_equal(c.v[GATE_TX_FULL], 2);
	assert_int_equal(c.v[GATE_RX], 0);
	lab.seen[GATE_TX] = lab.seen[GATE_TX_FULL] = true;
	gate_worker_counters(lab.worker, GATE_PORTS_MAX, &c);
	assert_int_equal(c.v[GATE_TX], 0);
}

static void
no_buffer(void **state)
{
	static struct packet packet;
	static struct lab_result r;
	struct rte_mbuf *all[1024], *m;
	unsigned n = 0;

	(void)state;
	while ((all[n] = rte_pktmbuf_alloc(lab.edit_pool)) != NULL)
		n++;
	packet_build(&packet, &(struct packet_spec){BARE});
	m = lab_mbuf(packet.octets, packet.len, &(struct lab_layout){.shared = true});
	lab_burst(&(struct gate_port){.insert_key = LINUX}, &m, 1, &r);
	assert_int_equal(r.verdict, GATE_NO_BUFFER);
	rte_pktmbuf_free_bulk(all, n);
	assert_int_equal(lab_mbufs_out(), 0);
}

static void
settings(void **state)
{
	struct gate_port out, in = {.verify = REQUIRE,
				    .strip = true,
				    .insert_key = 0xffffffff,
				    .max_len = GATE_MAX_LEN};

	(void)state;
	assert_int_equal(gate_port_set(lab.gate, GATE_PORTS_MAX - 1, &in), 0);
	assert_int_equal(gate_port_get(lab.gate, GATE_PORTS_MAX - 1, &out), 0);
	assert_int_equal(out.verify, in.verify);
	assert_int_equal(out.strip, in.strip);
	assert_int_equal(out.insert_key, in.insert_key);
	assert_int_equal(out.max_len, in.max_len);
	assert_int_equal(gate_port_set(lab.gate, GATE_PORTS_MAX, &in), -EINVAL);
	assert_int_equal(gate_port_get(lab.gate, GATE_PORTS_MAX, &out), -EINVAL);
	in.max_len++;
	assert_int_equal(gate_port_set(lab.gate, 0, &in), -EINVAL);
	in.max_len = 0;
	in.verify = REQUIRE + 1;
	assert_int_equal(gate_port_set(lab.gate, 0, &in), -EINVAL);
	assert_int_equal(gate_port_get(lab.gate, 0, &out), 0);
	assert_int_equal(out.verify, OFF);
}

static void
names(void **state)
{
	(void)state;
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		assert_non_null(gate_verdict_name(v));
		assert_non_null(gate_verdict_help(v));
		/* One reason and one pass are both called no_srh; no two of a kind are. */
		for (unsigned o = 0; o < v; o++)
			assert_false(gate_is_drop(o) == gate_is_drop(v) &&
				     strcmp(gate_verdict_name(o), gate_verdict_name(v)) == 0);
	}
	assert_null(gate_verdict_name(GATE_VERDICT_COUNT));
	assert_null(gate_verdict_help(GATE_VERDICT_COUNT));
}

/* Last: each verdict of the list was reached above. */
static void
all_reached(void **state)
{
	(void)state;
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		if (!lab.seen[v])
			fail_msg("%s was never reached", gate_verdict_name(v));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(settings),
		cmocka_unit_test(each_rule),
		cmocka_unit_test(each_rule_with_memo),
		cmocka_unit_test(payload_length_full),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(sent_and_not_taken),
		cmocka_unit_test(no_buffer),
		cmocka_unit_test(all_reached),
	};

	return cmocka_run_group_tests_name("gate-verdict", tests, lab_open, lab_close);
}
