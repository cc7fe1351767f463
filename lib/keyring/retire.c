/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys that workers may still be reading. First in, first out: tokens ascend, so when the first one
 * has to wait, all do. Control only.
 */
#include <rte_debug.h>

#include "keyring/internal.h"

static struct keyring_retired *
retired_at(struct keyring *keyring, uint32_t i)
{
	return &keyring->retired[(keyring->retired_first + i) % keyring->slots];
}

void
keyring_retire(struct keyring *keyring, uint32_t slot, int32_t position)
{
	struct keyring_retired *retired;

	/* Workers never read a secret: it need not wait for them. */
	keyring_secret_wipe(keyring, slot);
	/* Each entry holds a slot of its own, so the ring has room. */
	RTE_VERIFY(keyring->retired_count < keyring->slots);
	retired = retired_at(keyring, keyring->retired_count++);
	retired->slot = slot;
	retired->position = position;
	keyring->retired_open++;
}

void
keyring_retire_close(struct keyring *keyring)
{
	uint64_t token;

	if (keyring->retired_open == 0)
		return;
	/* After the stores that took the keys out of sight: a worker that reports this token
	 * cannot have read them since. */
	token = rte_rcu_qsbr_start(keyring->rcu);
	for (uint32_t i = keyring->retired_count - keyring->retired_open;
	     i < keyring->retired_count; i++)
		retired_at(keyring, i)->token = token;
	keyring->retired_open = 0;
	keyring->last_token = token;
}

unsigned
keyring_reclaim(struct keyring *keyring)
{
	while (keyring->retired_count != 0) {
		struct keyring_retired *retired = retired_at(keyring, 0);

		if (rte_rcu_qsbr_check(keyring->rcu, retired->token, false) == 0)
			break;
		keyring_slot_free(keyring, retired->slot);
		if (retired->position != KEYRING_NO_POSITION)
			rte_hash_free_key_with_position(keyring->hash, retired->position);
		keyring->retired_first = (keyring->retired_first + 1) % keyring->slots;
		keyring->retired_count--;
	}
	return keyring->retired_count;
}

uint64_t
keyring_mark(struct keyring *keyring)
{
	return keyring->last_token;
}

bool
keyring_settled(struct keyring *keyring, uint64_t mark)
{
	if (rte_rcu_qsbr_check(keyring->rcu, mark, false) == 0)
		return false;
	keyring_reclaim(keyring);
	return true;
}
