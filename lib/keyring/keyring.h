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

#include <stdint.h>
#include <stdio.h>

#include <rte_rcu_qsbr.h>

#include "hmac/hmac.h"

#define KEYRING_CAPACITY 65536u
#define KEYRING_FINGERPRINT_LEN 17u /* 16 hex digits and a NUL */

struct keyring;

/* What a worker sees of a key. Never changes while it can be seen. */
struct keyring_key {
	struct hmac_key hmac;
	uint32_t id;
	uint32_t slot;	     /* index of the per-worker counters */
	uint64_t generation; /* never used twice in the life of the keyring, never 0 */
	enum hmac_profile profile;
	uint8_t tlv_length; /* hmac_tlv_length() of profile and algorithm */
	uint8_t secret_len;
};

/* Written by one worker, read by control: 64-bit relaxed loads and stores. */
struct keyring_use {
	uint64_t verified;
	uint64_t failed;
	uint64_t inserted;
	uint64_t last_used; /* TSC of the last of these; 0 = never */
};

struct keyring_conf {
	const char *name;	  /* unique in the process */
	uint32_t capacity;	  /* keys; 0 = KEYRING_CAPACITY */
	unsigned workers;	  /* workers with index 0..workers-1 */
	struct rte_rcu_qsbr *rcu; /* the workers' quiescent state; the caller owns it */
	int socket;
};

/* NULL with rte_errno set. Control. */
struct keyring *keyring_create(const struct keyring_conf *conf);
/* Wipes and frees everything; no worker may be using it. Control. */
void keyring_destroy(struct keyring *keyring);

/* --- worker --- */

/* The key of this ID, or NULL. Valid until the worker's next quiescent report. */
const struct keyring_key *keyring_lookup(const struct keyring *keyring, uint32_t id);
/* keys[i] for ids[i], NULL where unknown. n <= 64. */
void keyring_lookup_bulk(const struct keyring *keyring, const uint32_t *ids, unsigned n,
			 const struct keyring_key **keys);
/* This worker's counters of all keys, indexed by keyring_key.slot. */
struct keyring_use *keyring_use(struct keyring *keyring, unsigned worker);

/* --- control --- */

struct keyring_spec {
	uint32_t id;
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;
	uint8_t secret[HMAC_SECRET_MAX];
	uint8_t secret_len;
};

/* Add; -EEXIST if the ID is there, -EINVAL for ID 0 or a bad spec, -ENOSPC if full, -ENOMEM. */
int keyring_add(struct keyring *keyring, const struct keyring_spec *spec);
/* Add or replace: a reader sees the old or the new key, never none. A failure changes nothing. */
int keyring_set(struct keyring *keyring, const struct keyring_spec *spec);
/* -ENOENT if absent. */
int keyring_del(struct keyring *keyring, uint32_t id);
/*
 * Make the table hold exactly these keys. Keys whose spec did not change are left untouched (their
 * generation and counters stay). All or nothing: on an error nothing changed. -EEXIST for an ID
 * twice (and *bad is its index), other errors as keyring_set().
 */
int keyring_replace_all(struct keyring *keyring, const struct keyring_spec *specs, unsigned n,
			unsigned *bad);

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
	char fingerprint[KEYRING_FINGERPRINT_LEN]; /* compares both ends; tells nothing else */
	struct keyring_use use;			   /* summed over workers since the key was added */
};

unsigned keyring_count(const struct keyring *keyring);
/* -ENOENT if absent. */
int keyring_info(struct keyring *keyring, uint32_t id, struct keyring_info *info);
/* All keys by ascending ID: calls back until it returns non-zero, and returns that. */
int keyring_each(struct keyring *keyring, int (*each)(const struct keyring_info *, void *),
		 void *arg);

/*
 * Read a key file ("ID ALGORITHM PROFILE text:...|hex:..." a line; see docs). Nothing is applied.
 * On success *specs is an array of *n for keyring_specs_free(). On failure a negative errno and
 * error says "PATH:LINE: what is wrong" without any octet of a secret. Refuses a file that others
 * than its owner may read or write, and one that is not a regular file.
 */
int keyring_file_read(const char *path, struct keyring_spec **specs, unsigned *n, char *error,
		      size_t error_size);
/* Wipes, then frees. */
void keyring_specs_free(struct keyring_spec *specs, unsigned n);

#endif
