/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <string.h>

#include "srh_packet.h"

static void
put(struct packet *p, uint8_t octet)
{
	p->octets[p->len++] = octet;
}

static void
put16(struct packet *p, uint16_t value)
{
	put(p, value >> 8);
	put(p, value & 0xff);
}

void
packet_ether(struct packet *p, const uint16_t *tags)
{
	memset(p, 0, sizeof(*p));
	for (int i = 0; i < 12; i++)
		put(p, 2 + i * 16);
	for (; *tags != 0; tags++) {
		put16(p, *tags);
		put16(p, 0x0064);
	}
	put16(p, 0x86dd);
}

void
packet_start(struct packet *p)
{
	packet_ether(p, (const uint16_t[]){0});
	packet_ipv6(p);
}

void
packet_ipv6(struct packet *p)
{
	p->ip_off = p->len;
	put(p, 0x60);
	put(p, 0);
	put16(p, 0);
	put16(p, 0);
	p->next_off = p->len;
	put(p, 59);
	put(p, 64);
	for (int i = 0; i < 32; i++)
		put(p, 0x20 + i);
}

uint32_t
packet_ext(struct packet *p, uint8_t kind, uint32_t len)
{
	uint32_t off = p->len;

	p->octets[p->next_off] = kind;
	p->next_off = off;
	put(p, 59);
	put(p, kind == 51 ? len / 4 - 2 : len / 8 - 1);
	p->len = off + len;
	return off;
}

uint32_t
packet_routing(struct packet *p, uint8_t type, uint32_t len)
{
	uint32_t off = packet_ext(p, 43, len);

	p->octets[off + 2] = type;
	return off;
}

uint32_t
packet_fragment(struct packet *p, uint16_t offset, int more)
{
	uint32_t off = packet_ext(p, 44, 8);
	uint16_t field = offset | (more ? 1 : 0);

	p->octets[off + 1] = 0;
	p->octets[off + 2] = field >> 8;
	p->octets[off + 3] = field & 0xff;
	p->octets[off + 7] = 0x77;
	return off;
}

uint32_t
packet_srh(struct packet *p, unsigned segments, const void *tlvs, uint32_t tlvs_len)
{
	uint32_t off = packet_routing(p, 4, 8 + 16 * segments + tlvs_len);

	p->octets[off + 4] = segments - 1;
	for (unsigned i = 0; i < 16 * segments; i++)
		p->octets[off + 8 + i] = 0xf0 ^ (i * 7);
	if (tlvs_len != 0)
		memcpy(p->octets + off + 8 + 16 * segments, tlvs, tlvs_len);
	p->srh_off = off;
	return off;
}

void
packet_fix_length(struct packet *p)
{
	uint32_t n = p->len - p->ip_off - 40;

	p->octets[p->ip_off + 4] = n >> 8;
	p->octets[p->ip_off + 5] = n & 0xff;
}

void
packet_end(struct packet *p, uint8_t kind, uint32_t n)
{
	p->octets[p->next_off] = kind;
	while (n-- != 0)
		put(p, 0x55);
	packet_fix_length(p);
}

uint32_t
hmac_tlv(uint8_t *tlv, uint8_t length, uint32_t key_id)
{
	tlv[0] = 5;
	tlv[1] = length;
	for (unsigned i = 0; i < length; i++)
		tlv[2 + i] = i < 2 ? 0 : i < 6 ? key_id >> (8 * (5 - i)) : 0xa0 + i - 6;
	return length + 2u;
}
