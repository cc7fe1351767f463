/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "gate_rig.h"

#define PORT 5u
#define RIG_PREFIXES 3u
#define MBUFS 127u
#define ROOM (RIG_FRAME_MAX + 512u)
#define MEMO_ENTRIES 64u

#define KEY(number, hash, construction, text)                                                      \
	{                                                                                          \
		.id = (number), .algorithm = (hash), .profile = (construction), .secret = text,    \
		.secret_len = sizeof(text) - 1,                                                    \
	}

const struct keyring_spec rig_keys[RIG_KEYS] = {
	KEY(1, HMAC_SHA1, HMAC_LINUX, "s"),
	KEY(2, HMAC_SHA256, HMAC_LINUX, "0123456789abcdef0123456789abcdef"),
	KEY(3, HMAC_SHA384, HMAC_LINUX, "a secret of more than one word"),
	KEY(4, HMAC_SHA512, HMAC_LINUX, "four"),
	KEY(5, HMAC_SHA1, HMAC_RFC8754, "twenty octets of key"),
	KEY(6, HMAC_SHA256, HMAC_RFC8754, "0123456789abcdef0123456789abcdef"),
	KEY(7, HMAC_SHA384, HMAC_RFC8754, "seven"),
	KEY(8, HMAC_SHA512, HMAC_RFC8754,
	    "sixty-four octets of key: as many as one of them can ever have.."),
};

/* The seeds' destinations are in the first and the last. */
static const struct oracle_prefix rig_prefixes[RIG_PREFIXES] = {
	{{0xfd, 0, 0, 1}, 32},
	{{0x80}, 2},
	{{0xfd, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, 128},
};

static struct rte_mempool *pool, *edit_pool;
static struct rte_rcu_qsbr *rcu;
static struct gate *gates[2]; /* one without protected prefixes, one with all of them */
static struct gate_worker *workers[2][2];

/*
 * LeakSanitizer does not look for pointers in DPDK's memory, and would say that all that is held
 * there has leaked. Mbufs are counted after each packet instead.
 */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* --- life --- */

static void
open_gate(struct keyring *keyring, bool prefixes)
{
	gates[prefixes] = gate_create(&(struct gate_conf){
		.name = prefixes ? "rig_prefixes" : "rig",
		.keyring = keyring,
		.rcu = rcu,
		.workers = 2,
		.socket = SOCKET_ID_ANY,
	});
	FUZZ_ASSERT(gates[prefixes] != NULL);
	for (unsigned p = 0; prefixes && p < RIG_PREFIXES; p++)
		FUZZ_ASSERT_SAME(gate_sid_add(gates[prefixes], rig_prefixes[p].prefix,
					      rig_prefixes[p].depth),
				 0);
	for (unsigned w = 0; w < 2; w++) {
		const char *error = "";

		workers[prefixes][w] = gate_worker_create(
			&(struct gate_worker_conf){
				.gate = gates[prefixes],
				.index = w,
				.edit_pool = edit_pool,
				.memo_entries = w * MEMO_ENTRIES,
				.socket = SOCKET_ID_ANY,
			},
			&error);
		if (workers[prefixes][w] == NULL)
			fprintf(stderr, "%s\n", error);
		FUZZ_ASSERT(workers[prefixes][w] != NULL);
	}
}

void
rig_open(void)
{
	static char prefix[32];
	static char *args[] = {"fuzz",	      "--no-huge",   "--no-pci", "--no-telemetry",
			       "--no-shconf", "-m",	     "256",	 "--file-prefix",
			       prefix,	      "--log-level", "error",	 NULL};
	struct keyring *keyring;

	snprintf(prefix, sizeof(prefix), "segseal_fuzz_%d", (int)getpid());
	FUZZ_ASSERT(rte_eal_init(RTE_DIM(args) - 1, args) >= 0);
	pool = rte_pktmbuf_pool_create("rig", MBUFS, 0, 0, ROOM, SOCKET_ID_ANY);
	edit_pool = rte_pktmbuf_pool_create("rig_edit", MBUFS, 0, 0,
					    RTE_PKTMBUF_HEADROOM + GATE_EDIT_ROOM, SOCKET_ID_ANY);
	rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(1), RTE_CACHE_LINE_SIZE);
	FUZZ_ASSERT(pool != NULL && edit_pool != NULL && rcu != NULL);
	rte_rcu_qsbr_init(rcu, 1);
	keyring = keyring_create(&(struct keyring_conf){
		.name = "rig",
		.capacity = 64,
		.workers = 2,
		.rcu = rcu,
		.socket = SOCKET_ID_ANY,
	});
	FUZZ_ASSERT(keyring != NULL);
	for (unsigned k = 0; k < RIG_KEYS; k++)
		FUZZ_ASSERT_SAME(keyring_add(keyring, &rig_keys[k]), 0);
	open_gate(keyring, false);
	open_gate(keyring, true);
}

