/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels on SHA instructions share: fetching and padding a text, 16 octets at a time. */
#ifndef SEGSEAL_HMAC_NI_H
#define SEGSEAL_HMAC_NI_H

#include <string.h>

#include <immintrin.h>

#include "hmac/kernel.h"

#define NI_STREAMS 3u

/* For stream j of the first n, n a constant: no loop is left of it. */
#define NI_EACH(j, n) _Pragma("GCC unroll 3") for (unsigned j = 0; j < NI_STREAMS; j++) if (j < (n))

/* A text cut into whole blocks, read where they lie, and one or two blocks with the padding. */
struct ni_text {
	const uint8_t *text;
	unsigned whole; /* blocks */
	__m128i tail[8];
};

/* Loading 16 octets at 16 - n gives a shuffle that moves the last n octets of 16 to the front and
 * clears the others. */
static const uint8_t ni_last[32] = {
	0,    1,    2,	  3,	4,    5,    6,	  7,	8,    9,    10,
	11,   12,   13,	  14,	15,   0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
};

/* Loading 16 octets at 16 - n gives 0x80 in place n and zero elsewhere. */
static const uint8_t ni_mark[32] = {[16] = 0x80};

static inline __m128i
ni_load(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

/* The last n < 16 octets of text[0..len), moved to the front, zero behind. */
static inline __m128i
ni_rest(const uint8_t *text, unsigned len, unsigned n)
{
	uint8_t octets[16] = {0};

	if (__builtin_expect(len >= 16, 1))
		return _mm_shuffle_epi8(ni_load(text + len - 16), ni_load(ni_last + 16 - n));
	memcpy(octets, text, len);
	return ni_load(octets);
}

/* Keeps the compiler from seeing a loop that copies memory, which it would do in smaller pieces
 * than are loaded again: a store that cannot be forwarded. */
static inline void
ni_store(__m128i *p, __m128i v)
{
	__asm__("" : "+x"(v));
	_mm_store_si128(p, v);
}

/* Cut job's text; blocks is how many there will be in all. */
static inline __attribute__((always_inline)) void
ni_cut(struct ni_text *t, const struct hmac_job *job, unsigned blocks)
{
	unsigned len = job->text_len;
	unsigned tail_len = len % 64;
	unsigned chunks = tail_len / 16;
	const uint8_t *tail = job->text + (len - tail_len);
	const __m128i zero = _mm_setzero_si128();
	/* The padded key was hashed before the text. */
	const uint64_t bits = ((uint64_t)len + 64) * 8;
	__m128i length = _mm_set_epi64x((long long)__builtin_bswap64(bits), 0);
	__m128i end = _mm_or_si128(ni_rest(job->text, len, tail_len % 16),
				   ni_load(ni_mark + 16 - tail_len % 16));

	t->text = job->text;
	t->whole = len / 64;
	if (blocks - t->whole == 2) {
		ni_store(&t->tail[4], zero);
		ni_store(&t->tail[5], zero);
		ni_store(&t->tail[6], zero);
		ni_store(&t->tail[7], length);
		length = zero;
	}
#pragma GCC unroll 3
	for (unsigned i = 0; i < 3; i++) {
		if (i < chunks)
			ni_store(&t->tail[i], ni_load(tail + 16 * i));
		else
			ni_store(&t->tail[i], i == chunks ? end : zero);
	}
	ni_store(&t->tail[3], chunks == 3 ? _mm_or_si128(end, length) : length);
}

/* Where the 64 octets of this block lie. */
static inline const uint8_t *
ni_block(const struct ni_text *t, unsigned block)
{
	return block < t->whole ? t->text + 64 * block
				: (const uint8_t *)(t->tail + 4 * (block - t->whole));
}

/* A digest of 32 octets at most, and zero behind it. */
static inline void
ni_put_tag(uint8_t *tag, __m128i low, __m128i high)
{
	_mm_storeu_si128((__m128i *)tag, low);
	_mm_storeu_si128((__m128i *)(tag + 16), high);
	_mm_storeu_si128((__m128i *)(tag + 32), _mm_setzero_si128());
	_mm_storeu_si128((__m128i *)(tag + 48), _mm_setzero_si128());
}

/* How many of n jobs are interleaved next. A fourth stream would have no registers, and alone is
 * slowest. */
static inline unsigned
ni_take(unsigned n)
{
	return n == 4 ? 2 : n < NI_STREAMS ? n : NI_STREAMS;
}

#endif
