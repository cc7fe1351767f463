/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "eal.h"
#include "keyring_fixture.h"

#define READER 0u
#define READERS_MAX 8u

struct rte_rcu_qsbr *rcu;
struct keyring *keyring;

struct keyring_conf
conf_of(uint32_t capacity)
{
	return (struct keyring_conf){
		.name = "keys", .capacity = capacity, .workers = 3, .rcu = rcu, .socket = 0};
}

int
create(uint32_t capacity)
{
	struct keyring_conf conf = conf_of(capacity);

	keyring = keyring_create(&conf);
	return keyring != NULL ? 0 : -1;
}

int
setup_small(void **state)
{
	(void)state;
	return create(8);
}

int
setup_full_size(void **state)
{
	(void)state;
	return create(0);
}

int
teardown(void **state)
{
	(void)state;
	keyring_destroy(keyring);
	keyring = NULL;
	return 0;
}

struct keyring_spec
spec_of(uint32_t id, const char *secret)
{
	struct keyring_spec spec = {.id = id, .algorithm = HMAC_SHA256, .profile = HMAC_LINUX};

	spec.secret_len = (uint8_t)strlen(secret);
	memcpy(spec.secret, secret, spec.secret_len);
	return spec;
}

struct keyring_spec
numbered(uint32_t id, unsigned version)
{
	char secret[32];

	snprintf(secret, sizeof(secret), "secret %u of %u", version, id);
	return spec_of(id, secret);
}

int
add(uint32_t id, unsigned version)
{
	struct keyring_spec spec = numbered(id, version);

	return keyring_add(keyring, &spec);
}

int
set(uint32_t id, unsigned version)
{
	struct keyring_spec spec = numbered(id, version);

	return keyring_set(keyring, &spec);
}

void
assert_key(const struct keyring_key *key, const struct keyring_spec *spec)
{
	struct hmac_key expected;

	assert_non_null(key);
	assert_int_equal(
		hmac_key_prepare(&expected, spec->algorithm, spec->secret, spec->secret_len), 0);
	assert_memory_equal(key->hmac.inner, expected.inner, sizeof(expected.inner));
	assert_memory_equal(key->hmac.outer, expected.outer, sizeof(expected.outer));
	assert_int_equal(key->hmac.algorithm, spec->algorithm);
	assert_int_equal(key->id, spec->id);
	assert_int_equal(key->profile, spec->profile);
	assert_int_equal(key->secret_len, spec->secret_len);
	assert_int_equal(key->tlv_length, hmac_tlv_length(spec->profile, spec->algorithm));
	assert_int_not_equal(key->generation, 0);
}

void
assert_version(uint32_t id, unsigned version)
{
	struct keyring_spec spec = numbered(id, version);

	assert_key(keyring_lookup(keyring, id), &spec);
}

void
assert_wiped(const struct keyring_key *key)
{
	static const struct keyring_key zero;

	assert_memory_equal(key, &zero, sizeof(zero));
}

bool
mapping_has_flag(const void *p, const char *flag)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long first, end, at = (unsigned long)p;
	bool inside = false, has = false;
	char line[512];

	assert_non_null(smaps);
	while (fgets(line, sizeof(line), smaps) != NULL) {
		if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
			inside = at >= first && at < end;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			has = strstr(line + 8, flag) != NULL;
	}
	fclose(smaps);
	return has;
}

void
reader_start(void)
{
	assert_int_equal(rte_rcu_qsbr_thread_register(rcu, READER), 0);
	rte_rcu_qsbr_thread_online(rcu, READER);
}

void
reader_report(void)
{
	rte_rcu_qsbr_quiescent(rcu, READER);
}

void
reader_stop(void)
{
	rte_rcu_qsbr_thread_offline(rcu, READER);
	assert_int_equal(rte_rcu_qsbr_thread_unregister(rcu, READER), 0);
}

int
keyring_fixture_main(int (*run)(void))
{
	int rc;

	if (eal_start() < 0)
		return 1;
	rcu = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(READERS_MAX), RTE_CACHE_LINE_SIZE);
	if (rcu == NULL || rte_rcu_qsbr_init(rcu, READERS_MAX) != 0)
		return 1;
	rc = run();
	rte_free(rcu);
	rte_eal_cleanup();
	return rc;
}
