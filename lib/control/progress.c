/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control/text.h"

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000u + (uint64_t)ts.tv_nsec / 1000000u;
}

void
progress_begin(struct progress *progress)
{
	*progress = (struct progress){.on = isatty(STDERR_FILENO) == 1};
	if (!progress->on)
		return;
	progress->begin = now_ms();
	progress->due = progress->begin + PROGRESS_AFTER_MS;
}

bool
progress_due(const struct progress *progress)
{
	return progress->on && now_ms() >= progress->due;
}

uint64_t
progress_elapsed(const struct progress *progress)
{
	return progress->on ? now_ms() - progress->begin : 0;
}

void
progress_draw(struct progress *progress, const char *text)
{
	unsigned len = (unsigned)strlen(text);

	if (!progress->on)
		return;
	/* Blanks over what was longer: that works on any terminal. */
	fprintf(stderr, "\r%-*s", (int)progress->drawn, text);
	fflush(stderr);
	if (len > progress->drawn)
		progress->drawn = len;
	progress->due = now_ms() + PROGRESS_EACH_MS;
}

void
progress_end(struct progress *progress)
{
	if (progress->drawn == 0)
		return;
	fprintf(stderr, "\r%*s\r", (int)progress->drawn, "");
	fflush(stderr);
	progress->drawn = 0;
}

/* The last part of a path, cut in front. */
static const char *
short_name(const char *name, size_t max)
{
	size_t len = strlen(name);

	return len > max ? name + len - max : name;
}

void
progress_text(char text[PROGRESS_TEXT_MAX], const char *name, uint64_t done, uint64_t total,
	      uint64_t packets, uint64_t elapsed_ms)
{
	char percent[16] = "", rest[40] = "";

	if (total != 0) {
		if (done > total) /* it grew meanwhile */
			done = total;
		snprintf(percent, sizeof(percent), "%u %%, ", (unsigned)(done * 100 / total));
		/* Not before there is something to conclude from. */
		if (done * 100 / total != 0)
			snprintf(rest, sizeof(rest), ", about %" PRIu64 " s left",
				 (uint64_t)((double)elapsed_ms * (double)(total - done) /
					    (double)done / 1000.0));
	}
	snprintf(text, PROGRESS_TEXT_MAX, "%s: %s%" PRIu64 " packets, %" PRIu64 " s%s",
		 short_name(name, 24), percent, packets, elapsed_ms / 1000, rest);
	text_one_line(text);
}
