/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_resolve() with the fake kernel: every form and alias of attach points, quotes, and the
 * messages for invalid ones.
 */
#include "parser/lang/syscalls.h"
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

/* Resolves to `name`. The world stays open: names are in its arena. */
static struct attach_point resolve(struct world *w, const char *text, enum probe_id id,
				   const char *name)
{
	struct attach_point p;

	assert_int_equal(world_resolve(w, text, &p), 0);
	assert_int_equal(w->diags.n, 0);
	assert_int_equal(p.id, id);
	assert_string_equal(p.name, name);
	assert_int_equal(p.span.start, 7);
	return p;
}

static void test_names(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	resolve(&w, "BEGIN", PROBE_BEGIN, "begin");
	resolve(&w, "begin", PROBE_BEGIN, "begin");
	resolve(&w, "END", PROBE_END, "end");
	resolve(&w, "k:vfs_read", PROBE_KPROBE, "kprobe:vfs_read");
	resolve(&w, "KProbe:vfs_read", PROBE_KPROBE, "kprobe:vfs_read");
	resolve(&w, "kr:vfs_read", PROBE_KRETPROBE, "kretprobe:vfs_read");
	resolve(&w, "u:/bin/app:main", PROBE_UPROBE, "uprobe:/bin/app:main");
	resolve(&w, "ur:/bin/app:main", PROBE_URETPROBE, "uretprobe:/bin/app:main");
	resolve(&w, "t:skb:kfree_skb", PROBE_TRACEPOINT, "tracepoint:skb:kfree_skb");
	resolve(&w, "i:s:1", PROBE_INTERVAL, "interval:s:1");
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		assert_non_null(probe_rows[i].name);
		assert_non_null(probe_rows[i].parse);
		assert_true(strlen(probe_rows[i].doc) > 10);
	}
	world_free(&w);
}

static void test_tracepoint(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = resolve(&w, "tracepoint:sched:sched_switch", PROBE_TRACEPOINT,
		    "tracepoint:sched:sched_switch");
	assert_true(p.tracepoint.has_raw);
	assert_int_equal(p.tracepoint.syscall, -1);
	assert_int_equal(p.tracepoint.format->id, 372);
	assert_true(probe_is_sched_switch(&p));
	p = resolve(&w, "t:sched:sched_process_exec", PROBE_TRACEPOINT,
		    "tracepoint:sched:sched_process_exec");
	assert_false(p.tracepoint.has_raw);
	assert_false(probe_is_sched_switch(&p));
	w.kernel.has_no_btf = true;
	p = resolve(&w, "t:sched:sched_switch", PROBE_TRACEPOINT, "tracepoint:sched:sched_switch");
	assert_false(p.tracepoint.has_raw);
	world_free(&w);
}

static void test_syscalls(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = resolve(&w, "t:syscalls:sys_enter_openat", PROBE_TRACEPOINT,
		    "tracepoint:syscalls:sys_enter_openat");
	assert_int_equal(p.tracepoint.syscall, syscall_number("openat"));
	assert_true(p.tracepoint.has_raw);
	p = resolve(&w, "t:syscalls:sys_exit_openat", PROBE_TRACEPOINT,
		    "tracepoint:syscalls:sys_exit_openat");
	assert_int_equal(p.tracepoint.syscall, syscall_number("openat"));
	p = resolve(&w, "t:syscalls:sys_enter_unheard_of", PROBE_TRACEPOINT,
		    "tracepoint:syscalls:sys_enter_unheard_of");
	assert_int_equal(p.tracepoint.syscall, -1);
	assert_false(p.tracepoint.has_raw); /* the perf event is left */
	p = resolve(&w, "t:raw_syscalls:sys_enter", PROBE_TRACEPOINT,
		    "tracepoint:raw_syscalls:sys_enter");
	assert_int_equal(p.tracepoint.syscall, -1);
	assert_true(p.tracepoint.has_raw);
	world_free(&w);
}

static void test_interval(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{"interval:s:1", 1000000000},  {"interval:ms:250", 250000000},
		{"interval:us:50", 50000},     {"interval:hz:99", 10101010},
		{"interval:500ms", 500000000}, {"interval:2s", 2000000000},
		{"interval:1m", 60000000000},  {"interval:us:1", 1000},
		{"interval:ns:1000", 1000},    {"interval:s:9223372036", 9223372036000000000},
	};
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		p = resolve(&w, rows[i].text, PROBE_INTERVAL, rows[i].text);
		assert_true(p.timer.period_ns == rows[i].ns);
	}
	world_free(&w);
}

