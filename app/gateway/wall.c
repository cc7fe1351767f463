/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall.h"

#include <time.h>

json_t *
wall_json(uint64_t wall)
{
	time_t seconds = (time_t)(wall / 1000000000u);
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	return json_sprintf("%s.%06uZ", text, (unsigned)(wall % 1000000000u / 1000u));
}
