/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC-SHA-256 (FIPS 180-4 section 6.2) in 16 lanes of AVX-512. */
#include "hmac/lanes.h"

static const uint32_t round_words[64] __attribute__((aligned(64))) = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

#define ADD(x, y) _mm512_add_epi32(x, y)
#define ROR(x, n) _mm512_ror_epi32(x, n)
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define CHOOSE(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xe8)
#define BIG0(x) XOR3(ROR(x, 2), ROR(x, 13), ROR(x, 22))
#define BIG1(x) XOR3(ROR(x, 6), ROR(x, 11), ROR(x, 25))
#define SMALL0(x) XOR3(ROR(x, 7), ROR(x, 18), _mm512_srli_epi32(x, 3))
#define SMALL1(x) XOR3(ROR(x, 17), ROR(x, 19), _mm512_srli_epi32(x, 10))

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

#define KW(i) ADD(w[i], _mm512_set1_epi32((int)k[i]))
#define ROUNDS8(i, KW_)                                                                            \
	ROUND(a, b, c, d, e, f, g, h, KW_(i));                                                     \
	ROUND(h, a, b, c, d, e, f, g, KW_(i + 1));                                                 \
	ROUND(g, h, a, b, c, d, e, f, KW_(i + 2));                                                 \
	ROUND(f, g, h, a, b, c, d, e, KW_(i + 3));                                                 \
	ROUND(e, f, g, h, a, b, c, d, KW_(i + 4));                                                 \
	ROUND(d, e, f, g, h, a, b, c, KW_(i + 5));                                                 \
	ROUND(c, d, e, f, g, h, a, b, KW_(i + 6));                                                 \
	ROUND(b, c, d, e, f, g, h, a, KW_(i + 7))
#define NEXT_KW(i) ADD(SCHEDULE(w, i), _mm512_set1_epi32((int)k[i]))

/* One compression in all lanes; uses up block. */
static void
compress(__m512i state[8], const __m512i block[16])
{
	__m512i a = state[0], b = state[1], c = state[2], d = state[3];
	__m512i e = state[4], f = state[5], g = state[6], h = state[7];
	const uint32_t *k = round_words;
	__m512i w[16];

	/* Or the compiler makes constants of them, which cost more than operands in memory. */
	__asm__("" : "+r"(k));
#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++)
		w[i] = block[i];
	ROUNDS8(0, KW);
	ROUNDS8(8, KW);
	for (unsigned i = 16; i < 64; i += 16) {
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
run(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	const __m512i swap =
		_mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
	const struct hmac_job *lanes[16];
	__m512i state[8], w[16];

	for (unsigned i = 0; i < 16; i++)
		lanes[i] = jobs[i < n ? i : 0];
	lanes_load_states_16(state, lanes, offsetof(struct hmac_key, inner));
	for (unsigned block = 0; block < blocks; block++) {
#pragma GCC unroll 16
		for (unsigned i = 0; i < 16; i++)
			w[i] = _mm512_shuffle_epi8(lanes_row(lanes[i], block, blocks - 1, 64),
						   swap);
		lanes_transpose_16x16(w);
		compress(state, w);
	}
	for (unsigned i = 0; i < 8; i++)
		w[i] = state[i];
	w[8] = _mm512_set1_epi32((int)0x80000000);
	for (unsigned i = 9; i < 15; i++)
		w[i] = _mm512_setzero_si512();
	w[15] = _mm512_set1_epi32((64 + 32) * 8);
	lanes_load_states_16(state, lanes, offsetof(struct hmac_key, outer));
	compress(state, w);
	lanes_store_tags_16(state, jobs, n);
}

void
kernel_x16_sha256(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	for (; n > 16; n -= 16, jobs += 16)
		run(jobs, 16, blocks);
	run(jobs, n, blocks);
}
