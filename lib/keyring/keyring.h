/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key ID -> prepared key, read by workers without a lock while the control thread adds, replaces
 * and deletes. A key that went is wiped and freed once no worker can still be reading it.
 *
 * "Worker" functions are called by the worker with that index only, "control" functions by the one
 * control thread.
 */
#ifndef SEGSEAL_KEYRING_H
#define SEGSEAL_KEYRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_rcu_qsbr.h>

#include "hmac/hmac.h"
#include "keyring/window.h"

#define KEYRING_CAPACITY 65536u
#define KEYRING_NEAR 4096u
#define KEYRING_FINGERPRINT_LEN 17u /* 16 hex digits and a NUL */

struct keyring;

/* What a worker sees of a key. Never changes while it can be seen, but for allowed. */
struct keyring_key {
	struct hmac_key hmac;
	uint32_t id;
	uint32_t slot;	     /* index of the per-worker counters */
	uint64_t generation; /* never used twice in the life of the keyring, never 0 */
	enum hmac_profile profile;
	uint8_t tlv_length; /* hmac_tlv_length() of profile and algorithm */
	uint8_t secret_len;
	uint8_t allowed; /* KEYRING_MAY_*, as the key's windows are now: control stores, relaxed */
};

#define KEYRING_MAY_ACCEPT 1u
#define KEYRING_MAY_SEND 2u

static inline bool
keyring_may(const struct keyring_key *key, uint8_t what)
{
	return __atomic_load_n(&key->allowed, __ATOMIC_RELAXED) & what;
}

/* Written by one worker, read by control: 64-bit relaxed loads and stores. */
struct keyring_use {
	uint64_t verified;
	uint64_t failed;
	uint64_t inserted;
	uint64_t last_used; /* TSC of the last of these; 0 = never */
};

struct keyring_conf {
	const char *name;	  /* unique in the process, at most 20 characters */
	uint32_t capacity;	  /* keys; 0 = KEYRING_CAPACITY */
	unsigned workers;	  /* workers with index 0..workers-1 */
	struct rte_rcu_qsbr *rcu; /* the workers' quiescent state; the caller owns it */
	int socket;
	bool keep_secrets;	/* for keyring_secret(); otherwise none outlives its preparation */
	int64_t (*clock)(void); /* seconds since 1970; NULL = keyring_clock_real() */
};

/* NULL with rte_errno set: EINVAL, ENOMEM, EEXIST (the name). Control. */
struct keyring *keyring_create(const struct keyring_conf *conf);
/* Wipes and frees everything; no worker may be using it. Control. */
void keyring_destroy(struct keyring *keyring);
/* Whether all that is secret is kept from being swapped out, which takes RLIMIT_MEMLOCK. */
bool keyring_locked(const struct keyring *keyring);

/* --- worker --- */

/* The key of this ID, or NULL. Valid until the worker's next quiescent report. */
const struct keyring_key *keyring_lookup(const struct keyring *keyring, uint32_t id);
/* keys[i] for ids[i], NULL where unknown; any n. */
void keyring_lookup_bulk(const struct keyring *keyring, const uint32_t *ids, unsigned n,
			 const struct keyring_key **keys);
/*
 * Whether there are more keys than KEYRING_NEAR, which stay in a worker's caches: then
 * keyring_lookup_bulk() costs less than a keyring_lookup() for each, and before that more.
 */
bool keyring_is_far(const struct keyring *keyring);
/* This worker's counters of all keys, indexed by keyring_key.slot; NULL if there is no such
 * worker. Only ever counted up, by the worker alone: what a key started from is control's note. */
struct keyring_use *keyring_use(struct keyring *keyring, unsigned worker);

/* --- control --- */

struct keyring_spec {
	uint32_t id;
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;
	uint8_t secret[HMAC_SECRET_MAX];
	uint8_t secret_len;
	struct keyring_life life; /* all zero: always */
};

/*
 * Add; -EEXIST if the ID is there, -EINVAL for ID 0 or a bad spec, -ENOSPC if full, -EBUSY if as
 * many replaced and deleted keys as the capacity wait for a worker that does not report,
 * -ENOTSUP if hmac_key_prepare() says so. The spec's secret is not kept unless keep_secrets asks.
 */
int keyring_add(struct keyring *keyring, const struct keyring_spec *spec);
/*
 * Add or replace: a reader sees the old or the new key, never none. The new key's counters start
 * from zero, even if nothing about it is new. A failure, as of keyring_add(), changes nothing.
 */
int keyring_set(struct keyring *keyring, const struct keyring_spec *spec);
/*
 * Other windows for a key, which otherwise stays as it is, counters included. -ENOENT if absent,
 * -EINVAL for a window that ends before it begins. A worker may go by the old ones until its next
 * quiescent report.
 */
