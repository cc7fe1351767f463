/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known answers of every algorithm on every manager, before a single packet is trusted to them:
 * RFC 2202 section 3 and RFC 4231 section 4 cases 1 to 5 (keys longer than 64 octets are out of our
 * range), and one text of several blocks under a key of 64 octets. Control threads.
 */
#include <string.h>

#include "hmac/engine.h"

#define INPUTS 6u
#define LONG_INPUT 5u
#define LONG_TEXT_LEN 300u
#define JOBS 40u /* each of 16 lanes is filled twice and more, and some are left over */

static const struct {
	const char *key, *text;
	uint8_t key_len;
	uint8_t text_len;
} inputs[LONG_INPUT] = {
	{"\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
	 "Hi There", 20, 8},
	{"Jefe", "what do ya want for nothing?", 4, 28},
	{"\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa",
	 "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd"
	 "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd"
	 "\xdd\xdd\xdd\xdd\xdd\xdd",
	 20, 50},
	{"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16"
	 "\x17\x18\x19",
	 "\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd"
	 "\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd\xcd"
	 "\xcd\xcd\xcd\xcd\xcd\xcd",
	 25, 50},
	{"\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c",
	 "Test With Truncation", 20, 20},
};

/* The fifth answer of RFC 4231 is cut to 16 octets there. */
static const char *const answers[INPUTS][HMAC_ALGORITHMS] = {
	{
		[HMAC_SHA1] = "b617318655057264e28bc0b6fb378c8ef146be00",
		[HMAC_SHA256] = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
		[HMAC_SHA384] = "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
				"faea9ea9076ede7f4af152e8b2fa9cb6",
		[HMAC_SHA512] = "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
				"daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
	},
	{
		[HMAC_SHA1] = "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
		[HMAC_SHA256] = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		[HMAC_SHA384] = "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
				"8e2240ca5e69e2c78b3239ecfab21649",
		[HMAC_SHA512] = "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
				"9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
	},
	{
		[HMAC_SHA1] = "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
		[HMAC_SHA256] = "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
		[HMAC_SHA384] = "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
				"2a5ab39dc13814b94e3ab6e101a34f27",
		[HMAC_SHA512] = "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
				"bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
	},
	{
		[HMAC_SHA1] = "4c9007f4026250c6bc8414f9bf50c86c2d7235da",
		[HMAC_SHA256] = "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
		[HMAC_SHA384] = "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e"
				"6801dd23c4a7d679ccf8a386c674cffb",
		[HMAC_SHA512] = "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
				"a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
	},
	{
		[HMAC_SHA1] = "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04",
		[HMAC_SHA256] = "a3b6167473100ee06e0c796c2955552b",
		[HMAC_SHA384] = "3abf34c3503b2a23a46efc619baef897",
		[HMAC_SHA512] = "415fad6271580a531d4179bc891d87a6",
	},
	{
		[HMAC_SHA1] = "b3b865698fc39f9348b206fc1db66da85eabf445",
		[HMAC_SHA256] = "bdf59f27d38e8fc5d6e9676200c5537c36a0972f2ce8226cf40bb9e2f2fa2e9e",
		[HMAC_SHA384] = "82b8ff76e06fbaf0d5cdea9cdc822a5b62d37fa8d3689987b62de858f1d64bab"
				"6ae9039d092cab6817b0e8dc5ccbafeb",
		[HMAC_SHA512] = "9e4abb07405b0997ec88ef95fc3d0055a00582b90c0ac2eedb798e762b1b287a"
				"861e3c19f2c7d712e868a558903241a03512a46da74163d11b6c52b9e099e4d8",
	},
};

struct known {
	struct hmac_key keys[INPUTS];
	uint8_t long_text[LONG_TEXT_LEN];
	uint8_t want[INPUTS][HMAC_TAG_MAX];
	uint8_t want_len[INPUTS];
	uint8_t tags[JOBS][HMAC_TAG_MAX] __attribute__((aligned(64)));
	struct hmac_job jobs[JOBS];
};

