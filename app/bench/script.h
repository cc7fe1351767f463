/* SPDX-License-Identifier: BSD-3-Clause */
/* Benches of whole programs are scripts/bench of the source tree: they start programs and talk to
 * them over sockets. */
#ifndef SEGSEAL_BENCH_SCRIPT_H
#define SEGSEAL_BENCH_SCRIPT_H

#include <stdbool.h>

/* Whether word is the name of such a bench. */
bool script_has(const char *word);

/* Become the script, with the same arguments. Returns 1, after a line on stderr, if there is none.
 */
int script_run(char **argv);

#endif
