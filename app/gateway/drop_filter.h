/* SPDX-License-Identifier: BSD-3-Clause */
/* Which dropped packets a trace or a capture is about. Control thread. */
#ifndef SEGSEAL_GATEWAY_DROP_FILTER_H
#define SEGSEAL_GATEWAY_DROP_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "punt.h"

struct drop_filter {
	int reason;	 /* enum gate_verdict; -1 = any */
	int port;	 /* -1 = any */
	uint32_t key_id; /* 0 = any */
};

static inline uint32_t
drop_filter_bits(const struct drop_filter *filter)
{
	return filter->reason >= 0 ? punt_bit((enum gate_verdict)filter->reason) : UINT32_MAX;
}

static inline bool
drop_filter_takes(const struct drop_filter *filter, const struct punt_record *record)
{
	return (filter->reason < 0 || filter->reason == record->verdict) &&
	       (filter->port < 0 || filter->port == record->port) &&
	       (filter->key_id == 0 || filter->key_id == record->key_id);
}

#endif
