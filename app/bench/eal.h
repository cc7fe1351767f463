/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SEGSEAL_BENCH_EAL_H
#define SEGSEAL_BENCH_EAL_H

/* Start DPDK on one core, which this thread is pinned to from then on, with hugepages if there are
 * any free. -1 after a line on stderr. */
int bench_eal_start(int core);
void bench_eal_stop(void);

#endif
