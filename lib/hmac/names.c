/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and sizes of algorithms and profiles. Any thread. */
#include <errno.h>
#include <string.h>

#include "hmac/hmac.h"

static const char *const algorithm_names[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = "sha1",
	[HMAC_SHA256] = "sha256",
	[HMAC_SHA384] = "sha384",
	[HMAC_SHA512] = "sha512",
};

static const char *const profile_names[HMAC_PROFILES] = {
	[HMAC_LINUX] = "linux",
	[HMAC_RFC8754] = "rfc8754",
};

static const uint8_t digest_lens[HMAC_ALGORITHMS] = {
	[HMAC_SHA1] = 20,
	[HMAC_SHA256] = 32,
	[HMAC_SHA384] = 48,
	[HMAC_SHA512] = 64,
};

const char *
hmac_algorithm_name(enum hmac_algorithm algorithm)
{
	return (unsigned)algorithm < HMAC_ALGORITHMS ? algorithm_names[algorithm] : NULL;
}

const char *
hmac_profile_name(enum hmac_profile profile)
{
	return (unsigned)profile < HMAC_PROFILES ? profile_names[profile] : NULL;
}

static int
find_name(const char *const *names, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -EINVAL;
}

int
hmac_algorithm_parse(const char *name, enum hmac_algorithm *algorithm)
{
	int i = find_name(algorithm_names, HMAC_ALGORITHMS, name);

	if (i < 0)
		return i;
	*algorithm = (enum hmac_algorithm)i;
	return 0;
}

int
hmac_profile_parse(const char *name, enum hmac_profile *profile)
{
	int i = find_name(profile_names, HMAC_PROFILES, name);

	if (i < 0)
		return i;
	*profile = (enum hmac_profile)i;
	return 0;
}

unsigned
hmac_digest_len(enum hmac_algorithm algorithm)
{
	return (unsigned)algorithm < HMAC_ALGORITHMS ? digest_lens[algorithm] : 0;
}

unsigned
hmac_text_blocks(enum hmac_algorithm algorithm, unsigned text_len)
{
	/* The padding is one octet and the length: 8 octets, or 16 for the wide hashes (FIPS 180-4
	 * section 5.1). */
	return algorithm < HMAC_SHA384 ? (text_len + 9 + 63) / 64 : (text_len + 17 + 127) / 128;
}
