/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole table at once. First everything that can fail, out of the workers' sight: keys are made
 * in free slots, IDs that are new enter the hash table without a key, which readers take for
 * absent. Then pointer stores and deletions, which cannot fail. Control only.
 */
#include <errno.h>
#include <stdlib.h>

#include <rte_debug.h>

#include "keyring/internal.h"

#define KEEP UINT32_MAX

/* What becomes of a spec. */
struct step {
	uint32_t slot;	/* its new key, or KEEP: what is there is the same */
	uint32_t old;	/* the slot that it takes the place of, or KEEP: none */
	bool has_place; /* its new ID is in the hash table, without a key */
};

static int
specs_check(struct keyring *keyring, const struct keyring_spec *specs, unsigned n, unsigned *bad)
{
	uint64_t *order = keyring->order;
	unsigned twice = n;

	if (n > keyring->capacity) {
		*bad = keyring->capacity;
		return -ENOSPC;
	}
	for (unsigned i = 0; i < n; i++) {
		if (keyring_spec_check(&specs[i]) < 0) {
			*bad = i;
			return -EINVAL;
		}
		order[i] = (uint64_t)specs[i].id << 32 | i;
	}
	keyring_sort(order, n);
	/* The first spec, in the caller's order, whose ID stands before it. */
	for (unsigned i = 1; i < n; i++)
		if (order[i] >> 32 == order[i - 1] >> 32 && (uint32_t)order[i] < twice)
			twice = (uint32_t)order[i];
	if (twice == n)
		return 0;
	*bad = twice;
	return -EEXIST;
}

/* Equal states, equal secrets up to trailing zeroes, which HMAC does not tell apart. */
static bool
same_key(const struct keyring_key *a, const struct keyring_key *b)
{
	bool inner = hmac_equal(a->hmac.inner, b->hmac.inner, sizeof(a->hmac.inner));
	bool outer = hmac_equal(a->hmac.outer, b->hmac.outer, sizeof(a->hmac.outer));

	return inner && outer && a->hmac.algorithm == b->hmac.algorithm &&
	       a->profile == b->profile && a->secret_len == b->secret_len;
}

static int
step_prepare(struct keyring *keyring, const struct keyring_spec *spec, struct step *step)
{
	const struct keyring_key *old = keyring_lookup(keyring, spec->id);
	int rc = keyring_slot_make(keyring, spec, &step->slot);

	if (rc < 0)
		return rc;
	if (old == NULL)
		return 0;
	step->old = old->slot;
	if (same_key(&keyring->keys[step->slot], old)) {
		keyring_slot_free(keyring, step->slot);
		step->slot = KEEP;
	}
	return 0;
}

static int
step_take_place(struct keyring *keyring, struct step *step)
{
	uint32_t id;
	int rc;

	if (step->slot == KEEP || step->old != KEEP)
		return 0;
	id = keyring->keys[step->slot].id;
	rc = rte_hash_add_key_with_hash_data(keyring->hash, &id, keyring_id_hash(id), NULL);
	if (rc == 0)
		step->has_place = true;
	return rc;
}

static void
step_undo(struct keyring *keyring, struct step *step)
{
	if (step->has_place)
		keyring_slot_remove(keyring, step->slot);
	else if (step->slot != KEEP)
		keyring_slot_free(keyring, step->slot);
}

static void
commit(struct keyring *keyring, const struct keyring_spec *specs, const struct step *steps,
       unsigned n)
{
	keyring->serial++;
	for (unsigned i = 0; i < n; i++) {
		const struct step *step = &steps[i];

		if (step->slot == KEEP) {
			keyring->slot[step->old].seen = keyring->serial;
			keyring_slot_live(keyring, step->old, &specs[i].life);
			continue;
		}
		RTE_VERIFY(keyring_slot_publish(keyring, step->slot) == 0);
		keyring->slot[step->slot].seen = keyring->serial;
		if (step->old != KEEP) {
			keyring->slot[step->old].live = false;
			keyring_retire(keyring, step->old, KEYRING_NO_POSITION);
		}
	}
	for (uint32_t i = 0; i < keyring->slots; i++)
		if (keyring->slot[i].live && keyring->slot[i].seen != keyring->serial)
			keyring_slot_remove(keyring, i);
	keyring_set_count(keyring, n);
}

int
keyring_replace_all(struct keyring *keyring, const struct keyring_spec *specs, unsigned n,
		    unsigned *bad)
{
	struct step *steps;
	unsigned prepared = 0, i;
	int rc;

	rc = specs_check(keyring, specs, n, bad);
	if (rc < 0)
		return rc;
	steps = malloc((n != 0 ? n : 1) * sizeof(*steps));
	if (steps == NULL)
		return -ENOMEM;
	keyring_reclaim(keyring);
	for (i = 0; rc == 0 && i < n; i++) {
		steps[i] = (struct step){.slot = KEEP, .old = KEEP};
		rc = step_prepare(keyring, &specs[i], &steps[i]);
		if (rc == 0)
			prepared++;
		else
			*bad = i;
	}
	for (i = 0; rc == 0 && i < n; i++) {
		rc = step_take_place(keyring, &steps[i]);
		if (rc < 0)
			*bad = i;
	}
	if (rc == 0)
		commit(keyring, specs, steps, n);
	else
		while (prepared != 0)
			step_undo(keyring, &steps[--prepared]);
	keyring_retire_close(keyring);
	keyring_reclaim(keyring);
	free(steps);
	return rc;
}
