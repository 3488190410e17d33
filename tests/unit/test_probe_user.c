/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points on functions of programs, with the fake kernel: demangled names, path patterns,
 * addresses, Go, and the messages for invalid ones.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/lang/probe.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Resolves to `n` targets with this name and function. */
static struct attach_point good(struct world *w, const char *text, const char *name,
				const char *function, uint32_t n)
{
	struct attach_point p;

	assert_int_equal(world_resolve(w, text, &p), 0);
	assert_int_equal(w->diags.n, 0);
	assert_string_equal(p.name, name);
	assert_string_equal(p.function, function);
	assert_int_equal(p.n_targets, n);
	return p;
}

static void bad(const char *text, const char *tag, const char *message, const char *hint)
{
	struct attach_point p;
	struct world w;

	world_init(&w);
	assert_int_equal(world_resolve(&w, text, &p), -1);
	assert_int_equal(w.diags.n_errors, 1);
	assert_string_equal(w.diags.items[0].tag, tag);
	assert_string_equal(w.diags.items[0].msg, message);
	if (hint)
		assert_string_equal(w.diags.items[0].hint, hint);
	else
		assert_null(w.diags.items[0].hint);
	world_free(&w);
}

static void test_demangled(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = good(&w, "uprobe:/bin/cpp:ns::find", "uprobe:/bin/cpp:ns::find", "ns::find", 2);
	assert_string_equal(p.targets[0].function, "ns::find(int)");
	assert_string_equal(p.targets[0].symbol, "_ZN2ns4findEi");
	assert_string_equal(p.targets[1].function, "ns::find(int, int)");
	assert_true(p.targets[1].is_entry);
	assert_int_equal(p.targets[1].size, 64);
	good(&w, "u:/bin/cpp:\"ns::find(int)\"", "uprobe:/bin/cpp:ns::find(int)", "ns::find(int)",
	     1);
	good(&w, "u:/bin/cpp:cpp:\"ns::find(int, int)\"", "uprobe:/bin/cpp:ns::find(int, int)",
	     "ns::find(int, int)", 1);
	good(&w, "u:/bin/cpp:ns::twice", "uprobe:/bin/cpp:ns::twice<int>(int)",
	     "ns::twice<int>(int)", 1);
	good(&w, "u:/bin/cpp:ns::twice<int>", "uprobe:/bin/cpp:ns::twice<int>(int)",
	     "ns::twice<int>(int)", 1);
	good(&w, "u:/bin/cpp:_ZN2ns4findEi", "uprobe:/bin/cpp:ns::find(int)", "ns::find(int)", 1);
	good(&w, "u:/bin/cpp:ns::*", "uprobe:/bin/cpp:ns::*", "ns::*", 3); /* not the .cold part */
	good(&w, "u:/bin/cpp:*twi*", "uprobe:/bin/cpp:ns::twice<int>(int)", "ns::twice<int>(int)",
	     1);
	good(&w, "u:/bin/cpp:ns::find+8", "uprobe:/bin/cpp:ns::find", "ns::find", 2);
	world_free(&w);
	bad("u:/bin/cpp:ns::fin", "unknown-symbol", "/bin/cpp has no function 'ns::fin'",
	    "did you mean uprobe:/bin/cpp:ns::find?");
	bad("u:/bin/cpp:\"ns::find(in)\"", "unknown-symbol",
	    "/bin/cpp has no function 'ns::find(in)'",
	    "did you mean uprobe:/bin/cpp:ns::find(int)?");
	bad("u:/bin/cpp:java:main", "attach-form",
	    "unknown language 'java': cpp and rust are supported",
	    "write uprobe:/bin/cpp:main, with or without cpp: or rust: before the function");
}

