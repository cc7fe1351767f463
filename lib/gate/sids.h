/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protected IPv6 prefixes: is an address in one of them? Whether the longest or the shortest prefix
 * matches makes no difference to that, so workers search a sorted array of disjoint ranges, made
 * anew on each change and replaced by one pointer store. The old one is freed once no worker can
 * still be reading it: nobody waits, and a change takes effect when the call returns.
 *
 * Control functions are for the one control thread; workers report quiescent states on the RCU
 * variable.
 */
#ifndef SEGSEAL_GATE_SIDS_H
#define SEGSEAL_GATE_SIDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_rcu_qsbr.h>

#define SIDS_MAX 16384u /* prefixes */

__extension__ typedef unsigned __int128 sids_addr; /* host byte order */

/* What workers see. Never changes while it can be seen. */
struct sids_table {
	uint32_t ranges;       /* at least 1 */
	const sids_addr *last; /* last address of each range */
	sids_addr first[];     /* first address of each range, ascending */
};

struct sids {
	const struct sids_table *table; /* NULL: no prefix */
	struct sids_control *control;
};

/* --- worker --- */

/* The prefixes as they are now; NULL if there is none. Valid until the next quiescent report: read
 * it once a burst, so that one burst is judged by one state. */
static inline const struct sids_table *
sids_table(const struct sids *sids)
{
	return __atomic_load_n(&sids->table, __ATOMIC_ACQUIRE);
}

static inline sids_addr
sids_addr_load(const uint8_t addr[16])
{
	uint64_t half[2];

	memcpy(half, addr, sizeof(half));
	return (sids_addr)rte_be_to_cpu_64(half[0]) << 64 | rte_be_to_cpu_64(half[1]);
}

/* Whether an IPv6 address, network byte order, any alignment, is in a protected prefix. */
static inline bool
sids_covers(const struct sids_table *table, const uint8_t addr[16])
{
	sids_addr a = sids_addr_load(addr);
	const sids_addr *first = table->first;

	/* The last range that begins at or before a, if any does: no branch on the outcome, for
	 * what an attacker sends cannot be predicted. */
	for (uint32_t n = table->ranges; n > 1;) {
		uint32_t half = n / 2;

		first += first[half] <= a ? half : 0;
		n -= half;
	}
	return *first <= a && a <= table->last[first - table->first];
}

/* --- control --- */

/* No prefix yet. NULL with rte_errno = ENOMEM. */
struct sids *sids_create(struct rte_rcu_qsbr *rcu, int socket);
/* No worker may be using it. NULL does nothing. */
void sids_destroy(struct sids *sids);
/*
 * 0, -EINVAL (depth > 128, or host bits set), -EEXIST, -ENOSPC (SIDS_MAX), -ENOMEM, -EBUSY if too
 * many old tables wait for a worker that does not report. A failure changes nothing.
 */
int sids_add(struct sids *sids, const uint8_t prefix[16], uint8_t depth);
/* -ENOENT, otherwise as sids_add(). */
int sids_del(struct sids *sids, const uint8_t prefix[16], uint8_t depth);
/* By ascending address, then depth; calls back until it returns non-zero, and returns that. The
 * callback must not change the prefixes. */
int sids_each(const struct sids *sids,
	      int (*each)(const uint8_t prefix[16], uint8_t depth, void *arg), void *arg);
unsigned sids_count(const struct sids *sids);
/* Free what can be; returns how many old tables still wait. Never blocks. Every change does it. */
unsigned sids_reclaim(struct sids *sids);

#endif
