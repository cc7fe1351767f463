/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>

#include "keyring/internal.h"

void
keyring_use_sum(const struct keyring *keyring, uint32_t slot, struct keyring_use *sum)
{
	*sum = (struct keyring_use){0};
	for (unsigned i = 0; i < keyring->workers; i++) {
		const struct keyring_use *use = &keyring->use[i][slot];
		uint64_t last = __atomic_load_n(&use->last_used, __ATOMIC_RELAXED);

		sum->verified += __atomic_load_n(&use->verified, __ATOMIC_RELAXED);
		sum->failed += __atomic_load_n(&use->failed, __ATOMIC_RELAXED);
		sum->inserted += __atomic_load_n(&use->inserted, __ATOMIC_RELAXED);
		if (last > sum->last_used)
			sum->last_used = last;
	}
}

static void
info_make(const struct keyring *keyring, const struct keyring_key *key, struct keyring_info *info)
{
	static const char digits[] = "0123456789abcdef";
	const struct keyring_slot *slot = &keyring->slot[key->slot];

	info->id = key->id;
	info->algorithm = key->hmac.algorithm;
	info->profile = key->profile;
	info->secret_len = key->secret_len;
	info->generation = key->generation;
	info->life = slot->life;
	info->state = slot->state;
	for (unsigned i = 0; i < KEYRING_FINGERPRINT_OCTETS; i++) {
		info->fingerprint[2 * i] = digits[slot->fingerprint[i] >> 4];
		info->fingerprint[2 * i + 1] = digits[slot->fingerprint[i] & 15];
	}
	info->fingerprint[KEYRING_FINGERPRINT_LEN - 1] = '\0';
	keyring_use_sum(keyring, key->slot, &info->use);
	info->use.verified -= slot->base.verified;
	info->use.failed -= slot->base.failed;
	info->use.inserted -= slot->base.inserted;
	/* Not later than when the slot's former key was used: that one's, not this one's. */
	if (info->use.last_used <= slot->base.last_used)
		info->use.last_used = 0;
}

unsigned
keyring_count(const struct keyring *keyring)
{
	return keyring->count;
}

int
keyring_info(struct keyring *keyring, uint32_t id, struct keyring_info *info)
{
	const struct keyring_key *key = keyring_lookup(keyring, id);

	if (key == NULL)
		return -ENOENT;
	info_make(keyring, key, info);
	return 0;
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void
keyring_sort(uint64_t *v, uint32_t n)
{
	qsort(v, n, sizeof(*v), by_value);
}

int
keyring_each(struct keyring *keyring, int (*each)(const struct keyring_info *, void *), void *arg)
{
	struct keyring_info info;
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < keyring->slots && n < keyring->count; i++)
		if (keyring->slot[i].live)
			keyring->order[n++] = (uint64_t)keyring->keys[i].id << 32 | i;
	keyring_sort(keyring->order, n);
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		info_make(keyring, &keyring->keys[(uint32_t)keyring->order[i]], &info);
		rc = each(&info, arg);
	}
	return rc;
}
