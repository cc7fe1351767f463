/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IPv6 Segment Routing Header on the wire (RFC 8754): find it, check its bounds, find its HMAC
 * TLV, and open or close the room that a TLV takes.
 *
 * Pure C over byte ranges: no DPDK, no allocation, no state. Every function may be called from any
 * thread. Nothing is read before its bounds are checked. All offsets count from the first octet of
 * the frame that was given; all fields of the view are in host byte order.
 */
#ifndef SEGSEAL_SRH_H
#define SEGSEAL_SRH_H

#include <stdbool.h>
#include <stdint.h>

#define SRH_FIXED_LEN 8u	 /* octets before the segment list, RFC 8754 section 2 */
#define SRH_SEGMENT_LEN 16u	 /* octets of one segment */
#define SRH_MAX_LEN 2048u	 /* 8 * (255 + 1) octets */
#define SRH_ROUTING_TYPE 4u	 /* RFC 8754 section 2 */
#define SRH_TLV_PAD1 0u		 /* RFC 8754 section 2.1.1.1 */
#define SRH_TLV_PADN 4u		 /* RFC 8754 section 2.1.1.2 */
#define SRH_TLV_HMAC 5u		 /* RFC 8754 section 2.1.2 */
#define SRH_HMAC_HDR_LEN 8u	 /* Type, Length, D + reserved, HMAC Key ID */
#define SRH_HMAC_MAX_LEN 40u	 /* octets of the longest HMAC TLV */
#define SRH_FLAG_LINUX_HMAC 0x08 /* Linux marks an HMAC in Flags; the RFC does not */
#define SRH_D_BIT 0x8000u	 /* of the 16 bits after the HMAC TLV's Length */

/* What is refused as malformed although it might be well-formed: nobody sends it, and a bound is
 * what keeps one hostile packet from costing as much as a thousand. */
#define SRH_MAX_EXT_HEADERS 8u	/* extension headers walked in all, the SRH among them */
#define SRH_MAX_CHAIN_LEN 4096u /* octets from the frame's start to the end of each of them */
#define SRH_MAX_TLVS 64u	/* TLVs in one SRH; a run of Pad1 counts as one */
#define SRH_MAX_VLAN_TAGS                                                                          \
	8u /* 0x8100, 0x88a8 or 0x9100; hosts look behind any number of them                       \
	    * with VLAN ID 0, and so must who judges */

/*
 * What srh_find() answers. The first fault on the way from the frame's start to its end decides;
 * the TLVs are looked at last, when the chain behind the SRH is known to hold no routing header.
 */
enum srh_status {
	SRH_FOUND,	    /* view is whole; hmac_off says whether there is an HMAC TLV */
	SRH_NOT_IPV6,	    /* another EtherType, or too short for Ethernet */
	SRH_ABSENT,	    /* IPv6 whose header chain holds no SRH; ip_off is set */
	SRH_LATER_FRAGMENT, /* non-first fragment, chain not visible; ip_off, frag_* are set */
	SRH_MORE,	    /* needs octets past len that the frame has: give a longer range */
	SRH_TRUNCATED,	    /* a header runs past the end of the frame or of the IPv6 payload */
	SRH_MALFORMED,	    /* IP version, Segments Left, Last Entry, Hdr Ext Len or chain bounds;
			     * with ip_off 0: more VLAN tags than are looked behind */
	SRH_TLV_MALFORMED,  /* a TLV runs past the end of the SRH, or too many TLVs */
	SRH_HMAC_MALFORMED, /* an HMAC TLV that cannot hold a Key ID, or an HMAC that one reader
			     * would see (Flags 0x08, last 40 octets) and another would not */
	SRH_HMAC_DUPLICATE, /* two HMAC TLVs */
	SRH_SECOND_ROUTING, /* another routing header stands before or after the SRH */
};

/*
 * A member that srh_find() did not get to is 0: ip_* are set once the IPv6 header is whole, the
 * SRH's once it has passed its bounds (srh_off == 0: it has not), the HMAC TLV's once it holds a
 * Key ID, also when a fault further on is what the status tells of.
 */
