/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What SRv6 hashes (RFC 8754 section 2.1.2.1, and Linux's older form), and what its HMAC TLV
 * looks like. Datapath; any thread.
 */
#include <string.h>

#include "hmac/hmac.h"

uint8_t
hmac_tlv_length(enum hmac_profile profile, enum hmac_algorithm algorithm)
{
	/* 20 octets of SHA-1 are padded to a multiple of 8 by the RFC, to 32 by Linux. */
	return profile == HMAC_RFC8754 && algorithm == HMAC_SHA1 ? 30 : 38;
}

/* n >= 1 segments, four at a time: lists are short, and memcpy() of a variable length is a call. */
static inline void
copy_list(uint8_t *out, const uint8_t *list, unsigned n)
{
	for (; n >= 4; n -= 4) {
		memcpy(out, list, 64);
		out += 64;
		list += 64;
	}
	if (n & 2) {
		memcpy(out, list, 32);
		out += 32;
		list += 32;
	}
	if (n & 1)
		memcpy(out, list, 16);
}

unsigned
hmac_text(enum hmac_profile profile, const uint8_t *frame, const struct srh_view *view,
	  uint8_t *text)
{
	const uint8_t *srh = frame + view->srh_off;
	unsigned segments = view->last_entry + 1u;
	uint16_t le_flags; /* Last Entry, Flags: two octets as they are */
	uint64_t tlv;	   /* Type, Length, D and reserved, HMAC Key ID */

	memcpy(text, frame + view->ip_off + 8, 16); /* Source Address */
	memcpy(&le_flags, srh + 4, sizeof(le_flags));
	memcpy(&tlv, frame + view->hmac_off, sizeof(tlv));
	/* Little endian: an octet further in memory is 8 bits further up. */
	if (profile == HMAC_LINUX) {
		tlv = tlv >> 32 << 16 | le_flags;
		memcpy(text + 16, &tlv, sizeof(tlv)); /* 6 octets; the list covers the rest */
		copy_list(text + 22, srh + SRH_FIXED_LEN, segments);
	} else {
		tlv = (tlv & ~0xffffull) | le_flags;
		memcpy(text + 16, &tlv, sizeof(tlv));
		copy_list(text + 24, srh + SRH_FIXED_LEN, segments);
	}
	return hmac_text_len(profile, segments);
}
