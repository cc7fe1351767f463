/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A gate for the fuzz targets: its keys, two workers (one with a memo, one without), and packets
 * cut into segments in any way. Whatever goes through rig_run() is held to the oracle.
 */
#ifndef SEGSEAL_FUZZ_GATE_RIG_H
#define SEGSEAL_FUZZ_GATE_RIG_H

#include "fuzz.h"
#include "gate_oracle.h"

#define RIG_KEYS 8u /* IDs 1..8: each algorithm in the linux profile, then in the rfc8754 one */
#define RIG_KEYS_ALL 10u /* 9: may no longer be accepted; 10: may no longer be sent with */
#define RIG_FRAME_MAX 6000u

extern const struct keyring_spec rig_keys[RIG_KEYS_ALL];

/* Once: DPDK's environment, gate, keys, workers. */
void rig_open(void);

/* How a packet lies in mbufs. */
struct rig_layout {
	uint16_t split[2]; /* where the second and third segment begin; 0 = not */
	uint16_t headroom; /* of the first one */
	bool shared;	   /* someone else holds a reference */
};

struct rig_layout rig_take_layout(struct fuzz_input *input);
/* verify, strip, insert and MTU, from two octets. */
struct gate_port rig_take_port(struct fuzz_input *input);

/*
 * Put frame[0..len) through both workers, under these settings and with the rig's protected
 * prefixes or without: alone in one segment, alone as laid out, and in a burst with others and
 * itself. Each packet must meet just what the oracle says, which is left in *result for this one.
 */
void rig_run(const struct gate_port *port, bool prefixes, const uint8_t *frame, size_t len,
	     const struct rig_layout *layout, struct oracle_result *result);

/*
 * Copy a frame that an input holds and make it more of a packet, as the input's first octets want:
 * Payload Length, destination, a right or nearly right HMAC. Returns its length.
 */
size_t rig_take_frame(struct fuzz_input *input, uint8_t frame[RIG_FRAME_MAX]);

#endif
