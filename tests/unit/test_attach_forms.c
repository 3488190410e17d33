/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points as they are written: perf events, watchpoints, iterators, periods; names,
 * exclusions and patterns of probe types.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/lang/probe.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* The attach points of one probe's head; *w is to be freed. */
static const struct probe *head(struct world *w, const char *text)
{
	char script[300];

	print_message("%s\n", text);
	snprintf(script, sizeof(script), "%s { @ = count() }", text);
	world_init(w);
	w->unsafe = true;
	if (world_check(w, script))
		diags_print(&w->diags, stderr, false);
	assert_int_equal(w->diags.n_errors, 0);
	return w->program->probes[0];
}

static void check_event(const char *text, const char *name, uint32_t type, uint64_t config,
			uint64_t every, uint64_t hertz)
{
	struct world w;
	const struct attach_point *p = head(&w, text)->points;

	assert_string_equal(p->name, name);
	assert_int_equal(p->perf.event.type, type);
	assert_int_equal(p->perf.event.config, config);
	assert_int_equal(p->perf.event.every, every);
	assert_int_equal(p->perf.hertz, hertz);
	world_free(&w);
}

static void test_events(void **state)
{
	const uint32_t sw = PERF_TYPE_SOFTWARE, hw = PERF_TYPE_HARDWARE;

	(void)state;
	check_event("software:faults", "software:faults:100", sw, PERF_COUNT_SW_PAGE_FAULTS, 100,
		    0);
	check_event("s:page-faults:", "software:page-faults:100", sw, 2, 100, 0);
	check_event("s:cs:0x20", "software:cs:32", sw, PERF_COUNT_SW_CONTEXT_SWITCHES, 32, 0);
	check_event("Software:cpu", "software:cpu:1000000", sw, 0, 1000000, 0);
	check_event("s:task-clock", "software:task-clock:1", sw, 1, 1, 0);
	check_event("s:cpu-clock:hz:999", "software:cpu-clock:hz:999", sw, 0, 0, 999);
	check_event("h:cycles", "hardware:cycles:1000000", hw, 0, 1000000, 0);
	check_event("hardware:branches", "hardware:branches:100000", hw, 4, 100000, 0);
	check_event("hardware:cache-misses:hz:99", "hardware:cache-misses:hz:99", hw, 3, 0, 99);
}

