/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames for the tests of lib/gate, described and then built, their HMACs made with OpenSSL: what
 * the gate says is never measured against the project's own HMACs or texts.
 */
#ifndef SEGSEAL_TEST_GATE_PACKET_H
#define SEGSEAL_TEST_GATE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keyring/keyring.h"

#define PACKET_ROOM 9216u

/* An extension header in front of the SRH or behind it; units 0 ends a list. */
struct packet_ext {
	uint8_t next;	       /* what it is: 0, 43, 44, 60, ... */
	uint8_t units;	       /* of 8 octets */
	uint16_t frag;	       /* Fragment header: offset in octets, or'ed with the M bit */
	uint8_t routing_type;  /* routing header */
	uint8_t segments_left; /* routing header */
};

#define EXT(kind, size)                                                                            \
	{                                                                                          \
		.next = (kind), .units = (size)                                                    \
	}

enum packet_hmac { HMAC_NOT, HMAC_GOOD, HMAC_ZERO, HMAC_BAD };

struct packet_spec {
	unsigned tags; /* VLAN */
	struct packet_ext before[12];
	unsigned segments; /* 0 = no SRH */
	uint8_t segments_left;
	bool reduced;	  /* DA is not in the list; SL is the number of segments */
	uint8_t flags;	  /* linux: 0x08 comes with a HMAC by itself */
	uint16_t tag;	  /* of the SRH */
	bool off_path;	  /* DA is not the active segment although SL says so */
	uint8_t tlvs[96]; /* TLVs before the HMAC TLV, n_tlvs octets */
	unsigned n_tlvs;
	uint8_t more_tlvs[64]; /* and behind it */
	unsigned n_more_tlvs;
	enum packet_hmac hmac;
	bool no_flag;	  /* linux: HMAC TLV without Flags 0x08 */
	uint16_t dres;	  /* D and reserved bits */
	uint32_t key_id;  /* one of packet_keys[] */
	uint8_t length;	  /* HMAC TLV's Length, 0 = as the key has it */
	uint32_t name_id; /* Key ID in the TLV, 0 = key_id */
	struct packet_ext after[12];
	uint8_t next;	  /* upper layer, 0 = UDP */
	unsigned payload; /* octets of upper layer */
	unsigned padding; /* octets behind the IPv6 payload */
	uint32_t flow;	  /* makes addresses differ */
};

struct packet {
	uint8_t octets[PACKET_ROOM];
	uint32_t len;
	uint32_t ip_off;
	uint32_t srh_off; /* 0 = none */
	uint32_t srh_len;
	uint32_t hmac_off; /* 0 = none */
};

/* Keys 101..108, one of each algorithm and profile, and 201..208, the same with other secrets. */
#define PACKET_KEYS 16u
extern const struct keyring_spec packet_keys[PACKET_KEYS];
const struct keyring_spec *packet_key(uint32_t id);
/* The first or second key of this kind. */
uint32_t packet_key_id(unsigned set, enum hmac_algorithm algorithm, enum hmac_profile profile);

void packet_build(struct packet *packet, const struct packet_spec *spec);

/* HMAC field, 24 or 32 octets of it valid, of the HMAC TLV at hmac_off as a receiver with this key
 * computes it. Returns the field's length. */
unsigned packet_hmac(const struct keyring_spec *key, const uint8_t *frame, uint32_t ip_off,
		     uint32_t srh_off, uint32_t hmac_off, uint8_t field[32]);
/* Write the HMAC that is right for the frame as it stands. */
void packet_seal(struct packet *packet, const struct keyring_spec *key);

#endif
