/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "gate_lab.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#endif

#define POOL_MBUFS 1023u
#define EDIT_MBUFS 511u
#define META_VLAN 0x0123
#define META_OUTER 0x0456
#define META_TYPE 0x11
#define META_FLAGS (RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_VLAN)
#define META_HASH 0xfeedbeef

struct lab lab;

/* What someone else holds of a packet, and what it has to stay like. */
struct held {
	struct rte_mbuf *seg; /* NULL: an external buffer alone */
	struct rte_mbuf_ext_shared_info *shinfo;
	const uint8_t *data;
	uint8_t *copy;
	uint16_t len;
};

static struct held held[4 * POOL_MBUFS];
static unsigned n_held;
static void *fenced[4 * POOL_MBUFS];
static unsigned n_fenced;

/* --- life --- */

static int
eal_open(void)
{
	static char prefix[32];
	static char *args[] = {"test",	      "--no-huge",   "--no-pci", "--no-telemetry",
			       "--no-shconf", "-m",	     "256",	 "--file-prefix",
			       prefix,	      "--log-level", "error",	 NULL};

	snprintf(prefix, sizeof(prefix), "test_gate_%d", (int)getpid());
	return rte_eal_init(sizeof(args) / sizeof(*args) - 1, args);
}

static struct rte_mempool *
pool_open(const char *name, unsigned n, unsigned room)
{
	return rte_pktmbuf_pool_create(name, n, 0, 0, (uint16_t)room, SOCKET_ID_ANY);
}

int
lab_open(void **state)
{
	static bool open; /* the EAL cannot be opened twice */

	(void)state;
	if (!open && eal_open() < 0) {
		print_error("EAL: %s\n", rte_strerror(rte_errno));
		return -1;
	}
	open = true;
	lab = (struct lab){
		.pool = pool_open("lab", POOL_MBUFS, RTE_PKTMBUF_HEADROOM + PACKET_ROOM),
		.small_pool = pool_open("lab_small", POOL_MBUFS, 0),
		.edit_pool =
			pool_open("lab_edit", EDIT_MBUFS, RTE_PKTMBUF_HEADROOM + GATE_EDIT_ROOM),
		.rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(1), RTE_CACHE_LINE_SIZE),
	};
	if (!lab.pool || !lab.small_pool || !lab.edit_pool || !lab.rcu)
		return -1;
	rte_rcu_qsbr_init(lab.rcu, 1);
	lab.keyring = keyring_create(&(struct keyring_conf){
		.name = "lab_keys",
		.capacity = 2 * KEYRING_NEAR,
		.workers = 1,
		.rcu = lab.rcu,
		.socket = SOCKET_ID_ANY,
	});
	if (!lab.keyring)
		return -1;
	lab.gate = gate_create(&(struct gate_conf){
		.name = "lab_gate",
		.keyring = lab.keyring,
		.rcu = lab.rcu,
		.workers = 1,
		.socket = SOCKET_ID_ANY,
	});
	if (!lab.gate)
		return -1;
	for (unsigned k = 0; k < PACKET_KEYS; k++) {
		if (keyring_add(lab.keyring, &packet_keys[k]) < 0)
			return -1;
	}
	lab_worker(0);
	return 0;
}

int
lab_close(void **state)
{
	(void)state;
	gate_worker_destroy(lab.worker);
	gate_destroy(lab.gate);
	keyring_destroy(lab.keyring);
	rte_free(lab.rcu);
	rte_mempool_free(lab.pool);
	rte_mempool_free(lab.small_pool);
	rte_mempool_free(lab.edit_pool);
	return 0;
}

void
lab_worker(uint32_t memo_entries)
{
	const char *error = "";

	gate_worker_destroy(lab.worker);
	lab.worker = gate_worker_create(
		&(struct gate_worker_conf){
			.gate = lab.gate,
			.index = 0,
			.edit_pool = lab.edit_pool,
			.memo_entries = memo_entries,
			.socket = SOCKET_ID_ANY,
		},
		&error);
	if (lab.worker == NULL) {
		print_error("worker: %s\n", error);
		abort();
	}
}

unsigned
lab_mbufs_out(void)
{
	return rte_mempool_in_use_count(lab.pool) + rte_mempool_in_use_count(lab.small_pool) +
	       rte_mempool_in_use_count(lab.edit_pool);
}

/* --- packets in --- */

static void
hold(struct rte_mbuf *seg, struct rte_mbuf_ext_shared_info *shinfo, const uint8_t *data,
     uint16_t len)
{
	struct held *h = &held[n_held++];

	assert_true(n_held < RTE_DIM(held));
	*h = (struct held){.seg = seg, .shinfo = shinfo, .data = data, .len = len};
	h->copy = malloc(len + 1u);
	memcpy(h->copy, data, len);
}

