/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points resolved for a listing: the lines of each probe type, and that each of them can be
 * resolved as a script's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "fake_kernel.h"
#include "parser/attach/exclude.h"
#include "parser/attach/lines.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"

struct lines {
	struct world *w;
	char text[4096];
	bool resolves;
};

static void add_line(const char *line, const struct attach_target *of, void *ctx)
{
	struct lines *l = ctx;
	size_t n = strlen(l->text);
	struct attach_point *points = NULL;
	struct diags diags = {.arena = l->w->arena};
	struct probe_reader r = {.arena = l->w->arena, .diags = &diags, .kernel = &l->w->kernel.k};
	struct attach_text text = {.text = line};
	uint32_t n_points = 0;

	(void)of;
	snprintf(l->text + n, sizeof(l->text) - n, "%s%s", n ? " " : "", line);
	if (l->resolves)
		assert_int_equal(probe_resolve_all(&r, &text, &points, &n_points), 0);
}

/* The lines of `text` (units of time are no attach points, and the fake kernel lists functions that
 * it does not know by name), less what `exclusion` takes away, or NULL; with spaces between
 * them. */
static void check(const char *text, const char *exclusion, const char *lines)
{
	struct world w;
	struct lines l = {.w = &w,
			  .resolves = !strstr(text, "interval:") && !strstr(text, "kprobe:")};
	struct attach_point *points = NULL;
	uint32_t n = 0;

	world_init(&w);
	print_message("%s %s\n", text, exclusion ? exclusion : "");
	{
		struct probe_reader r = {.arena = w.arena,
					 .diags = &w.diags,
					 .kernel = &w.kernel.k,
					 .lists = true};
		struct attach_text t = {.text = text}, x = {.text = exclusion, .span = {1, 2}};

		assert_int_equal(probe_resolve_all(&r, &t, &points, &n), 0);
		if (exclusion)
			assert_int_equal(probe_exclude(&r, &x, points, 0, &n), 0);
	}
	for (uint32_t i = 0; i < n; i++)
		probe_each_line(w.arena, &points[i], add_line, &l);
	assert_string_equal(l.text, lines);
	world_free(&w);
}

static void test_kernel(void **state)
{
	(void)state;
	check("tracepoint:sched:sched_switc?", NULL, "tracepoint:sched:sched_switch");
	check("t:sched_switch", NULL, "tracepoint:sched:sched_switch");
	check("t:*:sched_*", "!sched_w*",
	      "tracepoint:sched:sched_switch tracepoint:sched:sched_process_exec");
	check("rt:*", NULL, "rawtracepoint:vmlinux:sched_switch rawtracepoint:ext4:ext4_sync");
	check("fentry:*", NULL,
	      "fentry:bpf:17:filter fentry:bpf:18:filter fentry:ext4:ext4_sync_file "
	      "fentry:vmlinux:vfs_read fentry:vmlinux:vfs_write");
	check("fexit:*:*", "!*vfs_*", "fexit:ext4:ext4_sync_file");
	check("kprobe:*", NULL,
	      "kprobe:__do_sys_pause kprobe:__ia32_sys_dup kprobe:__x64_sys_dup "
	      "kprobe:ext4_sync_file kprobe:freeze.constprop.0 kprobe:freeze.isra.1 "
	      "kprobe:thaw.isra.0 kprobe:vfs_read kprobe:vfs_write");
	check("software:c*", "!cpu*", "software:context-switches: software:cs:");
	check("software:*faults", "!*m*-faults", "software:page-faults: software:faults:");
	check("iter:*", NULL, "iter:task_file");
	check("interval:?s", NULL, "interval:ms: interval:us:");
}

static void test_user(void **state)
{
	(void)state;
	check("uprobe:/bin/app:*", NULL,
	      "uprobe:/bin/app:main uprobe:/bin/app:handle uprobe:/bin/app:_start "
	      "uprobe:/bin/app:__handle");
	check("uprobe:/bin/app:main", NULL, "uprobe:/bin/app:main");
	check("uprobe:/bin/cpp:cpp:*", NULL,
	      "uprobe:/bin/cpp:cpp:\"ns::find(int)\" uprobe:/bin/cpp:cpp:\"ns::find(int, "
	      "int)\" uprobe:/bin/cpp:cpp:\"ns::twice<int>(int)\" uprobe:/bin/cpp:pick");
	check("uprobe:/bin/cpp:ns::*", "!ns::find", "uprobe:/bin/cpp:cpp:\"ns::twice<int>(int)\"");
	check("usdt:/bin/app:*", NULL,
	      "usdt:/bin/app:app:begin usdt:/bin/app:app:end usdt:/bin/app:app:end "
	      "usdt:/bin/app:other:end");
	check("usdt:/bin/app:*:*", "!begin",
	      "usdt:/bin/app:app:end usdt:/bin/app:app:end usdt:/bin/app:other:end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
