/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/srh: octets to numbers and back, and the protocol numbers of the header chain. */
#ifndef SEGSEAL_SRH_WIRE_H
#define SEGSEAL_SRH_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "srh/srh.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define ETHER_HDR_LEN 14u
#define ETHER_TYPE_OFF 12u
#define ETHER_TAG_LEN 4u
#define ETHER_TYPE_IPV6 0x86ddu
#define ETHER_TYPE_8021Q 0x8100u
#define ETHER_TYPE_8021AD 0x88a8u
#define ETHER_TYPE_QINQ 0x9100u /* before 802.1ad, and still seen */

#define IPV6_HDR_LEN 40u
#define IPV6_PAYLOAD_OFF 4u
#define IPV6_NEXT_OFF 6u

/* IANA "IPv6 Extension Header Types"; ESP (50) is one, too, but hides what follows. */
#define NH_HOP_BY_HOP 0u
#define NH_ROUTING 43u
#define NH_FRAGMENT 44u
#define NH_AH 51u
#define NH_DEST_OPTIONS 60u
#define NH_MOBILITY 135u
#define NH_HIP 139u
#define NH_SHIM6 140u

#define EXT_MIN_LEN 8u /* octets of the shortest extension header */

static inline uint16_t
load_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void
store_be16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/* Whether next is an extension header that can be walked over. */
static inline bool
is_ext_header(uint8_t next)
{
	const uint64_t low = 1ull << NH_HOP_BY_HOP | 1ull << NH_ROUTING | 1ull << NH_FRAGMENT |
			     1ull << NH_AH | 1ull << NH_DEST_OPTIONS;

	if (likely(next < 64))
		return low >> next & 1;
	return next == NH_MOBILITY || next == NH_HIP || next == NH_SHIM6;
}

/*
 * Walk the TLVs of the SRH that view describes (its bounds are checked, it is whole in frame) and
 * complete the view: SRH_FOUND or one of the TLV and HMAC statuses.
 */
enum srh_status srh_walk_tlvs(const uint8_t *frame, struct srh_view *view);

#endif
