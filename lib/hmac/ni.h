/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels on SHA instructions share: fetching and padding a text, 16 octets at a time. */
#ifndef SEGSEAL_HMAC_NI_H
#define SEGSEAL_HMAC_NI_H

#include <string.h>

#include <immintrin.h>

#include "hmac/kernel.h"

#define NI_STREAMS 4u

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

/* Cut job's text; blocks is how many there will be in all. */
static inline void
ni_cut(struct ni_text *t, const struct hmac_job *job, unsigned blocks)
{
	unsigned len = job->text_len;
	unsigned tail_len = len % 64;
	unsigned chunks = tail_len / 16;
	unsigned last; /* chunk of tail that the length ends */
	/* The padded key was hashed before the text. */
	uint64_t bits = ((uint64_t)len + 64) * 8;

	t->text = job->text;
	t->whole = len / 64;
	last = 4 * (blocks - t->whole) - 1;
	for (unsigned i = 0; i < 8; i++)
		t->tail[i] = _mm_setzero_si128();
	for (unsigned i = 0; i < chunks; i++)
		t->tail[i] = ni_load(job->text + 64 * t->whole + 16 * i);
	t->tail[chunks] = _mm_or_si128(ni_rest(job->text, len, tail_len % 16),
				       ni_load(ni_mark + 16 - tail_len % 16));
	t->tail[last] =
		_mm_or_si128(t->tail[last], _mm_set_epi64x((long long)__builtin_bswap64(bits), 0));
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

/* How many of n jobs are interleaved next: four, or three where that leaves no one alone. */
static inline unsigned
ni_take(unsigned n)
{
	if (n <= 4)
		return n;
	return n == 5 || n == 6 || n == 9 ? 3 : 4;
}

#endif
