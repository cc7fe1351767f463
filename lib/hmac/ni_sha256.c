/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HMAC-SHA-256 (FIPS 180-4 section 6.2) on SHA instructions. One text is bound by the latency of
 * sha256rnds2; three interleaved are bound by its throughput.
 */
#include "hmac/ni.h"

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

/* Words of a block, in groups of four; the state as FEBA and HGDC, lowest word first. */
struct stream {
	__m128i feba, hgdc;
	__m128i w[4];
};

#define INLINE static inline __attribute__((always_inline))

/* One compression in each of n streams. n is a constant wherever this is inlined. */
INLINE void
compress(struct stream *s, const unsigned n)
{
	__m128i feba[NI_STREAMS], hgdc[NI_STREAMS];

	NI_EACH (j, n) {
		feba[j] = s[j].feba;
		hgdc[j] = s[j].hgdc;
	}
#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++) {
		const __m128i k = _mm_load_si128((const __m128i *)&round_words[4 * i]);

		NI_EACH (j, n) {
			__m128i *w = s[j].w;
			__m128i kw = _mm_add_epi32(w[i % 4], k);

			hgdc[j] = _mm_sha256rnds2_epu32(hgdc[j], feba[j], kw);
			/* The message schedule, as far ahead as it can be. */
			if (i >= 3 && i < 15) {
				__m128i next = w[(i + 1) % 4];

				next = _mm_add_epi32(next,
						     _mm_alignr_epi8(w[i % 4], w[(i + 3) % 4], 4));
				w[(i + 1) % 4] = _mm_sha256msg2_epu32(next, w[i % 4]);
			}
			kw = _mm_shuffle_epi32(kw, 0x0e);
			feba[j] = _mm_sha256rnds2_epu32(feba[j], hgdc[j], kw);
			if (i >= 1 && i < 13)
				w[(i + 3) % 4] = _mm_sha256msg1_epu32(w[(i + 3) % 4], w[i % 4]);
		}
	}
	NI_EACH (j, n) {
		s[j].feba = _mm_add_epi32(s[j].feba, feba[j]);
		s[j].hgdc = _mm_add_epi32(s[j].hgdc, hgdc[j]);
	}
}

INLINE void
load_state(struct stream *s, const uint8_t *state)
{
	s->feba = _mm_load_si128((const __m128i *)(state + KERNEL_NI_STATE));
	s->hgdc = _mm_load_si128((const __m128i *)(state + KERNEL_NI_STATE + 16));
}

/* The state in the standard's order: DCBA and HGFE, lowest word first is A and E. */
INLINE void
ordered(const struct stream *s, __m128i *abcd, __m128i *efgh)
{
	__m128i abef = _mm_shuffle_epi32(s->feba, 0x1b);
	__m128i ghcd = _mm_shuffle_epi32(s->hgdc, 0xb1);

	*abcd = _mm_blend_epi16(abef, ghcd, 0xf0);
	*efgh = _mm_alignr_epi8(ghcd, abef, 8);
}

INLINE void
run(struct hmac_job *const *jobs, unsigned blocks, const unsigned n)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	struct stream s[NI_STREAMS];
	struct ni_text text[NI_STREAMS];

	NI_EACH (j, n) {
		ni_cut(&text[j], jobs[j], blocks);
		load_state(&s[j], jobs[j]->key->inner);
	}
	for (unsigned block = 0; block < blocks; block++) {
		NI_EACH (j, n) {
			const uint8_t *p = ni_block(&text[j], block);

#pragma GCC unroll 4
			for (unsigned i = 0; i < 4; i++)
				s[j].w[i] = _mm_shuffle_epi8(ni_load(p + 16 * i), swap);
		}
		compress(s, n);
	}
	NI_EACH (j, n) {
		ordered(&s[j], &s[j].w[0], &s[j].w[1]);
		s[j].w[2] = _mm_set_epi32(0, 0, 0, (int)0x80000000);
		s[j].w[3] = _mm_set_epi32((64 + 32) * 8, 0, 0, 0);
		load_state(&s[j], jobs[j]->key->outer);
	}
	compress(s, n);
	NI_EACH (j, n) {
		__m128i abcd, efgh;

		ordered(&s[j], &abcd, &efgh);
		ni_put_tag(jobs[j]->tag, _mm_shuffle_epi8(abcd, swap),
			   _mm_shuffle_epi8(efgh, swap));
	}
}

void
kernel_ni_sha256(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
{
	while (n > 0) {
		unsigned take = ni_take(n);

		switch (take) {
		case 3:
			run(jobs, blocks, 3);
			break;
		case 2:
			run(jobs, blocks, 2);
			break;
		default:
			run(jobs, blocks, 1);
		}
		jobs += take;
		n -= take;
	}
}
