/* SPDX-License-Identifier: BSD-3-Clause */
/* From the frame's first octet to the SRH: Ethernet, tags, IPv6 and the extension header chain. */
#include "srh/plain.h"
#include "srh/srh.h"
#include "srh/wire.h"

/* Octets of the extension header at p, of kind next; its first 8 octets are readable. */
static uint32_t
ext_header_len(uint8_t next, const uint8_t *p)
{
	if (next == NH_FRAGMENT)
		return 8; /* RFC 8200 section 4.5 */
	if (next == NH_AH)
		return (p[1] + 2u) * 4; /* RFC 4302 section 2.2 */
	return (p[1] + 1u) * 8;
}

static inline void
note_srh(struct srh_view *view, const uint8_t *frame, uint32_t off, uint32_t len)
{
	const uint8_t *srh = frame + off;

	view->srh_off = (uint16_t)off;
	view->srh_len = (uint16_t)len;
	view->tlv_off = (uint16_t)(off + SRH_FIXED_LEN + SRH_SEGMENT_LEN * (srh[4] + 1u));
	view->segments_left = srh[3];
	view->last_entry = srh[4];
	view->flags = srh[5];
}

static enum srh_status
fault(struct srh_view *view, enum srh_status status, uint32_t off)
{
	view->err_off = (uint16_t)(off - view->ip_off);
	return status;
}

/* SRH_FOUND with view->ip_off set, or what there is instead of a whole IPv6 header. */
static enum srh_status
find_ipv6(const uint8_t *frame, uint32_t len, uint32_t frame_len, struct srh_view *view)
{
	uint32_t off = ETHER_TYPE_OFF;

	for (unsigned tags = 0;; tags++) {
		uint16_t type;

		if (frame_len < off + 2)
			return SRH_NOT_IPV6;
		if (len < off + 2)
			return SRH_MORE;
		type = load_be16(frame + off);
		if (type == ETHER_TYPE_IPV6)
			break;
		if (type != ETHER_TYPE_8021Q && type != ETHER_TYPE_8021AD &&
		    type != ETHER_TYPE_QINQ)
			return SRH_NOT_IPV6;
		if (tags == SRH_MAX_VLAN_TAGS)
			return SRH_MALFORMED;
		off += ETHER_TAG_LEN;
	}
	off += 2;
	if (frame_len - off < IPV6_HDR_LEN)
		return SRH_TRUNCATED;
	if (len < off + IPV6_HDR_LEN)
		return SRH_MORE;
	view->ip_off = (uint16_t)off;
	view->ip_payload = load_be16(frame + off + IPV6_PAYLOAD_OFF);
	view->chain_end = (uint16_t)(off + IPV6_HDR_LEN);
	if (frame[off] >> 4 != 6)
		return fault(view, SRH_MALFORMED, off);
	return SRH_FOUND;
}

/*
 * Walk the chain to its visible end. The octets of a header are looked at only once the packet is
 * known to hold all of it.
 */
static enum srh_status
walk_chain(const uint8_t *frame, uint32_t len, uint32_t frame_len, struct srh_view *view)
{
	uint32_t off = view->ip_off + IPV6_HDR_LEN;
	uint32_t limit = off + view->ip_payload;
	uint8_t next = frame[view->ip_off + IPV6_NEXT_OFF];
	bool other_routing = false, in_pieces = false;

	if (limit > frame_len)
		limit = frame_len;
	for (unsigned headers = 0; is_ext_header(next); headers++) {
		const uint8_t *p = frame + off;
		uint32_t ext_len;

		if (headers == SRH_MAX_EXT_HEADERS)
			return fault(view, SRH_MALFORMED, off);
		if (limit - off < EXT_MIN_LEN)
			return fault(view, SRH_TRUNCATED, off);
		if (len < off + EXT_MIN_LEN)
			return SRH_MORE;
		ext_len = ext_header_len(next, p);
		if (ext_len > limit - off)
			return fault(view, SRH_TRUNCATED, off);
		if (off + ext_len > SRH_MAX_CHAIN_LEN)
			return fault(view, SRH_MALFORMED, off + 1);
		view->chain_end = (uint16_t)(off + ext_len);

		if (next == NH_ROUTING) {
			bool is_srh = p[2] == SRH_ROUTING_TYPE;

			if (view->srh_off != 0 || (is_srh && other_routing))
				return fault(view, SRH_SECOND_ROUTING, off);
			if (is_srh) {
				if (!srh_bounds_ok(p))
					return fault(view, SRH_MALFORMED, off + 3);
				if (len < off + ext_len)
					return SRH_MORE;
				note_srh(view, frame, off, ext_len);
				view->fragmentable = in_pieces;
			} else {
				other_routing = true;
			}
		} else if (next == NH_FRAGMENT) {
			uint16_t field = load_be16(p + 2);
			uint16_t offset = field & 0xfff8; /* 8-octet units, 3 bits up */
			bool more = field & 1;

			if (offset != 0) {
				/* Octets of any kind follow. */
				if (view->srh_off != 0)
					break;
				view->frag_next = p[0];
				view->frag_offset = offset;
				return SRH_LATER_FRAGMENT;
			}
			in_pieces |= more;
		}
		next = p[0];
		off += ext_len;
	}
	return view->srh_off != 0 ? srh_walk_tlvs(frame, view) : SRH_ABSENT;
}

/* Its own function, so that the short way saves no register for it. */
static __attribute__((noinline)) enum srh_status
find_any(const uint8_t *frame, uint32_t len, uint32_t frame_len, struct srh_view *view)
{
	enum srh_status status;

	*view = (struct srh_view){0};
	status = find_ipv6(frame, len, frame_len, view);
	return status == SRH_FOUND ? walk_chain(frame, len, frame_len, view) : status;
}

enum srh_status
srh_find(const uint8_t *frame, uint32_t len, uint32_t frame_len, struct srh_view *view)
{
	if (likely(srh_find_plain(frame, len, view) == SRH_FOUND))
		return SRH_FOUND;
	return find_any(frame, len, frame_len, view);
}
