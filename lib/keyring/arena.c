/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where keys lie, and their secrets if those are kept. Not in the DPDK heap: that lies in files of
 * hugetlbfs, which outlive a crash and which every secondary process maps. Control only.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "hmac/pages.h"
#include "keyring/internal.h"

static size_t
keys_size(const struct keyring *keyring)
{
	return keyring->slots * sizeof(*keyring->keys);
}

static size_t
secrets_size(const struct keyring *keyring)
{
	return keyring->slots * sizeof(*keyring->secrets);
}

/* No key in a child process; none in the swap either, as far as RLIMIT_MEMLOCK allows. */
static void *
arena_create(size_t size, int socket, bool *locked)
{
	void *arena = hmac_pages_alloc(size, socket);

	if (arena == NULL)
		return NULL;
	(void)madvise(arena, size, MADV_DONTFORK);
	if (mlock(arena, size) != 0)
		*locked = false;
	return arena;
}

static void
arena_destroy(void *arena, size_t size)
{
	if (arena != NULL)
		hmac_wipe(arena, size);
	hmac_pages_free(arena, size);
}

int
keyring_arenas_create(struct keyring *keyring, bool keep_secrets, int socket)
{
	keyring->locked = true;
	keyring->keys = arena_create(keys_size(keyring), socket, &keyring->locked);
	if (keyring->keys == NULL)
		return -ENOMEM;
	if (!keep_secrets)
		return 0;
	keyring->secrets = arena_create(secrets_size(keyring), socket, &keyring->locked);
	return keyring->secrets != NULL ? 0 : -ENOMEM;
}

void
keyring_arenas_destroy(struct keyring *keyring)
{
	arena_destroy(keyring->keys, keys_size(keyring));
	arena_destroy(keyring->secrets, secrets_size(keyring));
}

bool
keyring_locked(const struct keyring *keyring)
{
	return keyring->locked;
}

void
keyring_secret_keep(struct keyring *keyring, uint32_t slot, const struct keyring_spec *spec)
{
	if (keyring->secrets != NULL)
		memcpy(keyring->secrets[slot], spec->secret, spec->secret_len);
}

void
keyring_secret_wipe(struct keyring *keyring, uint32_t slot)
{
	if (keyring->secrets != NULL)
		hmac_wipe(keyring->secrets[slot], HMAC_SECRET_MAX);
}

int
keyring_secret(const struct keyring *keyring, uint32_t id, uint8_t secret[HMAC_SECRET_MAX])
{
	const struct keyring_key *key = keyring_lookup(keyring, id);

	if (key == NULL)
		return -ENOENT;
	if (keyring->secrets == NULL)
		return -ENOTSUP;
	memcpy(secret, keyring->secrets[key->slot], key->secret_len);
	return key->secret_len;
}
