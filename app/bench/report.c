/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>

#include "bench.h"

void
bench_report(const struct bench_options *options, const struct bench_row *row)
{
	bool mixed = row->algorithm == HMAC_ALGORITHMS;
	const char *algorithm = mixed ? "mixed" : hmac_algorithm_name(row->algorithm);
	const char *profile = mixed ? "mixed" : hmac_profile_name(row->profile);

	if (options->json) {
		printf("{\"bench\":\"%s\",\"case\":\"%s\",\"algorithm\":\"%s\",\"profile\":\"%s\","
		       "\"segments\":%u,\"burst\":%u,",
		       row->bench, row->name, algorithm, profile, row->segments, row->burst);
		if (row->flows)
			printf("\"flows\":%u,", row->flows);
		if (row->keys)
			printf("\"keys\":%u,", row->keys);
		if (row->samples)
			printf("\"samples\":%u,\"t\":%.2f,", row->samples, row->t);
		printf("\"cycles\":%.1f,\"min_cycles\":%.1f}\n", row->cycles, row->min_cycles);
		fflush(stdout);
		return;
	}
	printf("%-8s %-26s %-7s %-8s %3u segments  burst %3u", row->bench, row->name, algorithm,
	       profile, row->segments, row->burst);
	if (row->flows)
		printf("  %7u flows", row->flows);
	if (row->keys)
		printf("  %5u keys", row->keys);
	printf("  %9.1f  (min %.1f)", row->cycles, row->min_cycles);
	if (row->samples)
		printf("  |t| %.2f of %u samples", row->t, row->samples);
	putchar('\n');
}

void
bench_note(const struct bench_options *options, const char *format, ...)
{
	va_list args;

	if (options->json)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}
