/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing of printf formats: literal text, flags, widths, bad conversions. Formats are passed in
 * blocks of their exact size, so that ASan detects a read past the end.
 */
#include "parser/base/arena.h"
#include "parser/lang/format_spec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct format_spec spec_of(struct arena *a, const char *format, size_t len)
{
	char *copy = malloc(len ? len : 1);
	struct format_spec spec;

	memcpy(copy, format, len);
	format_parse(a, copy, (uint32_t)len, &spec);
	free(copy);
	return spec;
}

static struct format_spec read_format(struct arena *a, const char *format)
{
	return spec_of(a, format, strlen(format));
}

/* All literal text of the pieces, conversions as their letter in angle brackets. */
static const char *flat(struct arena *a, const struct format_spec *spec)
{
	const char *s = "";

	for (uint32_t i = 0; i < spec->n_pieces; i++) {
		const struct format_piece *p = &spec->pieces[i];

		s = arena_printf(a, "%s%.*s", s, (int)p->text_len, p->text);
		if (p->conv)
			s = arena_printf(a, "%s<%c%u>", s, p->conv, p->field);
	}
	return s;
}

static void test_pieces(void **state)
{
	static const struct {
		const char *format, *flat;
		uint32_t n_args;
	} rows[] = {
		{"", "", 0},
		{"hello\n", "hello\n", 0},
		{"%d", "<d0>", 1},
		{"a%db%sc", "a<d0>b<s1>c", 2},
		{"%d%u%x%X%o%c%p%s%i", "<d0><u1><x2><X3><o4><c5><p6><s7><i8>", 9},
		{"100%%", "100%", 0},
		{"%%%d%%", "%<d0>%", 1},
		{"%%d", "%d", 0},
		{"%%%%", "%%", 0},
		{"%", "%", 0},
		{"%d %", "<d0> %", 1},
		{"%\n%d", "%\n<d0>", 1},
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct format_spec spec = read_format(a, rows[i].format);

		assert_int_equal(spec.bad_len, 0);
		assert_int_equal(spec.n_args, rows[i].n_args);
		assert_string_equal(flat(a, &spec), rows[i].flat);
	}
	arena_free(a);
}

static void test_nul(void **state)
{
	struct arena *a = arena_new();
	struct format_spec spec = spec_of(a, "a\0b%d", 5);

	(void)state;
	assert_int_equal(spec.bad_len, 0);
	assert_int_equal(spec.pieces[0].text_len, 3);
	assert_memory_equal(spec.pieces[0].text, "a\0b", 3);
	assert_int_equal(spec_of(a, "%\0d", 3).bad_len, 2);
	arena_free(a);
}

static struct format_piece piece(struct arena *a, const char *format)
{
	struct format_spec spec = read_format(a, format);

	print_message("%s\n", format);
	assert_int_equal(spec.bad_len, 0);
	assert_int_equal(spec.n_pieces, 1);
	return spec.pieces[0];
}

static void test_flags(void **state)
{
	struct arena *a = arena_new();
	struct format_piece p = piece(a, "%-+ #0d");

	(void)state;
	assert_true(p.left && p.plus && p.space && p.alt && p.zero);
	assert_int_equal(p.width, -1);
	assert_int_equal(p.precision, -1);
	p = piece(a, "%08.3x");
	assert_true(p.zero && !p.left);
	assert_int_equal(p.width, 8);
	assert_int_equal(p.precision, 3);
	p = piece(a, "%.s");
	assert_int_equal(p.precision, 0);
	p = piece(a, "%4096d");
	assert_int_equal(p.width, 4096);
	arena_free(a);
}

static void test_bits(void **state)
{
	static const struct {
		const char *format;
		uint32_t bits;
	} rows[] = {{"%d", 64},	  {"%hd", 16}, {"%hhu", 8}, {"%ld", 64},
		    {"%llx", 64}, {"%zu", 64}, {"%jd", 64}, {"%ti", 64}};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(piece(a, rows[i].format).bits, rows[i].bits);
	arena_free(a);
}

static void test_bad(void **state)
{
	static const struct {
		const char *format;
		uint32_t at, len;
	} rows[] = {
		{"ab%-5yz", 2, 4}, {"%q", 0, 2},       {"%.", 0, 2},
		{"%hhhd", 0, 4},   {"%l", 0, 2},       {"%**d", 0, 3},
		{"%4097dx", 0, 6}, {"%.4097dx", 0, 7}, {"%99999999999dx", 0, 13},
		{"%a", 0, 2},	   {"%n", 0, 2},       {"%5", 0, 2},
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct format_spec spec = read_format(a, rows[i].format);

		print_message("%s\n", rows[i].format);
		assert_int_equal(spec.bad_at, rows[i].at);
		assert_int_equal(spec.bad_len, rows[i].len);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces), cmocka_unit_test(test_nul),
		cmocka_unit_test(test_flags),  cmocka_unit_test(test_bits),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
