/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMPv6 errors: what they look like, and what is never answered with one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/gate.h"
#include "gate/icmp.h"

#define ROOM 9000u

static const uint8_t ours[16] = {0x20, 0x01, 0x0d, 0xb8, [14] = 0xee, [15] = 0x01};

struct frame {
	uint8_t octets[ROOM];
	uint32_t len;
	uint32_t ip;
};

/* Ethernet, tags, IPv6 with this Next Header; what follows is the caller's. */
static void
begin(struct frame *frame, unsigned tags, uint8_t next)
{
	static const uint8_t macs[12] = {2, 0, 0, 0, 0, 0xbb, 2, 0, 0, 0, 0, 0xaa};
	uint8_t *p = frame->octets;

	memset(frame, 0, sizeof(*frame));
	memcpy(p, macs, sizeof(macs));
	p += sizeof(macs);
	for (unsigned i = 0; i < tags; i++) {
		*p++ = i == 0 && tags == 2 ? 0x88 : 0x81;
		*p++ = i == 0 && tags == 2 ? 0xa8 : 0x00;
		*p++ = 0x60;
		*p++ = (uint8_t)(0x10 + i);
	}
	*p++ = 0x86;
	*p++ = 0xdd;
	frame->ip = (uint32_t)(p - frame->octets);
	p[0] = 0x60;
	p[6] = next;
	p[7] = 64;
	p[8] = 0x20;
	p[9] = 0x01;
	p[23] = 0x0a;
	p[24] = 0xfc;
	p[39] = 0x0b;
	frame->len = frame->ip + 40;
}

static void
end(struct frame *frame)
{
	uint32_t payload = frame->len - frame->ip - 40;

	frame->octets[frame->ip + 4] = (uint8_t)(payload >> 8);
	frame->octets[frame->ip + 5] = (uint8_t)payload;
}

/* An extension header of so many units of 8 octets, which leads to next. */
static void
extend(struct frame *frame, uint8_t next, unsigned units)
{
	frame->octets[frame->len] = next;
	frame->octets[frame->len + 1] = (uint8_t)(units - 1);
	frame->len += 8 * units;
}

static void
upper(struct frame *frame, unsigned octets)
{
	for (unsigned i = 0; i < octets; i++)
		frame->octets[frame->len++] = (uint8_t)(i * 7 + 3);
	end(frame);
}

static unsigned
answer(const struct frame *frame, enum gate_icmp_type type, uint8_t *out)
{
	/* Exactly as long as it is, for the sanitizer. */
	uint8_t *copy = malloc(frame->len);
	unsigned len;

	assert_non_null(copy);
	memcpy(copy, frame->octets, frame->len);
	len = gate_icmp_error(copy, frame->len, type, 0x01020304, ours, out);
	free(copy);
	return len;
}

static bool
is_answered(const struct frame *frame, enum gate_icmp_type type)
{
	uint8_t out[GATE_ICMP_MAX];

	return answer(frame, type, out) != 0;
}

/* RFC 1071, the slow way: with its checksum in place the sum over all is 0xffff. */
static bool
checksum_is_right(const uint8_t *ip, unsigned icmp_len)
{
	uint64_t sum = icmp_len + 58;

	for (unsigned i = 8; i < 40; i++)
		sum += (uint64_t)ip[i] << (i % 2 ? 0 : 8);
	for (unsigned i = 0; i < icmp_len; i++)
		sum += (uint64_t)ip[40 + i] << (i % 2 ? 0 : 8);
	return sum % 0xffff == 0;
}

static void
check_answer(unsigned tags, unsigned payload, enum gate_icmp_type type)
{
	struct frame frame;
	uint8_t out[GATE_ICMP_MAX];
	unsigned len, quoted;
	const uint8_t *in = frame.octets, *ip;

	begin(&frame, tags, 17);
	upper(&frame, payload);
	memset(frame.octets + frame.len, 0xee, 6); /* Ethernet padding is not the packet's */
	frame.len += 6;
	len = answer(&frame, type, out);
	quoted = payload + 40 < 1232 ? payload + 40 : 1232;
	assert_int_equal(len, frame.ip + 40 + 8 + quoted);

	assert_memory_equal(out, in + 6, 6);
	assert_memory_equal(out + 6, in, 6);
	assert_memory_equal(out + 12, in + 12, frame.ip - 12);
	ip = out + frame.ip;
	assert_int_equal(ip[0], 0x60);
	assert_int_equal(ip[4] << 8 | ip[5], 8 + quoted);
	assert_int_equal(ip[6], 58);
	assert_memory_equal(ip + 8, ours, 16);
	assert_memory_equal(ip + 24, in + frame.ip + 8, 16);
	assert_int_equal(ip[40], type);
	assert_int_equal(ip[41], 0);
	assert_memory_equal(ip + 44, "\1\2\3\4", 4);
	assert_memory_equal(ip + 48, in + frame.ip, quoted);
	assert_true(checksum_is_right(ip, 8 + quoted));
}

static void
test_form(void **state)
{
	static const unsigned payloads[] = {0, 1, 2, 77, 1191, 1192, 1193, 1400, 8000};

	(void)state;
	for (unsigned tags = 0; tags <= SRH_MAX_VLAN_TAGS; tags++)
		for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
			check_answer(tags, payloads[i], GATE_ICMP_PARAMETER);
			check_answer(tags, payloads[i], GATE_ICMP_TOO_BIG);
		}
}

static void
with_source(struct frame *frame, const uint8_t source[16])
{
	begin(frame, 0, 17);
	memcpy(frame->octets + frame->ip + 8, source, 16);
	upper(frame, 8);
}

