/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a frame to its HMAC TLV: the texts of both constructions and the TLVs that come of them,
 * against vectors/srh_hmac_vectors.json (made with Python's hmac, the linux ones confirmed by a
 * kernel).
 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "hmac/memo.h"
#include "hmac_all.h"

#define VECTORS_MAX 256u
#define ETHER_LEN 14u
#define IPV6_LEN 40u
#define FRAME_MAX (ETHER_LEN + IPV6_LEN + SRH_MAX_LEN)

static struct hmac_engine *engine;
static struct question questions[VECTORS_MAX];
static json_t *vectors;

static int
setup(void **arg)
{
	const char *path = getenv("SEGSEAL_SRH_VECTORS");
	const char *error;
	json_error_t where;

	(void)arg;
	vectors =
		json_load_file(path ? path : "test/unit/vectors/srh_hmac_vectors.json", 0, &where);
	if (!vectors) {
		print_error("%s:%d: %s\n", where.source, where.line, where.text);
		return -1;
	}
	engine = hmac_engine_create(-1, &error);
	if (!engine)
		print_error("%s\n", error);
	return engine ? 0 : -1;
}

static int
teardown(void **arg)
{
	(void)arg;
	hmac_engine_destroy(engine);
	json_decref(vectors);
	return 0;
}

static const char *
text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	assert_non_null(text);
	return text;
}

static unsigned
number_of(const json_t *object, const char *member)
{
	const json_t *number = json_object_get(object, member);

	assert_true(json_is_integer(number));
	return (unsigned)json_integer_value(number);
}

/* Ethernet, IPv6, SRH with the vector's TLV last, no payload. Returns the frame's length. */
static uint32_t
build(const json_t *vector, uint8_t frame[FRAME_MAX])
{
	uint8_t *ip = frame + ETHER_LEN;
	uint8_t *srh = ip + IPV6_LEN;
	const json_t *list = json_object_get(vector, "segment_list");
	unsigned segments = (unsigned)json_array_size(list);
	int tlv_len;
	uint32_t srh_len;

	assert_int_equal(segments, number_of(vector, "last_entry") + 1);
	memset(frame, 0, FRAME_MAX);
	for (unsigned i = 0; i < segments; i++)
		assert_int_equal(inet_pton(AF_INET6, json_string_value(json_array_get(list, i)),
					   srh + SRH_FIXED_LEN + 16 * i),
				 1);
	tlv_len = hex_octets(text_of(vector, "tlv"), srh + SRH_FIXED_LEN + 16 * segments,
			     SRH_HMAC_MAX_LEN);
	assert_true(tlv_len == 40 || tlv_len == 32);
	srh_len = SRH_FIXED_LEN + 16 * segments + (uint32_t)tlv_len;

	frame[12] = 0x86;
	frame[13] = 0xdd;
	ip[0] = 0x60;
	ip[4] = (uint8_t)(srh_len >> 8);
	ip[5] = (uint8_t)srh_len;
	ip[6] = 43; /* Routing header */
	assert_int_equal(inet_pton(AF_INET6, text_of(vector, "src"), ip + 8), 1);
	srh[0] = 59; /* No Next Header */
	srh[1] = (uint8_t)(srh_len / 8 - 1);
	srh[2] = SRH_ROUTING_TYPE;
	srh[4] = (uint8_t)number_of(vector, "last_entry");
	srh[5] = (uint8_t)number_of(vector, "flags");
	return ETHER_LEN + IPV6_LEN + srh_len;
}

static void
check_vector(const json_t *vector, struct question *q)
{
	uint8_t frame[FRAME_MAX], secret[HMAC_SECRET_MAX], want[HMAC_TEXT_MAX];
	uint8_t text[HMAC_TEXT_MAX + 16];
	uint8_t field[HMAC_FIELD_MAX] = {0};
	enum hmac_algorithm algorithm;
	enum hmac_profile profile;
	struct srh_view view;
	uint32_t len = build(vector, frame);
	int want_len = hex_octets(text_of(vector, "text"), want, sizeof(want));
	int secret_len = hex_octets(text_of(vector, "key"), secret, sizeof(secret));
	unsigned text_len, digest_len;

	assert_true(want_len > 0 && secret_len > 0);
	assert_int_equal(hmac_algorithm_parse(text_of(vector, "alg"), &algorithm), 0);
	assert_int_equal(hmac_profile_parse(text_of(vector, "profile"), &profile), 0);
	assert_int_equal(srh_find(frame, len, len, &view), SRH_FOUND);
	assert_int_equal(view.key_id, number_of(vector, "keyid"));
	assert_int_equal(view.hmac_len, hmac_tlv_length(profile, algorithm));

	memset(text, 0xdb, sizeof(text));
	text_len = hmac_text(profile, frame, &view, text);
	assert_int_equal(text_len, want_len);
	assert_int_equal(text_len, hmac_text_len(profile, number_of(vector, "nsegs")));
	assert_memory_equal(text, want, text_len);
	for (unsigned i = 0; i < 16; i++) /* not an octet more than it said */
		assert_int_equal(text[text_len + i], 0xdb);

	assert_true(question_set(q, algorithm, secret, (size_t)secret_len, text, text_len));
	q->want_len = (uint8_t)hex_octets(text_of(vector, "digest"), q->want, sizeof(q->want));
	digest_len = hmac_digest_len(algorithm);
	assert_int_equal(q->want_len, digest_len);
	memcpy(field, q->want, digest_len < HMAC_FIELD_MAX ? digest_len : HMAC_FIELD_MAX);
	assert_memory_equal(frame + view.hmac_off + SRH_HMAC_HDR_LEN, field,
			    hmac_field_len(view.hmac_len));
}

