/* SPDX-License-Identifier: BSD-3-Clause */
/* Protected prefixes, control side. */
#include <errno.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "gate/sids.h"

/* Old tables that may wait at once, in number and in octets: far more than a worker that runs lets
 * gather, even one that shares its CPU. */
#define WAITING_MAX 2048u
#define WAITING_OCTETS_MAX (32u << 20)
#define DEPTH_MAX 128u

struct prefix {
	sids_addr addr;
	uint8_t depth;
};

struct waiting {
	uint64_t token;
	size_t octets;
	struct sids_table *table;
};

struct sids_control {
	struct rte_rcu_qsbr *rcu;
	int socket;
	unsigned count;
	unsigned room;		 /* entries that prefixes has */
	struct prefix *prefixes; /* by ascending address, then depth */
	unsigned waiting_first;
	unsigned waiting_count;
	size_t waiting_octets;
	size_t table_octets; /* of the table that workers see */
	struct waiting waiting[WAITING_MAX];
};

/* Addresses that differ from a prefix's in these bits alone are in it. */
static sids_addr
host_bits(uint8_t depth)
{
	return depth == 0 ? ~(sids_addr)0 : depth >= DEPTH_MAX ? 0 : ~(sids_addr)0 >> depth;
}

struct sids *
sids_create(struct rte_rcu_qsbr *rcu, int socket)
{
	struct sids *sids = rte_zmalloc_socket(NULL, sizeof(*sids), RTE_CACHE_LINE_SIZE, socket);
	struct sids_control *control = calloc(1, sizeof(*control));

	if (sids == NULL || control == NULL) {
		rte_free(sids);
		free(control);
		rte_errno = ENOMEM;
		return NULL;
	}
	control->rcu = rcu;
	control->socket = socket;
	sids->control = control;
	return sids;
}

void
sids_destroy(struct sids *sids)
{
	if (sids == NULL)
		return;
	for (unsigned i = 0; i < sids->control->waiting_count; i++)
		rte_free(sids->control->waiting[(sids->control->waiting_first + i) % WAITING_MAX]
				 .table);
	rte_free((void *)(uintptr_t)sids->table);
	free(sids->control->prefixes);
	free(sids->control);
	rte_free(sids);
}

unsigned
sids_count(const struct sids *sids)
{
	return sids->control->count;
}

unsigned
sids_reclaim(struct sids *sids)
{
	struct sids_control *control = sids->control;

	while (control->waiting_count != 0) {
		struct waiting *waiting = &control->waiting[control->waiting_first];

		if (rte_rcu_qsbr_check(control->rcu, waiting->token, false) == 0)
			break;
		rte_free(waiting->table);
		control->waiting_octets -= waiting->octets;
		control->waiting_first = (control->waiting_first + 1) % WAITING_MAX;
		control->waiting_count--;
	}
	return control->waiting_count;
}

/* The index of the prefix, or of where it would stand. */
static unsigned
find(const struct sids_control *control, sids_addr addr, uint8_t depth, bool *found)
{
	unsigned low = 0, high = control->count;

	*found = false;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct prefix *p = &control->prefixes[middle];

		if (p->addr == addr && p->depth == depth) {
			*found = true;
			return middle;
		}
		if (p->addr < addr || (p->addr == addr && p->depth < depth))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The union of the prefixes in as few ranges as can be. Sorted as they are, a prefix either begins
 * inside or right behind what is there, and extends it at most, or begins a new range.
 */
static uint32_t
merge(const struct prefix *prefixes, unsigned count, sids_addr *first, sids_addr *last)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < count; i++) {
		sids_addr a = prefixes[i].addr, z = a | host_bits(prefixes[i].depth);

		if (n != 0 && (a <= last[n - 1] || a - 1 == last[n - 1])) {
			if (z > last[n - 1])
				last[n - 1] = z;
			continue;
		}
		first[n] = a;
		last[n++] = z;
	}
	return n;
}

static size_t
table_size(unsigned count)
{
	return sizeof(struct sids_table) + 2 * sizeof(sids_addr) * count;
}

static struct sids_table *
table_make(const struct sids_control *control)
{
	struct sids_table *table = rte_malloc_socket(NULL, table_size(control->count),
						     RTE_CACHE_LINE_SIZE, control->socket);
	sids_addr *last;

	if (table == NULL)
		return NULL;
	last = table->first + control->count;
	table->last = last;
	table->ranges = merge(control->prefixes, control->count, table->first, last);
	return table;
}

