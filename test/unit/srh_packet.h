/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames for the tests of lib/srh, put together header by header. */
#ifndef SEGSEAL_TEST_SRH_PACKET_H
#define SEGSEAL_TEST_SRH_PACKET_H

#include <stdint.h>

struct packet {
	uint8_t octets[16384];
	uint32_t len;
	uint32_t ip_off;
	uint32_t next_off; /* the Next Header octet that the next header will be named in */
	uint32_t srh_off;  /* of the SRH that was put last */
};

/* Start a frame: MAC addresses, then these tags' EtherTypes (0 ends them), then 0x86dd. */
void packet_ether(struct packet *p, const uint16_t *tags);
/* Start a frame of plain Ethernet and IPv6. */
void packet_start(struct packet *p);
void packet_ipv6(struct packet *p);
/* An extension header of len octets whose Hdr Ext Len says so, zero otherwise. Returns its offset.
 */
uint32_t packet_ext(struct packet *p, uint8_t kind, uint32_t len);
/* As above with the routing type in its place. */
uint32_t packet_routing(struct packet *p, uint8_t type, uint32_t len);
/* A Fragment header; offset in octets. */
uint32_t packet_fragment(struct packet *p, uint16_t offset, int more);
/* An SRH of this many segments, Segments Left 0, and then these TLV octets (a multiple of 8). */
uint32_t packet_srh(struct packet *p, unsigned segments, const void *tlvs, uint32_t tlvs_len);
/* n octets of upper layer; sets the Payload Length. */
void packet_end(struct packet *p, uint8_t kind, uint32_t n);
/* Set Payload Length to what the frame holds now. */
void packet_fix_length(struct packet *p);

/* Write an HMAC TLV with this Length field at tlv, its HMAC octets 0xa0 and on; returns its size.
 */
uint32_t hmac_tlv(uint8_t *tlv, uint8_t length, uint32_t key_id);

#endif
