/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HMAC (RFC 2104) with keys prepared ahead of time, many messages in one call, and the two texts
 * that SRv6 hashes: the RFC 8754 section 2.1.2.1 one and Linux's.
 *
 * Preparing and wiping keys and creating engines is control work and may allocate. Everything that
 * takes a struct hmac_engine is datapath: one thread per engine, no lock, no allocation, no system
 * call.
 */
#ifndef SEGSEAL_HMAC_H
#define SEGSEAL_HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <emmintrin.h>

#include "srh/srh.h"

enum hmac_algorithm { HMAC_SHA1, HMAC_SHA256, HMAC_SHA384, HMAC_SHA512, HMAC_ALGORITHMS };
enum hmac_profile { HMAC_LINUX, HMAC_RFC8754, HMAC_PROFILES };

#define HMAC_SECRET_MAX 64u /* octets of a secret: 1..64 */
#define HMAC_TAG_MAX 64u    /* octets of the longest digest */
#define HMAC_FIELD_MAX 32u  /* octets of HMAC that a TLV carries at most */
#define HMAC_TEXT_MAX (24u + SRH_SEGMENT_LEN * 128u)
#define HMAC_BATCH_MAX 128u /* jobs in one hmac_run() */

/* "sha256", "rfc8754"; NULL for a value out of range. The _parse functions answer -EINVAL. */
const char *hmac_algorithm_name(enum hmac_algorithm algorithm);
const char *hmac_profile_name(enum hmac_profile profile);
int hmac_algorithm_parse(const char *name, enum hmac_algorithm *algorithm);
int hmac_profile_parse(const char *name, enum hmac_profile *profile);
/* Octets of the whole digest: 20, 32, 48, 64. */
unsigned hmac_digest_len(enum hmac_algorithm algorithm);

/* Inner and outer hash states after the padded key, so that a message costs no key work. Which
 * octets hold what is lib/hmac's own business. */
struct hmac_key {
	uint8_t inner[64];
	uint8_t outer[64];
	enum hmac_algorithm algorithm;
} __attribute__((aligned(64)));

/*
 * Prepare key from secret[0..len), len 1..64 (-EINVAL otherwise, or for an unknown algorithm;
 * -ENOTSUP if the library cannot run here; *key is untouched then). The secret is not kept: the
 * caller wipes it. Control threads only.
 */
int hmac_key_prepare(struct hmac_key *key, enum hmac_algorithm algorithm, const uint8_t *secret,
		     size_t len);
/*
 * The whole HMAC over text[0..text_len), at most HMAC_TEXT_MAX octets, from the raw secret: for a
 * fingerprint or a check now and then. tag is zero behind the digest's length. -EINVAL, -ENOTSUP as
 * hmac_key_prepare(). Control threads only.
 */
int hmac_compute(enum hmac_algorithm algorithm, const uint8_t *secret, size_t len,
		 const uint8_t *text, size_t text_len, uint8_t tag[HMAC_TAG_MAX]);
/* Overwrite so that no compiler leaves it out. Any thread that owns the memory. */
void hmac_key_wipe(struct hmac_key *key);
void hmac_wipe(void *p, size_t len);

/* --- the SRv6 constructions; any thread --- */

/* Length field of the HMAC TLV that this profile and algorithm make: 30 or 38. */
uint8_t hmac_tlv_length(enum hmac_profile profile, enum hmac_algorithm algorithm);
/* Octets of HMAC in the TLV after its first 8: 24 or 32. Zero-padded when the digest is shorter. */
static inline unsigned
hmac_field_len(uint8_t tlv_length)
{
	return tlv_length - 6u;
}
/* Octets that hmac_text() writes. */
static inline unsigned
hmac_text_len(enum hmac_profile profile, unsigned segments)
{
	return (profile == HMAC_LINUX ? 22u : 24u) + SRH_SEGMENT_LEN * segments;
}
/*
 * Gather the authenticated octets of the frame that view was made from into text (room for
 * hmac_text_len(profile, last_entry + 1)); view->hmac_off must be set and the SRH contiguous.
 * Returns their number.
 */
