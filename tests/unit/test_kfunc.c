/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points on kernel functions: kprobe, fentry, fexit, rawtracepoint. Their targets, their
 * plan, and the messages for missing capabilities; golden tests have the other messages.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/sema/sema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const struct attach_point *points_of(struct world *w, const char *text, uint32_t n)
{
	if (world_check(w, text))
		diags_print(&w->diags, stderr, false);
	assert_int_equal(w->diags.n_errors, 0);
	assert_int_equal(w->program->probes[0]->n_points, n);
	return w->program->probes[0]->points;
}

static void test_kprobe(void **state)
{
	const struct attach_point *p;
	struct world w;

	(void)state;
	world_init(&w);
	p = points_of(&w, "k:vmlinux:vfs_read+0x10 { exit() }", 1);
	assert_string_equal(p->name, "kprobe:vmlinux:vfs_read+16");
	assert_int_equal(p->targets[0].offset, 16);
	assert_null(p->targets[0].module);
	world_free(&w);
	world_init(&w);
	p = points_of(&w, "k:ext4:ext4_s* { exit() }", 1);
	assert_int_equal(p->n_targets, 1);
	assert_string_equal(p->targets[0].module, "ext4");
	world_free(&w);
	world_init(&w);
	p = points_of(&w, "k:thaw { exit() }", 1);
	assert_string_equal(p->targets[0].symbol, "thaw.isra.0");
	assert_string_equal(w.diags.items[0].tag, "function-variant");
	world_free(&w);
}

static void check_targets(const char *pattern, uint32_t n, const char *first)
{
	char text[128];
	const struct attach_point *p;
	struct world w;

	snprintf(text, sizeof(text), "k:%s { exit() }", pattern);
	world_init(&w);
	p = points_of(&w, text, 1);
	assert_int_equal(p->n_targets, n);
	assert_string_equal(p->targets[0].symbol, first);
	world_free(&w);
}

/* The kernel's list has __do_sys_pause alone; of dup both, which are two functions. */
static void test_other_names(void **state)
{
	(void)state;
	check_targets("__x64_sys_pau*", 1, "__x64_sys_pause");
	check_targets("__ia32_sys_pau*", 1, "__ia32_sys_pause");
	check_targets("*sys_pause", 1, "__do_sys_pause");
	check_targets("__x64_sys_*", 2, "__x64_sys_dup");
	check_targets("*sys_dup", 2, "__ia32_sys_dup");
}

static void test_typed(void **state)
{
	const struct attach_point *p;
	struct world w;

	(void)state;
	world_init(&w);
	p = points_of(&w, "kfunc:vfs_read { print(args.count) }", 1);
	assert_int_equal(p->id, PROBE_FENTRY);
	assert_string_equal(p->typed->name, "vfs_read");
	assert_string_equal(p->typed->module, "vmlinux");
	world_free(&w);
	world_init(&w);
	p = points_of(&w, "fr:ext4_sync_file { print((args.datasync, retval)) }", 1);
	assert_int_equal(p->id, PROBE_FEXIT);
	assert_string_equal(p->typed->module, "ext4");
	world_free(&w);
	world_init(&w);
	p = points_of(&w, "f:ext*:* { exit() }", 1); /* "twice" cannot be traced */
	assert_string_equal(p->name, "fentry:ext4:ext4_sync_file");
	assert_string_equal(p->pattern, "fentry:ext*:*");
	world_free(&w);
	world_init(&w);
	p = points_of(&w, "f:bpf:filter { exit() }", 2);
	assert_string_equal(p[0].name, "fentry:bpf:17:filter");
	assert_int_equal(p[1].typed->prog_id, 18);
	world_free(&w);
	world_init(&w);
	p = points_of(&w, "rt:ext4:ext4_* { print(arg1) }", 1);
	assert_string_equal(p->name, "rawtracepoint:ext4:ext4_sync");
	world_free(&w);
}

