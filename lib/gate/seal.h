/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/gate: the fields that sealing sets and that the HMAC covers. Datapath. */
#ifndef SEGSEAL_GATE_SEAL_H
#define SEGSEAL_GATE_SEAL_H

#include "gate/worker.h"

/* Flags once what is to be stripped is stripped and the packet sealed with key. */
static inline uint8_t
seal_flags(const struct keyring_key *key, const struct gate_pkt *p, unsigned cut)
{
	uint8_t flags = p->view.flags;

	if (key->profile == HMAC_LINUX)
		return flags | SRH_FLAG_LINUX_HMAC;
	if (cut != 0 && p->key->profile == HMAC_LINUX)
		return flags & (uint8_t)~SRH_FLAG_LINUX_HMAC;
	return flags;
}

/* D and 15 reserved bits: D says that the destination is not in the list (reduced SRH, RFC 8754
 * section 4.1.1); Linux never sets it. */
static inline uint16_t
seal_dres(const struct keyring_key *key, const struct gate_pkt *p)
{
	return key->profile == HMAC_RFC8754 && p->view.segments_left > p->view.last_entry
		       ? SRH_D_BIT
		       : 0;
}

#endif