static void
retire(struct sids_control *control, struct sids_table *table, size_t octets)
{
	unsigned i = (control->waiting_first + control->waiting_count) % WAITING_MAX;

	control->waiting[i] = (struct waiting){
		.token = rte_rcu_qsbr_start(control->rcu), .octets = octets, .table = table};
	control->waiting_count++;
	control->waiting_octets += octets;
}

static bool
may_retire(struct sids *sids)
{
	return sids_reclaim(sids) < WAITING_MAX &&
	       sids->control->waiting_octets <= WAITING_OCTETS_MAX;
}

/* Let workers see the prefixes as control has them now. */
static int
publish(struct sids *sids)
{
	struct sids_control *control = sids->control;
	struct sids_table *old = (struct sids_table *)(uintptr_t)sids->table, *table = NULL;

	if (control->count != 0) {
		table = table_make(control);
		if (table == NULL)
			return -ENOMEM;
	}
	__atomic_store_n(&sids->table, table, __ATOMIC_RELEASE);
	if (old != NULL)
		retire(control, old, control->table_octets);
	control->table_octets = table_size(control->count);
	sids_reclaim(sids);
	return 0;
}

static void
take_out(struct sids_control *control, unsigned at)
{
	control->count--;
	memmove(&control->prefixes[at], &control->prefixes[at + 1],
		(control->count - at) * sizeof(*control->prefixes));
}

static void
put_in(struct sids_control *control, unsigned at, struct prefix prefix)
{
	memmove(&control->prefixes[at + 1], &control->prefixes[at],
		(control->count - at) * sizeof(*control->prefixes));
	control->prefixes[at] = prefix;
	control->count++;
}

static int
make_room(struct sids_control *control)
{
	unsigned room = control->room != 0 ? 2 * control->room : 16;
	struct prefix *grown;

	if (control->count < control->room)
		return 0;
	grown = realloc(control->prefixes, room * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	control->prefixes = grown;
	control->room = room;
	return 0;
}

int
sids_add(struct sids *sids, const uint8_t prefix[16], uint8_t depth)
{
	struct sids_control *control = sids->control;
	sids_addr addr = sids_addr_load(prefix);
	unsigned at;
	bool found;
	int rc;

	if (depth > DEPTH_MAX || (addr & host_bits(depth)) != 0)
		return -EINVAL;
	at = find(control, addr, depth, &found);
	if (found)
		return -EEXIST;
	if (control->count == SIDS_MAX)
		return -ENOSPC;
	if (!may_retire(sids))
		return -EBUSY;
	rc = make_room(control);
	if (rc < 0)
		return rc;
	put_in(control, at, (struct prefix){.addr = addr, .depth = depth});
	rc = publish(sids);
	if (rc < 0)
		take_out(control, at);
	return rc;
}

int
sids_del(struct sids *sids, const uint8_t prefix[16], uint8_t depth)
{
	struct sids_control *control = sids->control;
	sids_addr addr = sids_addr_load(prefix);
	struct prefix old;
	unsigned at;
	bool found;
	int rc;

	if (depth > DEPTH_MAX || (addr & host_bits(depth)) != 0)
		return -EINVAL;
	at = find(control, addr, depth, &found);
	if (!found)
		return -ENOENT;
	if (!may_retire(sids))
		return -EBUSY;
	old = control->prefixes[at];
	take_out(control, at);
	rc = publish(sids);
	if (rc < 0)
		put_in(control, at, old);
	return rc;
}

int
sids_each(const struct sids *sids, int (*each)(const uint8_t prefix[16], uint8_t depth, void *arg),
	  void *arg)
{
	const struct sids_control *control = sids->control;
	int rc = 0;

	for (unsigned i = 0; i < control->count && rc == 0; i++) {
		sids_addr addr = control->prefixes[i].addr;
		uint64_t half[2] = {rte_cpu_to_be_64((uint64_t)(addr >> 64)),
				    rte_cpu_to_be_64((uint64_t)addr)};
		uint8_t prefix[16];

		memcpy(prefix, half, sizeof(prefix));
		rc = each(prefix, control->prefixes[i].depth, arg);
	}
	return rc;
}
