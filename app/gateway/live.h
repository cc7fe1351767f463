/* SPDX-License-Identifier: BSD-3-Clause */
/* The gateway proper: from the EAL's start to its end. */
#ifndef SEGSEAL_GATEWAY_LIVE_H
#define SEGSEAL_GATEWAY_LIVE_H

#include "options.h"

/* Returns the program's exit status; errors are told on stderr. */
int live_run(const struct options *options, char **argv);

#endif