static uint8_t
nibble(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static bool
prepare(struct known *known, enum hmac_algorithm algorithm)
{
	uint8_t long_key[HMAC_SECRET_MAX];

	for (unsigned i = 0; i < sizeof(long_key); i++)
		long_key[i] = (uint8_t)i;
	for (unsigned i = 0; i < LONG_TEXT_LEN; i++)
		known->long_text[i] = (uint8_t)(7 * i + 3);
	for (unsigned i = 0; i < INPUTS; i++) {
		const char *hex = answers[i][algorithm];
		const uint8_t *secret = i == LONG_INPUT ? long_key : (const uint8_t *)inputs[i].key;
		size_t len = i == LONG_INPUT ? sizeof(long_key) : inputs[i].key_len;

		if (hmac_key_prepare(&known->keys[i], algorithm, secret, len) < 0)
			return false;
		known->want_len[i] = (uint8_t)(strlen(hex) / 2);
		for (unsigned k = 0; k < known->want_len[i]; k++)
			known->want[i][k] =
				(uint8_t)(nibble(hex[2 * k]) << 4 | nibble(hex[2 * k + 1]));
	}
	for (unsigned j = 0; j < JOBS; j++) {
		unsigned i = j % INPUTS;

		known->jobs[j].key = &known->keys[i];
		known->jobs[j].text =
			i == LONG_INPUT ? known->long_text : (const uint8_t *)inputs[i].text;
		known->jobs[j].text_len = i == LONG_INPUT ? LONG_TEXT_LEN : inputs[i].text_len;
		known->jobs[j].tag = known->tags[j];
	}
	return true;
}

static bool
right(const struct known *known, unsigned n, enum hmac_algorithm algorithm)
{
	for (unsigned j = 0; j < n; j++) {
		unsigned i = j % INPUTS;
		const uint8_t *tag = known->tags[j];

		if (!known->jobs[j].ok || memcmp(tag, known->want[i], known->want_len[i]) != 0)
			return false;
		for (unsigned k = hmac_digest_len(algorithm); k < HMAC_TAG_MAX; k++)
			if (tag[k] != 0)
				return false;
	}
	return true;
}

static bool
test(struct hmac_engine *engine, struct known *known, enum hmac_algorithm algorithm)
{
	memset(known->tags, 0xff, sizeof(known->tags));
	for (unsigned j = 0; j < INPUTS; j++)
		hmac_run(engine, &known->jobs[j], 1);
	if (!right(known, INPUTS, algorithm))
		return false;
	memset(known->tags, 0xff, sizeof(known->tags));
	hmac_run(engine, known->jobs, JOBS);
	return right(known, JOBS, algorithm);
}

const char *
engine_selftest(struct hmac_engine *engine)
{
	static const char *const failed[HMAC_ALGORITHMS] = {
		[HMAC_SHA1] = "known-answer test of HMAC-SHA-1 failed",
		[HMAC_SHA256] = "known-answer test of HMAC-SHA-256 failed",
		[HMAC_SHA384] = "known-answer test of HMAC-SHA-384 failed",
		[HMAC_SHA512] = "known-answer test of HMAC-SHA-512 failed",
	};
	struct known known;

	memset(&known, 0, sizeof(known));
	for (unsigned a = 0; a < HMAC_ALGORITHMS; a++) {
		if (!prepare(&known, a))
			return "IPsec-MB cannot prepare keys on this CPU";
		for (unsigned m = 0; m < engine->n_managers; m++) {
			bool good;

			if (!engine_manager_can(&engine->managers[m], a))
				continue;
			hmac_engine_force_manager(engine, (int)m);
			good = test(engine, &known, a);
			hmac_engine_force_manager(engine, -1);
			if (!good)
				return failed[a];
		}
	}
	return NULL;
}
