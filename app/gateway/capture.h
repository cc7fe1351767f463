/* SPDX-License-Identifier: BSD-3-Clause */
/* Capture files of Ethernet frames: read one, write another that appears only when it is whole. */
#ifndef SEGSEAL_GATEWAY_CAPTURE_H
#define SEGSEAL_GATEWAY_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include <pcap/pcap.h>

#define CAPTURE_PACKET_MAX 262144u /* octets of the longest packet in a file, libpcap's bound */

struct capture_reader {
	pcap_t *pcap;
	const char *path;
};

/* pcap or pcapng, link type Ethernet; "-" is standard input. 0, or -1 with error = "PATH: reason".
 */
int capture_open(struct capture_reader *reader, const char *path, char *error, size_t error_size);
/* 1 with the next packet (valid until the next call), 0 at the end, -1 with error. */
int capture_next(struct capture_reader *reader, const struct pcap_pkthdr **header,
		 const uint8_t **data, char *error, size_t error_size);
/* How many octets of the file were read, and how many it has: 0 if that is not known (a pipe). */
void capture_position(const struct capture_reader *reader, uint64_t *done, uint64_t *total);
void capture_close(struct capture_reader *reader);

struct capture_writer;

/*
 * Begin to write a pcap file (microseconds, host byte order) that will be at path once
 * capture_commit() has said 0; a regular file that is there keeps its old contents until then.
 * NULL with error.
 */
struct capture_writer *capture_create(const char *path, char *error, size_t error_size);
void capture_write(struct capture_writer *writer, const struct pcap_pkthdr *header,
		   const uint8_t *data);
/* Finish and free. -1 with error: nothing is at path that was not there before. */
int capture_commit(struct capture_writer *writer, char *error, size_t error_size);
/* Throw away what was written, and free. NULL is fine. */
void capture_discard(struct capture_writer *writer);

#endif