/* --- what an input says --- */

struct rig_layout
rig_take_layout(struct fuzz_input *input)
{
	uint8_t kind = fuzz_take8(input);
	struct rig_layout layout = {
		.split = {fuzz_take8(input), fuzz_take8(input)},
		.headroom = (uint16_t)(kind & 0x3f),
		.shared = kind & 0x40,
	};

	if (kind & 0x80) { /* far behind */
		layout.split[0] *= 17;
		layout.split[1] *= 17;
	}
	if (layout.split[1] <= layout.split[0])
		layout.split[1] = 0;
	return layout;
}

struct gate_port
rig_take_port(struct fuzz_input *input)
{
	uint8_t a = fuzz_take8(input), b = fuzz_take8(input);

	return (struct gate_port){
		.verify = a % 3,
		.strip = a & 0x40,
		/* 9 does not exist. */
		.insert_key = a & 0x80 ? b % (RIG_KEYS + 2) : 0,
		.max_len = b & 0x80 ? 60 + (b & 0x7f) * 2u : 0,
	};
}

#define FIX_LENGTH 0x01
#define FIX_DESTINATION 0x02 /* as Segments Left says */
#define SEAL 0x04	     /* put the right HMAC into the HMAC TLV */
#define SPOIL 0x08	     /* and change one bit of the frame again */
#define FIX_FORM 0x10	     /* and Flags as the key wants them */

static void
fix_hmac(uint8_t *frame, const struct reference *r, uint8_t options)
{
	const struct oracle oracle = {.keys = rig_keys, .n_keys = RIG_KEYS};
	const struct keyring_spec *key = oracle_key(&oracle, (uint32_t)r->key_id);

	if (r->hmac_off == 0 || key == NULL || (size_t)r->hmac_len < 6 + oracle_field_len(key))
		return;
	if (options & FIX_FORM) {
		if (key->profile == HMAC_LINUX)
			frame[r->srh_off + 5] |= 0x08;
		else if (r->segments_left > r->last_entry)
			frame[r->hmac_off + 2] |= 0x80;
	}
	oracle_hmac(key, frame + r->ip_off, frame + r->srh_off, frame + r->hmac_off,
		    frame + r->hmac_off + 8);
}

size_t
rig_take_frame(struct fuzz_input *input, uint8_t frame[RIG_FRAME_MAX])
{
	uint8_t options = fuzz_take8(input);
	uint16_t spoilt = fuzz_take16(input);
	size_t len = input->size < RIG_FRAME_MAX ? input->size : RIG_FRAME_MAX;
	struct reference r;

	memcpy(frame, input->data, len);
	r = reference_parse(frame, len);
	if ((options & FIX_LENGTH) && r.ip_off != 0) {
		size_t payload = len - (size_t)r.ip_off - 40;

		frame[r.ip_off + 4] = (uint8_t)(payload >> 8);
		frame[r.ip_off + 5] = (uint8_t)payload;
		r = reference_parse(frame, len);
	}
	if ((options & FIX_DESTINATION) && r.srh_off != 0 && r.segments_left <= r.last_entry)
		memcpy(frame + r.ip_off + 24, frame + r.srh_off + 8 + 16 * r.segments_left, 16);
	if (options & SEAL)
		fix_hmac(frame, &r, options);
	if ((options & SPOIL) && len != 0)
		frame[spoilt / 8 % len] ^= (uint8_t)(1u << spoilt % 8);
	return len;
}

