/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the gate has to do with one packet, worked out slowly from its settings, on the reference
 * parser and OpenSSL's HMAC. Shares the names of keys, settings and verdicts with lib/, no code.
 */
#ifndef SEGSEAL_FUZZ_GATE_ORACLE_H
#define SEGSEAL_FUZZ_GATE_ORACLE_H

#include "gate/gate.h"
#include "srh_reference.h"

#define ORACLE_FRAME_MAX 8192u

struct oracle_prefix {
	uint8_t prefix[16];
	uint8_t depth;
};

struct oracle {
	const struct keyring_spec *keys;
	unsigned n_keys;
	const struct oracle_prefix *prefixes;
	unsigned n_prefixes;
};

struct oracle_result {
	enum gate_verdict verdict;
	bool stripped, inserted, already_sealed;
	uint32_t key_id;		      /* of the HMAC TLV as it came in, 0 without one */
	int err_off;			      /* of a drop by verification */
	uint8_t frame[ORACLE_FRAME_MAX + 64]; /* as it leaves; as it came in if it is dropped */
	size_t len;
};

void oracle_run(const struct oracle *oracle, const struct gate_port *port, const uint8_t *frame,
		size_t len, struct oracle_result *result);

/* The key of this ID, NULL if there is none. */
const struct keyring_spec *oracle_key(const struct oracle *oracle, uint32_t id);
/* Octets of HMAC in the TLV that this key makes. */
size_t oracle_field_len(const struct keyring_spec *key);
/* That HMAC for an SRH at srh and an HMAC TLV at tlv whose first 8 octets are written. */
void oracle_hmac(const struct keyring_spec *key, const uint8_t *ip, const uint8_t *srh,
		 const uint8_t *tlv, uint8_t *field);

#endif
