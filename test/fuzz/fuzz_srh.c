/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lib/srh on any frame: it says what the reference says; it says the same of a front part, or that
 * it needs more; and what it opens, it closes again.
 *
 * Input: one octet of options, then the frame.
 *
 * libFuzzer: -max_len=4400 -len_control=20
 */
#include "fuzz.h"
#include "srh/srh.h"
#include "srh_reference.h"

#define FIX_LENGTH 0x01	     /* set Payload Length to what there is */
#define PADDING 0x0e	     /* octets behind the IPv6 payload, with FIX_LENGTH */
#define LONG_PAYLOAD 0x10    /* a Payload Length that an insertion overflows */
#define EVERY_SPLIT_MAX 256u /* longer frames are split at every octet near a bound only */

#define FRAME_MAX 16384u
#define ROOM 48u

static void
assert_same(const struct srh_view *view, const struct reference *r)
{
	FUZZ_ASSERT_SAME(view->ip_off, r->ip_off);
	FUZZ_ASSERT_SAME(view->ip_payload, r->ip_payload);
	FUZZ_ASSERT_SAME(view->chain_end, r->chain_end);
	FUZZ_ASSERT_SAME(view->srh_off, r->srh_off);
	FUZZ_ASSERT_SAME(view->srh_len, r->srh_len);
	FUZZ_ASSERT_SAME(view->tlv_off, r->tlv_off);
	FUZZ_ASSERT_SAME(view->segments_left, r->segments_left);
	FUZZ_ASSERT_SAME(view->last_entry, r->last_entry);
	FUZZ_ASSERT_SAME(view->flags, r->flags);
	FUZZ_ASSERT_SAME(view->tlvs, r->tlvs);
	FUZZ_ASSERT_SAME(view->hmac_off, r->hmac_off);
	FUZZ_ASSERT_SAME(view->hmac_len, r->hmac_len);
	FUZZ_ASSERT_SAME(view->hmac_dres, r->hmac_dres);
	FUZZ_ASSERT_SAME(view->key_id, r->key_id);
	FUZZ_ASSERT_SAME(view->hmac_linux, r->hmac_linux);
	FUZZ_ASSERT_SAME(view->fragmentable, r->fragmentable);
	FUZZ_ASSERT_SAME(view->frag_next, r->frag_next);
	FUZZ_ASSERT_SAME(view->frag_offset, r->frag_offset);
	FUZZ_ASSERT_SAME(view->err_off, r->err_off);
}

/* frame[0..size) is a heap block; octets past len must not be touched. Returns whether it was
 * enough. */
static bool
check_split(const uint8_t *frame, uint32_t len, uint32_t size, const struct reference *r)
{
	struct srh_view view;
	enum srh_status status;

	memset(&view, 0xee, sizeof(view));
	fuzz_readable(frame, len, size);
	status = srh_find(frame, len, size, &view);
	fuzz_readable(frame, size, size);
	if (status == SRH_MORE) {
		FUZZ_ASSERT(len < size && len < SRH_MAX_CHAIN_LEN + 64);
		return false;
	}
	FUZZ_ASSERT_SAME(status, r->status);
	assert_same(&view, r);
	return true;
}

static void
check_splits(const uint8_t *frame, uint32_t size, const struct reference *r)
{
	const uint32_t bounds[] = {(uint32_t)r->ip_off, (uint32_t)r->srh_off,
				   (uint32_t)(r->srh_off + r->srh_len), (uint32_t)r->chain_end,
				   SRH_MAX_CHAIN_LEN + 64};
	bool enough = false;

	for (uint32_t len = 0; len < size; len++) {
		bool near = size <= EVERY_SPLIT_MAX || len % 61 == 0;
		bool now;

		for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
			near |= len + 10 >= bounds[i] && len <= bounds[i] + 10;
		if (!near)
			continue;
		now = check_split(frame, len, size, r);
		FUZZ_ASSERT(now || !enough);
		enough = now;
	}
}

/* Fill the gap with an HMAC TLV and say so in the view. */
static void
fill(uint8_t *frame, struct srh_view *view, uint16_t at, uint16_t n)
{
	memset(frame + at, 0xa5, n);
	frame[at] = 5;
	frame[at + 1] = (uint8_t)(n - 2);
	view->hmac_off = at;
	view->hmac_len = (uint8_t)(n - 2);
	view->hmac_dres = 0xa5a5;
	view->key_id = 0xa5a5a5a5;
	view->hmac_linux = (view->flags & SRH_FLAG_LINUX_HMAC) && n == 40 &&
			   at + n == view->srh_off + view->srh_len;
	view->err_off = at - view->ip_off;
}

