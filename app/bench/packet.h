/* SPDX-License-Identifier: BSD-3-Clause */
/* Sealed frames to put through the gate: made from scratch, and with OpenSSL-free hmac_compute().
 */
#ifndef SEGSEAL_BENCH_PACKET_H
#define SEGSEAL_BENCH_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "hmac/hmac.h"

#define PACKET_FRAME_MAX 512u /* octets; 14 segments and an HMAC TLV fit */
#define PACKET_SEGMENTS_MAX 14u

struct packet_spec {
	uint32_t flow; /* in the source address */
	uint32_t key_id;
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;
	unsigned segments; /* 1..PACKET_SEGMENTS_MAX */
	bool sealed;
	const uint8_t *secret;
	unsigned secret_len;
};

/* Ethernet, IPv6, SRH with an HMAC TLV if sealed, UDP: returns the octets of the frame. */
unsigned packet_make(const struct packet_spec *spec, uint8_t frame[PACKET_FRAME_MAX]);
/* The text that its HMAC was made from: returns its octets. */
unsigned packet_text(enum hmac_profile profile, const uint8_t *frame, unsigned len, uint8_t *text);
/* The HMAC of a frame that is sealed, and its octets. */
uint8_t *packet_hmac(uint8_t *frame, unsigned len, unsigned *field_len);

#endif
