/* SPDX-License-Identifier: BSD-3-Clause */
#include <linux/mempolicy.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hmac/pages.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define NODES_MAX 1024

static size_t
round_up(size_t size)
{
	size_t page = size >= HUGE_PAGE ? HUGE_PAGE : 4096;

	return (size + page - 1) & ~(page - 1);
}

/* Only a wish: a kernel without NUMA, or a container that forbids it, costs speed, not function. */
static void
prefer_node(void *p, size_t size, int socket)
{
	unsigned long mask[NODES_MAX / (8 * sizeof(unsigned long))] = {0};

	if (socket < 0 || socket >= NODES_MAX)
		return;
	mask[(unsigned)socket / (8 * sizeof(mask[0]))] =
		1ul << ((unsigned)socket % (8 * sizeof(mask[0])));
	(void)syscall(SYS_mbind, p, size, MPOL_PREFERRED, mask, (unsigned long)NODES_MAX, 0u);
}

void *
hmac_pages_alloc(size_t size, int socket)
{
	size_t len = round_up(size);
	size_t slack = len >= HUGE_PAGE ? HUGE_PAGE : 0;
	uint8_t *map, *p;

	if (size == 0 || size > SIZE_MAX / 4)
		return NULL;
	/* cppcheck-suppress invalidFunctionArg ; that is how memory without a file is mapped */
	map = mmap(NULL, len + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	p = map;
	if (slack) {
		p += -(uintptr_t)map & (HUGE_PAGE - 1);
		if (p != map)
			munmap(map, (size_t)(p - map));
		if (p + len != map + len + slack)
			munmap(p + len, (size_t)(map + len + slack - (p + len)));
		(void)madvise(p, len, MADV_HUGEPAGE);
	}
	(void)madvise(p, len, MADV_DONTDUMP);
	prefer_node(p, len, socket);
	memset(p, 0, len); /* no page fault later, on the packet path */
	return p;
}

void
hmac_pages_free(void *p, size_t size)
{
	if (p)
		munmap(p, round_up(size));
}
