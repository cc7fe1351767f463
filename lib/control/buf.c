/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/buf.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST 4096u

bool
buf_reserve(struct buf *buf, size_t n)
{
	size_t len = buf_len(buf);
	size_t cap = buf->cap ? buf->cap : BUF_FIRST;
	char *data;

	if (n <= buf->cap - buf->end)
		return true;
	if (buf->cap - len >= n && buf->off >= len) {
		/* At least half is gone: moving is cheaper than growing. */
		memcpy(buf->data, buf_head(buf), len);
		explicit_bzero(buf_head(buf), len);
		buf->off = 0;
		buf->end = len;
		return true;
	}
	while (cap - len < n) {
		if (cap > SIZE_MAX / 2)
			return false;
		cap *= 2;
	}
	data = malloc(cap);
	if (!data)
		return false;
	if (buf->data) {
		memcpy(data, buf_head(buf), len);
		explicit_bzero(buf_head(buf), len);
		free(buf->data);
	}
	*buf = (struct buf){.data = data, .end = len, .cap = cap};
	return true;
}

bool
buf_append(struct buf *buf, const void *data, size_t n)
{
	if (n == 0)
		return true;
	if (!buf_reserve(buf, n))
		return false;
	memcpy(buf->data + buf->end, data, n);
	buf->end += n;
	return true;
}

static int
append_piece(const char *piece, size_t n, void *buf)
{
	return buf_append(buf, piece, n) ? 0 : -1;
}

bool
buf_append_json(struct buf *buf, const json_t *json)
{
	return json_dump_callback(json, append_piece, buf, JSON_COMPACT | JSON_ENCODE_ANY) == 0;
}

void
buf_consume(struct buf *buf, size_t n)
{
	if (n == 0)
		return;
	explicit_bzero(buf_head(buf), n);
	buf->off += n;
	if (buf->off == buf->end)
		buf_free(buf);
}

void
buf_free(struct buf *buf)
{
	if (buf->data)
		explicit_bzero(buf_head(buf), buf_len(buf));
	free(buf->data);
	*buf = (struct buf){0};
}

static void
free_wiped(void *p)
{
	if (p)
		explicit_bzero(p, malloc_usable_size(p));
	free(p);
}

void
json_wipes(void)
{
	json_set_alloc_funcs(malloc, free_wiped);
}
