/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The short way of srh_find(), inline for the packet path: where it does not know, srh_find() has
 * to be asked, which says the same of what it does know. As free of state as srh/srh.h.
 */
#ifndef SEGSEAL_SRH_PLAIN_H
#define SEGSEAL_SRH_PLAIN_H

#include "srh/srh.h"
#include "srh/wire.h"

/*
 * RFC 8754 section 2: Last Entry <= Hdr Ext Len / 2 - 1 and Segments Left <= Last Entry + 1, where
 * an SRH without room for one segment has no Last Entry at all.
 */
static inline bool
srh_bounds_ok(const uint8_t *srh)
{
	uint32_t hdr_ext_len = srh[1], segments_left = srh[3], last_entry = srh[4];

	return last_entry + 1 <= hdr_ext_len / 2 && segments_left <= last_entry + 1;
}

/*
 * Nearly every packet that has an SRH: untagged, the SRH first, no extension header behind it, and
 * in its TLV area nothing or one HMAC TLV. Answers SRH_MORE, the view untouched, for all that is
 * not so: the long way says what it is.
 */
static inline enum srh_status
srh_find_plain(const uint8_t *frame, uint32_t len, struct srh_view *view)
{
	const uint32_t ip_off = ETHER_HDR_LEN, off = ip_off + IPV6_HDR_LEN;
	const uint8_t *srh = frame + off, *tlv;
	uint32_t srh_len, tlv_off, room;
	uint16_t payload;

	if (unlikely(len < off + SRH_FIXED_LEN ||
		     load_be16(frame + ETHER_TYPE_OFF) != ETHER_TYPE_IPV6 ||
		     frame[ip_off] >> 4 != 6 || frame[ip_off + IPV6_NEXT_OFF] != NH_ROUTING))
		return SRH_MORE;
	srh_len = (srh[1] + 1u) * 8;
	payload = load_be16(frame + ip_off + IPV6_PAYLOAD_OFF);
	if (unlikely(srh[2] != SRH_ROUTING_TYPE || srh_len > payload || off + srh_len > len ||
		     !srh_bounds_ok(srh) || is_ext_header(srh[0])))
		return SRH_MORE;
	tlv_off = off + SRH_FIXED_LEN + SRH_SEGMENT_LEN * (srh[4] + 1u);
	room = off + srh_len - tlv_off;
	tlv = frame + tlv_off;
	if (room != 0 && unlikely(room < SRH_HMAC_HDR_LEN || room > SRH_HMAC_MAX_LEN ||
				  tlv[0] != SRH_TLV_HMAC || tlv[1] != room - 2))
		return SRH_MORE;

	*view = (struct srh_view){
		.ip_off = ip_off,
		.ip_payload = payload,
		.chain_end = (uint16_t)(off + srh_len),
		.srh_off = off,
		.srh_len = (uint16_t)srh_len,
		.tlv_off = (uint16_t)tlv_off,
		.segments_left = srh[3],
		.last_entry = srh[4],
		.flags = srh[5],
	};
	if (room != 0) {
		view->hmac_off = (uint16_t)tlv_off;
		view->hmac_dres = load_be16(tlv + 2);
		view->hmac_len = tlv[1];
		view->tlvs = 1;
		view->hmac_linux = room == SRH_HMAC_MAX_LEN && (srh[5] & SRH_FLAG_LINUX_HMAC);
		view->key_id = load_be32(tlv + 4);
		view->err_off = (uint16_t)(tlv_off - ip_off);
	}
	return SRH_FOUND;
}

#endif