struct srh_view {
	uint16_t ip_off;     /* IPv6 header */
	uint16_t ip_payload; /* IPv6 Payload Length */
	uint16_t chain_end;  /* end of the last extension header walked; == IPv6 header's end if
			      * none */
	uint16_t srh_off;    /* SRH */
	uint16_t srh_len;    /* octets of the whole SRH */
	uint16_t tlv_off;    /* first octet after the segment list; == SRH end if no TLVs */
	uint16_t hmac_off;   /* HMAC TLV; 0 = none */
	uint16_t hmac_dres;  /* D and 15 reserved bits of the HMAC TLV */
	uint8_t hmac_len;    /* its Length field */
	uint8_t segments_left;
	uint8_t last_entry;
	uint8_t flags;
	uint8_t tlvs;	      /* TLVs walked, a run of Pad1 counts as one */
	bool hmac_linux;      /* as Linux looks for it: Flags 0x08, the SRH's last 40 octets are
			       * Type 5 and Length 38 */
	bool fragmentable;    /* SRH stands behind a Fragment header of a packet in more than one
			       * piece: its size must not change */
	uint8_t frag_next;    /* SRH_LATER_FRAGMENT: Next Header of the Fragment header */
	uint16_t frag_offset; /* SRH_LATER_FRAGMENT: octets before this piece */
	uint32_t key_id;      /* HMAC Key ID, if hmac_off != 0 */
	uint16_t err_off;     /* octet at fault, counted from the IPv6 header: the pointer of an
			       * ICMPv6 Parameter Problem (RFC 8754 section 2, RFC 4443 3.4).
			       * SRH_FOUND: where a failed HMAC points, or 0 without HMAC TLV */
};

/*
 * Find the outermost IPv6 header's SRH behind Ethernet (untagged, 802.1Q, 802.1ad) and any
 * extension headers. frame[0..len) is readable, the frame is frame_len >= len octets long.
 * SRH_MORE is answered only when len < frame_len, and never when len >= SRH_MAX_CHAIN_LEN + 64;
 * the view says nothing then. Any other answer, and its view, stays the same for a longer range.
 *
 * The packet ends where Payload Length says, or with the frame if that is shorter: octets behind
 * it (Ethernet padding) are never looked at, and an extension header that is announced but not
 * there is SRH_TRUNCATED.
 */
enum srh_status srh_find(const uint8_t *frame, uint32_t len, uint32_t frame_len,
			 struct srh_view *view);

/* Where a new HMAC TLV goes: as the SRH's last octets (Linux) or right after the segment list. */
static inline uint16_t srh_hmac_place(const struct srh_view *view, bool last);

enum srh_fit {
	SRH_FITS,
	SRH_FULL,    /* Hdr Ext Len cannot count it, or srh_find() would not take it */
	SRH_TOO_BIG, /* IPv6 Payload Length cannot count it */
};

/* Whether one more TLV of n octets (a multiple of 8) fits into the SRH and the IPv6 payload. */
static inline enum srh_fit srh_fits(const struct srh_view *view, uint32_t n);

/*
 * Open n octets at offset at, growing the frame at its front: new_frame[0..n) is room that the
 * caller made before the old first octet new_frame[n]. Moves what stands before at to the front,
 * zeroes the gap, corrects Hdr Ext Len and Payload Length, and updates the view, whose offsets
 * count from new_frame afterwards (so at names the gap's first octet then). The gap counts as one
 * TLV; what the caller makes of it is the caller's to note in hmac_*. n is a multiple of 8,
 * srh_fits() has said SRH_FITS, and new_frame[0..at + n) is contiguous.
 */
static inline void srh_open(uint8_t *new_frame, struct srh_view *view, uint16_t at, uint16_t n);
/* The same, but the gap's octets are undefined, for the caller to write, and the view is left as it
 * was, good for nothing but offsets of what stands before the gap. */
static inline void srh_open_gap(uint8_t *new_frame, const struct srh_view *view, uint16_t at,
				uint16_t n);

/*
 * The reverse: take the TLV of n octets at offset at out. The frame begins at frame + n afterwards,
 * and the view's offsets count from there. frame[0..at + n) is contiguous.
 */
static inline void srh_close(uint8_t *frame, struct srh_view *view, uint16_t at, uint16_t n);

#include "srh/edit.h"

#endif
