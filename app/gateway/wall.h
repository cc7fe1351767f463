/* SPDX-License-Identifier: BSD-3-Clause */
/* Points in time as people read them. */
#ifndef SEGSEAL_GATEWAY_WALL_H
#define SEGSEAL_GATEWAY_WALL_H

#include <stdint.h>

#include <jansson.h>

/* Nanoseconds since 1970 as "2026-12-01T06:00:00.123456Z" (ISO 8601, UTC); NULL without memory. */
json_t *wall_json(uint64_t wall);

#endif
