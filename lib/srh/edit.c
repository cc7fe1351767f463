/* SPDX-License-Identifier: BSD-3-Clause */
/* Open and close the room of a TLV, and keep both length fields right. */
#include <assert.h>
#include <string.h>

#include "srh/srh.h"
#include "srh/wire.h"

#define SRH_HDR_EXT_LEN_OFF 1u

uint16_t
srh_hmac_place(const struct srh_view *view, bool last)
{
	return last ? view->srh_off + view->srh_len : view->tlv_off;
}

enum srh_fit
srh_fits(const struct srh_view *view, uint32_t n)
{
	if (n > SRH_MAX_LEN || view->srh_len + n > SRH_MAX_LEN ||
	    view->chain_end + n > SRH_MAX_CHAIN_LEN || view->tlvs >= SRH_MAX_TLVS)
		return SRH_FULL;
	if (view->ip_payload + n > UINT16_MAX)
		return SRH_TOO_BIG;
	return SRH_FITS;
}

/* Write the view's lengths, which have just changed, into the frame's two headers. */
static void
store_lengths(uint8_t *frame, const struct srh_view *view)
{
	frame[view->srh_off + SRH_HDR_EXT_LEN_OFF] = (uint8_t)(view->srh_len / 8 - 1);
	store_be16(frame + view->ip_off + IPV6_PAYLOAD_OFF, view->ip_payload);
}

void
srh_open(uint8_t *new_frame, struct srh_view *view, uint16_t at, uint16_t n)
{
	assert(n % 8 == 0 && srh_fits(view, n) == SRH_FITS);
	assert(at >= view->tlv_off && at <= view->srh_off + view->srh_len);

	memmove(new_frame, new_frame + n, at);
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
	store_lengths(new_frame, view);
}

void
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
	store_lengths(frame, view);
	memmove(frame + n, frame, at);
}
