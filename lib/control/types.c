/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/types.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "control/text.h"
#include "gate/verdicts.h"
#include "keyring/window.h"

static const char *const algorithms[] = {"sha1", "sha256", "sha384", "sha512", NULL};
#define X(symbol, name, help) name,
static const char *const reasons[] = {GATE_DROPS(X) NULL};
#undef X
static const char *const profiles[] = {"linux", "rfc8754", NULL};

/* Decimal or 0x hex, digits only. */
static json_t *
parse_number(const char *word, uint64_t min, uint64_t max)
{
	bool hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *digits = hex ? word + 2 : word;
	uint64_t value = 0;

	if (!*digits)
		return NULL;
	for (; *digits; digits++) {
		int digit = text_hex_digit(*digits);

		if (digit < 0 || (!hex && digit > 9))
			return NULL;
		value = value * (hex ? 16 : 10) + (uint64_t)digit;
		if (value > max)
			return NULL;
	}
	return value < min ? NULL : json_integer((json_int_t)value);
}

static json_t *
parse_id(const char *word)
{
	return parse_number(word, 1, UINT32_MAX);
}

static json_t *
parse_port(const char *word)
{
	return parse_number(word, 0, UINT16_MAX);
}

static json_t *
parse_mtu(const char *word)
{
	return parse_number(word, 1280, UINT16_MAX);
}

static json_t *
parse_path(const char *word)
{
	return *word ? json_string(word) : NULL;
}

static json_t *
parse_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return json_string(word);
	return NULL;
}

static json_t *
parse_algorithm(const char *word)
{
	return parse_one_of(word, algorithms);
}

static json_t *
parse_profile(const char *word)
{
	return parse_one_of(word, profiles);
}

static bool
has_host_bits(const uint8_t *address, unsigned length)
{
	for (unsigned bit = length; bit < 128; bit++)
		if (address[bit / 8] & (0x80u >> bit % 8))
			return true;
	return false;
}

static json_t *
parse_prefix(const char *word)
{
	const char *slash = strchr(word, '/');
	char text[INET6_ADDRSTRLEN];
	uint8_t address[16];
	json_t *length, *value = NULL;

	if (!slash || (size_t)(slash - word) >= sizeof(text) || strchr(slash, 'x'))
		return NULL;
	memcpy(text, word, (size_t)(slash - word));
	text[slash - word] = '\0';
	length = parse_number(slash + 1, 0, 128);
	if (length && inet_pton(AF_INET6, text, address) == 1 &&
	    !has_host_bits(address, (unsigned)json_integer_value(length)))
		value = json_string(word);
	json_decref(length);
	return value;
}

static json_t *
parse_address(const char *word)
{
	static const uint8_t zero[15];
	uint8_t address[16];

	if (inet_pton(AF_INET6, word, address) != 1 || address[0] == 0xff ||
	    (memcmp(address, zero, sizeof(zero)) == 0 && address[15] <= 1))
		return NULL;
	return json_string(word);
}

static json_t *
parse_rate(const char *word)
{
	return parse_number(word, 1, 1000000);
}

static json_t *
parse_count(const char *word)
{
	return parse_number(word, 1, 100);
}

static json_t *
parse_limit(const char *word)
{
	return parse_number(word, 1, 1000000000);
}

static json_t *
parse_milliseconds(const char *word)
{
	return parse_number(word, 100, 3600000);
}

static json_t *
parse_reason(const char *word)
{
	return parse_one_of(word, reasons);
}

/* Each end as it stands: durations count from when the gateway reads them. */
static json_t *
parse_window(const char *word)
{
	const char *dots = strstr(word, "..");
	int64_t instant;

	if (!dots || keyring_instant_parse(word, (size_t)(dots - word), 1, &instant) < 0 ||
	    keyring_instant_parse(dots + 2, strlen(dots + 2), 1, &instant) < 0)
		return NULL;
	return json_pack("{s:o, s:o}", "from",
			 dots > word ? json_stringn(word, (size_t)(dots - word)) : json_null(),
			 "to", dots[2] ? json_string(dots + 2) : json_null());
}

const struct word_type word_types[] = {
	{"ID", "a Key ID, 1 to 4294967295, decimal or 0x hex", NULL, parse_id, false},
	{"OLD", "a Key ID", NULL, parse_id, false},
	{"NEW", "a Key ID", NULL, parse_id, false},
	{"WINDOW",
	 "FROM..TO, each empty or like 2026-12-01T06:00:00Z or +30s, +10m, +2h, +7d from now", NULL,
	 parse_window, false},
	{"ALGORITHM", "sha1, sha256, sha384 or sha512", algorithms, parse_algorithm, false},
	{"PROFILE", "linux or rfc8754", profiles, parse_profile, false},
	{"N", "a port number", NULL, parse_port, false},
	{"M", "a port number", NULL, parse_port, false},
	{"PREFIX", "an IPv6 prefix without host bits, like fc00::/16", NULL, parse_prefix, false},
	{"BYTES", "1280 to 65535", NULL, parse_mtu, false},
	{"ADDR", "a unicast IPv6 address", NULL, parse_address, false},
	{"RATE", "1 to 1000000", NULL, parse_rate, false},
	{"COUNT", "1 to 100", NULL, parse_count, false},
	{"LIMIT", "1 to 1000000000", NULL, parse_limit, false},
	{"MILLISECONDS", "100 to 3600000", NULL, parse_milliseconds, false},
	{"REASON", "why packets are dropped, as in show stats", reasons, parse_reason, false},
	{"PATH", "the name of a file", NULL, parse_path, true},
	{"COMMAND", "words of a command", NULL, parse_path, false},
	{0},
};

const struct word_type *
word_type_find(const char *name, size_t len)
{
	for (const struct word_type *type = word_types; type->name; type++)
		if (strlen(type->name) == len && memcmp(type->name, name, len) == 0)
			return type;
	return NULL;
}
