/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The gate's whole way on any frame, under any settings, cut in any way: verdict, counters, pointer
 * and every octet are as the oracle says.
 *
 * Input: an octet for the protected prefixes, the settings, the layout, the frame (see gate_rig.c).
 *
 * libFuzzer: -max_len=1500 -len_control=20
 */
#include "gate_rig.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	rig_open();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[RIG_FRAME_MAX];
	static struct oracle_result result;
	struct fuzz_input input = {data, size};
	bool prefixes = fuzz_take8(&input) & 1;
	struct gate_port port = rig_take_port(&input);
	struct rig_layout layout = rig_take_layout(&input);
	size_t len = rig_take_frame(&input, frame);

	rig_run(&port, prefixes, frame, len, &layout, &result);
	return 0;
}
