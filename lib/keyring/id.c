/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>

#include "keyring/keyring.h"

int
keyring_id_parse(const char *word, size_t len, uint32_t *id)
{
	unsigned base = 10;
	uint64_t value = 0;

	if (len > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		base = 16;
		word += 2;
		len -= 2;
	} else if (len > 1 && word[0] == '0') {
		return -EINVAL;
	}
	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = word[i];

		if (base == 10 ? !isdigit(c) : !isxdigit(c))
			return -EINVAL;
		value = value * base + (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
		if (value > UINT32_MAX)
			return -EINVAL;
	}
	if (value == 0)
		return -EINVAL;
	*id = (uint32_t)value;
	return 0;
}
