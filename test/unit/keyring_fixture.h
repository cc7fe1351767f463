/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A keyring for tests, with keys whose secret follows from ID and version, and one reader whose
 * reports the test gives by hand.
 */
#ifndef SEGSEAL_TEST_KEYRING_FIXTURE_H
#define SEGSEAL_TEST_KEYRING_FIXTURE_H

#include <stdint.h>

#include "keyring/keyring.h"

extern struct rte_rcu_qsbr *rcu;
extern struct keyring *keyring;

/* Start DPDK, make rcu, run the tests of the calling program: what main() returns. */
int keyring_fixture_main(int (*run)(void));

struct keyring_conf conf_of(uint32_t capacity);
int create(uint32_t capacity);
/* Setup functions of cmocka: 8 keys, KEYRING_CAPACITY keys. */
int setup_small(void **state);
int setup_full_size(void **state);
int teardown(void **state);

struct keyring_spec spec_of(uint32_t id, const char *secret);
/* A secret of its own for each ID and version. */
struct keyring_spec numbered(uint32_t id, unsigned version);
int add(uint32_t id, unsigned version);
int set(uint32_t id, unsigned version);

void assert_key(const struct keyring_key *key, const struct keyring_spec *spec);
/* The ID has the key of this version. */
void assert_version(uint32_t id, unsigned version);
void assert_wiped(const struct keyring_key *key);

/* The kernel's flags of the mapping that holds p: " dd" keeps it out of core dumps, " dc" out of
 * child processes. */
bool mapping_has_flag(const void *p, const char *flag);

void reader_start(void);
void reader_report(void);
void reader_stop(void);

#endif