static void test_files(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = good(&w, "uprobe:/bin/*:*handle", "uprobe:/bin/app:handle", "handle", 1);
	assert_string_equal(p.targets[0].path, "/bin/app");
	p = good(&w, "uprobe:/bin/*:main*", "uprobe:/bin/*:main*", "main*", 4);
	assert_string_equal(p.targets[2].path, "/bin/go");
	w.kernel.k.scope = &(struct trace_scope){.program = "/bin/app"};
	good(&w, "uprobe:main", "uprobe:/bin/app:main", "main", 1);
	world_free(&w);
	bad("uprobe:/nowhere/*:main", "no-binary", "no program or library matches '/nowhere/*'",
	    "'*' matches anything but '/', as in the shell");
	bad("uprobe:/bin/*:nothing", "no-match",
	    "none of the 2 files that match '/bin/*' has a function 'nothing'", NULL);
	bad("uprobe:main", "attach-form", "uprobe probes are written uprobe:PATH:SYMBOL",
	    "write uprobe:PATH:main; the path can be left out with -p PID or -c COMMAND");
}

static void test_places(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = good(&w, "uprobe:/bin/app:0x401040", "uprobe:/bin/app:0x401040", "handle", 1);
	assert_true(p.targets[0].is_entry);
	p = good(&w, "uprobe:/bin/app:0x401044", "uprobe:/bin/app:0x401044", "handle", 1);
	assert_false(p.targets[0].is_entry);
	assert_int_equal(p.targets[0].offset, 0x1044);
	w.kernel.k.any_place = true;
	good(&w, "uprobe:/bin/app:0x402000", "uprobe:/bin/app:0x402000", "0x402000", 1);
	good(&w, "uprobe:/bin/app:main+3", "uprobe:/bin/app:main+3", "main", 1);
	world_free(&w);
	bad("uprobe:/bin/app:0x402000", "bad-offset",
	    "no function of /bin/app is at address 0x402000",
	    "addresses are those in the file, as `nm` prints them; --unsafe probes any, a wrong one "
	    "breaks the program");
	bad("uprobe:/bin/app:0x900000", "bad-offset",
	    "no function of /bin/app is at address 0x900000",
	    "addresses are those in the file, as `nm` prints them; --unsafe probes any, a wrong one "
	    "breaks the program");
	bad("uprobe:/bin/app:main+6", "bad-offset",
	    "main+6 is in the middle of an instruction: a probe there would break it",
	    "that instruction begins at main+4");
	bad("uretprobe:/bin/app:0x401044", "bad-offset",
	    "0x401044 is inside of handle: a return probe takes the address of the function's first instruction",
	    "it begins at 0x401040");
}

static void test_picker(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	assert_int_equal(world_resolve(&w, "uprobe:/bin/cpp:pick", &p), 0);
	assert_int_equal(p.n_targets, 1);
	assert_int_equal(w.diags.n, 1);
	assert_string_equal(w.diags.items[0].tag, "ifunc");
	world_free(&w);
}

static void test_go(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = good(&w, "uretprobe:/bin/go:main.work", "uretprobe:/bin/go:main.work", "main.work", 2);
	assert_true(p.user.is_at_returns);
	assert_int_equal(p.targets[0].offset, 0x210);
	assert_int_equal(p.targets[1].offset, 0x23c);
	assert_false(p.targets[0].is_entry);
	p = good(&w, "uprobe:/bin/go:main.work", "uprobe:/bin/go:main.work", "main.work", 1);
	assert_false(p.user.is_at_returns);
	world_free(&w);
	bad("uretprobe:/bin/go:main.spin", "no-return-place",
	    "the return instructions of main.spin are not known: it has none",
	    "Go moves its stacks, so no return address can be replaced there; uprobe works");
}

static int other_machine(struct kernel *k, const struct user_symbol *f, user_exit_fn fn, void *ctx,
			 struct user_exits *out)
{
	(void)k, (void)f, (void)fn, (void)ctx, (void)out;
	return -EOPNOTSUPP;
}

static int cannot_decode(struct kernel *k, const struct user_symbol *f, uint64_t offset,
			 uint64_t *before)
{
	(void)k, (void)f, (void)offset, (void)before;
	return -EOPNOTSUPP;
}

