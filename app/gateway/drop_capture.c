/* SPDX-License-Identifier: BSD-3-Clause */
#include "drop_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gateway.h"
#include "log.h"
#include "pcapng.h"

LOG_MODULE(capture);

#define MODE 0640 /* packets are other people's */

static int
failed(const char *path, int errnum, char *error, size_t error_size)
{
	snprintf(error, error_size, "%s: %s", path, strerror(errnum));
	return -errnum;
}

/* A new file: whoever may speak to the socket does not overwrite what root may. */
static FILE *
create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, MODE);
	FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;

	if (fd >= 0 && file == NULL)
		close(fd);
	return file;
}

int
drop_capture_start(struct gateway *gateway, const char *path, const struct drop_filter *filter,
		   uint64_t limit, char *error, size_t error_size)
{
	struct drop_capture *capture = &gateway->drops.capture;
	char *kept;
	FILE *file;

	if (capture->file != NULL) {
		snprintf(error, error_size, "a capture to %s is running", capture->path);
		return -EBUSY;
	}
	kept = strdup(path);
	file = kept != NULL ? create(path) : NULL;
	if (file == NULL || pcapng_begin(file, "segseal " SEGSEAL_VERSION) != 0 ||
	    fflush(file) != 0) {
		int errnum = kept == NULL ? ENOMEM : errno;

		if (file != NULL) {
			fclose(file);
			unlink(path);
		}
		free(kept);
		return failed(path, errnum, error, error_size);
	}
	free(capture->path);
	*capture = (struct drop_capture){
		.file = file,
		.path = kept,
		.filter = *filter,
		.limit = limit,
		.missed = drops_held_back(gateway),
	};
	memset(capture->interface, -1, sizeof(capture->interface));
	return 0;
}

uint64_t
drop_capture_missed(const struct gateway *gateway)
{
	const struct drop_capture *capture = &gateway->drops.capture;

	return capture->file != NULL ? drops_held_back(gateway) - capture->missed : capture->missed;
}

static void
finish(struct gateway *gateway, int errnum)
{
	struct drop_capture *capture = &gateway->drops.capture;

	capture->missed = drop_capture_missed(gateway);
	if (fclose(capture->file) != 0 && errnum == 0)
		errnum = errno;
	capture->file = NULL;
	if (errnum != 0)
		LOG(ERR, "capture to %s ended: %s", capture->path, strerror(errnum));
}

void
drop_capture_stop(struct gateway *gateway)
{
	struct drop_capture *capture = &gateway->drops.capture;

	if (capture->file != NULL)
		finish(gateway, 0);
}

void
drop_capture_close(struct gateway *gateway)
{
	struct drop_capture *capture = &gateway->drops.capture;

	drop_capture_stop(gateway);
	free(capture->path);
	capture->path = NULL;
}

uint32_t
drop_capture_wanted(const struct drop_capture *capture)
{
	return capture->file != NULL ? drop_filter_bits(&capture->filter) : 0;
}

static int
write_packet(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
	     uint32_t len, uint64_t wall)
{
	struct drop_capture *capture = &gateway->drops.capture;
	int *interface = &capture->interface[record->port];
	char comment[128];
	int n;

	if (*interface < 0) {
		if (pcapng_interface(capture->file, gateway->ports.port[record->port].name) != 0)
			return -1;
		*interface = capture->n_interfaces++;
	}
	n = snprintf(comment, sizeof(comment), "dropped, %s", gate_verdict_name(record->verdict));
	if (record->key_id != 0)
		snprintf(comment + n, sizeof(comment) - (size_t)n, ", Key ID %" PRIu32,
			 record->key_id);
	return pcapng_packet(capture->file, (uint32_t)*interface, wall, frame, len, comment);
}

void
drop_capture_take(struct gateway *gateway, const struct punt_record *record, const uint8_t *frame,
		  uint32_t len, uint64_t wall)
{
	struct drop_capture *capture = &gateway->drops.capture;

	if (capture->file == NULL || !drop_filter_takes(&capture->filter, record))
		return;
	if (write_packet(gateway, record, frame, len, wall) != 0) {
		finish(gateway, errno);
		return;
	}
	capture->packets++;
	if (capture->packets == capture->limit)
		finish(gateway, 0);
}

void
drop_capture_flush(struct gateway *gateway)
{
	struct drop_capture *capture = &gateway->drops.capture;

	if (capture->file != NULL && fflush(capture->file) != 0)
		finish(gateway, errno);
}
