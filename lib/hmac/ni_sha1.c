/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC-SHA-1 (FIPS 180-4 section 6.1) on SHA instructions. */
#include "hmac/ni.h"

/* Words of a block in groups of four, the first in the highest place, as the state: DCBA, and E
 * alone in the highest. */
struct stream {
	__m128i dcba, e;
	__m128i w[4];
};

#define INLINE static inline __attribute__((always_inline))

/* Four rounds; the round function is part of the instruction. i is a constant where inlined. */
INLINE __m128i
rounds4(__m128i dcba, __m128i e, unsigned i)
{
	switch (i / 5) {
	case 0:
		return _mm_sha1rnds4_epu32(dcba, e, 0);
	case 1:
		return _mm_sha1rnds4_epu32(dcba, e, 1);
	case 2:
		return _mm_sha1rnds4_epu32(dcba, e, 2);
	default:
		return _mm_sha1rnds4_epu32(dcba, e, 3);
	}
}

/* One compression in each of n streams. n is a constant wherever this is inlined. */
INLINE void
compress(struct stream *s, const unsigned n)
{
	__m128i dcba[NI_STREAMS], before[NI_STREAMS];

	NI_EACH (j, n)
		dcba[j] = s[j].dcba;
#pragma GCC unroll 20
	for (unsigned i = 0; i < 20; i++) {
		NI_EACH (j, n) {
			__m128i *w = s[j].w;
			__m128i e;

			if (i >= 4) {
				__m128i next = _mm_sha1msg1_epu32(w[i % 4], w[(i + 1) % 4]);

				next = _mm_xor_si128(next, w[(i + 2) % 4]);
				w[i % 4] = _mm_sha1msg2_epu32(next, w[(i + 3) % 4]);
			}
			e = i ? _mm_sha1nexte_epu32(before[j], w[i % 4])
			      : _mm_add_epi32(s[j].e, w[0]);
			before[j] = dcba[j];
			dcba[j] = rounds4(dcba[j], e, i);
		}
	}
	NI_EACH (j, n) {
		s[j].e = _mm_sha1nexte_epu32(before[j], s[j].e);
		s[j].dcba = _mm_add_epi32(s[j].dcba, dcba[j]);
	}
}

INLINE void
load_state(struct stream *s, const uint8_t *state)
{
	s->dcba = _mm_load_si128((const __m128i *)(state + KERNEL_NI_STATE));
	s->e = _mm_load_si128((const __m128i *)(state + KERNEL_NI_STATE + 16));
}

INLINE void
run(struct hmac_job *const *jobs, unsigned blocks, const unsigned n)
{
	const __m128i reverse = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
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
				s[j].w[i] = _mm_shuffle_epi8(ni_load(p + 16 * i), reverse);
		}
		compress(s, n);
	}
	NI_EACH (j, n) {
		s[j].w[0] = s[j].dcba;
		s[j].w[1] = _mm_or_si128(s[j].e, _mm_set_epi32(0, (int)0x80000000, 0, 0));
		s[j].w[2] = _mm_setzero_si128();
		s[j].w[3] = _mm_set_epi32(0, 0, 0, (64 + 20) * 8);
		load_state(&s[j], jobs[j]->key->outer);
	}
	compress(s, n);
	NI_EACH (j, n)
		ni_put_tag(jobs[j]->tag, _mm_shuffle_epi8(s[j].dcba, reverse),
			   _mm_shuffle_epi8(s[j].e, reverse));
}

void
kernel_ni_sha1(struct hmac_job *const *jobs, unsigned n, unsigned blocks)
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
