/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control side, one way in: a JSON-RPC 2.0 server on a Unix socket, its client, and the
 * command grammar and display that config file, prompt and segsealctl share.
 *
 * Everything here runs on the control thread (or in the client program) and may allocate.
 * The server knows nothing of keys or ports: the program hands it a table of methods. Methods,
 * params and results are in docs/api.md.
 */
#ifndef SEGSEAL_CONTROL_H
#define SEGSEAL_CONTROL_H

#include "control/client.h"
#include "control/command.h"
#include "control/server.h"

#endif
