/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/text.h"

#define SOCKET_MODE 0660
#define FOLDER_MODE 0755
#define LOCK_TRIES 100
#define LOCK_WAIT_US 10000

/* Make the folders above path that are missing. */
static int
make_parents(const char *path)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];

	snprintf(folder, sizeof(folder), "%s", path);
	for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		/* chmod because the umask may have taken more than was meant. */
		if (mkdir(folder, FOLDER_MODE) == 0) {
			if (chmod(folder, FOLDER_MODE) < 0)
				return -errno;
		} else if (errno != EEXIST) {
			return -errno;
		}
		*slash = '/';
	}
	return 0;
}

/*
 * Lock path's folder: of two processes that both find a dead socket, only one at a time may replace
 * it. Returns a descriptor to close, or -errno. Others may hold such a lock for long: give up then.
 */
static int
lock_folder(const char *path)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash)
		memcpy(folder, ".", sizeof("."));
	else if (slash == folder)
		folder[1] = '\0';
	else
		*slash = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if (errno != EWOULDBLOCK || tries == LOCK_TRIES) {
			int saved = errno == EWOULDBLOCK ? EBUSY : errno;

			close(fd);
			return -saved;
		}
		usleep(LOCK_WAIT_US);
	}
	return fd;
}

/* 0 if nobody listens on the socket, else a negative errno. */
static int
check_dead(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0 || errno == EAGAIN)
		rc = -EADDRINUSE;
	else
		rc = errno == ECONNREFUSED ? 0 : -errno;
	close(fd);
	return rc;
}

/* Remove what a dead process left at the address. */
static int
clear_way(const struct sockaddr_un *addr)
{
	struct stat st;
	int rc;

	if (lstat(addr->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	rc = check_dead(addr);
	if (rc == 0 && unlink(addr->sun_path) < 0 && errno != ENOENT)
		rc = -errno;
	return rc;
}

/* Remember which file is ours, and give it the mode that a strict umask may have narrowed. */
static int
claim(struct listener *listener, gid_t group)
{
	char self[64];
	struct stat st;
	int fd = open(listener->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0) {
		rc = -errno;
	} else if (!S_ISSOCK(st.st_mode)) {
		rc = -ENOTSOCK;
	} else {
		listener->dev = st.st_dev;
		listener->ino = st.st_ino;
		snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
		if ((st.st_mode & 07777) != SOCKET_MODE && chmod(self, SOCKET_MODE) < 0)
			rc = -errno;
		if (rc == 0 && group != (gid_t)-1 &&
		    fchownat(fd, "", (uid_t)-1, group, AT_EMPTY_PATH) < 0)
			rc = -errno;
	}
	close(fd);
	return rc;
}

static int
bind_and_listen(struct listener *listener, const struct sockaddr_un *addr, gid_t group)
{
	int rc;

	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener->fd < 0)
		return -errno;
	/* bind() gives the file the socket's own mode: at no time is it wider than meant. */
	if (fchmod(listener->fd, SOCKET_MODE) < 0 ||
	    bind(listener->fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		return -errno;
	rc = claim(listener, group);
	if (rc == 0 && listen(listener->fd, SOMAXCONN) < 0)
		rc = -errno;
	return rc;
}

static const char *
reason(int rc)
{
	switch (-rc) {
	case EADDRINUSE:
		return "a live process answers on it";
	case ENOTSOCK:
		return "something else of that name is there, not a socket";
	case EBUSY:
		return "its folder is locked by another process";
	default:
		return strerror(-rc);
	}
}

int
listener_open(struct listener *listener, const char *path, gid_t group, char *error,
	      size_t error_size)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	int lock, rc;

	*listener = (struct listener){.fd = -1};
	if (len == 0 || len >= sizeof(addr.sun_path))
		return text_error(error, error_size, len ? ENAMETOOLONG : EINVAL,
				  "socket path of %zu octets, must be 1 to %zu", len,
				  sizeof(addr.sun_path) - 1);
	memcpy(addr.sun_path, path, len);
	listener->path = strdup(path);
	rc = listener->path ? make_parents(path) : -ENOMEM;
	if (rc == 0) {
		lock = lock_folder(path);
		rc = lock < 0 ? lock : clear_way(&addr);
		if (rc == 0)
			rc = bind_and_listen(listener, &addr, group);
		if (lock >= 0)
			close(lock);
	}
	if (rc < 0) {
		listener_close(listener);
		text_error(error, error_size, rc, "cannot listen on %s: %s", path, reason(rc));
	}
	return rc;
}

void
listener_close(struct listener *listener)
{
	struct stat st;

	/* Before the close: until then no other socket can have our inode number. */
	if (listener->path && listener->ino && lstat(listener->path, &st) == 0 &&
	    S_ISSOCK(st.st_mode) && st.st_dev == listener->dev && st.st_ino == listener->ino)
		unlink(listener->path);
	if (listener->fd >= 0)
		close(listener->fd);
	free(listener->path);
	*listener = (struct listener){.fd = -1};
}
