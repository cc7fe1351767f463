/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison: right for every length and every single bit, and never done before the last octet. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "hmac/hmac.h"

#define PAGE 4096u
#define LEN_MAX 80u

typedef bool (*compare)(const uint8_t *a, const uint8_t *b, size_t len);

static bool
field_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	return hmac_field_equal(a, b, (unsigned)len);
}

static void
check_bits(compare equal, size_t len)
{
	uint8_t a[LEN_MAX + 2], b[LEN_MAX + 2];

	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = b[i] = (uint8_t)(13 * i + 5);
	/* What lies around does not count. */
	b[0] ^= 0xff;
	b[len + 1] ^= 0xff;
	assert_true(equal(a + 1, b + 1, len));
	for (size_t bit = 0; bit < 8 * len; bit++) {
		b[1 + bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_false(equal(a + 1, b + 1, len));
		assert_false(equal(b + 1, a + 1, len));
		b[1 + bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void
test_every_bit(void **arg)
{
	(void)arg;
	for (size_t len = 0; len <= LEN_MAX; len++)
		check_bits(hmac_equal, len);
	check_bits(field_equal, 24);
	check_bits(field_equal, 32);
}

/* Two differences that would cancel in a sum or an XOR do not. */
static void
test_differences_do_not_cancel(void **arg)
{
	uint8_t a[LEN_MAX] = {0}, b[LEN_MAX] = {0};

	(void)arg;
	for (size_t i = 0; i < 32; i++) {
		for (size_t k = i + 1; k < 32; k++) {
			b[i] = 0x40;
			b[k] = 0xc0;
			assert_false(hmac_equal(a, b, 32));
			assert_false(hmac_field_equal(a, b, 32));
			b[k] = 0x40;
			assert_false(hmac_equal(a, b, 32));
			assert_false(hmac_field_equal(a, b, 32));
			b[i] = b[k] = 0;
		}
	}
}

static sigjmp_buf faulted;

static void
on_fault(int signal)
{
	siglongjmp(faulted, signal);
}

/* Whether equal() touches the last octet of b, which cannot be touched. */
__attribute__((no_sanitize("address"))) static bool
reads_to_the_end(compare equal, const uint8_t *a, const uint8_t *b, size_t len)
{
	volatile bool used; /* or the compiler leaves the call out */

	if (sigsetjmp(faulted, 1) != 0)
		return true;
	used = equal(a, b, len);
	(void)used;
	return false;
}

/*
 * With a difference in each place before the last octet, and the last octet on a page that faults:
 * a comparison that stopped at the difference would not fault.
 */
static void
check_no_early_exit(compare equal, uint8_t *page, size_t len)
{
	uint8_t a[LEN_MAX];
	uint8_t *b = page + PAGE - (len - 1);

	memset(a, 0x11, sizeof(a));
	memset(b, 0x11, len - 1);
	assert_true(reads_to_the_end(equal, a, b, len));
	for (size_t i = 0; i + 1 < len; i++) {
		b[i] = 0xee;
		assert_true(reads_to_the_end(equal, a, b, len));
		b[i] = 0x11;
	}
	memset(b, 0xee, len - 1);
	assert_true(reads_to_the_end(equal, a, b, len));
}

/* Two pages, the second of which faults. */
static uint8_t *
pages_create(void)
{
	uint8_t *pages = aligned_alloc(PAGE, 2 * PAGE);

	assert_non_null(pages);
	memset(pages, 0, 2 * PAGE);
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	return pages;
}

static void
pages_destroy(uint8_t *pages)
{
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	free(pages);
}

static void
test_no_early_exit(void **arg)
{
	uint8_t *pages = pages_create();
	struct sigaction fault = {.sa_handler = on_fault}, old_segv, old_bus;

	(void)arg;
	sigaction(SIGSEGV, &fault, &old_segv);
	sigaction(SIGBUS, &fault, &old_bus);
	for (size_t len = 1; len <= LEN_MAX; len++)
		check_no_early_exit(hmac_equal, pages, len);
	check_no_early_exit(field_equal, pages, 24);
	check_no_early_exit(field_equal, pages, 32);
	sigaction(SIGSEGV, &old_segv, NULL);
	sigaction(SIGBUS, &old_bus, NULL);
	pages_destroy(pages);
}

/* The check above would notice: memcmp() may stop, and one that does by construction does. */
static bool
stops_early(const uint8_t *a, const uint8_t *b, size_t len)
{
	const volatile uint8_t *va = a, *vb = b;

	for (size_t i = 0; i < len; i++)
		if (va[i] != vb[i])
			return false;
	return true;
}

static void
test_the_check_can_fail(void **arg)
{
	uint8_t *pages = pages_create();
	uint8_t a[32] = {0};
	struct sigaction fault = {.sa_handler = on_fault}, old;

	(void)arg;
	sigaction(SIGSEGV, &fault, &old);
	assert_true(reads_to_the_end(stops_early, a, pages + PAGE - 31, 32));
	a[5] = 1;
	assert_false(reads_to_the_end(stops_early, a, pages + PAGE - 31, 32));
	sigaction(SIGSEGV, &old, NULL);
	pages_destroy(pages);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_differences_do_not_cancel),
		cmocka_unit_test(test_no_early_exit),
		cmocka_unit_test(test_the_check_can_fail),
	};

	return cmocka_run_group_tests_name("hmac equal", tests, NULL, NULL);
}
