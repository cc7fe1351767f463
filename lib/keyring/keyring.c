/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_debug.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "keyring/internal.h"

#define SLOTS_MIN 64u
#define CAPACITY_MAX (1u << 24)
/* rte_hash makes names of rings and memory zones from it, and cuts them off without a word. */
#define NAME_LEN_MAX 20u

/* --- worker --- */

const struct keyring_key *
keyring_lookup(const struct keyring *keyring, uint32_t id)
{
	void *key;

	if (rte_hash_lookup_with_hash_data(keyring->hash, &id, keyring_id_hash(id), &key) < 0)
		return NULL;
	return key;
}

static void
lookup_chunk(const struct keyring *keyring, const uint32_t *ids, unsigned n,
	     const struct keyring_key **keys)
{
	const void *id[RTE_HASH_LOOKUP_BULK_MAX];
	hash_sig_t sig[RTE_HASH_LOOKUP_BULK_MAX];
	void *found[RTE_HASH_LOOKUP_BULK_MAX];
	uint64_t hits = 0;

	for (unsigned i = 0; i < n; i++) {
		id[i] = &ids[i];
		sig[i] = keyring_id_hash(ids[i]);
		found[i] = NULL;
	}
	rte_hash_lookup_with_hash_bulk_data(keyring->hash, id, sig, n, &hits, found);
	for (unsigned i = 0; i < n; i++)
		keys[i] = found[i];
}

void
keyring_lookup_bulk(const struct keyring *keyring, const uint32_t *ids, unsigned n,
		    const struct keyring_key **keys)
{
	for (unsigned done = 0; done < n; done += RTE_HASH_LOOKUP_BULK_MAX)
		lookup_chunk(keyring, ids + done,
			     RTE_MIN(n - done, (unsigned)RTE_HASH_LOOKUP_BULK_MAX), keys + done);
}

bool
keyring_is_far(const struct keyring *keyring)
{
	return __atomic_load_n(&keyring->far, __ATOMIC_RELAXED);
}

struct keyring_use *
keyring_use(struct keyring *keyring, unsigned worker)
{
	return worker < keyring->workers ? keyring->use[worker] : NULL;
}

/* --- control: slots --- */

int
keyring_spec_check(const struct keyring_spec *spec)
{
	if (spec->id == 0 || (unsigned)spec->algorithm >= HMAC_ALGORITHMS ||
	    (unsigned)spec->profile >= HMAC_PROFILES || spec->secret_len == 0 ||
	    spec->secret_len > HMAC_SECRET_MAX ||
	    keyring_window_check(&spec->life.accept) != NULL ||
	    keyring_window_check(&spec->life.send) != NULL)
		return -EINVAL;
	return 0;
}

/*
 * Text that no SRH can hash to: those are 38 octets and more. The key's algorithm makes the HMAC;
 * the profile stays out, for it is shown beside and does not change the secret.
 */
static int
fingerprint_make(const struct keyring_spec *spec, uint8_t *fingerprint)
{
	static const char label[] = "segseal key fingerprint";
	uint8_t text[sizeof(label) - 1 + 4 + 1], *end = text + sizeof(label) - 1;
	uint8_t tag[HMAC_TAG_MAX];
	int rc;

	memcpy(text, label, sizeof(label) - 1);
	*end++ = spec->id >> 24;
	*end++ = spec->id >> 16;
	*end++ = spec->id >> 8;
	*end++ = spec->id;
	*end = spec->algorithm;
	rc = hmac_compute(spec->algorithm, spec->secret, spec->secret_len, text, sizeof(text), tag);
	if (rc == 0)
		memcpy(fingerprint, tag, KEYRING_FINGERPRINT_OCTETS);
	hmac_wipe(tag, sizeof(tag));
	return rc;
}