unsigned hmac_text(enum hmac_profile profile, const uint8_t *frame, const struct srh_view *view,
		   uint8_t *text);

/* --- the batch engine; one thread per engine --- */

struct hmac_engine;

struct hmac_job {
	const struct hmac_key *key;
	const uint8_t *text;
	uint16_t text_len; /* 1..HMAC_TEXT_MAX; other lengths are answered with ok = false */
	bool ok;      /* out: false = no HMAC was made, and tag is all zero: not to be compared */
	uint8_t *tag; /* out: HMAC_TAG_MAX octets, zero behind the digest's length; best aligned
		       * to 64 */
};

/*
 * Make an engine on a NUMA socket (-1: any): allocates its IPsec-MB managers, runs the known-answer
 * test of each algorithm on each manager, calibrates which manager serves which batch. NULL with
 * *error (static text) if a test fails: the program must refuse to run. Control thread; the worker
 * that uses it afterwards is its only user.
 */
struct hmac_engine *hmac_engine_create(int socket, const char **error);
void hmac_engine_destroy(struct hmac_engine *engine);

/* Compute n <= HMAC_BATCH_MAX independent HMACs, any mix of keys, algorithms and lengths. Which
 * manager computes what never changes a tag. */
void hmac_run(struct hmac_engine *engine, struct hmac_job *jobs, unsigned n);

/* Managers this CPU can run, by index; NULL past the last. For tests, benchmarks, show engine. */
const char *hmac_engine_manager_name(const struct hmac_engine *engine, unsigned manager);
/* Force one manager for all jobs (for tests and benchmarks); -1 gives the choice back. -EINVAL. */
int hmac_engine_force_manager(struct hmac_engine *engine, int manager);

/* Length classes: texts of 1, 2, .. HMAC_CLASSES - 1 compressions of the inner hash, and longer. */
#define HMAC_CLASSES 6u
/* Compressions of the inner hash that a text costs after a prepared key. */
unsigned hmac_text_blocks(enum hmac_algorithm algorithm, unsigned text_len);

/* What the engine does with a group of jobs of one algorithm and length class. */
struct hmac_choice {
	unsigned manager;
	unsigned take;	 /* so many go to manager in one call, the rest is chosen anew */
	uint32_t cycles; /* calibrated TSC cycles of that call; 0 = not calibrated */
};

/* The choice for a group of n of texts of blocks compressions. -EINVAL. Any thread. */
int hmac_engine_choice(const struct hmac_engine *engine, enum hmac_algorithm algorithm,
		       unsigned blocks, unsigned n, struct hmac_choice *choice);
/* False if the TSC gave no sense and managers are chosen by rule of thumb. */
bool hmac_engine_calibrated(const struct hmac_engine *engine);

/* --- comparison; any thread --- */

/* True iff a[0..len) and b[0..len) are the same; time depends on len alone. */
bool hmac_equal(const uint8_t *a, const uint8_t *b, size_t len);
/* The same for the HMAC field of a TLV, len 24 or 32: no loop, for the packet path. */
static inline bool
hmac_field_equal(const uint8_t *a, const uint8_t *b, unsigned len)
{
	__m128i low = _mm_xor_si128(_mm_loadu_si128((const __m128i *)a),
				    _mm_loadu_si128((const __m128i *)b));
	__m128i high = len == HMAC_FIELD_MAX
			       ? _mm_xor_si128(_mm_loadu_si128((const __m128i *)(a + 16)),
					       _mm_loadu_si128((const __m128i *)(b + 16)))
			       : _mm_xor_si128(_mm_loadl_epi64((const __m128i *)(a + 16)),
					       _mm_loadl_epi64((const __m128i *)(b + 16)));
	__m128i same = _mm_cmpeq_epi8(_mm_or_si128(low, high), _mm_setzero_si128());

	return _mm_movemask_epi8(same) == 0xffff;
}

#endif
