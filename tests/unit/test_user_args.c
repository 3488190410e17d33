/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `args` of user functions (parser/sema/sema_user_args.c) with the fake kernel: what is found, and
 * the message when nothing is.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void good(const char *text)
{
	struct world w;

	print_message("%s\n", text);
	world_init(&w);
	assert_int_equal(world_check(&w, text), 0);
	world_free(&w);
}

static void bad(const char *text, const char *tag, const char *message)
{
	struct world w;

	print_message("%s\n", text);
	world_init(&w);
	assert_int_equal(world_check(&w, text), 1);
	assert_string_equal(w.diags.items[0].tag, tag);
	assert_string_equal(w.diags.items[0].msg, message);
	assert_non_null(w.diags.items[0].hint);
	world_free(&w);
}

static void test_known(void **state)
{
	(void)state;
	good("uprobe:/bin/app:handle { @[args.id, str(args.name)] = count(); }");
	good("uretprobe:/bin/app:handle { @[entry(args.id)] = sum(delta); }");
	good("uprobe:/bin/app:handle, uprobe:/bin/app:main { @ = sum(args.id); }");
	good("uprobe:/bin/app:_*_handle { @ = sum(args.id); }");
	/* not used: nothing is looked up */
	good("uprobe:/bin/cpp:pick { @ = sum(arg0); }");
}

/* One message a probe, however often `args` is there. */
static void test_unknown(void **state)
{
	(void)state;
	bad("uprobe:/bin/go:main.work { @ = sum(args.id); @b = sum(args.id + args.size); }",
	    "no-debug-info", "/bin/go has no debug information, which 'args' needs");
	bad("uprobe:/bin/app:_start { @ = sum(args.id); }", "no-debug-info",
	    "the debug information of /bin/app does not describe _start");
	bad("uprobe:/bin/app:handle+4 { @ = sum(args.id); }", "not-entry",
	    "'args' is known only at the start of a function; uprobe:/bin/app:handle+4 is elsewhere");
	bad("uprobe:/bin/cpp:_ZN2ns4findEi.cold { @ = sum(args.id); }", "changed-function",
	    "_ZN2ns4findEi.cold is a clone made by the optimizer: its arguments differ from the source");
	bad("uprobe:/bin/app:handle { @ = sum(args.nam); }", "unknown-field",
	    "uprobe:/bin/app:handle has no argument 'nam'");
	bad("uprobe:/bin/app:handle { @ = sum(args.part); }", "argument-type",
	    "args.part, of type double, is in registers for floating-point numbers, which programs in the kernel do not see");
	bad("uprobe:/bin/app:handle { @ = sum(args.gone); }", "argument-place",
	    "cannot tell where args.gone of handle is passed: the compiler decides whether and how an "
	    "argument before it is passed");
}

static void test_patterns(void **state)
{
	(void)state;
	bad("uprobe:/bin/app:*a* { @ = sum(args.id); }", "no-debug-info",
	    "the debug information of /bin/app does not describe _start");
	bad("uprobe:/bin/app:*a*n* { @ = sum(args.id); }", "arguments-differ",
	    "args.id of main is long in arg1, but in handle it is int in arg0");
	bad("uprobe:/bin/app:*a*n* { @ = sum(args.argc); }", "arguments-differ",
	    "main has an argument 'argc', but handle does not");
}

static void test_return(void **state)
{
	(void)state;
	bad("uretprobe:/bin/app:handle { @ = sum(args.id); }", "wrong-probe",
	    "'args' is not available in uretprobe probes");
	bad("uretprobe:/bin/app:handle { @[entry(args.part)] = sum(delta); }", "argument-type",
	    "args.part, of type double, is in registers for floating-point numbers, which programs in the kernel do not see");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
