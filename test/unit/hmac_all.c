/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hmac_all.h"

static uint8_t tags[HMAC_BATCH_MAX][HMAC_TAG_MAX];
static struct hmac_job jobs[HMAC_BATCH_MAX];

int
question_set(struct question *q, enum hmac_algorithm algorithm, const uint8_t *secret,
	     size_t secret_len, const uint8_t *text, size_t text_len)
{
	if (text_len < 1 || text_len > HMAC_TEXT_MAX)
		return 0;
	if (hmac_key_prepare(&q->key, algorithm, secret, secret_len) < 0)
		return 0;
	memcpy(q->text, text, text_len);
	q->text_len = (uint16_t)text_len;
	q->wrong = 0;
	return 1;
}

static int
nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
hex_octets(const char *hex, uint8_t *out, size_t size)
{
	size_t len = strlen(hex);

	if (len % 2 || len / 2 > size)
		return -1;
	for (size_t i = 0; i < len / 2; i++) {
		int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -1;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return (int)(len / 2);
}

static void
ask(struct hmac_engine *engine, const struct question *questions, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		jobs[i] = (struct hmac_job){
			.key = &questions[i].key,
			.text = questions[i].text,
			.text_len = questions[i].text_len,
			.tag = tags[i],
		};
	}
	hmac_run(engine, jobs, n);
	for (unsigned i = 0; i < n; i++) {
		const struct question *q = &questions[i];

		assert_true(jobs[i].ok);
		assert_int_equal(hmac_equal(tags[i], q->want, q->want_len), !q->wrong);
		for (unsigned k = hmac_digest_len(q->key.algorithm); k < HMAC_TAG_MAX; k++)
			assert_int_equal(tags[i][k], 0);
	}
}

void
ask_all(struct hmac_engine *engine, const struct question *questions, unsigned n)
{
	assert_true(n > 0);
	for (int m = -1; m < 0 || hmac_engine_manager_name(engine, (unsigned)m); m++) {
		assert_int_equal(hmac_engine_force_manager(engine, m), 0);
		for (unsigned size = 1; size <= n && size <= HMAC_BATCH_MAX; size++) {
			/* Every question alone and in full batches, some of them in each size. */
			unsigned end = size == 1 || size == HMAC_BATCH_MAX ? n : size;

			for (unsigned from = 0; from < end; from += size)
				ask(engine, questions + from,
				    end - from < size ? end - from : size);
		}
	}
	hmac_engine_force_manager(engine, -1);
}
