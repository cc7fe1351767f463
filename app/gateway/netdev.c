/* SPDX-License-Identifier: BSD-3-Clause */
#include "netdev.h"

#include <errno.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int
ask(unsigned index, unsigned long what, struct ifreq *request)
{
	int fd, rc;

	if (if_indextoname(index, request->ifr_name) == NULL)
		return -ENODEV;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	rc = ioctl(fd, what, request) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

int
netdev_mtu_get(unsigned index, uint32_t *mtu)
{
	struct ifreq request = {0};
	int rc = ask(index, SIOCGIFMTU, &request);

	if (rc == 0)
		*mtu = (uint32_t)request.ifr_mtu;
	return rc;
}

int
netdev_mtu_set(unsigned index, uint32_t mtu)
{
	struct ifreq request = {.ifr_mtu = (int)mtu};

	return ask(index, SIOCSIFMTU, &request);
}
