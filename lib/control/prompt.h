/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands typed at a terminal: line editing, history, completion with TAB, help with ?, on DPDK's
 * librte_cmdline. The same for segseal --interactive and segsealctl.
 */
#ifndef SEGSEAL_CONTROL_PROMPT_H
#define SEGSEAL_CONTROL_PROMPT_H

#include "control/command.h"

/*
 * Read lines from standard input and run them, errors go to standard error, until "quit" or "exit"
 * is said, Ctrl-D is typed on an empty line, the input ends, or stop_fd (if not -1) becomes
 * readable. Unless session->go_on is set, an error ends it, too. 0, or that error's number.
 *
 * Input that is no terminal is read in the same way, without prompt and editing.
 *
 * The terminal is as it was before while a command runs, when this returns, and when a signal ends
 * the process.
 */
int control_prompt(struct control_session *session, int stop_fd);

#endif
