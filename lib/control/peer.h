/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is at the other end of a socket, and whether he may change things. */
#ifndef SEGSEAL_CONTROL_PEER_H
#define SEGSEAL_CONTROL_PEER_H

#include "control/server.h"

#define PEER_NO_GROUP ((gid_t)-1)

/* Members of group may write, besides root and our own user. 0 or a negative errno. */
int peer_read(struct control_peer *peer, int fd, gid_t group);

#endif
