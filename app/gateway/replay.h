/* SPDX-License-Identifier: BSD-3-Clause */
/* A capture file through the gate, one packet after the other, in one thread. */
#ifndef SEGSEAL_GATEWAY_REPLAY_H
#define SEGSEAL_GATEWAY_REPLAY_H

#include "options.h"

/* Returns the program's exit status; errors are told on stderr. */
int replay_run(const struct options *options, const char *program);

#endif
