/* SPDX-License-Identifier: BSD-3-Clause */
#include "gate/icmp.h"

#include <string.h>

#include "srh/srh.h"

#define ETHER_ADDR_LEN 6u
#define IPV6_HDR_LEN 40u
#define IPV6_SA_OFF 8u
#define IPV6_DA_OFF 24u
#define IPV6_MIN_MTU 1280u /* RFC 8200 section 5 */
#define IPV6_MAX_LEN (IPV6_HDR_LEN + 65535u)
#define ICMP_HDR_LEN 8u
#define ICMP_FIRST_INFORMATIONAL 128u /* RFC 4443 section 2.1 */
#define ICMP_REDIRECT 137u
#define NEXT_ICMPV6 58u
#define NEXT_FRAGMENT 44u
#define NEXT_AH 51u
#define HOP_LIMIT 64u
#define MAX_HEADERS 64u

enum gate_icmp_type
gate_icmp_type(enum gate_verdict verdict)
{
	switch (verdict) {
	case GATE_SRH_MALFORMED:
	case GATE_TLV_MALFORMED:
	case GATE_HMAC_MALFORMED:
	case GATE_KEY_UNKNOWN:
	case GATE_DA_MISMATCH:
	case GATE_HMAC_MISMATCH:
		return GATE_ICMP_PARAMETER;
	case GATE_TOO_BIG:
		return GATE_ICMP_TOO_BIG;
	default:
		return GATE_ICMP_NONE;
	}
}

uint32_t
gate_icmp_mtu(uint32_t max_len, unsigned grow, unsigned cut)
{
	const uint32_t link =
		max_len > 2 * ETHER_ADDR_LEN + 2 ? max_len - 2 * ETHER_ADDR_LEN - 2 : IPV6_MAX_LEN;

	return (link < IPV6_MAX_LEN ? link : IPV6_MAX_LEN) - grow + cut;
}

bool
gate_icmp_is_source(const uint8_t address[16])
{
	uint8_t any = 0;

	for (unsigned i = 0; i < 15; i++)
		any |= address[i];
	return address[0] != 0xff && (any != 0 || address[15] > 1);
}

static bool
is_ext_header(uint8_t next)
{
	switch (next) {
	case 0:	 /* Hop-by-Hop Options */
	case 43: /* Routing */
	case NEXT_FRAGMENT:
	case NEXT_AH:
	case 60:  /* Destination Options */
	case 135: /* Mobility */
	case 139: /* HIP */
	case 140: /* Shim6 */
		return true;
	default:
		return false;
	}
}

/*
 * Whether the IPv6 packet ip[0..len) is known not to be an ICMPv6 error or redirect. What a later
 * fragment or a chain that runs off the end belongs to is not known.
 */
static bool
is_no_error(const uint8_t *ip, uint32_t len)
{
	uint8_t next = ip[6];
	uint32_t off = IPV6_HDR_LEN;

	for (unsigned headers = 0; is_ext_header(next); headers++) {
		const uint8_t *p = ip + off;

		if (headers == MAX_HEADERS || len - off < 8)
			return false;
		if (next == NEXT_FRAGMENT && (p[2] != 0 || (p[3] & 0xf8) != 0))
			return false;
		off += next == NEXT_FRAGMENT ? 8
		       : next == NEXT_AH     ? (p[1] + 2u) * 4
					     : (p[1] + 1u) * 8;
		next = p[0];
		if (off > len)
			return false;
	}
	if (next != NEXT_ICMPV6)
		return true;
	return off < len && ip[off] >= ICMP_FIRST_INFORMATIONAL && ip[off] != ICMP_REDIRECT;
}

/* RFC 4443 section 2.4 e, for a packet of one link without addresses of its own. */
static bool
may_answer(const uint8_t *frame, const uint8_t *ip, uint32_t len, enum gate_icmp_type type)
{
	if (((frame[0] | frame[ETHER_ADDR_LEN]) & 1) != 0) /* group addresses of Ethernet */
		return false;
	if (!gate_icmp_is_source(ip + IPV6_SA_OFF))
		return false;
	if (ip[IPV6_DA_OFF] == 0xff && type != GATE_ICMP_TOO_BIG)
		return false;
	return is_no_error(ip, len);
}

static uint32_t
add_octets(uint32_t sum, const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	return n % 2 != 0 ? sum + ((uint32_t)p[n - 1] << 8) : sum;
}

/* RFC 4443 section 2.3; the checksum field is zero. */
static uint16_t
checksum(const uint8_t *ip, unsigned icmp_len)
{
	uint32_t sum = add_octets(icmp_len + NEXT_ICMPV6, ip + IPV6_SA_OFF, 32);

	sum = add_octets(sum, ip + IPV6_HDR_LEN, icmp_len);
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

unsigned
gate_icmp_error(const uint8_t *frame, uint32_t len, enum gate_icmp_type type, uint32_t value,
		const uint8_t source[16], uint8_t *out)
{
	struct srh_view view;
	uint32_t ip_len, icmp_len;
	const uint8_t *ip;
	uint8_t *p;

	(void)srh_find(frame, len, len, &view);
	ip = frame + view.ip_off;
	if (type == GATE_ICMP_NONE || view.ip_off == 0 || ip[0] >> 4 != 6)
		return 0;
	ip_len = IPV6_HDR_LEN + view.ip_payload;
	if (ip_len > len - view.ip_off)
		ip_len = len - view.ip_off;
	if (!may_answer(frame, ip, ip_len, type) ||
	    memcmp(ip + IPV6_SA_OFF, source, SRH_SEGMENT_LEN) == 0)
		return 0;
	if (ip_len > IPV6_MIN_MTU - IPV6_HDR_LEN - ICMP_HDR_LEN)
		ip_len = IPV6_MIN_MTU - IPV6_HDR_LEN - ICMP_HDR_LEN;
	icmp_len = ICMP_HDR_LEN + ip_len;

	memcpy(out, frame + ETHER_ADDR_LEN, ETHER_ADDR_LEN);
	memcpy(out + ETHER_ADDR_LEN, frame, ETHER_ADDR_LEN);
	memcpy(out + 2 * ETHER_ADDR_LEN, frame + 2 * ETHER_ADDR_LEN,
	       view.ip_off - 2 * ETHER_ADDR_LEN);
	p = out + view.ip_off;
	memset(p, 0, IPV6_HDR_LEN + ICMP_HDR_LEN);
	p[0] = 6 << 4;
	put16(p + 4, icmp_len);
	p[6] = NEXT_ICMPV6;
	p[7] = HOP_LIMIT;
	memcpy(p + IPV6_SA_OFF, source, SRH_SEGMENT_LEN);
	memcpy(p + IPV6_DA_OFF, ip + IPV6_SA_OFF, SRH_SEGMENT_LEN);
	p[IPV6_HDR_LEN] = (uint8_t)type;
	put16(p + IPV6_HDR_LEN + 4, value >> 16);
	put16(p + IPV6_HDR_LEN + 6, value);
	memcpy(p + IPV6_HDR_LEN + ICMP_HDR_LEN, ip, ip_len);
	put16(p + IPV6_HDR_LEN + 2, checksum(p, icmp_len));
	return view.ip_off + IPV6_HDR_LEN + icmp_len;
}