/* Code for arm64: the message does not ask for a library. */
static void test_other_machine(void **state)
{
	static const char *const texts[] = {"uretprobe:/bin/go:main.work",
					    "uretprobe:/bin/cpp:ns::find",
					    "uretprobe:/bin/cpp:pic*"};
	struct attach_point p;
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		world_init(&w);
		w.kernel.k.each_user_exit = other_machine;
		assert_int_equal(world_resolve(&w, texts[i], &p), -1);
		assert_int_equal(w.diags.n_errors, 1);
		assert_string_equal(w.diags.items[0].tag, "no-return-place");
		assert_non_null(strstr(
			w.diags.items[0].msg,
			" are not known: sonde can find them in code for x86 and arm64 only"));
		world_free(&w);
	}
	world_init(&w);
	w.kernel.k.user_instruction = cannot_decode;
	assert_int_equal(world_resolve(&w, "uprobe:/bin/app:main+4", &p), -1);
	assert_non_null(strstr(w.diags.items[0].msg, ": it is not code for x86 or arm64"));
	world_free(&w);
}

/* What exceptions may leave has probes on its return instructions, and spans. */
static void test_unwinding(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = good(&w, "uretprobe:/bin/cpp:ns::find", "uretprobe:/bin/cpp:ns::find", "ns::find", 4);
	assert_true(p.user.is_at_returns);
	assert_int_equal(p.user.abi, USER_ABI_C);
	assert_int_equal(p.user.n_entries, 2);
	assert_int_equal(p.user.entries[0].offset, 0x140);
	w.kernel.k.any_place = true;
	p = good(&w, "uretprobe:/bin/cpp:ns::find", "uretprobe:/bin/cpp:ns::find", "ns::find", 2);
	assert_false(p.user.is_at_returns);
	world_free(&w);
	bad("uretprobe:/bin/cpp:pic*", "no-return-place",
	    "no function that matches can have a return probe: sonde cannot find where they return, or they never return: pick",
	    NULL);
	world_init(&w);
	assert_int_equal(world_resolve(&w, "uretprobe:/bin/cpp:pick", &p), -1);
	assert_string_equal(
		w.diags.items[0].msg,
		"the return instructions of pick are not known: it is not clear where its jump at +60 leads");
	assert_string_equal(
		w.diags.items[0].hint,
		"an exception that finds a replaced return address terminates the program, so probes are on the return instructions; --unsafe replaces the address anyway");
	world_free(&w);
	world_init(&w);
	assert_int_equal(world_resolve(&w, "uretprobe:/bin/cpp:*i*", &p), 0);
	assert_int_equal(w.diags.n_errors, 0);
	assert_string_equal(w.diags.items[0].tag, "left-out");
	assert_string_equal(
		w.diags.items[0].msg,
		"1 of the functions that match is left out: sonde cannot find where they return, or they never return: pick");
	assert_int_equal(p.user.n_entries, 3);
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "uretprobe:/bin/cpp:ns::find { @ = sum(delta); }", NULL));
	assert_int_equal(w.plan->n_progs, 2);
	assert_int_equal(w.plan->progs[0].n_targets, 4);
	assert_int_equal(w.plan->progs[1].n_targets, 2);
	assert_true(w.plan->progs[0].by_cookie && w.plan->progs[1].by_cookie);
	assert_int_equal(w.plan->progs[0].targets[0].cookie & UINT32_MAX,
			 w.plan->progs[1].targets[0].cookie & UINT32_MAX);
	assert_false(w.plan->progs[0].by_condition || w.plan->progs[1].by_condition);
	world_free(&w);
}

/* ns::twice ends in a return and in a jump on a condition. */
static void test_tail_call(void **state)
{
	const uint64_t function = (1ull << PLAN_FORMAT_BIT) - 1;
	const struct plan_prog *g;
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = good(&w, "uretprobe:/bin/cpp:ns::twice", "uretprobe:/bin/cpp:ns::twice<int>(int)",
		 "ns::twice<int>(int)", 2);
	assert_true(!p.targets[0].is_jump && p.targets[1].is_jump);
	assert_int_equal(p.targets[1].condition, 5);
	assert_string_equal(p.user.entries[0].jumps_to, "ns::find(int)");
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "uretprobe:/bin/cpp:ns::* { @ = sum(delta); }", NULL));
	g = w.plan->progs;
	assert_true(g[0].by_condition && !g[1].by_condition);
	assert_int_equal(g[0].targets[5].cookie >> PLAN_FORMAT_BIT, 5);
	assert_int_equal(g[0].targets[5].cookie & function, g[1].targets[2].cookie);
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "uretprobe:/bin/cpp:ns::twice { @ = sum(delta); }", NULL));
	g = w.plan->progs;
	assert_true(g[0].by_condition && !g[0].by_cookie);
	assert_int_equal(g[0].targets[1].cookie, 5ull << PLAN_FORMAT_BIT);
	world_free(&w);
	/* a pattern of which one function is left, with two targets */
	world_init(&w);
	assert_non_null(
		world_plan(&w, "uretprobe:/bin/cpp:ns::*,!ns::find { @[func] = count(); }", NULL));
	assert_string_equal(plan_name(w.plan, w.plan->probes[0].func_id), "ns::twice<int>(int)");
	assert_string_equal(w.plan->probes[0].name, "uretprobe:/bin/cpp:ns::twice<int>(int)");
	world_free(&w);
}

