/* SPDX-License-Identifier: BSD-3-Clause */
/* Keep the secrets in this process's memory from reaching a disk or another process. */
#ifndef SEGSEAL_GATEWAY_PROTECT_H
#define SEGSEAL_GATEWAY_PROTECT_H

/* No core file, now and later. Call first. */
void protect_core(void);

/*
 * No reading of this process's memory by others of the same user (ptrace, /proc/PID/mem). Call
 * after the EAL has started, which reads its own /proc entries, and before the first secret comes
 * in.
 */
void protect_memory(void);

#endif