static void test_functions(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = resolve(&w, "k:vfs_read", PROBE_KPROBE, "kprobe:vfs_read");
	assert_string_equal(p.function, "vfs_read");
	w.kernel.function_err = -EPERM; /* unknown: attaching will show */
	resolve(&w, "k:whatever", PROBE_KPROBE, "kprobe:whatever");
	p = resolve(&w, "u:/bin/app:handle", PROBE_UPROBE, "uprobe:/bin/app:handle");
	assert_string_equal(p.function, "handle");
	assert_string_equal(p.targets[0].path, "/bin/app");
	assert_int_equal(p.targets[0].offset, 0x1040);
	p = resolve(&w, "uprobe:\"/opt/a:b\":run", PROBE_UPROBE, "uprobe:/opt/a:b:run");
	assert_string_equal(p.targets[0].path, "/opt/a:b");
	p = resolve(&w, "u:\"/bin/\"app:mai\"n\"", PROBE_UPROBE, "uprobe:/bin/app:main");
	assert_string_equal(p.function, "main");
	world_free(&w);
}

struct refusal {
	const char *text, *tag, *words; /* words of the message */
	const char *hint;		/* words of the hint; NULL: there is none */
};

static void check_refusal(const struct refusal *f, void (*change)(struct fake_kernel *k))
{
	const struct diag *d;
	struct attach_point p;
	struct world w;

	world_init(&w);
	if (change)
		change(&w.kernel);
	assert_int_equal(world_resolve(&w, f->text, &p), -1);
	assert_int_equal(w.diags.n_errors, 1);
	d = &w.diags.items[0];
	assert_string_equal(d->tag, f->tag);
	assert_int_equal(d->span.start, 7);
	if (!strstr(d->msg, f->words))
		fail_msg("'%s' does not say '%s'", d->msg, f->words);
	if (f->hint && (!d->hint || !strstr(d->hint, f->hint)))
		fail_msg("hint '%s' does not say '%s'", d->hint ? d->hint : "", f->hint);
	if (!f->hint)
		assert_null(d->hint);
	world_free(&w);
}

/* A pattern is one attach point on all that it matches, each place once, by its plainest name. */
static void test_patterns(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	p = resolve(&w, "k:vfs_*", PROBE_KPROBE, "kprobe:vfs_*");
	assert_int_equal(p.n_targets, 2);
	assert_string_equal(p.targets[1].function, "vfs_write");
	assert_null(p.targets[1].path);
	p = resolve(&w, "k:ext4*", PROBE_KPROBE, "kprobe:ext4*");
	assert_string_equal(p.targets[0].symbol, "ext4_sync_file");
	p = resolve(&w, "u:/bin/app:*", PROBE_UPROBE, "uprobe:/bin/app:*");
	assert_int_equal(p.n_targets, 3);
	assert_string_equal(p.targets[0].function, "main");
	assert_string_equal(p.targets[1].function, "handle");
	assert_string_equal(p.targets[2].function, "_start");
	p = resolve(&w, "ur:/bin/app:*", PROBE_URETPROBE, "uretprobe:/bin/app:*");
	assert_int_equal(p.n_targets, 2); /* _start returns to nobody */
	world_free(&w);
}

