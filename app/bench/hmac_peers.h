/* SPDX-License-Identifier: BSD-3-Clause */
/* Those who can compute HMACs, under one interface. */
#ifndef SEGSEAL_BENCH_HMAC_PEERS_H
#define SEGSEAL_BENCH_HMAC_PEERS_H

#include "hmac/hmac.h"

/* The same for all of them. */
struct hmac_work {
	enum hmac_algorithm algorithm;
	const uint8_t *secret;
	unsigned secret_len;
	unsigned n; /* messages, 1..HMAC_BATCH_MAX */
	const uint8_t *text[HMAC_BATCH_MAX];
	unsigned text_len;
	uint8_t (*tags)[HMAC_TAG_MAX];
};

struct hmac_peer {
	const char *name;
	/* Get ready for work, which stays as it is until the next load(). -1: cannot do it. */
	int (*load)(void *state, const struct hmac_work *work);
	/* Compute all tags. */
	void (*run)(void *state);
	void (*close)(void *state);
	void *state;
};

#define PEERS_MAX 16u

/* Each appends those that it can open here to peers[*n..PEERS_MAX) and says on stderr which it
 * cannot and why. */
void peers_segseal(struct hmac_peer *peers, unsigned *n);
void peers_imb(struct hmac_peer *peers, unsigned *n);
void peers_openssl(struct hmac_peer *peers, unsigned *n);
void peers_cryptodev(struct hmac_peer *peers, unsigned *n);

#endif
