/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include <rte_eal.h>
#include <rte_malloc.h>

#include "gate_burst.h"

#define RIG_PREFIXES 3u
#define MEMO_ENTRIES 64u

#define KEY(number, hash, construction, text)                                                      \
	{                                                                                          \
		.id = (number), .algorithm = (hash), .profile = (construction), .secret = text,    \
		.secret_len = sizeof(text) - 1,                                                    \
	}

const struct keyring_spec rig_keys[RIG_KEYS_ALL] = {
	KEY(1, HMAC_SHA1, HMAC_LINUX, "s"),
	KEY(2, HMAC_SHA256, HMAC_LINUX, "0123456789abcdef0123456789abcdef"),
	KEY(3, HMAC_SHA384, HMAC_LINUX, "a secret of more than one word"),
	KEY(4, HMAC_SHA512, HMAC_LINUX, "four"),
	KEY(5, HMAC_SHA1, HMAC_RFC8754, "twenty octets of key"),
	KEY(6, HMAC_SHA256, HMAC_RFC8754, "0123456789abcdef0123456789abcdef"),
	KEY(7, HMAC_SHA384, HMAC_RFC8754, "seven"),
	KEY(8, HMAC_SHA512, HMAC_RFC8754,
	    "sixty-four octets of key: as many as one of them can ever have.."),
	{
		.id = 9,
		.algorithm = HMAC_SHA256,
		.profile = HMAC_LINUX,
		.secret = "nine",
		.secret_len = 4,
		.life.accept.to = 1,
	},
	{
		.id = 10,
		.algorithm = HMAC_SHA256,
		.profile = HMAC_RFC8754,
		.secret = "ten",
		.secret_len = 3,
		.life.send.to = 1,
	},
};

/* The seeds' destinations are in the first and the last. */
static const struct oracle_prefix rig_prefixes[RIG_PREFIXES] = {
	{{0xfd, 0, 0, 1}, 32},
	{{0x80}, 2},
	{{0xfd, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, 128},
};

static struct rte_mempool *edit_pool;
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

/* --- company --- */

#define COMPANY 6u

struct companion {
	uint8_t frame[256];
	size_t len;
	struct oracle_result result;
};

static struct companion company[COMPANY];

static void
put(struct companion *c, const char *hex)
{
	for (; hex[0] != '\0'; hex += 2) {
		char pair[3] = {hex[0], hex[1], '\0'};

		c->frame[c->len++] = (uint8_t)strtoul(pair, NULL, 16);
	}
}

#define ETHER "020000000002020000000001"
#define ADDRESSES "fd00000c000000000000000000000099fd000001000000000000000000000001"
#define LIST "fd000001000000000000000000000001fd000002000000000000000000000002"

/* Not IPv6, without an SRH, unsealed, sealed by key 2, sealed wrongly, tagged and sealed by 6. */
static void
make_company(void)
{
	const struct oracle oracle = {.keys = rig_keys, .n_keys = RIG_KEYS_ALL};
	char tlv[17];

	put(&company[0], ETHER "08004500001400000000401100000a0000010a000002");
	put(&company[1], ETHER "86dd6000000000081140" ADDRESSES "1234567800080000");
	put(&company[2],
	    ETHER "86dd6000000000302b40" ADDRESSES "1104040001000000" LIST "1234567800080000");
	for (unsigned i = 3; i < COMPANY; i++) {
		struct companion *c = &company[i];
		uint32_t id = i == 5 ? 6 : 2;
		size_t ip, srh;

		put(c, i == 5 ? ETHER "8100006486dd" : ETHER "86dd");
		ip = c->len;
		put(c, "6000000000582b40" ADDRESSES);
		srh = c->len;
		put(c, i == 5 ? "1109040001000000" LIST : "1109040001080000" LIST);
		snprintf(tlv, sizeof(tlv), "05260000%08x", id);
		put(c, tlv);
		c->len += 32;
		oracle_hmac(oracle_key(&oracle, id), c->frame + ip, c->frame + srh,
			    c->frame + c->len - 40, c->frame + c->len - 32);
		c->frame[c->len - 1] ^= i == 4;
		put(c, "1234567800080000");
	}
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
	edit_pool = burst_open();
	rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(1), RTE_CACHE_LINE_SIZE);
	FUZZ_ASSERT(rcu != NULL);
	rte_rcu_qsbr_init(rcu, 1);
	keyring = keyring_create(&(struct keyring_conf){
		.name = "rig",
		.capacity = 64,
		.workers = 2,
		.rcu = rcu,
		.socket = SOCKET_ID_ANY,
	});
	FUZZ_ASSERT(keyring != NULL);
	for (unsigned k = 0; k < RIG_KEYS_ALL; k++)
		FUZZ_ASSERT_SAME(keyring_add(keyring, &rig_keys[k]), 0);
	open_gate(keyring, false);
	open_gate(keyring, true);
	make_company();
}

/* --- runs --- */

/*
 * Between one and all of them, and this packet between them, once or many times; which and how
 * many follows from the packet, so that a fuzzer has a say in it.
 */
static void
check_in_company(const struct oracle *oracle, const struct gate_port *port, struct gate *gate,
		 struct gate_worker *worker, struct burst_one *one)
{
	struct burst_one ones[32];
	uint32_t dice = 2166136261u;
	unsigned n, pattern;

	for (size_t i = 0; i < one->len; i++)
		dice = (dice ^ one->frame[i]) * 16777619u;
	n = 2 + (dice >> 8) % 31;
	pattern = (dice >> 16) % 4;
	for (unsigned i = 0; i < COMPANY; i++)
		oracle_run(oracle, port, company[i].frame, company[i].len, &company[i].result);
	for (unsigned i = 0; i < n; i++) {
		const struct companion *c = &company[(dice >> 4 * (i % 5)) % COMPANY];
		/* All of them; every second; the first; one somewhere. */
		bool this = pattern == 0 || (pattern == 1 && i % 2 == 0) ||
			    (pattern == 2 && i == 0) || (pattern == 3 && i == (dice >> 20) % n);

		ones[i] = this ? *one
			       : (struct burst_one){
					 .frame = c->frame,
					 .len = c->len,
					 .layout.headroom = RTE_PKTMBUF_HEADROOM,
					 .result = &c->result,
				 };
	}
	burst_check(port, gate, worker, ones, n);
}

void
rig_run(const struct gate_port *port, bool prefixes, const uint8_t *frame, size_t len,
	const struct rig_layout *layout, struct oracle_result *result)
{
	const struct oracle oracle = {
		.keys = rig_keys,
		.n_keys = RIG_KEYS_ALL,
		.prefixes = rig_prefixes,
		.n_prefixes = prefixes ? RIG_PREFIXES : 0,
	};
	struct burst_one plain = {
		.frame = frame,
		.len = len,
		.layout.headroom = RTE_PKTMBUF_HEADROOM,
		.result = result,
	};
	struct burst_one laid_out = plain;

	laid_out.layout = *layout;
	oracle_run(&oracle, port, frame, len, result);
	for (unsigned w = 0; w < 2; w++) {
		struct gate_worker *worker = workers[prefixes][w];

		burst_check(port, gates[prefixes], worker, &plain, 1);
		burst_check(port, gates[prefixes], worker, &laid_out, 1);
		check_in_company(&oracle, port, gates[prefixes], worker, &plain);
	}
}