int
keyring_slot_make(struct keyring *keyring, const struct keyring_spec *spec, uint32_t *slot)
{
	struct keyring_key *key;
	int rc;

	if (keyring->free_slots == 0)
		return -EBUSY;
	*slot = keyring->free_slot[keyring->free_slots - 1];
	key = &keyring->keys[*slot];
	rc = hmac_key_prepare(&key->hmac, spec->algorithm, spec->secret, spec->secret_len);
	if (rc == 0)
		rc = fingerprint_make(spec, keyring->slot[*slot].fingerprint);
	if (rc < 0) {
		hmac_key_wipe(&key->hmac);
		return rc;
	}
	keyring->free_slots--;
	key->id = spec->id;
	key->slot = *slot;
	key->generation = ++keyring->generation;
	key->profile = spec->profile;
	key->tlv_length = hmac_tlv_length(spec->profile, spec->algorithm);
	key->secret_len = spec->secret_len;
	keyring_secret_keep(keyring, *slot, spec);
	keyring_slot_live(keyring, *slot, &spec->life);
	/* Nobody sees the slot, so nobody counts in it. */
	keyring_use_sum(keyring, *slot, &keyring->slot[*slot].base);
	return 0;
}

void
keyring_slot_free(struct keyring *keyring, uint32_t slot)
{
	struct keyring_key *key = &keyring->keys[slot];

	hmac_wipe(key, sizeof(*key));
	keyring_secret_wipe(keyring, slot);
	hmac_wipe(keyring->slot[slot].fingerprint, KEYRING_FINGERPRINT_OCTETS);
	keyring->free_slot[keyring->free_slots++] = slot;
}

int
keyring_slot_publish(struct keyring *keyring, uint32_t slot)
{
	struct keyring_key *key = &keyring->keys[slot];
	int rc = rte_hash_add_key_with_hash_data(keyring->hash, &key->id, keyring_id_hash(key->id),
						 key);

	if (rc == 0)
		keyring->slot[slot].live = true;
	return rc;
}

void
keyring_slot_remove(struct keyring *keyring, uint32_t slot)
{
	uint32_t id = keyring->keys[slot].id;
	int32_t position = rte_hash_del_key_with_hash(keyring->hash, &id, keyring_id_hash(id));

	RTE_VERIFY(position >= 0);
	keyring->slot[slot].live = false;
	keyring_retire(keyring, slot, position);
}

/* --- control: changes --- */

static int
key_install(struct keyring *keyring, const struct keyring_spec *spec, bool may_replace)
{
	const struct keyring_key *old;
	uint32_t slot;
	int rc;

	rc = keyring_spec_check(spec);
	if (rc < 0)
		return rc;
	keyring_reclaim(keyring);
	old = keyring_lookup(keyring, spec->id);
	if (old != NULL && !may_replace)
		return -EEXIST;
	if (old == NULL && keyring->count == keyring->capacity)
		return -ENOSPC;
	rc = keyring_slot_make(keyring, spec, &slot);
	if (rc < 0)
		return rc;
	rc = keyring_slot_publish(keyring, slot);
	if (rc < 0) {
		keyring_slot_free(keyring, slot);
		return rc;
	}
	if (old == NULL) {
		keyring_set_count(keyring, keyring->count + 1);
		return 0;
	}
	keyring->slot[old->slot].live = false;
	keyring_retire(keyring, old->slot, KEYRING_NO_POSITION);
	keyring_retire_close(keyring);
	return 0;
}

int
keyring_add(struct keyring *keyring, const struct keyring_spec *spec)
{
	return key_install(keyring, spec, false);
}

int
keyring_set(struct keyring *keyring, const struct keyring_spec *spec)
{
	return key_install(keyring, spec, true);
}

int
keyring_del(struct keyring *keyring, uint32_t id)
{
	const struct keyring_key *key = keyring_lookup(keyring, id);

	if (key == NULL)
		return -ENOENT;
	keyring_slot_remove(keyring, key->slot);
	keyring_retire_close(keyring);
	keyring_set_count(keyring, keyring->count - 1);
	keyring_reclaim(keyring);
	return 0;
}

/* --- control: life --- */

void
keyring_destroy(struct keyring *keyring)
{
	if (keyring == NULL)
		return;
	rte_hash_free(keyring->hash);
	keyring_arenas_destroy(keyring);
	for (unsigned i = 0; keyring->use != NULL && i < keyring->workers; i++)
		rte_free(keyring->use[i]);
	rte_free(keyring->use);
	free(keyring->slot);
	free(keyring->free_slot);
	free(keyring->order);
	free(keyring->retired);
	rte_free(keyring);
}