static void check_watch(const char *text, const char *name, uint64_t address, uint32_t length,
			uint32_t access)
{
	struct world w;
	const struct attach_point *p = head(&w, text)->points;

	assert_string_equal(p->name, name);
	assert_int_equal(p->perf.event.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(p->perf.event.address, address);
	assert_int_equal(p->perf.event.length, length);
	assert_int_equal(p->perf.event.access, access);
	world_free(&w);
}

static void test_watchpoints(void **state)
{
	(void)state;
	check_watch("watchpoint:0x1000:8:w", "watchpoint:4096:8:w", 4096, 8, HW_BREAKPOINT_W);
	check_watch("w:4100:4:wr", "watchpoint:4100:4:rw", 4100, 4, HW_BREAKPOINT_RW);
	check_watch("w:4097:1:rw", "watchpoint:4097:1:rw", 4097, 1, HW_BREAKPOINT_RW);
	check_watch("w:4097:1:x", "watchpoint:4097:8:x", 4097, 8, HW_BREAKPOINT_X);
	check_watch("w:0xffffffff81000000:2:w", "watchpoint:18446744071578845184:2:w",
		    0xffffffff81000000, 2, HW_BREAKPOINT_W);
}

static void test_iterators(void **state)
{
	const struct attach_point *p;
	struct world w;

	(void)state;
	p = head(&w, "it:task_file:pinned /ctx.fd > 2/")->points;
	assert_string_equal(p->name, "iter:task_file:pinned");
	assert_string_equal(p->iter.pin, "/sys/fs/bpf/pinned");
	assert_string_equal(iter_object(p->iter.kind)->name, "task");
	assert_ptr_equal(iter_object(p->iter.kind), iter_task(p->iter.kind));
	assert_int_equal(iter_field(p->iter.kind, "fd")->size, 4);
	assert_null(iter_field(p->iter.kind, "f"));
	world_free(&w);
	p = head(&w, "iter:task_file:/mnt/x")->points;
	assert_string_equal(p->iter.pin, "/mnt/x");
	world_free(&w);
}

static void check_period(const char *text, uint64_t ns)
{
	struct world w;

	assert_int_equal(head(&w, text)->points[0].timer.period_ns, ns);
	world_free(&w);
}

static void test_periods(void **state)
{
	(void)state;
	check_period("i:2500", 2500);
	check_period("interval:1us", 1000);
	check_period("i:ns:1000", 1000);
	check_period("i:1h", 3600000000000);
	check_period("p:d:2", 172800000000000);
	check_period("p:m:3", 180000000000);
	check_period("i:hz:50", 20000000);
}

/* What is left of a head, "name name", functions by their names. */
static void check_left(const char *text, const char *left)
{
	char all[300] = "";
	struct world w;
	const struct probe *p = head(&w, text);

	for (uint32_t i = 0; i < p->n_points; i++) {
		const struct attach_point *a = &p->points[i];

		for (uint32_t j = 0; j < (a->n_targets ? a->n_targets : 1); j++) {
			strcat(all, *all ? " " : "");
			strcat(all, a->n_targets ? a->targets[j].function : a->name);
		}
	}
	assert_string_equal(all, left);
	world_free(&w);
}

static void test_exclusions(void **state)
{
	(void)state;
	check_left("k:vfs_*", "vfs_read vfs_write");
	check_left("k:vfs_*,!*_w*", "vfs_read");
	check_left("k:*,!ext4*,!*.isra*,!freeze*,!__*,!vfs_read,k:vfs_read", "vfs_write vfs_read");
	check_left("u:/bin/app:*,!main,!\"/bin/app\":_st*", "handle");
	check_left("t:sched:*,!*_exec", "tracepoint:sched:sched_switch");
	check_left("t:sched:*,!sched:sched_sw*", "tracepoint:sched:sched_process_exec");
	check_left("t:syscalls:sys_e*_openat,!\"sys_enter\"*",
		   "tracepoint:syscalls:sys_exit_openat");
	check_left("k:vfs_read,!nothing", "vfs_read"); /* a warning */
	check_left("u:/bin/cpp:ns::*,!ns::find", "ns::twice<int>(int)");
	check_left("u:/bin/cpp:ns::*,!ns::twice", "ns::find(int) ns::find(int, int)");
	check_left("u:/bin/cpp:ns::*,!\"ns::find(int)\"", "ns::find(int, int) ns::twice<int>(int)");
	check_left("u:/bin/cpp:ns::*,!\"/bin/cpp\":ns::find", "ns::twice<int>(int)");
	check_left("u:/bin/cpp:ns::*,!\"/bin/c\":ns::find,!ns::t*",
		   "ns::find(int) ns::find(int, int)");
	check_left("ur:/bin/app:*,!main,!ns::find", "handle");
	/* "seek(int*)" is the name of one function and a pattern of all three: the name is meant */
	check_left("u:/srv/ptr:seek*,!\"seek(int*)\"", "seek(int) seek(int*, int*)");
	check_left("u:/srv/ptr:*,!cpp:\"seek(int*)\"", "seek(int) seek(int*, int*)");
	check_left("u:/srv/ptr:*,!uprobe:/srv/*:cpp:\"seek(int*)\"", "seek(int) seek(int*, int*)");
	check_left("u:/srv/ptr:*,!\"seek(int*, i*)\"", "seek(int*) seek(int)");
}

/* What takes an attach point a match. */
static void test_exclusions_typed(void **state)
{
	(void)state;
	check_left("fentry:bpf:*:f*,!17:filter", "fentry:bpf:18:filter");
	check_left("x=fexit:bpf:filter,!17:*", "x");
	check_left("rt:*,!sched_*", "rawtracepoint:ext4:ext4_sync");
	check_left("rt:*,!ext4:*", "rawtracepoint:sched_switch");
	check_left("rt:sched_switch,!x", "rawtracepoint:sched_switch"); /* a warning */
	check_left("*:*:*sync*,!*_file", "rawtracepoint:ext4:ext4_sync");
	check_left("*:*:*sync*,!ext4_sync", "ext4_sync_file fentry:ext4:ext4_sync_file");
}

static void check_left_usdt(const char *text, const char *left, const char *name)
{
	char all[300] = "";
	struct world w;
	const struct attach_point *p = head(&w, text)->points;

	for (uint32_t i = 0; i < p->n_targets; i++) {
		strcat(all, *all ? " " : "");
		strcat(all, p->targets[i].name);
	}
	assert_string_equal(all, left);
	assert_string_equal(p->name, name);
	world_free(&w);
}

static void test_exclusions_usdt(void **state)
{
	const char *other = "usdt:/bin/app:other:end", *begin = "usdt:/bin/app:app:begin";

	(void)state;
	check_left_usdt("usdt:/bin/app:*,!app:*", other, other);
	check_left_usdt("usdt:/bin/app:*,!app:end,!other:end", begin, begin);
	check_left_usdt("usdt:/bin/app:*,!end", begin, begin);
	check_left_usdt("usdt:/bin/app:*,!\"/bin/app\":app:*", other, other);
	check_left_usdt("a=usdt:/bin/app:*,!begin,!app:*", other, "a");
	check_left_usdt("usdt:/bin/app:app:begin,!x", begin, begin); /* a warning */
	check_left_usdt("usdt:/bin/app:end,!app:e*,!x:*", other, other);
}

static void test_names(void **state)
{
	const struct probe *p;
	struct world w;

	(void)state;
	p = head(&w, "a=i:s:1, b1_=k:vfs_*, t:sched_sw*");
	assert_string_equal(p->points[0].name, "a");
	assert_string_equal(p->points[1].name, "b1_");
	assert_true(p->points[1].is_named);
	assert_string_equal(p->points[2].name, "tracepoint:sched:sched_switch");
	assert_false(p->points[2].is_named);
	world_free(&w);
}

static void test_types(void **state)
{
	(void)state;
	check_left("*probe:vfs_read", "vfs_read");
	check_left("*:sched:sched_switch", "tracepoint:sched:sched_switch");
	check_left("*probe:/bin/app:main", "main");
	check_left("sof*:cs:2", "software:cs:2");
	check_left("*ware:cs:2", "software:cs:2");
	check_left("*:vfs_*,!*read", "vfs_write");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),		cmocka_unit_test(test_watchpoints),
		cmocka_unit_test(test_iterators),	cmocka_unit_test(test_periods),
		cmocka_unit_test(test_exclusions),	cmocka_unit_test(test_names),
		cmocka_unit_test(test_types),		cmocka_unit_test(test_exclusions_typed),
		cmocka_unit_test(test_exclusions_usdt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
