/* SPDX-License-Identifier: BSD-3-Clause */
/* The server's place in the file system. */
#ifndef SEGSEAL_CONTROL_LISTEN_H
#define SEGSEAL_CONTROL_LISTEN_H

#include <stddef.h>
#include <sys/types.h>

struct listener {
	int fd; /* -1: not listening */
	char *path;
	dev_t dev; /* of the socket that we made */
	ino_t ino;
};

/* See control_server_listen(). */
/* group: that the socket is to have, -1: the process's own. */
int listener_open(struct listener *listener, const char *path, gid_t group, char *error,
		  size_t error_size);
/* Close, and remove the socket if path is still the one that we made. */
void listener_close(struct listener *listener);

#endif