/* --- one packet --- */

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

/* Exactly one verdict was counted, and the events that go with it. */
static void
check_counters(const struct gate_counters *before, const struct gate_counters *after,
	       const struct oracle_result *result)
{
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		bool expected = v == GATE_RX || v == result->verdict ||
				(v == GATE_STRIPPED && result->stripped) ||
				(v == GATE_INSERTED && result->inserted) ||
				(v == GATE_ALREADY_SEALED && result->already_sealed);

		if (after->v[v] - before->v[v] == expected)
			continue;
		fprintf(stderr, "%s: %llu more, and the oracle says %s\n", gate_verdict_name(v),
			(unsigned long long)(after->v[v] - before->v[v]),
			gate_verdict_name(result->verdict));
		abort();
	}
}

static void
check_one(const struct gate_port *port, struct gate *gate, struct gate_worker *worker,
	  const uint8_t *frame, size_t len, const struct rig_layout *layout,
	  const struct oracle_result *result)
{
	struct rte_mbuf *m = packet(frame, len, layout), *in = m, *held = NULL;
	struct gate_counters before, after;
	struct gate_dropped dropped;
	uint16_t on, off;

	if (layout->shared) {
		held = in;
		for (struct rte_mbuf *s = in; s != NULL; s = s->next)
			rte_mbuf_refcnt_update(s, 1);
	}
	FUZZ_ASSERT_SAME(gate_port_set(gate, PORT, port), 0);
	gate_worker_counters(worker, PORT, &before);
	on = gate_burst(worker, PORT, &m, 1, &dropped, &off);
	gate_worker_counters(worker, PORT, &after);
	FUZZ_ASSERT_SAME(on + off, 1);
	FUZZ_ASSERT_SAME(off, gate_is_drop(result->verdict));
	check_counters(&before, &after, result);
	if (off) {
		FUZZ_ASSERT(dropped.pkt == in);
		FUZZ_ASSERT_SAME(dropped.verdict, result->verdict);
		FUZZ_ASSERT_SAME(dropped.key_id, result->key_id);
		FUZZ_ASSERT_SAME(dropped.err_off, result->err_off);
		m = in;
	}
	check_octets(m, result->frame, result->len);
	forget(m);
	if (held != NULL) {
		check_octets(held, frame, len);
		forget(held);
	}
	FUZZ_ASSERT_SAME(rte_mempool_in_use_count(pool) + rte_mempool_in_use_count(edit_pool), 0);
}

void
rig_run(const struct gate_port *port, bool prefixes, const uint8_t *frame, size_t len,
	const struct rig_layout *layout, struct oracle_result *result)
{
	const struct rig_layout plain = {.headroom = RTE_PKTMBUF_HEADROOM};
	const struct oracle oracle = {
		.keys = rig_keys,
		.n_keys = RIG_KEYS,
		.prefixes = rig_prefixes,
		.n_prefixes = prefixes ? RIG_PREFIXES : 0,
	};

	oracle_run(&oracle, port, frame, len, result);
	for (unsigned w = 0; w < 2; w++) {
		struct gate_worker *worker = workers[prefixes][w];

		check_one(port, gates[prefixes], worker, frame, len, &plain, result);
		check_one(port, gates[prefixes], worker, frame, len, layout, result);
	}
}
