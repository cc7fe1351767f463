/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SEGSEAL_BENCH_OPTIONS_H
#define SEGSEAL_BENCH_OPTIONS_H

#include "bench.h"

/*
 * Read the command line. 0 with *bench the name of the bench asked for; 1 if there is nothing more
 * to do (help, version); -1 after a line on stderr.
 */
int options_read(int argc, char **argv, struct bench_options *options, const char **bench);

#endif
