/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse(): spans of nodes, what is left of a tree after errors, literals' values, inputs with NUL
 * bytes and bounds. Shapes of trees and texts of messages are golden tests.
 */
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* after what it needs */
#include <cmocka.h>

struct world {
	struct arena *arena;
	struct diags d;
	struct program *program;
};

static struct world parse_bytes(const char *text, size_t len)
{
	struct world w = {.arena = arena_new()};

	w.d.arena = w.arena;
	w.d.source = source_from_text(w.arena, "x.bt", text, len);
	w.program = parse(w.arena, w.d.source, &w.d);
	return w;
}

static struct world parse_text(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void check_span(struct span s, uint32_t start, uint32_t end)
{
	assert_int_equal(s.start, start);
	assert_int_equal(s.end, end);
}

static void test_spans(void **state)
{
	struct world w = parse_text("k:f, k:g /pid/ < @[a] = b.c + f(1); >");
	const struct probe *p;
	const struct stmt *s;

	(void)state;
	assert_int_equal(w.d.n_errors, 0);
	p = w.program->probes[0];
	check_span(p->span, 0, 37);
	check_span(p->texts[1].span, 5, 8);
	check_span(p->predicate->span, 10, 13);
	check_span(p->open_span, 15, 16);
	s = p->body.items[0];
	check_span(s->span, 17, 34);
	check_span(s->assign.target->span, 17, 21);
	check_span(s->assign.value->span, 24, 34);
	check_span(s->assign.value->binary.left->field.name_span, 26, 27);
	check_span(s->assign.value->binary.right->call.name_span, 30, 31);
	assert_int_equal(s->assign.value->binary.right->call.event, -1);
	arena_free(w.arena);
}

static void test_recovery(void **state)
{
	struct world w = parse_text("k:f { a(; b(); c d; e() } k:g { x }");

	(void)state;
	assert_int_equal(w.d.n_errors, 2);
	assert_int_equal(w.program->n_probes, 2);
	assert_int_equal(w.program->probes[0]->body.n, 3);
	arena_free(w.arena);
}

static uint64_t number(const char *text, uint32_t n_errors)
{
	char script[100];
	struct world w;
	uint64_t value;

	snprintf(script, sizeof(script), "k:f { %s }", text);
	w = parse_text(script);
	assert_int_equal(w.d.n_errors, n_errors);
	value = w.program->probes[0]->body.items[0]->expr->integer.value;
	arena_free(w.arena);
	return value;
}

static void test_numbers(void **state)
{
	(void)state;
	assert_true(number("18446744073709551615", 0) == UINT64_MAX);
	assert_true(number("213503d", 0) == 213503 * 86400000000000ULL);
	assert_int_equal(number("0x_f", 0), 15);
	assert_int_equal(number("9223372036854775807l", 0), INT64_MAX);
	number("9223372036854775808l", 1);
	number("213504d", 1);
	number("2e19", 1);
	number("1e20", 1);
	number("02000000000000000000000", 1);
	number("0x1ffffffffffffffff", 1);
}

static void test_string_with_nul(void **state)
{
	struct world w = parse_text("k:f { \"a\\0b\" }");
	const struct expr *e = w.program->probes[0]->body.items[0]->expr;

	(void)state;
	assert_int_equal(e->string.len, 3);
	assert_memory_equal(e->string.text, "a\0b", 4);
	arena_free(w.arena);
}

static void test_raw_nul(void **state)
{
	static const char script[] = "k:f { a\0b \"x\0y\" } k:\0 { /*\0*/ }";
	struct world w = parse_bytes(script, sizeof(script) - 1);

	(void)state;
	assert_true(w.d.n_errors > 0);
	arena_free(w.arena);
}

static void test_empty(void **state)
{
	struct world w = parse_text("");

	(void)state;
	assert_null(w.program);
	assert_int_equal(w.d.n_errors, 1);
	assert_string_equal(w.d.items[0].tag, "empty-script");
	arena_free(w.arena);
}

/* "k:f { " and `n` times `open`, 1, `n` times `close`, " }": accepted up to `most`. */
static void check_depth(const char *open, const char *close, uint32_t n, bool is_fine)
{
	char script[20000] = "k:f { $x = ";
	struct world w;

	for (uint32_t i = 0; i < n; i++)
		strcat(script, open);
	strcat(script, "1");
	for (uint32_t i = 0; i < n; i++)
		strcat(script, close);
	strcat(script, " } k:g { }");
	w = parse_text(script);
	assert_int_equal(w.d.n_errors, !is_fine);
	if (!is_fine)
		assert_string_equal(w.d.items[0].tag, "limit-nesting");
	arena_free(w.arena);
}

static void test_depth(void **state)
{
	(void)state;
	check_depth("(", ")", LIMIT_NESTING - 10, true);
	check_depth("(", ")", LIMIT_NESTING, false);
	check_depth("(", ")", 2000, false);
	check_depth("- ", "", LIMIT_NESTING - 10, true);
	check_depth("- ", "", LIMIT_NESTING + 1, false);
	check_depth("1 + ", "", LIMIT_NESTING - 10, true);
	check_depth("1 + ", "", LIMIT_NESTING + 1, false);
	check_depth("1 ? 2 : ", "", LIMIT_NESTING - 10, true);
	check_depth("1 ? 2 : ", "", LIMIT_NESTING + 1, false);
	check_depth("f(@[-(", ")])", LIMIT_NESTING, false);
	check_depth("", ".a", LIMIT_NESTING + 1, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans),	cmocka_unit_test(test_recovery),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_string_with_nul),
		cmocka_unit_test(test_raw_nul), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
