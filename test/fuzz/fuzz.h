/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fuzz targets have in common. A target is fuzz_NAME.c with one or both of libFuzzer's two
 * entry points; it runs under libFuzzer, and under replay_main.c without it.
 */
#ifndef SEGSEAL_FUZZ_H
#define SEGSEAL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called once before the first input; argv[0] is the program. Optional, hence weak. */
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
/* One input. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An invariant: whatever the input, this holds. */
#define FUZZ_ASSERT(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__,          \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The same for two numbers, which are printed. */
#define FUZZ_ASSERT_SAME(a, b)                                                                     \
	do {                                                                                       \
		long long a_ = (long long)(a), b_ = (long long)(b);                                \
		if (a_ != b_) {                                                                    \
			fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #a, \
				a_, #b, b_);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* An input that is taken apart from its front; past its end there are zeros. */
struct fuzz_input {
	const uint8_t *data;
	size_t size;
};

static inline uint8_t
fuzz_take8(struct fuzz_input *input)
{
	if (input->size == 0)
		return 0;
	input->size--;
	return *input->data++;
}

static inline uint16_t
fuzz_take16(struct fuzz_input *input)
{
	uint8_t high = fuzz_take8(input);

	return (uint16_t)(high << 8 | fuzz_take8(input));
}

/*
 * Make data[len..size) unreadable and data[0..len) readable, as far as the build has
 * AddressSanitizer. data is a heap block of size octets.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_HAS_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FUZZ_HAS_ASAN 1
#endif
#ifdef FUZZ_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

static inline void
fuzz_readable(const uint8_t *data, size_t len, size_t size)
{
#ifdef FUZZ_HAS_ASAN
	ASAN_UNPOISON_MEMORY_REGION(data, len);
	ASAN_POISON_MEMORY_REGION(data + len, size - len);
#else
	(void)data;
	(void)len;
	(void)size;
#endif
}

#endif
