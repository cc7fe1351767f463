/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC-SHA-1 (FIPS 180-4 section 6.1) in 16 lanes of AVX-512. */
#include "hmac/lanes.h"

#define ADD(x, y) _mm512_add_epi32(x, y)
#define ROL(x, n) _mm512_rol_epi32(x, n)
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define CHOOSE(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJORITY(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0xe8)

#define K1 0x5a827999
#define K2 0x6ed9eba1
#define K3 (int)0x8f1bbcdc
#define K4 (int)0xca62c1d6

/* Word i in place of the one 16 before. */
#define SCHEDULE(w, i)                                                                             \
	(w[(i)&15] = ROL(_mm512_xor_si512(XOR3(w[(i)&15], w[((i) + 2) & 15], w[((i) + 8) & 15]),   \
					  w[((i) + 13) & 15]),                                     \
			 1))
#define WORD(i) ((i) < 16 ? w[(i)&15] : SCHEDULE(w, i))

/* One round; what the standard moves from letter to letter is the caller's order of arguments. */
#define ROUND(a, b, c, d, e, F, K, i)                                                              \
	do {                                                                                       \
		e = ADD(ADD(e, ADD(WORD(i), _mm512_set1_epi32(K))), ADD(F(b, c, d), ROL(a, 5)));   \
		b = ROL(b, 30);                                                                    \
	} while (0)
#define ROUNDS5(F, K, i)                                                                           \
	ROUND(a, b, c, d, e, F, K, i);                                                             \
	ROUND(e, a, b, c, d, F, K, i + 1);                                                         \
	ROUND(d, e, a, b, c, F, K, i + 2);                                                         \
	ROUND(c, d, e, a, b, F, K, i + 3);                                                         \
	ROUND(b, c, d, e, a, F, K, i + 4)
#define ROUNDS20(F, K, i)                                                                          \
	ROUNDS5(F, K, i);                                                                          \
	ROUNDS5(F, K, i + 5);                                                                      \
	ROUNDS5(F, K, i + 10);                                                                     \
	ROUNDS5(F, K, i + 15)

/* One compression in all lanes. */
static void
compress(__m512i state[5], const __m512i block[16])
{
	__m512i a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
	__m512i w[16];

#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++)
		w[i] = block[i];
	ROUNDS20(CHOOSE, K1, 0);
	ROUNDS20(XOR3, K2, 20);
	ROUNDS20(MAJORITY, K3, 40);
	ROUNDS20(XOR3, K4, 60);
	state[0] = ADD(state[0], a);
	state[1] = ADD(state[1], b);
	state[2] = ADD(state[2], c);
	state[3] = ADD(state[3], d);
	state[4] = ADD(state[4], e);
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
	for (unsigned i = 0; i < 5; i++)
		w[i] = state[i];
	w[5] = _mm512_set1_epi32((int)0x80000000);
	for (unsigned i = 6; i < 15; i++)
		w[i] = _mm512_setzero_si512();
	w[15] = _mm512_set1_epi32((64 + 20) * 8);
	lanes_load_states_16(state, lanes, offsetof(struct hmac_key, outer));
	compress(state, w);
	for (unsigned i = 5; i < 8; i++)
		state[i] = _mm512_setzero_si512();
	lanes_store_tags_16(state, jobs, n);
}

void
kernel_x16_sha1(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	for (; n > 16; n -= 16, jobs += 16)
		run(jobs, 16, blocks);
	run(jobs, n, blocks);
}
