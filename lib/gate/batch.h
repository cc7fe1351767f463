/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/gate: HMACs that have to be computed, many in one call. Datapath. */
#ifndef SEGSEAL_GATE_BATCH_H
#define SEGSEAL_GATE_BATCH_H

#include <string.h>

#include "gate/worker.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memo_header.word holds wire octets");

/*
 * SA, Last Entry, Flags, (rfc8754: D and reserved,) Key ID, Segment List: those of header, in a row
 * at text. Writes hmac_text_len() octets, at least 32, and returns their number.
 */
static inline uint16_t
gate_text(enum hmac_profile profile, const struct memo_header *header, uint8_t *text)
{
	uint64_t word = header->word;
	uint8_t *list = text + 24;

	memcpy(text, header->src, 16);
	if (profile == HMAC_LINUX) {
		/* Without the 16 bits in the middle; the list overwrites what is too much. */
		word = (word & 0xffff) | word >> 32 << 16;
		list = text + 22;
	}
	memcpy(text + 16, &word, sizeof(word));
	for (uint32_t i = 0; i < header->segments; i++)
		memcpy(list + 16 * i, header->list + 16 * i, 16);
	return (uint16_t)(list - text + 16 * header->segments);
}

static inline void
batch_begin(struct gate_batch *batch)
{
	gate_list_begin(&batch->miss);
	batch->text_used = 0;
}

/* The HMAC of header, at this position, under key is not known: make a job of it. */
static inline void
batch_miss(struct gate_batch *batch, unsigned at, const struct memo_header *header,
	   const struct keyring_key *key)
{
	struct hmac_job *job = &batch->job[batch->miss.n];
	uint8_t *text = batch->text + batch->text_used;

	job->key = &key->hmac;
	job->text = text;
	job->text_len = gate_text(key->profile, header, text);
	job->tag = batch->tag[at];
	job->ok = false;
	batch->text_used += RTE_ALIGN_CEIL((uint32_t)job->text_len, RTE_CACHE_LINE_SIZE);
	gate_list_add(&batch->miss, at);
}

#endif
