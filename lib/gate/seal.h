/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/gate: the fields that sealing sets and that the HMAC covers. Datapath. */
#ifndef SEGSEAL_GATE_SEAL_H
#define SEGSEAL_GATE_SEAL_H

#include "gate/worker.h"

/*
 * Flags once what is to be stripped is stripped and the packet sealed with key. Linux's flag never
 * stays with an RFC 8754 HMAC: with it a Linux host on the way would take the SRH's last octets for
 * an HMAC of its own, and drop the packet; and by chance srh_find() could, too.
 */
static inline uint8_t
seal_flags(const struct keyring_key *key, const struct gate_pkt *p)
{
	return key->profile == HMAC_LINUX ? p->view.flags | SRH_FLAG_LINUX_HMAC
					  : p->view.flags & (uint8_t)~SRH_FLAG_LINUX_HMAC;
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