int keyring_live(struct keyring *keyring, uint32_t id, const struct keyring_life *life);
/* -ENOENT if absent. */
int keyring_del(struct keyring *keyring, uint32_t id);
/*
 * Make the table hold exactly these keys. Keys whose spec did not change are left untouched (their
 * generation and counters stay, also if only their windows did). All or nothing: on an error
 * nothing changed, no reader saw anything of it, and *bad is the index of the spec at fault.
 * -EEXIST for an ID that stands before already, -ENOSPC for more than the capacity, -ENOMEM (*bad
 * is not set), otherwise as keyring_set(). n may be 0.
 */
int keyring_replace_all(struct keyring *keyring, const struct keyring_spec *specs, unsigned n,
			unsigned *bad);

/* CLOCK_REALTIME, in whole seconds that have begun. */
int64_t keyring_clock_real(void);
/*
 * Let each key's windows be as the clock says now: to be called at keyring_next_flip() and whenever
 * the clock was set. A key that is added or replaced is so from the beginning. Calls back for each
 * key whose state changed (NULL: none); the callback must not change the keyring. Returns the next
 * instant to call it; KEYRING_INSTANT_MAX: none. Cannot fail.
 */
int64_t keyring_flip(struct keyring *keyring,
		     void (*changed)(void *arg, uint32_t id, enum keyring_state state), void *arg);
/* Not later than the first instant at which a window opens or closes. */
int64_t keyring_next_flip(const struct keyring *keyring);

/* A point in time after every change made so far; see keyring_settled(). */
uint64_t keyring_mark(struct keyring *keyring);
/* True once no worker can still be using what was replaced or deleted before mark. Never blocks. */
bool keyring_settled(struct keyring *keyring, uint64_t mark);
/* Wipe and free what can be; returns how many retired keys still wait. Never blocks. */
unsigned keyring_reclaim(struct keyring *keyring);

struct keyring_info {
	uint32_t id;
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;
	uint8_t secret_len;
	uint64_t generation;
	/*
	 * First 8 octets, in hex, of the key's HMAC over "segseal key fingerprint" | ID (4 octets,
	 * big endian) | algorithm (1 octet: 0 sha1, 1 sha256, 2 sha384, 3 sha512). The same at both
	 * ends for the same ID, algorithm and secret, whatever the profile. Who sees it learns what
	 * any one HMAC on the wire tells, and the text is none that an SRH can have.
	 */
	char fingerprint[KEYRING_FINGERPRINT_LEN];
	struct keyring_life life;
	enum keyring_state state; /* that workers know of */
	struct keyring_use use;	  /* summed over workers since the key was added */
};

/*
 * The secret of a key, if keep_secrets is on: its length in octets; the caller wipes it. -ENOENT
 * if there is no such key, -ENOTSUP if none are kept. What is kept lies where keys lie, out of core
 * dumps, child processes and swap, and is wiped as soon as the key is deleted or replaced.
 */
int keyring_secret(const struct keyring *keyring, uint32_t id, uint8_t secret[HMAC_SECRET_MAX]);

unsigned keyring_count(const struct keyring *keyring);
/* -ENOENT if absent. */
int keyring_info(struct keyring *keyring, uint32_t id, struct keyring_info *info);
/*
 * All keys by ascending ID: calls back until it returns non-zero, and returns that. The callback
 * must not change the keyring.
 */
int keyring_each(struct keyring *keyring, int (*each)(const struct keyring_info *, void *),
		 void *arg);

/* A Key ID in a word of len octets: 1..4294967295, decimal or 0x hex. -EINVAL for anything else, a
 * decimal number with leading zeroes included: Linux's tools take that for octal. */
int keyring_id_parse(const char *word, size_t len, uint32_t *id);

/*
 * Read a key file ("ID ALGORITHM PROFILE [accept=FROM..TO] [send=FROM..TO] text:...|hex:..." a
 * line). Nothing is applied. On success
 * *specs is an array of *n, maybe 0, for keyring_specs_free(). On failure a negative errno and
 * error says "PATH:LINE: what is wrong", or "PATH: ..." if it is not about a line, in one line and
 * without any octet of the file but Key IDs. -EACCES for a file whose mode is not 0600 or stricter
 * or whose owner is neither root nor the process's effective user, -EINVAL for one that is not
 * regular and for a bad line, -EEXIST for an ID twice, -EFBIG, -E2BIG, -ENOMEM, -EAGAIN if it grew
 * meanwhile, others as open() and read(). A symbolic link is followed; what it leads to is judged.
 */
int keyring_file_read(const char *path, struct keyring_spec **specs, unsigned *n, char *error,
		      size_t error_size);
/* The same for text in memory: buf[0..len), path only for the errors. Any thread. */
int keyring_file_parse(const char *path, const char *buf, size_t len, struct keyring_spec **specs,
		       unsigned *n, char *error, size_t error_size);
/* Wipes, then frees. NULL does nothing. */
void keyring_specs_free(struct keyring_spec *specs, unsigned n);

#endif