static int
conf_check(const struct keyring_conf *conf)
{
	if (conf->name == NULL || conf->name[0] == '\0' || strlen(conf->name) > NAME_LEN_MAX ||
	    conf->capacity > CAPACITY_MAX || conf->rcu == NULL)
		return -EINVAL;
	return 0;
}

static int
control_side_create(struct keyring *keyring)
{
	keyring->slot = calloc(keyring->slots, sizeof(*keyring->slot));
	keyring->free_slot = calloc(keyring->slots, sizeof(*keyring->free_slot));
	keyring->order = calloc(keyring->capacity, sizeof(*keyring->order));
	keyring->retired = calloc(keyring->slots, sizeof(*keyring->retired));
	if (keyring->slot == NULL || keyring->free_slot == NULL || keyring->order == NULL ||
	    keyring->retired == NULL)
		return -ENOMEM;
	/* Low slots come first: few keys, few pages. */
	for (uint32_t i = 0; i < keyring->slots; i++)
		keyring->free_slot[i] = keyring->slots - 1 - i;
	keyring->free_slots = keyring->slots;
	return 0;
}

/* Zero if they are the same. Half the price of the table's own choice for 4 octets, memcmp(). */
static int
id_compare(const void *a, const void *b, size_t len)
{
	(void)len;
	return *(const uint32_t *)a != *(const uint32_t *)b;
}

static int
worker_side_create(struct keyring *keyring, const struct keyring_conf *conf)
{
	const struct rte_hash_parameters params = {
		.name = conf->name,
		.entries = keyring->slots,
		.key_len = sizeof(uint32_t),
		.hash_func = rte_hash_crc,
		.socket_id = conf->socket,
		/* Chained buckets: any set of IDs fits, not only those that hash well. */
		.extra_flag =
			RTE_HASH_EXTRA_FLAGS_RW_CONCURRENCY_LF | RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};

	if (keyring_arenas_create(keyring, conf->keep_secrets, conf->socket) < 0)
		return -ENOMEM;
	keyring->use = rte_zmalloc_socket(NULL, RTE_MAX(conf->workers, 1u) * sizeof(*keyring->use),
					  KEYRING_LINE_PAIR, conf->socket);
	if (keyring->use == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < conf->workers; i++) {
		keyring->use[i] = rte_zmalloc_socket(
			NULL,
			RTE_ALIGN_CEIL(keyring->slots * sizeof(**keyring->use), KEYRING_LINE_PAIR),
			KEYRING_LINE_PAIR, conf->socket);
		if (keyring->use[i] == NULL)
			return -ENOMEM;
	}
	keyring->hash = rte_hash_create(&params);
	if (keyring->hash == NULL)
		return -rte_errno;
	rte_hash_set_cmp_func(keyring->hash, id_compare);
	return 0;
}

struct keyring *
keyring_create(const struct keyring_conf *conf)
{
	struct keyring *keyring;
	int rc = conf_check(conf);

	if (rc < 0) {
		rte_errno = -rc;
		return NULL;
	}
	keyring = rte_zmalloc_socket(NULL, sizeof(*keyring), KEYRING_LINE_PAIR, conf->socket);
	if (keyring == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	keyring->rcu = conf->rcu;
	keyring->clock = conf->clock != NULL ? conf->clock : keyring_clock_real;
	keyring->next_flip = KEYRING_INSTANT_MAX;
	keyring->workers = conf->workers;
	keyring->capacity = conf->capacity != 0 ? conf->capacity : KEYRING_CAPACITY;
	keyring->slots = RTE_MAX(2 * keyring->capacity, SLOTS_MIN);
	rc = control_side_create(keyring);
	if (rc == 0)
		rc = worker_side_create(keyring, conf);
	if (rc < 0) {
		keyring_destroy(keyring);
		rte_errno = -rc;
		return NULL;
	}
	return keyring;
}
