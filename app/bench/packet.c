/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet.h"

#include <stdlib.h>
#include <string.h>

#include "srh/srh.h"

#define ETHER 14u
#define IPV6 40u
#define UDP 8u
#define PAYLOAD 18u

static uint8_t *
put(uint8_t *to, const void *octets, unsigned n)
{
	memcpy(to, octets, n);
	return to + n;
}

static uint8_t *
put32(uint8_t *to, uint32_t v)
{
	const uint8_t octets[4] = {v >> 24, v >> 16, v >> 8, v};

	return put(to, octets, 4);
}

static struct srh_view
find(const uint8_t *frame, unsigned len)
{
	struct srh_view view;

	if (srh_find(frame, len, len, &view) != SRH_FOUND)
		abort();
	return view;
}

unsigned
packet_text(enum hmac_profile profile, const uint8_t *frame, unsigned len, uint8_t *text)
{
	struct srh_view view = find(frame, len);

	return hmac_text(profile, frame, &view, text);
}

static void
seal(const struct packet_spec *spec, uint8_t *frame, unsigned len)
{
	uint8_t text[HMAC_TEXT_MAX], tag[HMAC_TAG_MAX];
	struct srh_view view = find(frame, len);
	unsigned field = hmac_field_len(view.hmac_len);
	unsigned digest = hmac_digest_len(spec->algorithm);

	if (hmac_compute(spec->algorithm, spec->secret, spec->secret_len, text,
			 hmac_text(spec->profile, frame, &view, text), tag) < 0)
		abort();
	memcpy(frame + view.hmac_off + SRH_HMAC_HDR_LEN, tag, digest < field ? digest : field);
}

unsigned
packet_make(const struct packet_spec *spec, uint8_t frame[PACKET_FRAME_MAX])
{
	static const uint8_t ether[ETHER] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd};
	uint8_t length = hmac_tlv_length(spec->profile, spec->algorithm);
	unsigned srh =
		SRH_FIXED_LEN + SRH_SEGMENT_LEN * spec->segments + (spec->sealed ? length + 2u : 0);
	unsigned payload = srh + UDP + PAYLOAD;
	uint8_t flags = spec->sealed && spec->profile == HMAC_LINUX ? SRH_FLAG_LINUX_HMAC : 0;
	uint8_t *at;

	memset(frame, 0, PACKET_FRAME_MAX);
	at = put(frame, ether, sizeof(ether));
	at = put(at, (uint8_t[]){0x60, 0, 0, 0, payload >> 8, payload, 43, 64}, 8);
	at = put(at, (uint8_t[]){0x20, 1, 0xd, 0xb8, 0, 1, 0, 0, 0, 0, 0, 0}, 12);
	at = put32(at, spec->flow);
	at = put(at, (uint8_t[]){0x20, 1, 0xd, 0xb8, 0, 2, 0, 0, 0, 0, 0, 0}, 12);
	at = put32(at, spec->segments - 1);
	at = put(at,
		 (uint8_t[]){17, srh / 8 - 1, SRH_ROUTING_TYPE, spec->segments - 1,
			     spec->segments - 1, flags, 0, 0},
		 8);
	for (unsigned s = 0; s < spec->segments; s++) {
		at = put(at, (uint8_t[]){0x20, 1, 0xd, 0xb8, 0, 2, 0, 0, 0, 0, 0, 0}, 12);
		at = put32(at, s);
	}
	if (spec->sealed) {
		at = put(at, (uint8_t[]){SRH_TLV_HMAC, length, 0, 0}, 4);
		at = put32(at, spec->key_id);
		at += hmac_field_len(length);
	}
	at = put(at, (uint8_t[]){0x10, 0, 0x20, 0, 0, UDP + PAYLOAD, 0xab, 0xcd}, UDP);
	at += PAYLOAD;
	if (spec->sealed)
		seal(spec, frame, (unsigned)(at - frame));
	return (unsigned)(at - frame);
}

uint8_t *
packet_hmac(uint8_t *frame, unsigned len, unsigned *field_len)
{
	struct srh_view view = find(frame, len);

	*field_len = hmac_field_len(view.hmac_len);
	return frame + view.hmac_off + SRH_HMAC_HDR_LEN;
}