/* Both programs of each function of a pattern, and one state for all. */
static void test_typed_spans(void **state)
{
	const struct plan *p;
	struct world w;

	(void)state;
	world_init(&w);
	p = world_plan(&w,
		       "k:vfs_read { exit() } fexit:ext4_* { @ = sum(delta) } "
		       "f:bpf:filter { @b[entry(0)] = count() }",
		       NULL);
	assert_null(p); /* fentry ends no span */
	world_free(&w);
	world_init(&w);
	p = world_plan(&w, "fexit:bpf:filter { @ = sum(delta) }", NULL);
	assert_non_null(p);
	assert_int_equal(p->n_progs, 4);
	assert_int_equal(p->progs[0].kind, PP_FEXIT);
	assert_int_equal(p->progs[1].kind, PP_FENTRY);
	assert_int_equal(p->progs[1].typed->prog_id, 17);
	assert_int_equal(p->probes[1].state.owner, 0);
	world_free(&w);
}

struct lack {
	const char *text, *tag, *words, *hint;
	bool has_no_kprobes, has_no_btf, has_no_uprobes;
};

static void test_what_the_kernel_lacks(void **state)
{
	static const struct lack rows[] = {
		{"f:vfs_read { exit() }", "no-fentry", "refuses programs of type fentry",
		 "the kernel's tracepoints", true, false},
		{"fexit:do_openat { exit() }", "no-fentry", "type fexit",
		 "similar tracepoints: tracepoint:syscalls:sys_enter_openat, tracepoint:syscalls:sys_exit_openat",
		 true, false},
		{"k:do_sys_openat2 { exit() }", "no-kprobes", "(CONFIG_KPROBES)",
		 "similar tracepoints: tracepoint:syscalls:sys_enter_openat", true, false},
		{"f:vfs_read { exit() }", "no-btf", "needs the kernel's BTF",
		 "CONFIG_DEBUG_INFO_BTF", false, true},
		{"rt:sched_switch { exit() }", "no-btf", "rawtracepoint needs",
		 "CONFIG_DEBUG_INFO_BTF", false, true},
		{"k:do_sys_opena* { exit() }", "no-kprobes", "(CONFIG_KPROBES)",
		 "similar tracepoints: tracepoint:syscalls:sys_enter_openat", true, false},
		{"k:do_sys_openat2+4 { exit() }", "no-kprobes", "(CONFIG_KPROBES)",
		 "similar tracepoints: tracepoint:syscalls:sys_enter_openat", true, false},
		{"u:/bin/app:main { exit() }", "no-uprobes", "no uprobes (CONFIG_UPROBES)",
		 "tracepoint:syscalls:sys_enter_NAME", .has_no_uprobes = true},
		{"ur:/bin/app:main { exit() }", "no-uprobes", "so uretprobe probes are not",
		 "with -p or -c", .has_no_uprobes = true},
		{"usdt:/bin/app:x:y { exit() }", "no-uprobes", "so usdt probes are not",
		 "with -p or -c", .has_no_uprobes = true},
		{"iter:kmem_cache { exit() }", "unknown-iterator", "iter:kmem_cache is not",
		 "since Linux 6.13", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct world w;

		print_message("%s\n", rows[i].text);
		world_init(&w);
		w.kernel.has_no_kprobes = rows[i].has_no_kprobes;
		w.kernel.has_no_btf = rows[i].has_no_btf;
		w.kernel.has_no_uprobes = rows[i].has_no_uprobes;
		assert_int_equal(world_check(&w, rows[i].text), 1);
		assert_string_equal(w.diags.items[0].tag, rows[i].tag);
		assert_non_null(strstr(w.diags.items[0].msg, rows[i].words));
		assert_non_null(strstr(w.diags.items[0].hint, rows[i].hint));
		world_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kprobe),
		cmocka_unit_test(test_other_names),
		cmocka_unit_test(test_typed),
		cmocka_unit_test(test_typed_spans),
		cmocka_unit_test(test_what_the_kernel_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
