/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes that are planned without and with --test or --bench, and with --check.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const char script[] = "BEGIN { @ = 1; } test:t { @a = 1; } bench:b { @b = 1; } "
			     "self:signal:SIGUSR1 { @c = 1; } interval:s:1, END { @d = 1; }";

static void check_kinds(enum plan_run run, const enum plan_prog_kind *kinds, uint32_t n)
{
	struct plan_options options = {.run = run};
	struct world w;

	world_init(&w);
	assert_non_null(world_plan(&w, script, &options));
	assert_int_equal(w.plan->n_progs, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(w.plan->progs[i].kind, kinds[i]);
	world_free(&w);
}

static void test_kinds(void **state)
{
	static const enum plan_prog_kind ordinary[] = {PP_BEGIN, PP_SELF, PP_INTERVAL_THREAD,
						       PP_END},
					 tests[] = {PP_BEGIN, PP_TEST, PP_END},
					 benches[] = {PP_BEGIN, PP_BENCH, PP_END},
					 all[] = {PP_BEGIN,	      PP_TEST, PP_BENCH, PP_SELF,
						  PP_INTERVAL_THREAD, PP_END};

	(void)state;
	check_kinds(RUN_ORDINARY, ordinary, 4);
	check_kinds(RUN_TESTS, tests, 3);
	check_kinds(RUN_BENCHES, benches, 3);
	check_kinds(RUN_ALL, all, 6);
}

static void check_refused(enum plan_run run, const char *text, const char *tag)
{
	struct plan_options options = {.run = run};
	struct world w;

	world_init(&w);
	assert_int_equal(world_check(&w, text), 0);
	assert_null(plan_make(w.arena, w.program, &options, &w.diags));
	assert_int_equal(w.diags.n_errors, 1);
	assert_string_equal(w.diags.items[0].tag, tag);
	world_free(&w);
}

static void test_nothing_to_run(void **state)
{
	(void)state;
	check_refused(RUN_ORDINARY, "test:a { @ = 1; } bench:a { @ = 1; }", "only-tests");
	check_refused(RUN_TESTS, "bench:a { @ = 1; } END { @ = 1; }", "no-tests");
	check_refused(RUN_BENCHES, "test:a { @ = 1; }", "no-tests");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_nothing_to_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
