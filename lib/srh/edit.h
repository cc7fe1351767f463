/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Part of srh/srh.h: open and close the room of a TLV, and keep both length fields right. Inline,
 * for in the packet path a call and a library's memmove() cost more than the work.
 */
#ifndef SEGSEAL_SRH_EDIT_H
#define SEGSEAL_SRH_EDIT_H

#include <assert.h>
#include <string.h>

#include "srh/srh.h"

static inline uint16_t
srh_hmac_place(const struct srh_view *view, bool last)
{
	return last ? view->srh_off + view->srh_len : view->tlv_off;
}

static inline enum srh_fit
srh_fits(const struct srh_view *view, uint32_t n)
{
	if (n > SRH_MAX_LEN || view->srh_len + n > SRH_MAX_LEN ||
	    view->chain_end + n > SRH_MAX_CHAIN_LEN || view->tlvs >= SRH_MAX_TLVS)
		return SRH_FULL;
	if (view->ip_payload + n > UINT16_MAX)
		return SRH_TOO_BIG;
	return SRH_FITS;
}

struct srh_block {
	uint8_t octets[16];
};

static inline struct srh_block
srh_block_load(const uint8_t *p)
{
	struct srh_block block;

	memcpy(&block, p, sizeof(block));
	return block;
}

static inline void
srh_block_store(uint8_t *p, struct srh_block block)
{
	memcpy(p, &block, sizeof(block));
}

/* Move len >= 32 octets from frame + n to frame. */
static inline void
srh_move_down(uint8_t *frame, uint32_t n, uint32_t len)
{
	struct srh_block last[2] = {srh_block_load(frame + n + len - 32),
				    srh_block_load(frame + n + len - 16)};

	for (uint32_t off = 0; off + 32 < len; off += 32) {
		struct srh_block low = srh_block_load(frame + n + off);
		struct srh_block high = srh_block_load(frame + n + off + 16);

		srh_block_store(frame + off, low);
		srh_block_store(frame + off + 16, high);
	}
	srh_block_store(frame + len - 32, last[0]);
	srh_block_store(frame + len - 16, last[1]);
}

/* Move len >= 32 octets from frame to frame + n. */
static inline void
srh_move_up(uint8_t *frame, uint32_t n, uint32_t len)
{
	struct srh_block first[2] = {srh_block_load(frame), srh_block_load(frame + 16)};

	for (uint32_t off = len; off > 32; off -= 32) {
		struct srh_block low = srh_block_load(frame + off - 32);
		struct srh_block high = srh_block_load(frame + off - 16);

		srh_block_store(frame + n + off - 32, low);
		srh_block_store(frame + n + off - 16, high);
	}
	srh_block_store(frame + n, first[0]);
	srh_block_store(frame + n + 16, first[1]);
}

/* Write both lengths, which have just changed, into the frame's two headers. */
static inline void
srh_store_lengths(uint8_t *frame, const struct srh_view *view, uint32_t srh_len,
		  uint32_t ip_payload)
{
	frame[view->srh_off + 1] = (uint8_t)(srh_len / 8 - 1);
	frame[view->ip_off + 4] = (uint8_t)(ip_payload >> 8);
	frame[view->ip_off + 5] = (uint8_t)ip_payload;
}

static inline void
srh_open_gap(uint8_t *new_frame, const struct srh_view *view, uint16_t at, uint16_t n)
{
	assert(at >= view->tlv_off && at <= view->srh_off + view->srh_len);

	srh_move_down(new_frame, n, at);
	srh_store_lengths(new_frame, view, view->srh_len + n, view->ip_payload + n);
}

static inline void
srh_open(uint8_t *new_frame, struct srh_view *view, uint16_t at, uint16_t n)
{
	assert(n % 8 == 0 && srh_fits(view, n) == SRH_FITS);

	srh_open_gap(new_frame, view, at, n);
	memset(new_frame + at, 0, n);
	view->srh_len += n;
	view->ip_payload += n;
	view->chain_end += n;
	view->tlvs++;
	if (view->hmac_off >= at) {
		view->hmac_off += n;
		view->err_off += n;
	}
	if (view->hmac_off < at)
		view->hmac_linux = false;
}

static inline void
srh_close(uint8_t *frame, struct srh_view *view, uint16_t at, uint16_t n)
{
	assert(n % 8 == 0 && n <= view->ip_payload);
	assert(at >= view->tlv_off && at + n <= view->srh_off + view->srh_len);

	view->srh_len -= n;
	view->ip_payload -= n;
	view->chain_end -= n;
	if (view->tlvs > 0)
		view->tlvs--;
	if (view->hmac_off >= at + n) {
		view->hmac_off -= n;
		view->err_off -= n;
	} else if (view->hmac_off >= at) {
		view->hmac_off = 0;
		view->hmac_len = 0;
		view->hmac_dres = 0;
		view->hmac_linux = false;
		view->key_id = 0;
		view->err_off = 0;
	}
	srh_store_lengths(frame, view, view->srh_len, view->ip_payload);
	srh_move_up(frame, n, at);
}

#endif
