/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/gate: what sealing sets, in the text that is hashed and in the packet. Datapath.
 */
#ifndef SEGSEAL_GATE_SEAL_H
#define SEGSEAL_GATE_SEAL_H

#include <stddef.h>
#include <string.h>

#include <rte_byteorder.h>

#include "gate/worker.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "seal_form.tlv holds wire octets");

/* What is the same for all packets that a port seals: a copy, which a loop keeps in registers. */
struct seal_form {
	uint64_t generation;
	uint64_t tlv; /* first 8 octets of the HMAC TLV (RFC 8754 section 2.1.2), D clear */
	uint8_t size; /* octets of the whole HMAC TLV */
	bool last;    /* linux profile: where Linux looks for it */
};

#define SEAL_TLV_COVERED 0xffffffffffff0000u /* of seal_form.tlv: all but Type and Length */

static inline struct seal_form
seal_form_of(const struct keyring_key *key)
{
	return (struct seal_form){
		.generation = key->generation,
		.tlv = SRH_TLV_HMAC | (uint64_t)key->tlv_length << 8 |
		       (uint64_t)rte_cpu_to_be_32(key->id) << 32,
		.size = gate_tlv_size(key->tlv_length),
		.last = key->profile == HMAC_LINUX,
	};
}

/* D says that the destination is not in the list (reduced SRH, RFC 8754 section 4.1.1); Linux never
 * sets it. The 15 reserved bits are 0. */
static inline uint64_t
seal_tlv(const struct seal_form *form, const struct srh_view *view)
{
	bool d = !form->last && view->segments_left > view->last_entry;

	return form->tlv | (uint64_t)(d ? rte_cpu_to_be_16(SRH_D_BIT) : 0) << 16;
}

/*
 * Last Entry and Flags of the sealed packet, as they lie in the SRH. Linux's flag never stays with
 * an RFC 8754 HMAC: with it a Linux host on the way would take the SRH's last octets for an HMAC of
 * its own, and drop the packet; and by chance srh_find() could, too.
 */
static inline uint16_t
seal_le_flags(const struct seal_form *form, const struct srh_view *view)
{
	const uint16_t linux_hmac = SRH_FLAG_LINUX_HMAC << 8;
	uint16_t le_flags;

	static_assert(offsetof(struct srh_view, flags) == offsetof(struct srh_view, last_entry) + 1,
		      "last_entry and flags lie as in the SRH");
	memcpy(&le_flags, &view->last_entry, sizeof(le_flags));
	return form->last ? le_flags | linux_hmac : le_flags & (uint16_t)~linux_hmac;
}

#endif
