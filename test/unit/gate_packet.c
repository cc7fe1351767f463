/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "gate_packet.h"

/* Secrets of 3 to 64 octets; what is not written here is zero and counts. */
#define KEY(set, number, a, p)                                                                     \
	{                                                                                          \
		.id = (set)*100 + (number), .algorithm = (a), .profile = (p),                      \
		.secret = {(set), 0x5c ^ (number), 0x36, (number)},                                \
		.secret_len = (number) == 8 ? 64 : 3 * (number),                                   \
	}
#define KEYS(set)                                                                                  \
	KEY(set, 1, HMAC_SHA1, HMAC_LINUX), KEY(set, 2, HMAC_SHA1, HMAC_RFC8754),                  \
		KEY(set, 3, HMAC_SHA256, HMAC_LINUX), KEY(set, 4, HMAC_SHA256, HMAC_RFC8754),      \
		KEY(set, 5, HMAC_SHA384, HMAC_LINUX), KEY(set, 6, HMAC_SHA384, HMAC_RFC8754),      \
		KEY(set, 7, HMAC_SHA512, HMAC_LINUX), KEY(set, 8, HMAC_SHA512, HMAC_RFC8754)

const struct keyring_spec packet_keys[PACKET_KEYS] = {KEYS(1), KEYS(2)};

const struct keyring_spec *
packet_key(uint32_t id)
{
	for (unsigned k = 0; k < PACKET_KEYS; k++) {
		if (packet_keys[k].id == id)
			return &packet_keys[k];
	}
	abort();
}

uint32_t
packet_key_id(unsigned set, enum hmac_algorithm algorithm, enum hmac_profile profile)
{
	for (unsigned k = 0; k < PACKET_KEYS; k++) {
		const struct keyring_spec *key = &packet_keys[k];

		if (key->id / 100 == set && key->algorithm == algorithm && key->profile == profile)
			return key->id;
	}
	abort();
}

/* --- oracle --- */

static const EVP_MD *
digest_of(enum hmac_algorithm algorithm)
{
	switch (algorithm) {
	case HMAC_SHA1:
		return EVP_sha1();
	case HMAC_SHA256:
		return EVP_sha256();
	case HMAC_SHA384:
		return EVP_sha384();
	default:
		return EVP_sha512();
	}
}

unsigned
packet_hmac(const struct keyring_spec *key, const uint8_t *frame, uint32_t ip_off, uint32_t srh_off,
	    uint32_t hmac_off, uint8_t field[32])
{
	const uint8_t *srh = frame + srh_off, *tlv = frame + hmac_off;
	uint8_t text[4096], digest[EVP_MAX_MD_SIZE] = {0};
	unsigned len = 0, digest_len;
	unsigned field_len = key->profile == HMAC_RFC8754 && key->algorithm == HMAC_SHA1 ? 24 : 32;

	memcpy(text, frame + ip_off + 8, 16);
	len = 16;
	text[len++] = srh[4];
	text[len++] = srh[5];
	if (key->profile == HMAC_RFC8754) {
		text[len++] = tlv[2];
		text[len++] = tlv[3];
	}
	memcpy(text + len, tlv + 4, 4);
	len += 4;
	memcpy(text + len, srh + 8, (srh[4] + 1u) * 16);
	len += (srh[4] + 1u) * 16;
	if (HMAC(digest_of(key->algorithm), key->secret, key->secret_len, text, len, digest,
		 &digest_len) == NULL)
		abort();
	memset(field, 0, 32);
	memcpy(field, digest, digest_len < field_len ? digest_len : field_len);
	return field_len;
}

void
packet_seal(struct packet *packet, const struct keyring_spec *key)
{
	uint8_t field[32];
	unsigned len = packet_hmac(key, packet->octets, packet->ip_off, packet->srh_off,
				   packet->hmac_off, field);

	memcpy(packet->octets + packet->hmac_off + 8, field, len);
}

/* --- building --- */

static void
put(struct packet *p, uint32_t value, unsigned octets)
{
	while (octets-- != 0)
		p->octets[p->len++] = (uint8_t)(value >> 8 * octets);
}

static void
put_octets(struct packet *p, const uint8_t *octets, unsigned n)
{
	memcpy(p->octets + p->len, octets, n);
	p->len += n;
}

static void
put_address(struct packet *p, uint8_t kind, uint32_t n, uint32_t flow)
{
	put(p, 0xfc000000 | kind, 4);
	put(p, flow, 4);
	put(p, 0, 4);
	put(p, n, 4);
}

