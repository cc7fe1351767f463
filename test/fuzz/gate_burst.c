/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_errno.h>

#include "gate_burst.h"

#define PORT 5u
#define MBUFS 127u
#define ROOM (RIG_FRAME_MAX + 512u)

static struct rte_mempool *pool, *edit_pool;

struct rte_mempool *
burst_open(void)
{
	pool = rte_pktmbuf_pool_create("rig", MBUFS, 0, 0, ROOM, SOCKET_ID_ANY);
	edit_pool = rte_pktmbuf_pool_create("rig_edit", MBUFS, 0, 0,
					    RTE_PKTMBUF_HEADROOM + GATE_EDIT_ROOM, SOCKET_ID_ANY);
	FUZZ_ASSERT(pool != NULL && edit_pool != NULL);
	return edit_pool;
}

/* --- mbufs --- */

static struct rte_mbuf *
segment(const uint8_t *octets, size_t len, uint16_t headroom)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	FUZZ_ASSERT(m != NULL);
	m->data_off = headroom;
	m->data_len = m->pkt_len = (uint16_t)len;
	fuzz_readable(m->buf_addr, m->buf_len, m->buf_len);
	memcpy(rte_pktmbuf_mtod(m, void *), octets, len);
	/* What lies behind is not the packet's. */
	fuzz_readable(m->buf_addr, headroom + len, m->buf_len);
	return m;
}

static struct rte_mbuf *
packet(const uint8_t *frame, size_t len, const struct rig_layout *layout)
{
	size_t begin = layout->split[0] < len ? layout->split[0] : 0;
	size_t second = layout->split[1] < len ? layout->split[1] : 0;
	struct rte_mbuf *head;

	head = segment(frame, begin != 0 ? begin : len, layout->headroom);
	if (begin != 0) {
		size_t end = second > begin ? second : len;

		FUZZ_ASSERT_SAME(rte_pktmbuf_chain(head, segment(frame + begin, end - begin, 0)),
				 0);
		if (end != len)
			FUZZ_ASSERT_SAME(
				rte_pktmbuf_chain(head, segment(frame + end, len - end, 8)), 0);
	}
	return head;
}

static void
forget(struct rte_mbuf *m)
{
	for (struct rte_mbuf *s = m; s != NULL; s = s->next)
		if (RTE_MBUF_DIRECT(s))
			fuzz_readable(s->buf_addr, s->buf_len, s->buf_len);
	rte_pktmbuf_free(m);
}

static void
check_octets(const struct rte_mbuf *m, const uint8_t *octets, size_t len)
{
	FUZZ_ASSERT_SAME(m->pkt_len, len);
	for (; m != NULL; m = m->next) {
		FUZZ_ASSERT(m->data_len <= len);
		FUZZ_ASSERT(memcmp(rte_pktmbuf_mtod(m, void *), octets, m->data_len) == 0);
		octets += m->data_len;
		len -= m->data_len;
	}
	FUZZ_ASSERT_SAME(len, 0);
}

/* --- bursts --- */

/* One verdict was counted for each packet, and the events that go with it. */
static void
check_counters(const struct gate_counters *before, const struct gate_counters *after,
	       const struct burst_one *ones, unsigned n)
{
	uint64_t expected[GATE_VERDICT_COUNT] = {0};

	for (unsigned i = 0; i < n; i++) {
		expected[GATE_RX]++;
		expected[ones[i].result->verdict]++;
		expected[GATE_STRIPPED] += ones[i].result->stripped;
		expected[GATE_INSERTED] += ones[i].result->inserted;
		expected[GATE_ALREADY_SEALED] += ones[i].result->already_sealed;
	}
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		if (after->v[v] - before->v[v] == expected[v])
			continue;
		fprintf(stderr, "burst of %u: %s: %llu more, not %llu\n", n, gate_verdict_name(v),
			(unsigned long long)(after->v[v] - before->v[v]),
			(unsigned long long)expected[v]);
		abort();
	}
}

static void
check_dropped(const struct burst_one *one, const struct gate_dropped *dropped)
{
	FUZZ_ASSERT(dropped->pkt == one->in);
	FUZZ_ASSERT_SAME(dropped->verdict, one->result->verdict);
	FUZZ_ASSERT_SAME(dropped->key_id, one->result->key_id);
	FUZZ_ASSERT_SAME(dropped->err_off, one->result->err_off);
}

static void
make(struct burst_one *one)
{
	one->in = packet(one->frame, one->len, &one->layout);
	one->held = NULL;
	if (!one->layout.shared)
		return;
	one->held = one->in;
	for (struct rte_mbuf *s = one->in; s != NULL; s = s->next)
		rte_mbuf_refcnt_update(s, 1);
}

void
burst_check(const struct gate_port *port, struct gate *gate, struct gate_worker *worker,
	    struct burst_one *ones, unsigned n)
{
	struct gate_dropped dropped[GATE_BURST_MAX];
	struct rte_mbuf *pkts[GATE_BURST_MAX];
	struct gate_counters before, after;
	uint16_t on, off, passed = 0, lost = 0;

	for (unsigned i = 0; i < n; i++) {
		make(&ones[i]);
		pkts[i] = ones[i].in;
	}
	FUZZ_ASSERT_SAME(gate_port_set(gate, PORT, port), 0);
	gate_worker_counters(worker, PORT, &before);
	on = gate_burst(worker, PORT, pkts, (uint16_t)n, dropped, &off);
	gate_worker_counters(worker, PORT, &after);
	FUZZ_ASSERT_SAME(on + off, n);
	check_counters(&before, &after, ones, n);
	for (unsigned i = 0; i < n; i++) {
		struct rte_mbuf *m;

		if (gate_is_drop(ones[i].result->verdict)) {
			FUZZ_ASSERT(lost < off);
			m = dropped[lost].pkt;
			check_dropped(&ones[i], &dropped[lost++]);
		} else {
			FUZZ_ASSERT(passed < on);
			m = pkts[passed++];
		}
		check_octets(m, ones[i].result->frame, ones[i].result->len);
		forget(m);
		if (ones[i].held != NULL) {
			check_octets(ones[i].held, ones[i].frame, ones[i].len);
			forget(ones[i].held);
		}
	}
	FUZZ_ASSERT_SAME(rte_mempool_in_use_count(pool) + rte_mempool_in_use_count(edit_pool), 0);
}
