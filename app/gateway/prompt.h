/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The prompt of --interactive: a thread that reads commands from standard input and is a client
 * of the gateway's own socket like any other.
 */
#ifndef SEGSEAL_GATEWAY_PROMPT_H
#define SEGSEAL_GATEWAY_PROMPT_H

#include <stddef.h>

struct prompt;

/* NULL with error. The end of input asks the gateway to quit, as the command does; "exit" leaves
 * the prompt and the gateway goes on. */
struct prompt *prompt_start(const char *socket, char *error, size_t error_size);
/* Also while a line is being typed. NULL is fine. */
void prompt_stop(struct prompt *prompt);

#endif
