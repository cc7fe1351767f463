/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our own hash loops for short texts under prepared keys. IPsec-MB moves each job into a lane and
 * out of it again, which for two or three compressions costs as much as the hashing; these take a
 * group whose lanes all finish together, and pad and hash it in one go.
 *
 * A kernel computes n jobs of one algorithm whose texts all take the same number of compressions
 * (hmac_text_blocks()), 1 <= text_len <= HMAC_TEXT_MAX, and writes HMAC_TAG_MAX octets of tag for
 * each. Datapath; no state; any thread on a CPU that has the instructions.
 */
#ifndef SEGSEAL_HMAC_KERNEL_H
#define SEGSEAL_HMAC_KERNEL_H

#include "hmac/hmac.h"

typedef void (*hmac_kernel)(struct hmac_job *const *jobs, unsigned n, unsigned blocks);

/* SHA instructions, up to three texts interleaved. */
void kernel_ni_sha1(struct hmac_job *const *jobs, unsigned n, unsigned blocks);
void kernel_ni_sha256(struct hmac_job *const *jobs, unsigned n, unsigned blocks);

/* AVX-512: a text in each lane. */
void kernel_x16_sha1(struct hmac_job *const *jobs, unsigned n, unsigned blocks);
void kernel_x16_sha256(struct hmac_job *const *jobs, unsigned n, unsigned blocks);
void kernel_x8_sha384(struct hmac_job *const *jobs, unsigned n, unsigned blocks);
void kernel_x8_sha512(struct hmac_job *const *jobs, unsigned n, unsigned blocks);

/*
 * The state of a SHA-1 or SHA-256 key takes 32 octets of struct hmac_key's arrays at most, in the
 * order of the standard (host byte order). Behind it lies the same again as the SHA instructions
 * want it, two vectors: DCBA and 000E, or FEBA and HGDC, lowest word first.
 */
#define KERNEL_NI_STATE 32u

#endif
