/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC TLVs, put in or filled in. Datapath. */
#include <string.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>

#include "gate/seal.h"
#include "gate/worker.h"

#define SRH_FLAGS_OFF 5u

/* RFC 8754 section 2.1.2. */
struct hmac_tlv {
	uint8_t type;
	uint8_t length;
	rte_be16_t dres;
	rte_be32_t key_id;
	uint8_t hmac[];
} __rte_packed;

/* Where the TLV goes: last as Linux looks for it, or first behind the segment list. */
static inline uint16_t
open_room(struct gate_pkt *p, struct rte_mbuf *m, const struct keyring_key *key)
{
	uint16_t size = gate_tlv_size(key->tlv_length);
	uint16_t at = srh_hmac_place(&p->view, key->profile == HMAC_LINUX);

	p->frame = (uint8_t *)rte_pktmbuf_prepend(m, size);
	srh_open(p->frame, &p->view, at, size);
	return at;
}

static inline void
insert(struct gate_worker *w, unsigned i, const struct keyring_key *key, const uint8_t *tag)
{
	struct gate_pkt *p = &w->pkt[i];
	uint8_t flags = seal_flags(key, p);
	uint16_t at = w->seal[i] == SEAL_INSERT ? open_room(p, w->pkts[i], key) : p->view.hmac_off;
	struct hmac_tlv *tlv = (struct hmac_tlv *)(p->frame + at);

	tlv->type = SRH_TLV_HMAC;
	tlv->length = key->tlv_length;
	tlv->dres = rte_cpu_to_be_16(seal_dres(key, p));
	tlv->key_id = rte_cpu_to_be_32(key->id);
	memcpy(tlv->hmac, tag, hmac_field_len(key->tlv_length));
	p->frame[p->view.srh_off + SRH_FLAGS_OFF] = flags;
}

void
stage_insert(struct gate_worker *w)
{
	unsigned n = 0;

	for (unsigned k = 0; k < w->seals.n; k++) {
		unsigned i = w->seals.i[k];

		if (unlikely(w->seal[i] == SEAL_NOT))
			continue;
		insert(w, i, w->insert_key, w->batch.tag[k]);
		n++;
	}
	if (n != 0) {
		struct keyring_use *use = &w->uses[w->insert_key->slot];

		gate_add(&use->inserted, n);
		__atomic_store_n(&use->last_used, rte_rdtsc(), __ATOMIC_RELAXED);
	}
}