static void no_result(const char *script, const char *message, const char *hint)
{
	struct world w;

	world_init(&w);
	assert_int_equal(world_check(&w, script), 1);
	assert_string_equal(w.diags.items[0].tag, "no-value");
	assert_string_equal(w.diags.items[0].msg, message);
	assert_string_equal(w.diags.items[0].hint, hint);
	world_free(&w);
}

static void test_cold_part(void **state)
{
	struct world w;

	(void)state;
	bad("uretprobe:/bin/cpp:_ZN2ns4findEi.cold", "no-return",
	    "_ZN2ns4findEi.cold is a part of a function, which is jumped to and not called",
	    "a probe on the function, the name before .cold, sees its returns");
	world_init(&w);
	good(&w, "uprobe:/bin/cpp:_ZN2ns4findEi.cold",
	     "uprobe:/bin/cpp:ns::find(int) [clone .cold]", "ns::find(int) [clone .cold]", 1);
	world_free(&w);
}

/* At a jump to another function there is no result yet. */
static void test_tail_call_result(void **state)
{
	struct world w;

	(void)state;
	no_result("uretprobe:/bin/cpp:ns::twice { @[retval] = count(); }",
		  "ns::twice<int>(int) has no 'retval': it ends in a jump to ns::find(int)",
		  "it returns what ns::find(int) returns: probe that function, or do not use "
		  "'retval'");
	no_result("uretprobe:/bin/cpp:ns::tw* /retval/ { @ = count(); }",
		  "no function of uretprobe:/bin/cpp:ns::tw* has a 'retval': they end in jumps to "
		  "other functions",
		  "they are: ns::twice<int>(int)");
	world_init(&w);
	assert_non_null(
		world_plan(&w, "uretprobe:/bin/cpp:ns::* { @[entry(arg0), retval] = sum(delta); }",
			   NULL));
	assert_int_equal(w.diags.n, 1);
	assert_string_equal(w.diags.items[0].tag, "left-out");
	assert_string_equal(
		w.diags.items[0].msg,
		"1 function is left out, which ends in jumps to other functions and so has no 'retval': ns::twice<int>(int)");
	assert_int_equal(w.plan->progs[0].n_targets, 4);
	assert_int_equal(w.plan->progs[1].n_targets, 2);
	world_free(&w);
}

static void refused(const char *script, const char *tag, const char *message, const char *hint)
{
	struct world w;

	world_init(&w);
	assert_int_equal(world_check(&w, script), 1);
	assert_string_equal(w.diags.items[0].tag, tag);
	assert_string_equal(w.diags.items[0].msg, message);
	assert_string_equal(w.diags.items[0].hint, hint);
	world_free(&w);
}

