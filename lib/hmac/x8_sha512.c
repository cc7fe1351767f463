/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC-SHA-512 and HMAC-SHA-384 (FIPS 180-4 sections 6.4 and 6.5) in 8 lanes of AVX-512. */
#include "hmac/lanes.h"

static const uint64_t round_words[80] __attribute__((aligned(64))) = {
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
	0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
	0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
	0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
	0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
	0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
	0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
	0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
	0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
	0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
	0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
	0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
	0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
	0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
	0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
	0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
	0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

#define ADD(x, y) _mm512_add_epi64(x, y)
#define ROR(x, n) _mm512_ror_epi64(x, n)
#define XOR3(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#define CHOOSE(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0xca)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0xe8)
#define BIG0(x) XOR3(ROR(x, 28), ROR(x, 34), ROR(x, 39))
#define BIG1(x) XOR3(ROR(x, 14), ROR(x, 18), ROR(x, 41))
#define SMALL0(x) XOR3(ROR(x, 1), ROR(x, 8), _mm512_srli_epi64(x, 7))
#define SMALL1(x) XOR3(ROR(x, 19), ROR(x, 61), _mm512_srli_epi64(x, 6))

/* Word i of the next 16 in place of the one 16 before. */
#define SCHEDULE(w, i)                                                                             \
	(w[i] = ADD(ADD(w[i], SMALL0(w[((i) + 1) & 15])),                                          \
		    ADD(w[((i) + 9) & 15], SMALL1(w[((i) + 14) & 15]))))

/* One round; what the standard moves from letter to letter is the caller's order of arguments. */
#define ROUND(a, b, c, d, e, f, g, h, kw)                                                          \
	do {                                                                                       \
		__m512i t1 = ADD(ADD(h, kw), ADD(CHOOSE(e, f, g), BIG1(e)));                       \
		d = ADD(d, t1);                                                                    \
		h = ADD(t1, ADD(MAJORITY(a, b, c), BIG0(a)));                                      \
	} while (0)

#define KW(i) ADD(w[i], _mm512_set1_epi64((long long)k[i]))
#define NEXT_KW(i) ADD(SCHEDULE(w, i), _mm512_set1_epi64((long long)k[i]))
#define ROUNDS8(i, KW_)                                                                            \
	ROUND(a, b, c, d, e, f, g, h, KW_(i));                                                     \
	ROUND(h, a, b, c, d, e, f, g, KW_(i + 1));                                                 \
	ROUND(g, h, a, b, c, d, e, f, KW_(i + 2));                                                 \
	ROUND(f, g, h, a, b, c, d, e, KW_(i + 3));                                                 \
	ROUND(e, f, g, h, a, b, c, d, KW_(i + 4));                                                 \
	ROUND(d, e, f, g, h, a, b, c, KW_(i + 5));                                                 \
	ROUND(c, d, e, f, g, h, a, b, KW_(i + 6));                                                 \
	ROUND(b, c, d, e, f, g, h, a, KW_(i + 7))

/* One compression in all lanes. */
static void
compress(__m512i state[8], const __m512i block[16])
{
	__m512i a = state[0], b = state[1], c = state[2], d = state[3];
	__m512i e = state[4], f = state[5], g = state[6], h = state[7];
	const uint64_t *k = round_words;
	__m512i w[16];

	/* Or the compiler makes constants of them, which cost more than operands in memory. */
	__asm__("" : "+r"(k));
#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++)
		w[i] = block[i];
	ROUNDS8(0, KW);
	ROUNDS8(8, KW);
	for (unsigned i = 16; i < 80; i += 16) {
		k += 16;
		ROUNDS8(0, NEXT_KW);
		ROUNDS8(8, NEXT_KW);
	}
	state[0] = ADD(state[0], a);
	state[1] = ADD(state[1], b);
	state[2] = ADD(state[2], c);
	state[3] = ADD(state[3], d);
	state[4] = ADD(state[4], e);
	state[5] = ADD(state[5], f);
	state[6] = ADD(state[6], g);
	state[7] = ADD(state[7], h);
}

static void
load_states(__m512i state[8], const struct hmac_job *const lanes[8], size_t offset)
{
#pragma GCC unroll 8
	for (unsigned i = 0; i < 8; i++)
		state[i] = _mm512_load_si512((const uint8_t *)lanes[i]->key + offset);
	lanes_transpose_8x8(state);
}

/* words: how many of 8 are the digest. */
INLINE void
run(struct hmac_job *const *jobs, unsigned n, unsigned blocks, const unsigned words)
{
	const __m512i swap =
		_mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
	const struct hmac_job *lanes[8];
	__m512i state[8], w[16];

	for (unsigned i = 0; i < 8; i++)
		lanes[i] = jobs[i < n ? i : 0];
	load_states(state, lanes, offsetof(struct hmac_key, inner));
	for (unsigned block = 0; block < blocks; block++) {
#pragma GCC unroll 2
		for (unsigned half = 0; half < 2; half++) {
#pragma GCC unroll 8
			for (unsigned i = 0; i < 8; i++)
				w[8 * half + i] = _mm512_shuffle_epi8(
					lanes_row(lanes[i], 2 * block + half, 2 * blocks - 1, 128),
					swap);
			lanes_transpose_8x8(w + 8 * half);
		}
		compress(state, w);
	}
	for (unsigned i = 0; i < words; i++)
		w[i] = state[i];
	w[words] = _mm512_set1_epi64((long long)(1ull << 63));
	for (unsigned i = words + 1; i < 15; i++)
		w[i] = _mm512_setzero_si512();
	w[15] = _mm512_set1_epi64((128 + 8 * (long long)words) * 8);
	load_states(state, lanes, offsetof(struct hmac_key, outer));
	compress(state, w);
	lanes_transpose_8x8(state);
	for (unsigned i = 0; i < n; i++) {
		__m512i tag = _mm512_shuffle_epi8(state[i], swap);

		_mm512_storeu_si512(jobs[i]->tag,
				    _mm512_maskz_mov_epi64((__mmask8)((1u << words) - 1), tag));
	}
}

void
kernel_x8_sha384(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	for (; n > 8; n -= 8, jobs += 8)
		run(jobs, 8, blocks, 6);
	run(jobs, n, blocks, 6);
}

void
kernel_x8_sha512(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	for (; n > 8; n -= 8, jobs += 8)
		run(jobs, 8, blocks, 8);
	run(jobs, n, blocks, 8);
}
