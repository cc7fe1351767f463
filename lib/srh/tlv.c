/* SPDX-License-Identifier: BSD-3-Clause */
/* TLVs of an SRH: RFC 8754 section 2.1, and what Linux takes for an HMAC. */
#include "srh/srh.h"
#include "srh/wire.h"

#define HMAC_LINUX_LENGTH (SRH_HMAC_MAX_LEN - 2u)
#define HMAC_MIN_LENGTH (SRH_HMAC_HDR_LEN - 2u) /* D, reserved and Key ID */

static enum srh_status
fault(struct srh_view *view, enum srh_status status, uint32_t off)
{
	view->err_off = (uint16_t)(off - view->ip_off);
	return status;
}

/* Note the TLV at off, whose Length field says that it holds a Key ID at least. */
static void
note_hmac(const uint8_t *frame, struct srh_view *view, uint32_t off)
{
	view->hmac_off = (uint16_t)off;
	view->hmac_len = frame[off + 1];
	view->hmac_dres = load_be16(frame + off + 2);
	view->key_id = load_be32(frame + off + 4);
}

/*
 * Linux looks at the last 40 octets without walking. Where it would see an HMAC and the walk sees
 * none, or sees it elsewhere, the two disagree on what is sealed: refuse.
 */
static enum srh_status
check_linux_place(const uint8_t *frame, struct srh_view *view, uint32_t end)
{
	uint32_t last = end - SRH_HMAC_MAX_LEN;

	if ((view->flags & SRH_FLAG_LINUX_HMAC) && end - view->tlv_off >= SRH_HMAC_MAX_LEN &&
	    frame[last] == SRH_TLV_HMAC && frame[last + 1] == HMAC_LINUX_LENGTH) {
		if (view->hmac_off != last)
			return fault(view, SRH_HMAC_MALFORMED, last);
		view->hmac_linux = true;
	}
	if (view->hmac_off != 0)
		view->err_off = view->hmac_off - view->ip_off;
	return SRH_FOUND;
}

enum srh_status
srh_walk_tlvs(const uint8_t *frame, struct srh_view *view)
{
	uint32_t end = (uint32_t)view->srh_off + view->srh_len;
	uint32_t hdr_ext_len_off = view->srh_off + 1u;
	uint32_t off = view->tlv_off;

	while (off < end) {
		uint8_t type = frame[off];
		uint32_t tlv_end;

		if (view->tlvs == SRH_MAX_TLVS)
			return fault(view, SRH_TLV_MALFORMED, hdr_ext_len_off);
		view->tlvs++;
		if (type == SRH_TLV_PAD1) {
			do
				off++;
			while (off < end && frame[off] == SRH_TLV_PAD1);
			continue;
		}
		if (end - off < 2)
			return fault(view, SRH_TLV_MALFORMED, hdr_ext_len_off);
		tlv_end = off + 2 + frame[off + 1];
		if (tlv_end > end)
			return fault(view, SRH_TLV_MALFORMED, hdr_ext_len_off);
		if (type == SRH_TLV_HMAC) {
			if (frame[off + 1] < HMAC_MIN_LENGTH)
				return fault(view, SRH_HMAC_MALFORMED, off);
			if (view->hmac_off != 0)
				return fault(view, SRH_HMAC_DUPLICATE, off);
			note_hmac(frame, view, off);
		}
		off = tlv_end;
	}
	return check_linux_place(frame, view, end);
}