static void test_go_spans(void **state)
{
	static const char assembler[] =
		"it is of Go's assembler: probe the function of Go that calls it";
	static const char old[] = "build the program with Go 1.17 or newer (1.18 on arm64), which "
				  "passes arguments in registers";
	static const char odd[] = "the file has no readable section .go.buildinfo";
	struct world w;

	(void)state;
	refused("uretprobe:/bin/go:main.add.abi0 { @ = sum(delta); }", "go-span",
		"'delta' is not available for main.add.abi0: no register holds its goroutine",
		assembler);
	refused("uretprobe:/bin/go:main.add.abi0 { @ = sum(retval); }", "go-stack",
		"the result of main.add.abi0 is on the stack, and its place is not known",
		assembler);
	refused("uretprobe:/srv/oldgo:main.work { @ = max(depth); }", "go-span",
		"'depth' is not available for main.work: no register holds its goroutine", old);
	refused("uretprobe:/srv/oldgo:main.work { @ = sum(retval); }", "go-stack",
		"the result of main.work is on the stack, and its place is not known", old);
	refused("uretprobe:/srv/oddgo:main.work { @ = sum(delta); }", "go-version",
		"cannot tell how /srv/oddgo passes arguments: its version of Go is not known", odd);
	refused("uretprobe:/srv/oddgo:main.work { @ = sum(retval); }", "go-version",
		"cannot tell how /srv/oddgo passes arguments: its version of Go is not known", odd);
	world_init(&w);
	assert_non_null(world_plan(&w,
				   "config = { open_spans = count } uretprobe:/bin/go:main.work "
				   "{ if (open) { @n = count(); } @ = sum(delta); }",
				   NULL));
	assert_int_equal(w.plan->n_progs, 2); /* no program for open calls */
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w,
				   "uretprobe:/bin/go:main.work { @ = sum(delta + entry(arg9)); }",
				   NULL));
	assert_int_equal(w.plan->n_progs, 2);
	assert_int_equal(w.plan->probes[0].state.kind, SPAN_GOROUTINE);
	assert_int_equal(w.plan->probes[0].state.key_size, 24);
	assert_int_equal(w.plan->probes[0].state.slot_bytes, 40);
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "uretprobe:/bin/go:main.work { @ = sum(retval); }", NULL));
	assert_int_equal(w.plan->n_progs, 1);
	assert_int_equal(w.plan->progs[0].kind, PP_UPROBE); /* nothing is put on the stack */
	world_free(&w);
}

/* A pattern that functions of several kinds match: a program for each kind. */
static void test_go_kinds(void **state)
{
	struct world w;
	const struct plan *p;

	(void)state;
	world_init(&w);
	p = world_plan(&w, "uprobe:/bin/*:*w*,uprobe:/bin/go:*a* { @[func] = sum(arg0); }", NULL);
	assert_non_null(p);
	assert_int_equal(p->n_progs, 4);
	assert_string_equal(p->probes[0].name, "uprobe:/bin/go:main.work");
	assert_int_equal(p->progs[1].n_targets, 2); /* main.work, main.spin */
	assert_string_equal(p->probes[2].name, "uprobe:/bin/go:main.add.abi0");
	assert_string_equal(p->probes[3].name, "uprobe:/bin/go:c_part");
	world_free(&w);
	world_init(&w);
	p = world_plan(&w, "uretprobe:/bin/*:main* { @[func] = sum(delta); }", NULL);
	assert_non_null(p);
	assert_string_equal(w.diags.items[0].tag, "left-out"); /* .abi0 and spin */
	assert_int_equal(p->n_probes, 2);
	assert_int_equal(p->probes[0].state.kind, SPAN_RETURN);
	assert_string_equal(p->probes[0].name, "uretprobe:/bin/app:main");
	assert_int_equal(p->probes[1].state.kind, SPAN_GOROUTINE);
	assert_string_equal(p->probes[1].name, "uretprobe:/bin/go:main.work");
	world_free(&w);
}

/* "seek(int*)" is the name of a function and also matches others: the name is meant. */
static void test_stars(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	good(&w, "u:/srv/ptr:\"seek(int*)\"", "uprobe:/srv/ptr:seek(int*)", "seek(int*)", 1);
	good(&w, "ur:/srv/ptr:cpp:\"seek(int*)\"", "uretprobe:/srv/ptr:seek(int*)", "seek(int*)",
	     1);
	good(&w, "u:/srv/ptr:\"seek(i*)\"", "uprobe:/srv/ptr:seek(i*)", "seek(i*)", 3);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangled),
		cmocka_unit_test(test_stars),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_picker),
		cmocka_unit_test(test_go_spans),
		cmocka_unit_test(test_unwinding),
		cmocka_unit_test(test_other_machine),
		cmocka_unit_test(test_tail_call),
		cmocka_unit_test(test_tail_call_result),
		cmocka_unit_test(test_go_kinds),
		cmocka_unit_test(test_cold_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
