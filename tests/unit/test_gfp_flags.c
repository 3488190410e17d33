/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of allocation flags: formats of old and new kernels, and damaged ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "runtime/kernel/gfp_flags.h"
#include <stdlib.h>

static void check(const char *format, uint64_t flags, const char *expected)
{
	struct gfp_flags *f = gfp_flags_parse(format);
	char text[256];

	gfp_flags_text(f, flags, text, sizeof(text));
	assert_string_equal(text, expected);
	free(f);
}

#define FORMAT(list)                                                                                 \
	"print fmt: \"gfp_flags=%s\", (REC->gfp_flags) ? __print_flags(REC->gfp_flags, \"|\", " list \
	" ) : \"none\""

static void names(void **state)
{
	static const char as_in_6_18[] = FORMAT(
		"{( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( "
		"gfp_t)((((1UL))) << (6)))), \"GFP_NOFS\"}, {( unsigned long)(( gfp_t)((((1UL))) "
		"<< (10))), \"__GFP_DIRECT\"}, {( unsigned long)(( gfp_t)0), \"__GFP_NONE\"}, { "
		"0, ((void *)0) }");
	static const char as_in_6_1[] = FORMAT(
		"{(unsigned long)(((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u)) & ~(( "
		"gfp_t)0x800u)), \"A\"}, {(unsigned long)(( gfp_t)0x800u), \"B\"}, { 0, ((void "
		"*)0) }");

	(void)state;
	check(as_in_6_18, 0xc40, "GFP_NOFS");
	check(as_in_6_18, 0x400, "__GFP_DIRECT");
	check(as_in_6_18, 0x1c40, "GFP_NOFS|0x1000");
	check(as_in_6_18, 0, "0");
	check(as_in_6_1, 0x440, "A");
	check(as_in_6_1, 0xc40, "A|B");
}

static void damaged(void **state)
{
	(void)state;
	check("", 5, "0x5");
	check("__print_flags(REC->gfp_flags, \"|\", ", 5, "0x5");
	check(FORMAT("{(1, \"A\"}"), 1, "0x1");
	check(FORMAT("{1 << , \"A\"}"), 1, "0x1");
	check(FORMAT("{1, \"A"), 1, "0x1");
	check(FORMAT("{1, \"a name of more than forty characters, which has no place\"}"), 1,
	      "0x1");
	check(FORMAT("{1, \"A\"}, {x, \"B\"}, {4, \"C\"}"), 5, "A|0x4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(damaged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
