/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What SRv6 hashes (RFC 8754 section 2.1.2.1, and Linux's older form), and what its HMAC TLV
 * looks like. Datapath; any thread.
 */
#include <string.h>

#include "hmac/hmac.h"
#include "hmac/memo.h"

uint8_t
hmac_tlv_length(enum hmac_profile profile, enum hmac_algorithm algorithm)
{
	/* 20 octets of SHA-1 are padded to a multiple of 8 by the RFC, to 32 by Linux. */
	return profile == HMAC_RFC8754 && algorithm == HMAC_SHA1 ? 30 : 38;
}

unsigned
hmac_text(enum hmac_profile profile, const uint8_t *frame, const struct srh_view *view,
	  uint8_t *text)
{
	const uint8_t *srh = frame + view->srh_off;
	const uint8_t *tlv = frame + view->hmac_off;
	unsigned segments = view->last_entry + 1u;
	uint8_t *out = text;

	memcpy(out, frame + view->ip_off + 8, 16); /* Source Address */
	memcpy(out + 16, srh + 4, 2);		   /* Last Entry, Flags */
	out += 18;
	if (profile == HMAC_RFC8754) {
		memcpy(out, tlv + 2, 2); /* D and reserved */
		out += 2;
	}
	memcpy(out, tlv + 4, 4); /* HMAC Key ID */
	out += 4;
	for (unsigned i = 0; i < segments; i++)
		memcpy(out + 16 * i, srh + SRH_FIXED_LEN + 16 * i, 16);
	return hmac_text_len(profile, segments);
}