static void
check_insertion(const uint8_t *frame, uint32_t size, const struct srh_view *before, bool last,
		uint16_t n)
{
	uint8_t *block = malloc(ROOM + size), *opened = block + ROOM - n;
	struct srh_view view = *before;
	enum srh_fit fit = srh_fits(&view, n);
	struct reference r;
	uint16_t at = srh_hmac_place(&view, last);

	FUZZ_ASSERT(block != NULL);
	memset(block, 0xcc, ROOM);
	memcpy(block + ROOM, frame, size);
	if (fit != SRH_FITS) {
		/* For a reason that the frame itself shows. */
		if (fit == SRH_TOO_BIG)
			FUZZ_ASSERT(view.ip_payload + n > 65535);
		else
			FUZZ_ASSERT(frame[view.srh_off + 1] + n / 8 > 255 ||
				    view.chain_end + n > (int)SRH_MAX_CHAIN_LEN ||
				    view.tlvs == SRH_MAX_TLVS);
		free(block);
		return;
	}
	srh_open(opened, &view, at, n);
	fill(opened, &view, at, n);
	r = reference_parse(opened, size + n);
	FUZZ_ASSERT_SAME(r.status, SRH_FOUND);
	assert_same(&view, &r);
	FUZZ_ASSERT(memcmp(opened + at + n, frame + at, size - at) == 0);

	srh_close(opened, &view, at, n);
	FUZZ_ASSERT(memcmp(block + ROOM, frame, size) == 0);
	r = reference_parse(block + ROOM, size);
	assert_same(&view, &r);
	free(block);
}

/* Take the HMAC TLV out and put the same octets back. */
static void
check_removal(const uint8_t *frame, uint32_t size, const struct srh_view *before)
{
	uint8_t *block = malloc(size + 1), tlv[257];
	struct srh_view view = *before;
	uint16_t at = view.hmac_off, n = view.hmac_len + 2;

	FUZZ_ASSERT(block != NULL);
	memcpy(block, frame, size);
	memcpy(tlv, frame + at, n);
	srh_close(block, &view, at, n);
	FUZZ_ASSERT_SAME(view.hmac_off, 0);
	FUZZ_ASSERT_SAME(view.srh_len, before->srh_len - n);
	FUZZ_ASSERT_SAME(block[n + view.srh_off + 1], frame[view.srh_off + 1] - n / 8);
	FUZZ_ASSERT(memcmp(block + n + at, frame + at + n, size - at - n) == 0);
	FUZZ_ASSERT_SAME(srh_fits(&view, n), SRH_FITS);
	srh_open(block, &view, at, n);
	memcpy(block + at, tlv, n);
	FUZZ_ASSERT(memcmp(block, frame, size) == 0);
	free(block);
}

static void
check(const uint8_t *frame, uint32_t size)
{
	struct reference r = reference_parse(frame, size);
	struct srh_view view;

	FUZZ_ASSERT(r.status != SRH_MORE);
	FUZZ_ASSERT(check_split(frame, size, size, &r));
	check_splits(frame, size, &r);
	if (srh_find(frame, size, size, &view) != SRH_FOUND)
		return;
	if (view.hmac_off == 0) {
		for (uint16_t n = 16; n <= 40; n += 8)
			check_insertion(frame, size, &view, false, n);
		/* Only what Linux looks for goes last. A shorter one, with Flags 0x08, could make
		 * other TLVs' octets look as the Type and Length of one of Linux's. */
		check_insertion(frame, size, &view, true, SRH_HMAC_MAX_LEN);
	} else if (view.hmac_len % 8 == 6) {
		check_removal(frame, size, &view);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = {data, size};
	uint8_t options = fuzz_take8(&input);
	uint8_t *frame;

	if (input.size > FRAME_MAX)
		return 0;
	frame = malloc(input.size != 0 ? input.size : 1);
	FUZZ_ASSERT(frame != NULL);
	memcpy(frame, input.data, input.size);
	if (options & FIX_LENGTH) {
		struct reference r = reference_parse(frame, input.size);
		size_t padding = options & PADDING;

		if (r.ip_off != 0 && (size_t)r.ip_off + 40 + padding <= input.size) {
			size_t payload = input.size - padding - r.ip_off - 40;

			frame[r.ip_off + 4] = (uint8_t)(payload >> 8);
			frame[r.ip_off + 5] = (uint8_t)payload;
			if (options & LONG_PAYLOAD)
				memset(frame + r.ip_off + 4, 0xff, 2);
		}
	}
	check(frame, (uint32_t)input.size);
	free(frame);
	return 0;
}
