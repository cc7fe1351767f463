/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ICMPv6 errors (RFC 4443) about packets that the gate dropped. Pure: octets in, octets out, no
 * state. Any thread; meant for control, off the packet path.
 */
#ifndef SEGSEAL_GATE_ICMP_H
#define SEGSEAL_GATE_ICMP_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/verdicts.h"
#include "srh/srh.h"

/* Octets of the longest error: Ethernet, VLAN tags, and an IPv6 packet of the least MTU that every
 * link has (RFC 4443 section 2.4 c). */
#define GATE_ICMP_MAX (14u + SRH_MAX_VLAN_TAGS * 4u + 1280u)

enum gate_icmp_type {
	GATE_ICMP_NONE,
	GATE_ICMP_TOO_BIG = 2,	 /* Packet Too Big: value is the MTU */
	GATE_ICMP_PARAMETER = 4, /* Parameter Problem, code 0: value is the pointer */
};

/*
 * What a packet dropped for this reason is answered with (RFC 8754 section 2). All ways in which
 * an HMAC can fail get the same answer, so that nobody learns from it which Key IDs exist.
 */
enum gate_icmp_type gate_icmp_type(enum gate_verdict verdict);

/*
 * The largest IPv6 packet that would have passed the insertion: the peer takes frames of max_len
 * octets besides VLAN tags (0: of any length), grow octets are put in and cut taken out.
 */
uint32_t gate_icmp_mtu(uint32_t max_len, unsigned grow, unsigned cut);

/*
 * Write the error that answers frame[0..len) to out, GATE_ICMP_MAX octets of room: to where the
 * frame came from, with its VLAN tags, from IPv6 address source. Returns its length, or 0 if this
 * packet must not be answered: RFC 4443 section 2.4 e, and whatever is not known to be no ICMPv6
 * error itself, because its header chain does not show it.
 */
unsigned gate_icmp_error(const uint8_t *frame, uint32_t len, enum gate_icmp_type type,
			 uint32_t value, const uint8_t source[16], uint8_t *out);

/* Whether a gateway can send from it: not unspecified, loopback or multicast. */
bool gate_icmp_is_source(const uint8_t address[16]);

#endif