static void test_refusals(void **state)
{
	static const struct refusal rows[] = {
		{"kprob:f", "unknown-probe", "'kprob'", "'kprobe'"},
		{"whatever:f", "unknown-probe", "'whatever'", "--help probes"},
		{"", "unknown-probe", "''", "--help probes"},
		{"K:vfs_read", "unknown-probe", "'K'", "--help probes"},
		{"BEGIN:x", "attach-form", "written BEGIN", "such as "},
		{"tracepoint", "attach-form", "tracepoint:CATEGORY:EVENT", "such as "},
		{"t:sched_switch", "unknown-tracepoint", "is one word",
		 "write tracepoint:sched:sched_switch"},
		{"sched:sched_switch", "unknown-probe", "'sched'",
		 "write tracepoint:sched:sched_switch"},
		{"u:/bin/bare:main", "no-symbols", "stripped", "debug symbols"},
		{"t:sched:", "attach-form", "tracepoint:CATEGORY:EVENT", "such as "},
		{"t::sched_switch", "attach-form", "tracepoint:CATEGORY:EVENT", "such as "},
		{"t:a:b:c:d:e:f:g:h:i:j", "attach-form", "tracepoint:CATEGORY:EVENT", "such as "},
		{"i", "attach-form", "interval:UNIT:N", "such as "},
		{"i:s:1:2", "attach-form", "interval:UNIT:N", "such as "},
		{"k", "attach-form", "kprobe:[MODULE:]FUNCTION", "such as "},
		{"kr:", "attach-form", "kretprobe:[MODULE:]FUNCTION", "such as "},
		{"k:a:b:c", "attach-form", "kprobe:[MODULE:]FUNCTION", "such as "},
		{"u:/bin/app", "attach-form", "uprobe:PATH:SYMBOL", "such as "},
		{"ur::main", "attach-form", "uretprobe:PATH:SYMBOL", "such as "},
		{"k:vfs_raed*", "no-match", "matches 'vfs_raed*'", "kprobe:vfs_read"},
		{"kr:vfs_read+4", "bad-offset", "kretprobe", "kprobe:"},
		{"u:/bin/app:handel*", "no-match", "matches 'handel*'", "uprobe:/bin/app:handle"},
		{"ur:/bin/app:_start", "no-return", "never returns", "main"},
		{"t:sched:sched_swich", "unknown-tracepoint", "sched:sched_swich",
		 "did you mean tracepoint:sched:sched_switch"},
		{"t:task:sched_switch", "unknown-tracepoint", "task:sched_switch",
		 "write tracepoint:sched:sched_switch"},
		{"t:syscalls:openat", "unknown-tracepoint", "syscalls:openat",
		 "tracepoint:syscalls:sys_enter_openat"},
		{"t:no:thing", "unknown-tracepoint", "no:thing", NULL},
		{"k:vfs_reed", "unknown-function", "'vfs_reed'", "'vfs_read'"},
		{"u:/bin/app:handel", "unknown-symbol", "'handel'", "uprobe:/bin/app:handle"},
		{"u:/bin/app:unlike", "unknown-symbol", "/bin/app has no",
		 "sonde -l uprobe:/bin/app"},
		{"u:/bin/none:main", "no-binary", "No such file", "the path of a program"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_refusal(&rows[i], NULL);
}

static void test_bad_periods(void **state)
{
	static const char *const texts[] = {
		"i:s:0",
		"i:0ms",
		"i:s:-1",
		"i:s:+1",
		"i:ms",
		"i:s:",
		"i:hz:1000000001",
		"i:s:9223372037",
		"i:s:99999999999999999999",
		"i::1",
		"i:",
	};
	struct refusal f = {.tag = "bad-period",
			    .words = "is not a period",
			    .hint = "interval:s:1"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		f.text = texts[i];
		check_refusal(&f, NULL);
	}
	f = (struct refusal){"i:x:1", "bad-period", "'x' is not a unit of time", "units are hz, s"};
	check_refusal(&f, NULL);
	f = (struct refusal){"i:1s:1s", "bad-period", "'1s' is not a unit of time", "units are"};
	check_refusal(&f, NULL);
	f = (struct refusal){"i:s:1s", "bad-period", "'s:1s' is not a period", "interval:1s"};
	check_refusal(&f, NULL);
	f = (struct refusal){"p:5w", "bad-period", "'w' is not a unit of time", "profile:500ms"};
	check_refusal(&f, NULL);
	f = (struct refusal){"i:999", "bad-period", "999 ns is too short", "interval:999s"};
	check_refusal(&f, NULL);
	f = (struct refusal){"i:999ns", "bad-period", "999 ns is too short", "1us"};
	check_refusal(&f, NULL);
	f.text = "i:hz:1000000000";
	f.words = "1 ns is too short";
	check_refusal(&f, NULL);
}

static void missing_kprobes(struct fake_kernel *k)
{
	k->has_no_kprobes = true;
}

static void no_elf(struct fake_kernel *k)
{
	k->symbol_err = -ENOEXEC;
}

static void recorded(struct fake_kernel *k)
{
	k->k.recording = "demo.rec";
}

static void no_list(struct fake_kernel *k)
{
	k->function_err = -EPERM;
}

static void test_kernel_refusals(void **state)
{
	static const struct {
		struct refusal refusal;
		void (*change)(struct fake_kernel *k);
	} rows[] = {
		{{"k:vfs_read", "no-kprobes", "CONFIG_KPROBES", "tracepoint"}, missing_kprobes},
		{{"u:/bin/app:main", "no-binary", "not an ELF", "interpreter"}, no_elf},
		{{"k:vfs_*", "no-functions", "cannot read the kernel's list of functions",
		  "available_filter_functions"},
		 no_list},
		{{"t:sched:no_such", "not-recorded", "was not recorded in 'demo.rec'",
		  "recorded are tracepoint:"},
		 recorded},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_refusal(&rows[i].refusal, rows[i].change);
}

/* Formats that cannot be read: the script is checked all the same, with a warning. */
static void test_unchecked(void **state)
{
	struct attach_point p;
	struct world w;

	(void)state;
	world_init(&w);
	w.kernel.tracepoint_err = -EACCES;
	assert_int_equal(world_resolve(&w, "t:sched:sched_switch", &p), 0);
	assert_int_equal(w.diags.n_errors, 0);
	assert_string_equal(w.diags.items[0].tag, "unchecked");
	assert_non_null(strstr(w.diags.items[0].msg, "Permission denied"));
	assert_non_null(strstr(w.diags.items[0].hint, "--kernel-facts"));
	assert_true(p.tracepoint.format->is_unchecked);
	assert_string_equal(p.tracepoint.format->category, "sched");
	assert_int_equal(w.kernel.k.unchecked, -EACCES);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),		cmocka_unit_test(test_tracepoint),
		cmocka_unit_test(test_syscalls),	cmocka_unit_test(test_interval),
		cmocka_unit_test(test_functions),	cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_refusals),	cmocka_unit_test(test_bad_periods),
		cmocka_unit_test(test_kernel_refusals), cmocka_unit_test(test_unchecked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
