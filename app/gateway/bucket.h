/* SPDX-License-Identifier: BSD-3-Clause */
/* A token bucket that holds one second's worth. Control thread. */
#ifndef SEGSEAL_GATEWAY_BUCKET_H
#define SEGSEAL_GATEWAY_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#define BUCKET_TOKEN 1000000000ull /* nanoseconds in a second: credit for one token */
#define BUCKET_RATE_MAX 1000000u

struct bucket {
	uint32_t rate; /* tokens a second, 1..BUCKET_RATE_MAX */
	uint64_t credit;
	uint64_t at; /* nanoseconds: when credit was right */
};

/* Full. */
static inline struct bucket
bucket_make(uint32_t rate, uint64_t now)
{
	return (struct bucket){.rate = rate, .credit = rate * BUCKET_TOKEN, .at = now};
}

/* Whether there is a token. A clock that goes back gives none. */
static inline bool
bucket_has(struct bucket *bucket, uint64_t now)
{
	uint64_t elapsed = now > bucket->at ? now - bucket->at : 0;
	const uint64_t full = bucket->rate * BUCKET_TOKEN;

	if (elapsed > BUCKET_TOKEN)
		elapsed = BUCKET_TOKEN;
	bucket->credit += elapsed * bucket->rate;
	if (bucket->credit > full)
		bucket->credit = full;
	if (now > bucket->at)
		bucket->at = now;
	return bucket->credit >= BUCKET_TOKEN;
}

/* After bucket_has() has said true. */
static inline void
bucket_take(struct bucket *bucket)
{
	bucket->credit -= BUCKET_TOKEN;
}

#endif
