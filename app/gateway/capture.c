/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
capture_open(struct capture_reader *reader, const char *path, char *error, size_t error_size)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	struct stat st;

	reader->path = path;
	reader->pcap = NULL;
	/* libpcap says "tried to read 4 file header bytes, only got 0" for an empty file and
	 * "Is a directory" only when it reads. */
	bool there = strcmp(path, "-") != 0 && stat(path, &st) == 0;

	if (there && S_ISDIR(st.st_mode)) {
		snprintf(error, error_size, "%s: %s", path, strerror(EISDIR));
		return -1;
	}
	if (there && S_ISREG(st.st_mode) && st.st_size == 0) {
		snprintf(error, error_size, "%s: empty, not a capture file", path);
		return -1;
	}
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");

	if (file == NULL) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return -1;
	}
	reader->pcap = pcap_fopen_offline(file, why);
	if (reader->pcap == NULL) {
		fclose(file);
		snprintf(error, error_size, "%s: %s", path, why);
		return -1;
	}
	int link = pcap_datalink(reader->pcap);

	if (link != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(link);

		if (name != NULL)
			snprintf(error, error_size, "%s: packets of link type %s, not Ethernet",
				 path, name);
		else
			snprintf(error, error_size, "%s: packets of link type %d, not Ethernet",
				 path, link);
		capture_close(reader);
		return -1;
	}
	return 0;
}

int
capture_next(struct capture_reader *reader, const struct pcap_pkthdr **header, const uint8_t **data,
	     char *error, size_t error_size)
{
	struct pcap_pkthdr *next;
	int rc = pcap_next_ex(reader->pcap, &next, data);

	if (rc == PCAP_ERROR_BREAK)
		return 0;
	if (rc != 1) {
		snprintf(error, error_size, "%s: %s", reader->path, pcap_geterr(reader->pcap));
		return -1;
	}
	if (next->caplen > CAPTURE_PACKET_MAX) {
		snprintf(error, error_size, "%s: a packet of %u octets, %u is the most",
			 reader->path, next->caplen, CAPTURE_PACKET_MAX);
		return -1;
	}
	*header = next;
	return 1;
}

void
capture_position(const struct capture_reader *reader, uint64_t *done, uint64_t *total)
{
	FILE *file = pcap_file(reader->pcap);
	off_t at = ftello(file);
	struct stat st;

	*done = at > 0 ? (uint64_t)at : 0;
	*total = fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

void
capture_close(struct capture_reader *reader)
{
	if (reader->pcap != NULL)
		pcap_close(reader->pcap);
	reader->pcap = NULL;
}

struct capture_writer {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	int failed; /* errno of the first write that failed */
	char *path;
	char *temporary; /* NULL: path is no regular file (a pipe, /dev/null) and written at once */
};

static void
writer_free(struct capture_writer *writer)
{
	if (writer->dumper != NULL)
		pcap_dump_close(writer->dumper);
	if (writer->pcap != NULL)
		pcap_close(writer->pcap);
	if (writer->temporary != NULL)
		unlink(writer->temporary);
	free(writer->temporary);
	free(writer->path);
	free(writer);
}

static int
open_temporary(struct capture_writer *writer)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&writer->temporary, "%s.XXXXXX", writer->path) < 0) {
		writer->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	int fd = mkostemp(writer->temporary, O_CLOEXEC);

	if (fd < 0) {
		int saved = errno;

		free(writer->temporary);
		writer->temporary = NULL;
		errno = saved;
		return -1;
	}
	(void)fchmod(fd, 0666 & ~mask);
	return fd;
}

struct capture_writer *
capture_create(const char *path, char *error, size_t error_size)
{
	struct capture_writer *writer = calloc(1, sizeof(*writer));
	FILE *file = NULL;
	struct stat st;
	int fd = -1;

	if (writer == NULL || (writer->path = strdup(path)) == NULL)
		goto failed;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		fd = open_temporary(writer);
	if (fd < 0)
		goto failed;
	file = fdopen(fd, "wb");
	if (file == NULL)
		goto failed;
	writer->pcap = pcap_open_dead(DLT_EN10MB, CAPTURE_PACKET_MAX);
	if (writer->pcap == NULL) {
		errno = ENOMEM;
		goto failed;
	}
	/* On failure, which only the file header's write can be, it has closed the file. */
	writer->dumper = pcap_dump_fopen(writer->pcap, file);
	if (writer->dumper == NULL) {
		file = NULL;
		fd = -1;
		goto failed;
	}
	return writer;
failed:
	snprintf(error, error_size, "%s: %s", path, strerror(errno));
	if (file != NULL)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	if (writer != NULL)
		writer_free(writer);
	return NULL;
}

void
capture_write(struct capture_writer *writer, const struct pcap_pkthdr *header, const uint8_t *data)
{
	errno = EIO;
	pcap_dump((u_char *)writer->dumper, header, data);
	/* It answers nothing, but the stream remembers. */
	if (writer->failed == 0 && ferror(pcap_dump_file(writer->dumper)))
		writer->failed = errno;
}

int
capture_commit(struct capture_writer *writer, char *error, size_t error_size)
{
	FILE *file = pcap_dump_file(writer->dumper);

	errno = EIO;
	if (writer->failed == 0 && (fflush(file) != 0 || ferror(file)))
		writer->failed = errno;
	if (writer->failed != 0) {
		snprintf(error, error_size, "%s: write: %s", writer->path,
			 strerror(writer->failed));
		writer_free(writer);
		return -1;
	}
	if (writer->temporary != NULL && rename(writer->temporary, writer->path) != 0) {
		snprintf(error, error_size, "%s: %s", writer->path, strerror(errno));
		writer_free(writer);
		return -1;
	}
	free(writer->temporary);
	writer->temporary = NULL;
	writer_free(writer);
	return 0;
}

void
capture_discard(struct capture_writer *writer)
{
	if (writer != NULL)
		writer_free(writer);
}