static void
test_vectors(void **arg)
{
	unsigned n = (unsigned)json_array_size(vectors);

	(void)arg;
	assert_in_range(n, 40, VECTORS_MAX);
	for (unsigned i = 0; i < n; i++)
		check_vector(json_array_get(vectors, i), &questions[i]);
	ask_all(engine, questions, n);
}

/* Every number of segments, every octet of the frame different: each lands where it should. */
static void
test_text_of_every_length(void **arg)
{
	static uint8_t frame[ETHER_LEN + IPV6_LEN + SRH_MAX_LEN + 64];
	uint8_t text[HMAC_TEXT_MAX + 16];

	(void)arg;
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 167 + (i >> 8) * 31);
	for (unsigned segments = 1; segments <= 127; segments++) {
		const struct srh_view view = {
			.ip_off = 18,
			.srh_off = 18 + IPV6_LEN,
			.last_entry = (uint8_t)(segments - 1),
			.hmac_off = (uint16_t)(18 + IPV6_LEN + SRH_FIXED_LEN + 16 * segments),
		};

		for (unsigned p = 0; p < HMAC_PROFILES; p++) {
			unsigned head = p == HMAC_LINUX ? 22 : 24;
			unsigned len;

			memset(text, 0xdb, sizeof(text));
			len = hmac_text(p, frame, &view, text);
			assert_int_equal(len, head + 16 * segments);
			assert_memory_equal(text, frame + view.ip_off + 8, 16);
			assert_memory_equal(text + 16, frame + view.srh_off + 4, 2);
			if (p == HMAC_RFC8754)
				assert_memory_equal(text + 18, frame + view.hmac_off + 2, 2);
			assert_memory_equal(text + head - 4, frame + view.hmac_off + 4, 4);
			assert_memory_equal(text + head, frame + view.srh_off + 8, 16 * segments);
			for (unsigned i = 0; i < 16; i++)
				assert_int_equal(text[len + i], 0xdb);
		}
	}
}

/* The memo compares the very octets that are hashed. */
static void
test_memo_header(void **arg)
{
	(void)arg;
	for (unsigned i = 0; i < json_array_size(vectors); i++) {
		const json_t *vector = json_array_get(vectors, i);
		uint8_t frame[FRAME_MAX], text[HMAC_TEXT_MAX], again[HMAC_TEXT_MAX];
		uint32_t len = build(vector, frame);
		struct memo_header header;
		enum hmac_profile profile;
		struct srh_view view;
		unsigned text_len, head;
		uint8_t word[8];

		assert_int_equal(hmac_profile_parse(text_of(vector, "profile"), &profile), 0);
		assert_int_equal(srh_find(frame, len, len, &view), SRH_FOUND);
		text_len = hmac_text(profile, frame, &view, text);
		memo_header_of(&header, 77, profile, frame, &view);
		assert_int_equal(header.generation, 77);
		memcpy(word, &header.word, sizeof(word));

		memcpy(again, header.src, 16);
		memcpy(again + 16, word, 2);
		head = 18;
		if (profile == HMAC_RFC8754) {
			memcpy(again + head, word + 2, 2);
			head += 2;
		} else {
			assert_true(word[2] == 0 && word[3] == 0);
		}
		memcpy(again + head, word + 4, 4);
		memcpy(again + head + 4, header.list, 16 * header.segments);
		assert_int_equal(head + 4 + 16 * header.segments, text_len);
		assert_memory_equal(again, text, text_len);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_text_of_every_length),
		cmocka_unit_test(test_memo_header),
	};

	return cmocka_run_group_tests_name("hmac srh", tests, setup, teardown);
}
