/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The terminal on standard input, which must be as it was when this process ends, also by SIGINT,
 * SIGTERM, SIGHUP or SIGQUIT. While it is changed, their handlers are in place of the program's.
 * One thread at a time.
 */
#ifndef SEGSEAL_CONTROL_TERMINAL_H
#define SEGSEAL_CONTROL_TERMINAL_H

/* Octets as they are typed, without echo, none of them special. -ENOTTY and the like. */
int terminal_raw(void);
/* Lines without echo, where Ctrl-C and the like are signals; what was typed before is dropped. */
int terminal_quiet(void);
/* As it was before the first of these. Does nothing if it is. Safe in signal handlers. */
void terminal_restore(void);

#endif