static void
release_held(void)
{
	for (unsigned i = 0; i < n_held; i++) {
		struct held *h = &held[i];

		assert_memory_equal(h->data, h->copy, h->len);
		if (h->seg != NULL) {
			assert_ptr_equal(rte_pktmbuf_mtod(h->seg, uint8_t *), h->data);
			assert_int_equal(h->seg->data_len, h->len);
			assert_int_equal(rte_mbuf_refcnt_read(h->seg), 1);
			rte_pktmbuf_free_seg(h->seg);
		} else {
			assert_int_equal(rte_mbuf_ext_refcnt_read(h->shinfo), 1);
			free(h->shinfo->fcb_opaque);
		}
		free(h->copy);
	}
	n_held = 0;
}

static void
external_free(void *addr, void *opaque)
{
	(void)addr;
	(void)opaque;
	fail_msg("the last reference to an external buffer is the test's");
}

/* An mbuf whose data lie in a buffer that is not its own. */
static struct rte_mbuf *
external_segment(const uint8_t *octets, uint16_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(lab.small_pool);
	uint16_t size = 512 + len;
	uint8_t *buffer = malloc(size + sizeof(struct rte_mbuf_ext_shared_info) + 16);
	struct rte_mbuf_ext_shared_info *shinfo =
		(void *)RTE_PTR_ALIGN_CEIL(buffer + size, sizeof(void *));

	assert_non_null(m);
	shinfo->free_cb = external_free;
	shinfo->fcb_opaque = buffer;
	rte_mbuf_ext_refcnt_set(shinfo, 2);
	rte_pktmbuf_attach_extbuf(m, buffer, 1, size, shinfo);
	m->data_off = 256;
	m->data_len = len;
	memcpy(rte_pktmbuf_mtod(m, void *), octets, len);
	hold(NULL, shinfo, rte_pktmbuf_mtod(m, uint8_t *), len);
	return m;
}

static struct rte_mbuf *
direct_segment(const uint8_t *octets, uint16_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(lab.pool);

	assert_non_null(m);
	m->data_len = len;
	memcpy(rte_pktmbuf_mtod(m, void *), octets, len);
	return m;
}

static void
put_metadata(struct rte_mbuf *m)
{
	m->port = LAB_PORT;
	m->vlan_tci = META_VLAN;
	m->vlan_tci_outer = META_OUTER;
	m->packet_type = META_TYPE;
	m->hash.rss = META_HASH;
	m->ol_flags |= META_FLAGS;
}

struct rte_mbuf *
lab_mbuf(const uint8_t *octets, uint32_t len, const struct lab_layout *layout)
{
	static const struct lab_layout plain;
	struct rte_mbuf *head = NULL, **link = &head, *m;
	uint32_t off = 0;
	uint16_t segments = 0;

	if (layout == NULL)
		layout = &plain;
	if (layout->empty_first) {
		*link = direct_segment(octets, 0);
		link = &(*link)->next;
		segments++;
	}
	for (unsigned s = 0; segments == 0 || off < len; s++) {
		uint32_t end = s < RTE_DIM(layout->split) ? layout->split[s] : 0;

		if (end <= off || end > len)
			end = len;
		*link = layout->external ? external_segment(octets + off, end - off)
					 : direct_segment(octets + off, end - off);
		link = &(*link)->next;
		off = end;
		segments++;
	}
	head->nb_segs = segments;
	head->pkt_len = len;
	if (layout->headroom != 0) {
		uint16_t room = layout->headroom == LAB_NO_HEADROOM ? 0 : layout->headroom;
		uint8_t *to = (uint8_t *)head->buf_addr + room;

		memmove(to, rte_pktmbuf_mtod(head, void *), head->data_len);
		head->data_off = room;
	}
	if (layout->indirect || layout->shared) {
		for (m = head; m != NULL; m = m->next)
			hold(m, NULL, rte_pktmbuf_mtod(m, uint8_t *), m->data_len);
	}
	if (layout->shared) {
		for (m = head; m != NULL; m = m->next)
			rte_mbuf_refcnt_update(m, 1);
	}
	if (layout->indirect) {
		head = rte_pktmbuf_clone(head, lab.small_pool);
		assert_non_null(head);
	}
	put_metadata(head);
	return head;
}

/* --- what must always be so --- */

static void
fence(struct rte_mbuf *m, bool edits)
{
	for (; m != NULL; m = m->next) {
		if (!RTE_MBUF_DIRECT(m))
			continue;
		assert_true(n_fenced < RTE_DIM(fenced));
		fenced[n_fenced++] = m->buf_addr;
		ASAN_POISON_MEMORY_REGION((uint8_t *)m->buf_addr + m->data_off + m->data_len,
					  rte_pktmbuf_tailroom(m));
		if (!edits)
			ASAN_POISON_MEMORY_REGION(m->buf_addr, rte_pktmbuf_headroom(m));
	}
}

static void
unfence(void)
{
	for (unsigned i = 0; i < n_fenced; i++)
		ASAN_UNPOISON_MEMORY_REGION(fenced[i], RTE_PKTMBUF_HEADROOM + PACKET_ROOM);
	n_fenced = 0;
}