/* An extension header; next_off is where it is to be named and then where the next one is. */
static void
put_ext(struct packet *p, const struct packet_ext *ext, uint32_t *next_off)
{
	uint32_t off = p->len;

	p->octets[*next_off] = ext->next;
	*next_off = off;
	memset(p->octets + off, 0, ext->units * 8u);
	p->len += ext->units * 8u;
	if (ext->next == 44) {
		p->octets[off + 2] = ext->frag >> 8;
		p->octets[off + 3] = ext->frag & 0xff;
		return;
	}
	p->octets[off + 1] = ext->units - 1;
	if (ext->next == 43) {
		p->octets[off + 2] = ext->routing_type;
		p->octets[off + 3] = ext->segments_left;
	} else {
		p->octets[off + 2] = 1; /* PadN */
		p->octets[off + 3] = ext->units * 8 - 4;
	}
}

static void
put_hmac_tlv(struct packet *p, const struct packet_spec *spec)
{
	const struct keyring_spec *key = packet_key(spec->key_id);
	uint8_t length = spec->length;

	if (length == 0)
		length = key->profile == HMAC_RFC8754 && key->algorithm == HMAC_SHA1 ? 30 : 38;
	p->hmac_off = p->len;
	put(p, 5, 1);
	put(p, length, 1);
	if (length < 6) {
		memset(p->octets + p->len, 0, length);
		p->len += length;
		return;
	}
	put(p, spec->dres, 2);
	put(p, spec->name_id != 0 ? spec->name_id : spec->key_id, 4);
	memset(p->octets + p->len, 0, length - 6u);
	p->len += length - 6u;
}

static void
put_srh(struct packet *p, const struct packet_spec *spec, uint32_t *next_off)
{
	bool linux_flag = spec->hmac != HMAC_NOT && !spec->no_flag &&
			  packet_key(spec->key_id)->profile == HMAC_LINUX;

	p->octets[*next_off] = 43;
	*next_off = p->len;
	p->srh_off = p->len;
	put(p, 0, 2);
	put(p, 4, 1);
	put(p, spec->reduced ? spec->segments : spec->segments_left, 1);
	put(p, spec->segments - 1, 1);
	put(p, spec->flags | (linux_flag ? 0x08 : 0), 1);
	put(p, spec->tag, 2);
	for (unsigned s = 0; s < spec->segments; s++)
		put_address(p, 0x11, s, spec->flow);
	put_octets(p, spec->tlvs, spec->n_tlvs);
	if (spec->hmac != HMAC_NOT)
		put_hmac_tlv(p, spec);
	put_octets(p, spec->more_tlvs, spec->n_more_tlvs);
	p->srh_len = p->len - p->srh_off;
	p->octets[p->srh_off + 1] = (uint8_t)(p->srh_len / 8 - 1);
}

void
packet_build(struct packet *p, const struct packet_spec *spec)
{
	const struct packet_ext *ext;
	uint32_t next_off, payload;

	p->len = 0;
	p->srh_off = p->srh_len = p->hmac_off = 0;
	put(p, 0x02000000, 4);
	put(p, 0x0001, 2);
	put(p, 0x02000000, 4);
	put(p, 0x0002, 2);
	for (unsigned t = 0; t < spec->tags; t++)
		put(p, t == 0 && spec->tags > 1 ? 0x88a80064 : 0x81000065, 4);
	put(p, 0x86dd, 2);

	p->ip_off = p->len;
	put(p, 0x60000000, 4);
	put(p, 0, 2);
	next_off = p->len;
	put(p, 0, 1);
	put(p, 64, 1);
	put_address(p, 0x22, 1, spec->flow);
	put_address(p, spec->off_path || spec->reduced ? 0x33 : 0x11, spec->segments_left,
		    spec->flow);
	for (ext = spec->before; ext->units != 0; ext++)
		put_ext(p, ext, &next_off);
	if (spec->segments != 0)
		put_srh(p, spec, &next_off);
	for (ext = spec->after; ext->units != 0; ext++)
		put_ext(p, ext, &next_off);
	p->octets[next_off] = spec->next != 0 ? spec->next : 17;
	for (unsigned i = 0; i < spec->payload; i++)
		put(p, 0x41 + i % 26, 1);
	payload = p->len - p->ip_off - 40;
	p->octets[p->ip_off + 4] = (uint8_t)(payload >> 8);
	p->octets[p->ip_off + 5] = (uint8_t)payload;
	for (unsigned i = 0; i < spec->padding; i++)
		put(p, 0xee, 1);

	if (spec->hmac == HMAC_GOOD || spec->hmac == HMAC_BAD)
		packet_seal(p, packet_key(spec->key_id));
	if (spec->hmac == HMAC_BAD)
		p->octets[p->hmac_off + 8 + 31 % (p->octets[p->hmac_off + 1] - 6)] ^= 0x01;
	assert(p->len <= PACKET_ROOM);
}