static void
test_sources(void **state)
{
	static const uint8_t bad[][16] = {
		{0},
		{[15] = 1},
		{0xff, 2, [15] = 1},
		{0xff, 0xff},
	};
	static const uint8_t good[][16] = {
		{[15] = 2},
		{[14] = 1},
		{0xfe, 0x80, [15] = 1},
		{0xfc},
	};
	struct frame frame;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		with_source(&frame, bad[i]);
		assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
		assert_false(is_answered(&frame, GATE_ICMP_TOO_BIG));
		assert_false(gate_icmp_is_source(bad[i]));
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		with_source(&frame, good[i]);
		assert_true(is_answered(&frame, GATE_ICMP_PARAMETER));
		assert_true(gate_icmp_is_source(good[i]));
	}
	with_source(&frame, ours); /* not to ourselves */
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
}

static void
test_destinations(void **state)
{
	struct frame frame;

	(void)state;
	begin(&frame, 0, 17);
	frame.octets[frame.ip + 24] = 0xff;
	upper(&frame, 8);
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	assert_true(is_answered(&frame, GATE_ICMP_TOO_BIG));

	begin(&frame, 0, 17);
	upper(&frame, 8);
	frame.octets[0] = 0x33;
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	memset(frame.octets, 0xff, 6);
	assert_false(is_answered(&frame, GATE_ICMP_TOO_BIG));
	frame.octets[0] = 2;
	frame.octets[6] = 3;
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
}

/* An ICMPv6 message behind so many extension headers, and its octets cut off. */
static void
icmp_frame(struct frame *frame, uint8_t type, unsigned headers, unsigned octets)
{
	static const uint8_t kinds[] = {0, 60, 43, 51, 135};

	begin(frame, 0, headers > 0 ? kinds[0] : 58);
	for (unsigned i = 0; i < headers; i++) {
		uint8_t next = i + 1 < headers ? kinds[(i + 1) % 5] : 58;

		if (kinds[i % 5] == 51) { /* Authentication counts in 4 octets */
			frame->octets[frame->len] = next;
			frame->octets[frame->len + 1] = 4;
			frame->len += 24;
		} else {
			extend(frame, next, 1 + i % 3);
		}
	}
	frame->octets[frame->len] = type;
	frame->len += octets;
	end(frame);
}

static void
test_icmp_is_answered_when_informational(void **state)
{
	struct frame frame;

	(void)state;
	for (unsigned headers = 0; headers < 8; headers++)
		for (unsigned type = 0; type < 256; type++) {
			icmp_frame(&frame, (uint8_t)type, headers, 8);
			assert_int_equal(is_answered(&frame, GATE_ICMP_PARAMETER),
					 type >= 128 && type != 137);
		}
}

static void
test_what_is_not_known_is_not_answered(void **state)
{
	struct frame frame;
	uint32_t whole;

	(void)state;
	/* No type to be seen. */
	icmp_frame(&frame, 128, 3, 0);
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	/* Cut anywhere: answered only when the type is there, and nothing is read past the end. */
	icmp_frame(&frame, 128, 5, 1);
	whole = frame.len;
	for (frame.len = 0; frame.len < whole; frame.len++)
		assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	assert_true(is_answered(&frame, GATE_ICMP_PARAMETER));

	/* Fragments: the first shows what it is, the others do not. */
	begin(&frame, 0, 44);
	frame.octets[frame.len] = 17;
	frame.octets[frame.len + 3] = 1;
	frame.len += 8;
	upper(&frame, 16);
	assert_true(is_answered(&frame, GATE_ICMP_PARAMETER));
	frame.octets[frame.ip + 43] = 8;
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	frame.octets[frame.ip + 43] = 0;
	frame.octets[frame.ip + 42] = 1;
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));

	/* Not IPv6, or not of version 6. */
	begin(&frame, 0, 17);
	upper(&frame, 8);
	frame.octets[frame.ip] = 0x45;
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	frame.octets[frame.ip] = 0x60;
	frame.octets[12] = 8;
	frame.octets[13] = 0;
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
	/* Extension headers without end. */
	begin(&frame, 0, 60);
	for (unsigned i = 0; i < 200; i++)
		extend(&frame, 60, 1);
	extend(&frame, 17, 1);
	upper(&frame, 8);
	assert_false(is_answered(&frame, GATE_ICMP_PARAMETER));
}

static void
test_types_and_mtu(void **state)
{
	unsigned parameters = 0, others = 0;

	(void)state;
	for (unsigned v = 0; v < GATE_VERDICT_COUNT; v++) {
		enum gate_icmp_type type = gate_icmp_type((enum gate_verdict)v);

		assert_true(type == GATE_ICMP_NONE || gate_is_drop((enum gate_verdict)v));
		parameters += type == GATE_ICMP_PARAMETER;
		others += type == GATE_ICMP_TOO_BIG;
	}
	assert_int_equal(parameters, 6);
	assert_int_equal(others, 1);
	assert_int_equal(gate_icmp_type(GATE_HMAC_MISMATCH), GATE_ICMP_PARAMETER);
	assert_int_equal(gate_icmp_type(GATE_TOO_BIG), GATE_ICMP_TOO_BIG);

	assert_int_equal(gate_icmp_mtu(1514, 40, 0), 1460);
	assert_int_equal(gate_icmp_mtu(1514, 40, 32), 1492);
	assert_int_equal(gate_icmp_mtu(0, 40, 0), 65535);
	assert_int_equal(gate_icmp_mtu(GATE_MAX_LEN, 32, 0), 65543);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_destinations),
		cmocka_unit_test(test_icmp_is_answered_when_informational),
		cmocka_unit_test(test_what_is_not_known_is_not_answered),
		cmocka_unit_test(test_types_and_mtu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
