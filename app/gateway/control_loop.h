/* SPDX-License-Identifier: BSD-3-Clause */
/* What the main lcore does while workers forward: socket, signals, keys that went. */
#ifndef SEGSEAL_GATEWAY_CONTROL_LOOP_H
#define SEGSEAL_GATEWAY_CONTROL_LOOP_H

#include <stddef.h>

struct gateway;

/*
 * Block the signals that control_loop() takes, so that every thread started later leaves them to
 * it. Call before the EAL starts. Returns a descriptor to read them from, or -1 with errno.
 */
int control_signals(void);

/* Serve until quit, SIGINT or SIGTERM. 0, or -1 with error. */
int control_loop(struct gateway *gateway, int signals, char *error, size_t error_size);

#endif
