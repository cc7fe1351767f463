/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows that open and close. A flip is one store of an octet that workers read beside the key
 * that they look up anyway: it needs no free slot, so that it cannot fail when a worker hangs, and
 * counters go on. What a memo has proved stays true; whether it may be used is asked before.
 * Control only.
 */
#include <errno.h>
#include <time.h>

#include "keyring/internal.h"

int64_t
keyring_clock_real(void)
{
	struct timespec now;

	/* Not time(): it lags behind by up to a tick, and a timer would come too early for it. */
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

void
keyring_slot_live(struct keyring *keyring, uint32_t i, const struct keyring_life *life)
{
	int64_t now = keyring->clock(), next = keyring_life_next(life, now);

	keyring->slot[i].life = *life;
	keyring->slot[i].state = keyring_state(life, now);
	keyring_key_allow(&keyring->keys[i], keyring_window_open(&life->accept, now),
			  keyring_window_open(&life->send, now));
	if (next < keyring->next_flip)
		keyring->next_flip = next;
}

int
keyring_live(struct keyring *keyring, uint32_t id, const struct keyring_life *life)
{
	const struct keyring_key *key = keyring_lookup(keyring, id);

	if (key == NULL)
		return -ENOENT;
	if (keyring_window_check(&life->accept) != NULL ||
	    keyring_window_check(&life->send) != NULL)
		return -EINVAL;
	keyring_slot_live(keyring, key->slot, life);
	return 0;
}

int64_t
keyring_next_flip(const struct keyring *keyring)
{
	return keyring->next_flip;
}

int64_t
keyring_flip(struct keyring *keyring,
	     void (*changed)(void *arg, uint32_t id, enum keyring_state state), void *arg)
{
	keyring->next_flip = KEYRING_INSTANT_MAX;
	for (uint32_t i = 0; i < keyring->slots; i++) {
		struct keyring_slot *slot = &keyring->slot[i];
		enum keyring_state before = slot->state;

		if (!slot->live)
			continue;
		keyring_slot_live(keyring, i, &slot->life);
		if (changed != NULL && slot->state != before)
			changed(arg, keyring->keys[i].id, slot->state);
	}
	return keyring->next_flip;
}
