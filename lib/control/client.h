/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client of the control socket. Blocks, up to a timeout. One thread per client.
 */
#ifndef SEGSEAL_CONTROL_CLIENT_H
#define SEGSEAL_CONTROL_CLIENT_H

#include <stddef.h>

#include <jansson.h>

#define CONTROL_TIMEOUT_MS 30000 /* without progress, if nothing else was set */

struct control_client;

/* Connect; NULL with error = "cannot reach segseal at PATH: why". */
struct control_client *control_client_open(const char *path, char *error, size_t error_size);
/* Give up on an answer when nothing was received for so long. */
void control_client_set_timeout(struct control_client *client, int milliseconds);
void control_client_close(struct control_client *client);

#endif
