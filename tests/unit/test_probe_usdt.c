/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of USDT probes on the fake kernel: paths, patterns, processes; types of arguments,
 * cookies and semaphores in the plan.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/limits.h"
#include "parser/lang/probe.h"
#include "parser/lang/usdt_operand.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void resolve(struct world *w, const char *text, const char *name, uint32_t n_targets)
{
	struct attach_point p;

	assert_int_equal(world_resolve(w, text, &p), 0);
	assert_int_equal(w->diags.n, 0);
	assert_int_equal(p.id, PROBE_USDT);
	assert_string_equal(p.name, name);
	assert_int_equal(p.n_targets, n_targets);
}

static void refuse(const char *text, uint32_t pid, const char *tag, const char *word)
{
	struct attach_point p;
	struct world w;

	world_init(&w);
	w.kernel.k.scope = &(struct trace_scope){.pid = pid};
	assert_int_equal(world_resolve(&w, text, &p), -1);
	assert_string_equal(w.diags.items[0].tag, tag);
	if (!strstr(w.diags.items[0].msg, word) &&
	    (!w.diags.items[0].hint || !strstr(w.diags.items[0].hint, word)))
		fail_msg("%s: %s", w.diags.items[0].msg, w.diags.items[0].hint);
	world_free(&w);
}

static void test_forms(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	resolve(&w, "usdt:/bin/app:app:begin", "usdt:/bin/app:app:begin", 1);
	resolve(&w, "U:/bin/app:begin", "usdt:/bin/app:app:begin", 1);
	resolve(&w, "usdt:/bin/app:app:end", "usdt:/bin/app:app:end", 2);
	resolve(&w, "usdt:/bin/app:end", "usdt:/bin/app:*:end", 3);
	resolve(&w, "usdt:/bin/app:*:end", "usdt:/bin/app:*:end", 3);
	resolve(&w, "usdt:/bin/app:a*:*", "usdt:/bin/app:a*:*", 3);
	resolve(&w, "usdt:/bin/app:a*:be*", "usdt:/bin/app:app:begin", 1);
	resolve(&w, "usdt:/bin/app:*:*", "usdt:/bin/app:*:*", 4);
	resolve(&w, "usdt:*:begin", "usdt:*:*:begin", 2);
	resolve(&w, "usdt:*/one.so:*:*", "usdt:/lib/one.so:one:begin", 1);
	world_free(&w);
}

static void test_process(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.kernel.k.scope = &(struct trace_scope){.pid = 5};
	resolve(&w, "usdt:app:begin", "usdt:/bin/app:app:begin", 1);
	resolve(&w, "usdt::app:begin", "usdt:/bin/app:app:begin", 1);
	resolve(&w, "usdt:begin", "usdt:*:*:begin", 2);
	resolve(&w, "usdt:/bin/app:begin", "usdt:/bin/app:app:begin", 1);
	world_free(&w);
	refuse("usdt:app:begin", 77, "no-binary", "process 77 runs no file");
	refuse("usdt:app:bgin", 5, "unknown-usdt", "no file that process 5 runs has a USDT probe");
	refuse("usdt:app:bgin", 5, "unknown-usdt", "usdt:/bin/app:app:begin");
	refuse("usdt:/bin/bare:x", 5, "no-usdt", "/bin/bare has no USDT probes");
	refuse("usdt:app:begin", 0, "no-binary", "app");
	refuse("usdt:begin", 0, "usdt-path", "usdt:*:begin");
	refuse("usdt", 0, "attach-form", "usdt:PATH:PROVIDER:NAME");
	refuse("usdt:/bin/app:", 0, "attach-form", "usdt");
	refuse("usdt:/bin/app:a:b:c", 0, "attach-form", "usdt");
}

static void test_arguments(void **state)
{
	const struct attach_point *p;
	const struct usdt_operand *o;
	struct world w;

	(void)state;
	world_init(&w);
	assert_int_equal(
		world_check(&w, "usdt:/bin/app:app:end { @ = sum(arg0); @f[func] = count(); }"), 0);
	p = &w.program->probes[0]->points[0];
	assert_int_equal(p->usdt->n_formats, 2);
	assert_int_equal(p->targets[0].format, 0);
	assert_int_equal(p->targets[1].format, 1);
	assert_string_equal(p->targets[0].function, "handle");
	assert_string_equal(p->targets[1].function, ""); /* in no function that is known */
	o = &p->usdt->formats[1].args[0];
	assert_int_equal(o->kind, USDT_MEMORY);
#ifndef __aarch64__ /* counter(%rip): by its distance */
	assert_int_equal(o->base, usdt_place_register(USDT_HERE));
	assert_int_equal(o->disp, 0x404060 - 0x401060);
#endif
	world_free(&w);
}

static void test_plan(void **state)
{
	const struct plan_prog *g;
	struct world w;

	(void)state;
	world_init(&w);
	assert_non_null(world_plan(&w, "usdt:/bin/app:app:* { @[probe] = count(); }", NULL));
	g = &w.plan->progs[0];
	assert_int_equal(g->kind, PP_USDT);
	assert_int_equal(g->n_targets, 3);
	assert_int_equal(g->targets[0].ref_ctr, 0x3000);
	assert_int_equal(g->targets[1].ref_ctr, 0);
	assert_string_equal(plan_name(w.plan, (uint32_t)(g->targets[0].cookie >> 32)),
			    "usdt:/bin/app:app:begin");
	assert_int_equal(g->targets[1].cookie, g->targets[2].cookie); /* nobody asks which */
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "usdt:/bin/app:app:* { @ = sum(arg0); }", NULL));
	g = &w.plan->progs[0];
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(g->targets[i].cookie >> PLAN_FORMAT_BIT, i);
	world_free(&w);
}

/* Places enough that a program cannot tell their arguments apart. */
static int many_notes(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx)
{
	char args[32];

	(void)k;
	for (uint32_t i = 0; i < LIMIT_FORMATS + 5; i++) {
		struct usdt_note n = {.path = path,
				      .provider = "p",
				      .name = "n",
				      .args = args,
				      .address = 0x1000 + i,
				      .offset = 0x1000 + i};

#ifdef __aarch64__
		snprintf(args, sizeof(args), "4@%u", i);
#else
		snprintf(args, sizeof(args), "4@$%u", i);
#endif
		fn(&n, ctx);
	}
	return 0;
}

static void test_many_formats(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.kernel.k.each_usdt = many_notes;
	assert_int_equal(world_check(&w, "usdt:/bin/app:n { @ = sum(arg0); }"), 1);
	assert_string_equal(w.diags.items[0].tag, "limit-formats");
	world_free(&w);
	world_init(&w);
	w.kernel.k.each_usdt = many_notes;
	assert_int_equal(world_check(&w, "usdt:/bin/app:n { @ = count(); }"), 0);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	     cmocka_unit_test(test_process),
		cmocka_unit_test(test_arguments),    cmocka_unit_test(test_plan),
		cmocka_unit_test(test_many_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
