/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether the peer is in the group, by the groups that it had when it connected. */
static bool
is_member(int fd, const struct ucred *cred, gid_t group)
{
	gid_t few[64], *groups = few;
	socklen_t size = sizeof(few);
	bool member = cred->gid == group;

	if (group == PEER_NO_GROUP || member)
		return member;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0) {
		/* More than a few: size is what they need. */
		if (errno != ERANGE)
			return false;
		groups = malloc(size);
		if (!groups)
			return false;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
			size = 0;
	}
	for (size_t i = 0; i < size / sizeof(*groups); i++)
		member |= groups[i] == group;
	if (groups != few)
		free(groups);
	return member;
}

int
peer_read(struct control_peer *peer, int fd, gid_t group)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
		return -errno;
	*peer = (struct control_peer){
		.pid = cred.pid,
		.uid = cred.uid,
		.gid = cred.gid,
		.writes = cred.uid == 0 || cred.uid == geteuid() || is_member(fd, &cred, group),
	};
	return 0;
}
