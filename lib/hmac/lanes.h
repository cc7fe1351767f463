/* SPDX-License-Identifier: BSD-3-Clause */
/* What the AVX-512 kernels share: padded text by rows, rows to columns and back, 16 lanes of 32
 * bits or 8 of 64. */
#ifndef SEGSEAL_HMAC_LANES_H
#define SEGSEAL_HMAC_LANES_H

#include <immintrin.h>

#include "hmac/kernel.h"

#define INLINE static inline __attribute__((always_inline))

/*
 * Row number row (64 octets each) of a padded text, of which last is the last row; block_len is
 * what the padded key took before it. The text is not read past its end.
 */
INLINE __m512i
lanes_row(const struct hmac_job *job, unsigned row, unsigned last, unsigned block_len)
{
	unsigned len = job->text_len;
	unsigned from = 64 * row;
	__m512i v;

	if (from + 64 <= len) {
		v = _mm512_loadu_si512(job->text + from);
	} else if (from <= len) {
		unsigned rest = len - from; /* 0..63 */

		v = _mm512_maskz_loadu_epi8((1ull << rest) - 1, job->text + from);
		v = _mm512_mask_mov_epi8(v, 1ull << rest, _mm512_set1_epi8((char)0x80));
	} else {
		v = _mm512_setzero_si512();
	}
	if (row == last) {
		uint64_t bits = ((uint64_t)len + block_len) * 8;

		v = _mm512_mask_set1_epi64(v, 0x80, (long long)__builtin_bswap64(bits));
	}
	return v;
}

/* Columns of 16 rows of 16 words: v[i] word j becomes v[j] word i. */
INLINE void
lanes_transpose_16x16(__m512i v[16])
{
	__m512i a[16], b[16];

#pragma GCC unroll 8
	for (unsigned i = 0; i < 16; i += 2) {
		a[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
		a[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
	}
#pragma GCC unroll 4
	for (unsigned i = 0; i < 16; i += 4) {
		b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
		b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
		b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
		b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
	}
	/* b[4 * g + c] holds words c, c + 4, c + 8, c + 12 of rows 4 * g .. 4 * g + 3. */
#pragma GCC unroll 4
	for (unsigned c = 0; c < 4; c++) {
		__m512i low = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x88);
		__m512i high = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xdd);
		__m512i low2 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x88);
		__m512i high2 = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xdd);

		v[c] = _mm512_shuffle_i32x4(low, low2, 0x88);
		v[c + 8] = _mm512_shuffle_i32x4(low, low2, 0xdd);
		v[c + 4] = _mm512_shuffle_i32x4(high, high2, 0x88);
		v[c + 12] = _mm512_shuffle_i32x4(high, high2, 0xdd);
	}
}

/* Columns of 8 rows of 8 words of 64 bits. It is its own inverse. */
INLINE void
lanes_transpose_8x8(__m512i v[8])
{
	__m512i a[8], b[8];

#pragma GCC unroll 4
	for (unsigned i = 0; i < 8; i += 2) {
		a[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
		a[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
	}
	/* a[2 * g + c] holds words c, c + 2, c + 4, c + 6 of rows 2 * g and 2 * g + 1. */
#pragma GCC unroll 2
	for (unsigned c = 0; c < 2; c++) {
		b[c] = _mm512_shuffle_i64x2(a[c], a[2 + c], 0x88);
		b[c + 2] = _mm512_shuffle_i64x2(a[c], a[2 + c], 0xdd);
		b[c + 4] = _mm512_shuffle_i64x2(a[4 + c], a[6 + c], 0x88);
		b[c + 6] = _mm512_shuffle_i64x2(a[4 + c], a[6 + c], 0xdd);
		v[c] = _mm512_shuffle_i64x2(b[c], b[c + 4], 0x88);
		v[c + 4] = _mm512_shuffle_i64x2(b[c], b[c + 4], 0xdd);
		v[c + 2] = _mm512_shuffle_i64x2(b[c + 2], b[c + 6], 0x88);
		v[c + 6] = _mm512_shuffle_i64x2(b[c + 2], b[c + 6], 0xdd);
	}
}

/* Columns of the 8 rows of 8 words of 32 bits in each half, whatever is in the other half. It is
 * its own inverse. */
INLINE void
lanes_transpose_halves(__m512i v[8])
{
	const __m512i low = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
	const __m512i high = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
	__m512i a[8], b[8];

#pragma GCC unroll 4
	for (unsigned i = 0; i < 8; i += 2) {
		a[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
		a[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
	}
#pragma GCC unroll 2
	for (unsigned i = 0; i < 8; i += 4) {
		b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
		b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
		b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
		b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
	}
#pragma GCC unroll 4
	for (unsigned c = 0; c < 4; c++) {
		v[c] = _mm512_permutex2var_epi64(b[c], low, b[4 + c]);
		v[c + 4] = _mm512_permutex2var_epi64(b[c], high, b[4 + c]);
	}
}

/* 16 states of 8 words of 32 bits, one of each lane: state[i] is word i of all. offset says which
 * member of struct hmac_key. */
INLINE void
lanes_load_states_16(__m512i state[8], const struct hmac_job *const lanes[16], size_t offset)
{
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		const uint8_t *low = (const uint8_t *)lanes[i]->key + offset;
		const uint8_t *high = (const uint8_t *)lanes[i + 8]->key + offset;

		state[i] = _mm512_inserti64x4(
			_mm512_castsi256_si512(_mm256_load_si256((const __m256i *)low)),
			_mm256_load_si256((const __m256i *)high), 1);
	}
	lanes_transpose_halves(state);
}

/* The reverse, into tags of n lanes, big-endian, zero behind 32 octets. */
INLINE void
lanes_store_tags_16(__m512i state[8], struct hmac_job *const *jobs, unsigned n)
{
	const __m512i swap =
		_mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));

	lanes_transpose_halves(state);
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++) {
		__m512i v = _mm512_shuffle_epi8(state[i], swap);

		if (i < n)
			_mm512_storeu_si512(jobs[i]->tag, _mm512_maskz_mov_epi64(0x0f, v));
		if (i + 8 < n)
			_mm512_storeu_si512(
				jobs[i + 8]->tag,
				_mm512_zextsi256_si512(_mm512_extracti64x4_epi64(v, 1)));
	}
}

#endif