static uint32_t
octets_of(struct rte_mbuf *m, uint8_t *octets)
{
	uint32_t len = 0;

	assert_true(m->pkt_len <= PACKET_ROOM);
	for (; m != NULL; m = m->next) {
		memcpy(octets + len, rte_pktmbuf_mtod(m, void *), m->data_len);
		len += m->data_len;
	}
	return len;
}

static void
check_mbuf(struct rte_mbuf *m)
{
	const char *reason = "";

	if (rte_mbuf_check(m, 1, &reason) != 0)
		fail_msg("%s", reason);
	assert_int_equal(m->port, LAB_PORT);
	assert_int_equal(m->vlan_tci, META_VLAN);
	assert_int_equal(m->vlan_tci_outer, META_OUTER);
	assert_int_equal(m->packet_type, META_TYPE);
	assert_int_equal(m->hash.rss, META_HASH);
	assert_int_equal(m->ol_flags & ~(RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL), META_FLAGS);
}

/* Exactly one pass or one drop for each packet, and as many as there are. */
static void
check_counts(const uint64_t *delta, unsigned n, unsigned on, unsigned off)
{
	uint64_t passes = 0, drops = 0;

	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		if (v >= GATE_FIRST_DROP)
			drops += delta[v];
		else if (v >= GATE_FIRST_PASS)
			passes += delta[v];
		lab.seen[v] |= delta[v] != 0;
	}
	assert_int_equal(delta[GATE_RX], n);
	assert_int_equal(delta[GATE_TX], 0);
	assert_int_equal(passes, on);
	assert_int_equal(drops, off);
	assert_int_equal(on + off, n);
	assert_true(delta[GATE_STRIPPED] <= delta[GATE_VERIFIED]);
	assert_true(delta[GATE_INSERTED] + delta[GATE_ALREADY_SEALED] <= on);
}

struct before {
	struct rte_mbuf *m;
	uint8_t octets[PACKET_ROOM];
	uint32_t len;
	uint16_t segments;
};

static void
check_dropped(const struct before *before, const struct gate_dropped *d, struct lab_result *r)
{
	assert_ptr_equal(d->pkt, before->m);
	assert_int_equal(r->len, before->len);
	assert_memory_equal(r->octets, before->octets, before->len);
	assert_int_equal(d->pkt->nb_segs, before->segments);
	assert_true(gate_is_drop(d->verdict));
	r->verdict = d->verdict;
	r->key_id = d->key_id;
	r->err_off = d->err_off;
}

void
lab_burst(const struct gate_port *port, struct rte_mbuf **pkts, uint16_t n,
	  struct lab_result *result)
{
	static struct before before[GATE_BURST_MAX];
	struct gate_dropped dropped[GATE_BURST_MAX];
	struct gate_counters c0, c1;
	uint64_t delta[GATE_VERDICT_COUNT];
	uint16_t on, off = 0xaaaa, a = 0, d = 0;

	for (unsigned i = 0; i < n; i++) {
		before[i].m = pkts[i];
		before[i].len = octets_of(pkts[i], before[i].octets);
		before[i].segments = pkts[i]->nb_segs;
		fence(pkts[i], port->strip || port->insert_key != 0);
	}
	assert_int_equal(gate_port_set(lab.gate, LAB_PORT, port), 0);
	gate_worker_counters(lab.worker, LAB_PORT, &c0);
	on = gate_burst(lab.worker, LAB_PORT, pkts, n, dropped, &off);
	gate_worker_counters(lab.worker, LAB_PORT, &c1);
	unfence();
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++)
		delta[v] = c1.v[v] - c0.v[v];
	check_counts(delta, n, on, off);

	for (unsigned i = 0; i < n; i++) {
		struct lab_result *r = &result[i];
		bool is_dropped = d < off && dropped[d].pkt == before[i].m;
		struct rte_mbuf *m = is_dropped ? dropped[d].pkt : pkts[a];

		memset(r, 0, offsetof(struct lab_result, octets));
		check_mbuf(m);
		r->len = octets_of(m, r->octets);
		assert_int_equal(r->len, m->pkt_len);
		r->verdict = GATE_TX;
		if (is_dropped)
			check_dropped(&before[i], &dropped[d++], r);
		else
			a++;
		rte_pktmbuf_free(m);
	}
	assert_int_equal(a, on);
	assert_int_equal(d, off);
	release_held();
	if (n == 1) {
		for (unsigned v = GATE_FIRST_PASS; v < GATE_FIRST_DROP; v++) {
			if (delta[v] != 0)
				result->verdict = v;
		}
		result->inserted = delta[GATE_INSERTED];
		result->stripped = delta[GATE_STRIPPED];
		result->already_sealed = delta[GATE_ALREADY_SEALED];
	}
}

void
lab_one(const struct gate_port *port, const struct packet *packet, struct lab_result *result)
{
	struct rte_mbuf *m = lab_mbuf(packet->octets, packet->len, NULL);

	lab_burst(port, &m, 1, result);
}
