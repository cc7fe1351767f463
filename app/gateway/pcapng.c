/* SPDX-License-Identifier: BSD-3-Clause */
#include "pcapng.h"

#include <errno.h>
#include <string.h>

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET 6u
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINK_ETHERNET 1u
#define OPT_END 0u
#define OPT_COMMENT 1u
#define OPT_SECTION_APPLICATION 4u
#define OPT_INTERFACE_NAME 2u
#define OPT_INTERFACE_RESOLUTION 9u
#define OPT_PACKET_FLAGS 2u
#define FLAGS_INBOUND 1u
#define NANOSECONDS 9u /* 10^-9 */

static uint32_t
padded(size_t n)
{
	return (uint32_t)(n + 3) & ~3u;
}

static uint32_t
option_len(size_t n)
{
	return 4 + padded(n);
}

static void
put(FILE *file, const void *data, size_t n)
{
	static const uint8_t zero[4];

	(void)fwrite(data, 1, n, file);
	(void)fwrite(zero, 1, padded(n) - n, file);
}

static void
put32(FILE *file, uint32_t value)
{
	put(file, &value, sizeof(value));
}

static void
put_option(FILE *file, uint16_t code, const void *data, size_t n)
{
	const uint16_t head[2] = {code, (uint16_t)n};

	put(file, head, sizeof(head));
	put(file, data, n);
}

/* The stream remembers what went wrong before. */
static int
result(FILE *file)
{
	if (!ferror(file))
		return 0;
	if (errno == 0)
		errno = EIO;
	return -1;
}

int
pcapng_begin(FILE *file, const char *program)
{
	const uint16_t version[2] = {1, 0};
	const uint64_t unknown = UINT64_MAX;
	const uint32_t len = 28 + option_len(strlen(program)) + 4;

	errno = 0;
	put32(file, BLOCK_SECTION);
	put32(file, len);
	put32(file, BYTE_ORDER_MAGIC);
	put(file, version, sizeof(version));
	put(file, &unknown, sizeof(unknown)); /* Section Length */
	put_option(file, OPT_SECTION_APPLICATION, program, strlen(program));
	put_option(file, OPT_END, "", 0);
	put32(file, len);
	return result(file);
}

int
pcapng_interface(FILE *file, const char *name)
{
	const uint16_t link[2] = {LINK_ETHERNET, 0};
	const uint8_t resolution = NANOSECONDS;
	const uint32_t len = 20 + option_len(strlen(name)) + option_len(1) + 4;

	errno = 0;
	put32(file, BLOCK_INTERFACE);
	put32(file, len);
	put(file, link, sizeof(link));
	put32(file, 0); /* SnapLen: no limit */
	put_option(file, OPT_INTERFACE_NAME, name, strlen(name));
	put_option(file, OPT_INTERFACE_RESOLUTION, &resolution, sizeof(resolution));
	put_option(file, OPT_END, "", 0);
	put32(file, len);
	return result(file);
}

int
pcapng_packet(FILE *file, uint32_t interface, uint64_t wall, const uint8_t *frame, uint32_t len,
	      const char *comment)
{
	const uint32_t flags = FLAGS_INBOUND;
	const uint32_t block_len =
		32 + padded(len) + option_len(strlen(comment)) + option_len(sizeof(flags)) + 4;

	errno = 0;
	put32(file, BLOCK_PACKET);
	put32(file, block_len);
	put32(file, interface);
	put32(file, (uint32_t)(wall >> 32));
	put32(file, (uint32_t)wall);
	put32(file, len);
	put32(file, len);
	put(file, frame, len);
	put_option(file, OPT_COMMENT, comment, strlen(comment));
	put_option(file, OPT_PACKET_FLAGS, &flags, sizeof(flags));
	put_option(file, OPT_END, "", 0);
	put32(file, block_len);
	return result(file);
}
