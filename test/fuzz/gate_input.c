/* SPDX-License-Identifier: BSD-3-Clause */
/* What an input of the gate's targets says: settings, layout, and a frame that is made a packet. */
#include "gate_rig.h"

struct rig_layout
rig_take_layout(struct fuzz_input *input)
{
	uint8_t kind = fuzz_take8(input);
	struct rig_layout layout = {
		.split = {fuzz_take8(input), fuzz_take8(input)},
		.headroom = (uint16_t)(kind & 0x3f),
		.shared = kind & 0x40,
	};

	if (kind & 0x80) { /* far behind */
		layout.split[0] *= 17;
		layout.split[1] *= 17;
	}
	if (layout.split[1] <= layout.split[0])
		layout.split[1] = 0;
	return layout;
}

struct gate_port
rig_take_port(struct fuzz_input *input)
{
	uint8_t a = fuzz_take8(input), b = fuzz_take8(input);

	return (struct gate_port){
		.verify = a % 3,
		.strip = a & 0x40,
		/* The last one does not exist. */
		.insert_key = a & 0x80 ? b % (RIG_KEYS_ALL + 2) : 0,
		.max_len = b & 0x80 ? 60 + (b & 0x7f) * 2u : 0,
	};
}

#define FIX_LENGTH 0x01
#define FIX_DESTINATION 0x02 /* as Segments Left says */
#define SEAL 0x04	     /* put the right HMAC into the HMAC TLV */
#define SPOIL 0x08	     /* and change one bit of the frame again */
#define FIX_FORM 0x10	     /* and Flags as the key wants them */

static void
fix_hmac(uint8_t *frame, const struct reference *r, uint8_t options)
{
	const struct oracle oracle = {.keys = rig_keys, .n_keys = RIG_KEYS_ALL};
	const struct keyring_spec *key = oracle_key(&oracle, (uint32_t)r->key_id);

	if (r->hmac_off == 0 || key == NULL || (size_t)r->hmac_len < 6 + oracle_field_len(key))
		return;
	if (options & FIX_FORM) {
		if (key->profile == HMAC_LINUX)
			frame[r->srh_off + 5] |= 0x08;
		else if (r->segments_left > r->last_entry)
			frame[r->hmac_off + 2] |= 0x80;
	}
	oracle_hmac(key, frame + r->ip_off, frame + r->srh_off, frame + r->hmac_off,
		    frame + r->hmac_off + 8);
}

size_t
rig_take_frame(struct fuzz_input *input, uint8_t frame[RIG_FRAME_MAX])
{
	uint8_t options = fuzz_take8(input);
	uint16_t spoilt = fuzz_take16(input);
	size_t len = input->size < RIG_FRAME_MAX ? input->size : RIG_FRAME_MAX;
	struct reference r;

	memcpy(frame, input->data, len);
	r = reference_parse(frame, len);
	if ((options & FIX_LENGTH) && r.ip_off != 0) {
		size_t payload = len - (size_t)r.ip_off - 40;

		frame[r.ip_off + 4] = (uint8_t)(payload >> 8);
		frame[r.ip_off + 5] = (uint8_t)payload;
		r = reference_parse(frame, len);
	}
	if ((options & FIX_DESTINATION) && r.srh_off != 0 && r.segments_left <= r.last_entry)
		memcpy(frame + r.ip_off + 24, frame + r.srh_off + 8 + 16 * r.segments_left, 16);
	if (options & SEAL)
		fix_hmac(frame, &r, options);
	if ((options & SPOIL) && len != 0)
		frame[spoilt / 8 % len] ^= (uint8_t)(1u << spoilt % 8);
	return len;
}
