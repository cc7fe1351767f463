/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Octets that come in at the end and go out at the front, bounded by whoever appends. What goes
 * out, and what is given back when it grows, is wiped: requests hold secrets.
 */
#ifndef SEGSEAL_CONTROL_BUF_H
#define SEGSEAL_CONTROL_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct buf {
	char *data;
	size_t off; /* first octet that is still here */
	size_t end;
	size_t cap;
};

static inline size_t
buf_len(const struct buf *buf)
{
	return buf->end - buf->off;
}

static inline char *
buf_head(const struct buf *buf)
{
	return buf->data + buf->off;
}

/* Room for n more octets at data + end; false without memory. */
bool buf_reserve(struct buf *buf, size_t n);
bool buf_append(struct buf *buf, const void *data, size_t n);
/* The compact text of json, no newline. */
bool buf_append_json(struct buf *buf, const json_t *json);
/* Take n octets off the front; frees the memory when nothing is left. */
void buf_consume(struct buf *buf, size_t n);
void buf_free(struct buf *buf);

/*
 * Have jansson wipe what it frees (its strings, its parser's buffers), from now on, in the whole
 * process. Works for memory that it allocated before, too. Call as often as you like.
 */
void json_wipes(void);

#endif
