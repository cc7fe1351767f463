/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A header chain that will be edited must be ours alone, in one piece, and have room to grow at
 * its front. Where it is not so, it is moved into an mbuf of its own before the rest. Datapath.
 */
#include <string.h>

#include "gate/worker.h"

static inline bool
is_ours(const struct rte_mbuf *m, const struct gate_pkt *p, unsigned cut, unsigned grow)
{
	return p->frame == rte_pktmbuf_mtod(m, const uint8_t *) && RTE_MBUF_DIRECT(m) &&
	       rte_mbuf_refcnt_read(m) == 1 && rte_pktmbuf_headroom(m) + cut >= grow;
}

/* Whether someone else has one of the segments that the first len octets lie in. */
static bool
is_shared(const struct rte_mbuf *m, uint32_t len)
{
	for (; m != NULL; m = m->next) {
		if (rte_mbuf_refcnt_read(m) != 1)
			return true;
		if (m->data_len >= len)
			return false;
		len -= m->data_len;
	}
	return false;
}

/* Take len octets off the front; segments that have nothing left are freed. Returns the first that
 * has, NULL if none. */
static struct rte_mbuf *
without_front(struct rte_mbuf *m, uint32_t len, uint16_t *segments)
{
	while (m != NULL && m->data_len <= len) {
		struct rte_mbuf *next = m->next;

		len -= m->data_len;
		rte_pktmbuf_free_seg(m);
		(*segments)--;
		m = next;
	}
	if (m != NULL) {
		m->data_off += (uint16_t)len;
		m->data_len -= (uint16_t)len;
	}
	return m;
}

static void
copy_metadata(struct rte_mbuf *head, const struct rte_mbuf *m)
{
	head->port = m->port;
	head->ol_flags = m->ol_flags & ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
	head->packet_type = m->packet_type;
	head->vlan_tci = m->vlan_tci;
	head->vlan_tci_outer = m->vlan_tci_outer;
	head->tx_offload = m->tx_offload;
	head->hash = m->hash;
	rte_mbuf_dynfield_copy(head, m);
}

/* False if there is no buffer; the packet is as it was then. */
static bool
move_headers(struct gate_worker *w, unsigned i)
{
	struct gate_pkt *p = &w->pkt[i];
	struct rte_mbuf *m = w->pkts[i], *rest = m;
	struct rte_mbuf *head = rte_pktmbuf_alloc(w->edit_pool);
	uint32_t len = gate_srh_end(&p->view), pkt_len = m->pkt_len;
	uint16_t segments = m->nb_segs;

	if (unlikely(head == NULL))
		return false;
	if (is_shared(m, len)) {
		/* Its segments may not be shortened, but indirect ones of our own can be. */
		rest = rte_pktmbuf_clone(m, w->edit_pool);
		if (unlikely(rest == NULL)) {
			rte_pktmbuf_free(head);
			return false;
		}
	}
	copy_metadata(head, m);
	memcpy(rte_pktmbuf_mtod(head, void *), p->frame, len);
	if (rest != m)
		rte_pktmbuf_free(m);
	head->next = without_front(rest, len, &segments);
	head->nb_segs = segments + 1;
	head->data_len = (uint16_t)len;
	head->pkt_len = pkt_len;
	w->pkts[i] = head;
	p->frame = rte_pktmbuf_mtod(head, uint8_t *);
	return true;
}

/* Whether no packet needs a place of its own, seen without a branch for each question. True says
 * that is_ours() would say so of each; false says nothing. */
static bool
all_ours(const struct gate_worker *w, unsigned size)
{
	const uint8_t *list = w->edit.i;
	uint64_t wrong = 0;
	int32_t least = 0; /* negative: one has too little headroom */

	for (unsigned k = 0; k < w->edit.n; k++) {
		const struct rte_mbuf *m = w->pkts[list[k]];

		wrong |= (uintptr_t)w->pkt[list[k]].frame ^ (uintptr_t)rte_pktmbuf_mtod(m, void *);
		wrong |= m->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);
		wrong |= rte_mbuf_refcnt_read(m) ^ 1u;
		least |= (int32_t)m->data_off - (int32_t)size;
	}
	return wrong == 0 && least >= 0;
}

void
stage_room(struct gate_worker *w)
{
	const unsigned size = w->seals.n != 0 ? gate_tlv_size(w->insert_key->tlv_length) : 0;

	if (likely(all_ours(w, size)))
		return;
	for (unsigned k = 0; k < w->edit.n; k++) {
		unsigned i = w->edit.i[k];
		unsigned grow = w->seal[i] == SEAL_INSERT ? size : 0;

		if (unlikely(gate_is_drop(w->verdict[i])))
			continue;
		if (unlikely(!is_ours(w->pkts[i], &w->pkt[i], w->cut[i], grow)) &&
		    !move_headers(w, i))
			gate_drop(w, i, GATE_NO_BUFFER);
	}
}
