/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting DPDK's environment. Main thread, once. */
#ifndef SEGSEAL_GATEWAY_EAL_H
#define SEGSEAL_GATEWAY_EAL_H

#include <stddef.h>

/* With the user's EAL options. 0, or a negative errno with error: -EINVAL for wrong options. */
int eal_start(int argc, char **argv, char *error, size_t error_size);

/*
 * For a replay: memory from the heap of this process alone, no device, no file, no socket, so that
 * any user can run any number of them. 0, or a negative errno with error.
 */
int eal_start_replay(const char *program, char *error, size_t error_size);

void eal_stop(void);

#endif
