/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the keyring share. A key lives in a slot of the arena; the hash table maps its
 * ID to the address of the slot's key. Slots and the hash table's positions are twice the capacity,
 * so that a full table can be replaced by wholly other keys while the old ones wait for workers.
 */
#ifndef SEGSEAL_KEYRING_INTERNAL_H
#define SEGSEAL_KEYRING_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>

#include "keyring/keyring.h"

#define KEYRING_NO_POSITION (-1)
#define KEYRING_FINGERPRINT_OCTETS ((KEYRING_FINGERPRINT_LEN - 1u) / 2u)
/* Two cache lines: the adjacent-line prefetcher pulls them in pairs. */
#define KEYRING_LINE_PAIR 128u

/* Control's side of a slot. */
struct keyring_slot {
	struct keyring_use base; /* the workers' counters when the key came in */
	uint8_t fingerprint[KEYRING_FINGERPRINT_OCTETS];
	uint32_t seen; /* serial of the last keyring_replace_all() that wants it */
	bool live;     /* reachable through the hash table */
	struct keyring_life life;
	enum keyring_state state; /* at the last look at the clock */
};

/* A key that workers may still be reading, and what becomes free when they cannot any more. */
struct keyring_retired {
	uint64_t token;
	uint32_t slot;
	int32_t position; /* in the hash table; KEYRING_NO_POSITION if its ID stays in use */
};

struct keyring {
	/* Read by workers, constant but for far, which seldom changes. */
	struct rte_hash *hash;
	struct keyring_use **use;
	unsigned workers;
	bool far; /* keyring_is_far(): control stores, relaxed */

	/* Control only. */
	struct rte_rcu_qsbr *rcu __rte_aligned(KEYRING_LINE_PAIR);
	struct keyring_key *keys;	     /* the arena: slots entries */
	uint8_t (*secrets)[HMAC_SECRET_MAX]; /* another arena; NULL: none are kept */
	bool locked;			     /* both */
	struct keyring_slot *slot;
	uint32_t *free_slot; /* stack of free_slots slot numbers */
	uint64_t *order;     /* capacity entries of scratch for sorting */
	uint32_t capacity;
	uint32_t slots;
	uint32_t free_slots;
	uint32_t count;
	uint32_t serial; /* of keyring_replace_all() */
	uint64_t generation;
	int64_t (*clock)(void);
	int64_t next_flip;
	uint64_t last_token; /* of the youngest retired key */

	struct keyring_retired *retired; /* ring of slots entries */
	uint32_t retired_first;
	uint32_t retired_count;
	uint32_t retired_open; /* of these, how many have no token yet */
};

/* The hash table's own function, in line. */
static inline hash_sig_t
keyring_id_hash(uint32_t id)
{
	return rte_hash_crc_4byte(id, 0);
}

/* --- slots (keyring.c) --- */

/* 0, or -EINVAL if no key can be made from this. */
int keyring_spec_check(const struct keyring_spec *spec);
/*
 * Make a key from spec in a free slot that nobody sees yet. -EBUSY if all slots wait for workers,
 * other errors as hmac_key_prepare().
 */
int keyring_slot_make(struct keyring *keyring, const struct keyring_spec *spec, uint32_t *slot);
/* Wipe and free a slot that nobody can see. */
void keyring_slot_free(struct keyring *keyring, uint32_t slot);
/*
 * Let workers see the slot's key under its ID: one pointer store if the ID is in the hash table,
 * which cannot fail then.
 */
int keyring_slot_publish(struct keyring *keyring, uint32_t slot);
/* Take the slot's ID out of the hash table and retire both; keyring_retire_close() must follow. */
void keyring_slot_remove(struct keyring *keyring, uint32_t slot);

/* There are so many keys now. */
static inline void
keyring_set_count(struct keyring *keyring, uint32_t count)
{
	bool far = count > KEYRING_NEAR;

	keyring->count = count;
	if (far != keyring->far)
		__atomic_store_n(&keyring->far, far, __ATOMIC_RELAXED);
}

/* --- arenas (arena.c) --- */

/* All of them; -ENOMEM. keyring_arenas_destroy() takes back what there is, wiped. */
int keyring_arenas_create(struct keyring *keyring, bool keep_secrets, int socket);
void keyring_arenas_destroy(struct keyring *keyring);
/* Keep the spec's secret, if any are kept. */
void keyring_secret_keep(struct keyring *keyring, uint32_t slot, const struct keyring_spec *spec);
void keyring_secret_wipe(struct keyring *keyring, uint32_t slot);

/* --- retire list (retire.c) --- */

/* The slot's key and the position are out of sight for who looks from now on. */
void keyring_retire(struct keyring *keyring, uint32_t slot, int32_t position);
/* Give what was retired since the last call its token. */
void keyring_retire_close(struct keyring *keyring);

/* --- windows (life.c) --- */

/* Give the slot's key these windows, and let it be used as they say now. */
void keyring_slot_live(struct keyring *keyring, uint32_t slot, const struct keyring_life *life);

static inline void
keyring_key_allow(struct keyring_key *key, bool accept, bool send)
{
	__atomic_store_n(
		&key->allowed,
		(uint8_t)((accept ? KEYRING_MAY_ACCEPT : 0) | (send ? KEYRING_MAY_SEND : 0)),
		__ATOMIC_RELAXED);
}

/* --- counters (info.c) --- */

/* The slot's counters summed over workers, as they stand. */
void keyring_use_sum(const struct keyring *keyring, uint32_t slot, struct keyring_use *sum);
/* Ascending by the upper 32 bits, then the lower. */
void keyring_sort(uint64_t *v, uint32_t n);

#endif
