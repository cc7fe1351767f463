/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second parser of frames with an SRH: slow and plain, written from RFC 8200, RFC 8754 and the
 * rules that lib/srh/srh.h states, and sharing nothing with lib/srh but the names of its statuses.
 */
#ifndef SEGSEAL_FUZZ_SRH_REFERENCE_H
#define SEGSEAL_FUZZ_SRH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "srh/srh.h"

struct reference {
	enum srh_status status;
	int ip_off, ip_payload, chain_end;
	int srh_off, srh_len, tlv_off, segments_left, last_entry, flags;
	int tlvs;
	int hmac_off, hmac_len, hmac_dres;
	unsigned long key_id;
	bool hmac_linux, fragmentable;
	int frag_next, frag_offset;
	int err_off;
};

/* What a whole frame holds. */
struct reference reference_parse(const uint8_t *frame, size_t size);

#endif
