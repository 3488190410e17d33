/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_read(): names in any case and with a prefix, defaults, and the environment, which
 * overrides the script (SONDE_ variables also override BPFTRACE_ ones). Golden tests have the
 * messages.
 */
#include "parser/lang/config.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct read {
	struct arena *arena;
	struct diags diags;
	struct config config;
};

static void read_settings(struct read *r, struct setting *settings, uint32_t n,
			  char *(*variable)(const char *))
{
	struct program p = {.settings = settings, .n_settings = n};

	*r = (struct read){.arena = arena_new()};
	r->diags.arena = r->arena;
	config_read(r->arena, &p, variable, &r->diags);
	r->config = p.config;
}

static char *nothing(const char *name)
{
	(void)name;
	return NULL;
}

static void test_defaults(void **state)
{
	struct read r;

	(void)state;
	read_settings(&r, NULL, 0, nothing);
	assert_int_equal(r.diags.n, 0);
	assert_int_equal(r.config.max_map_keys, LIMIT_MAP_KEYS);
	assert_int_equal(r.config.missing_probes, MISSING_ERROR);
	assert_int_equal(r.config.open_spans, OPEN_SPANS_DROP);
	assert_int_equal(r.config.print_maps_on_exit, 1);
	arena_free(r.arena);
}

static void test_names(void **state)
{
	struct setting settings[] = {
		{.key = "MAX_map_keys", .integer = 7},
		{.key = "BPFTRACE_max_strlen", .integer = 9},
		{.key = "missing_probes", .text = "Ignore"},
		{.key = "print_maps_on_exit", .text = "off"},
	};
	struct read r;

	(void)state;
	read_settings(&r, settings, 4, nothing);
	assert_int_equal(r.diags.n, 0);
	assert_int_equal(r.config.max_map_keys, 7);
	assert_int_equal(r.config.max_strlen, 9);
	assert_int_equal(r.config.missing_probes, MISSING_IGNORE);
	assert_int_equal(r.config.print_maps_on_exit, 0);
	arena_free(r.arena);
}

static char *variables(const char *name)
{
	static char a[] = "11", b[] = "12", warn[] = "warn", bad[] = "12x";

	if (strcmp(name, "SONDE_MAX_MAP_KEYS") == 0)
		return a;
	if (strcmp(name, "BPFTRACE_MAX_MAP_KEYS") == 0)
		return b;
	if (strcmp(name, "BPFTRACE_MISSING_PROBES") == 0)
		return warn;
	return strcmp(name, "SONDE_MAX_STRLEN") == 0 ? bad : NULL;
}

static void test_environment_wins(void **state)
{
	struct setting settings[] = {{.key = "max_map_keys", .integer = 7}};
	struct read r;

	(void)state;
	read_settings(&r, settings, 1, variables);
	assert_int_equal(r.config.max_map_keys, 11);
	assert_int_equal(r.config.missing_probes, MISSING_WARN);
	assert_int_equal(r.diags.n_errors, 1);
	assert_string_equal(r.diags.items[0].tag, "option-value");
	assert_non_null(strstr(r.diags.items[0].msg, "SONDE_MAX_STRLEN=12x"));
	arena_free(r.arena);
}

static void test_kinds(void **state)
{
	struct setting settings[] = {
		{.key = "license", .text = "dual mit/gpl"},
		{.key = "cpp_demangle", .integer = 0},
		{.key = "on_stack_limit", .integer = 5000},
		{.key = "use_blazesym", .text = "true"},
		{.key = "lazy_symbolication", .integer = 1},
		{.key = "unstable_typeinfo", .text = "warn"},
	};
	struct read r;

	(void)state;
	read_settings(&r, settings, 6, nothing);
	assert_int_equal(r.diags.n, 0);
	assert_string_equal(config_word(r.arena, &r.config, "license"), "Dual MIT/GPL");
	assert_string_equal(config_word(r.arena, &r.config, "missing_probes"), "error");
	assert_string_equal(config_word(r.arena, &r.config, "unstable_typeinfo"), "warn");
	assert_int_equal(r.config.cpp_demangle, 0);
	arena_free(r.arena);
}

/* What is not honoured is named. */
static void test_environment_without_effect(void **state)
{
	char *const variables[] = {"HOME=/",
				   "BPFTRACE_FOO=1",
				   "BPFTRACE_STRLEN=9",
				   "BPFTRACE_BTF=x",
				   "BPFTRACE_SYMBOL_SOURCE=1",
				   "BPFTRACE_MAX_STRLEN=9",
				   "BPFTRACE_ON_STACK_LIMIT=9",
				   "BPFTRACE",
				   "SONDE_FOO=1",
				   "BPFTRACE_OBJCOPY=objcopy",
				   "BPFTRACE_COLOR=auto",
				   "SONDE_COLOR=blue",
				   "SONDE_STRLEN=9",
				   "__BPFTRACE_NOTIFY_PROBES_ATTACHED=1",
				   "SONDE_MAX_STRLN=9",
				   "SONDE_SEED=4",
				   NULL};
	static const char *const words[] = {
		"BPFTRACE_FOO has no effect: there is no such option",
		"BPFTRACE_STRLEN has no effect: its name is SONDE_MAX_STRLEN",
		"BPFTRACE_BTF has no effect: types of the kernel",
		"BPFTRACE_SYMBOL_SOURCE has no effect",
		"BPFTRACE_OBJCOPY has no effect: sonde writes",
		"SONDE_COLOR has no effect: it must be one of auto, always, never",
		"SONDE_STRLEN has no effect: its name is SONDE_MAX_STRLEN",
		"__BPFTRACE_NOTIFY_PROBES_ATTACHED has no effect: it is for bpftrace's tests",
		"SONDE_MAX_STRLN has no effect: did you mean SONDE_MAX_STRLEN?"};
	struct read r = {.arena = arena_new()};

	(void)state;
	r.diags.arena = r.arena;
	config_check_environment(r.arena, variables, &r.diags);
	assert_int_equal(r.diags.n, 9);
	assert_int_equal(r.diags.n_errors, 0);
	for (uint32_t i = 0; i < 9; i++) {
		assert_string_equal(r.diags.items[i].tag, "environment");
		assert_non_null(strstr(r.diags.items[i].msg, words[i]));
	}
	arena_free(r.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_environment_wins),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_environment_without_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
