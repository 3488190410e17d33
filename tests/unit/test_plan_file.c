/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file.c: a plan that is written and read is the same plan; damaged bytes are refused, or give
 * a plan by which records can still be shown (the sanitizers watch).
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/plan/plan_file.h"
#include "runtime/view/format.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const scripts[] = {
	"BEGIN { exit(); }",
	"config = { max_map_keys = 100 } struct foo { int a; char b[8]; } k:vfs_read { "
	"printf(\"%s %5d %-8.2s|\\n\", comm, pid, \"abc\"); @a[comm, pid] = hist(pid); "
	"@l = lhist(pid, 0, 100, 10); @q[1] = quantiles(nsecs); @s = stats(pid); @c++; "
	"print((1, (2, \"x\"))); @r[(1, \"a\")] = (x = 1, y = comm); @t = tseries(pid, 1s, 5); "
	"time(\"%H\"); print(@c); clear(@c); }",
	"macro m(x) { errorf(\"%d\", x) } tracepoint:sched:sched_switch /delta > 5/ { "
	"@[kstack(3), ustack] = sum(delta); m(1); @x = args.prev_pid; }",
	"tracepoint:syscalls:sys_exit_openat { @[entry(args.flags)] = avg(delta); @p[pid] = probe; } "
	"interval:s:1 { print(@p, 3, 2); } profile:hz:99 { @z = count(); } END { print(strftime(\"%Y\", "
	"nsecs)); }",
};
enum { N_SCRIPTS = sizeof(scripts) / sizeof(*scripts) };

static char *dump(const struct plan *p)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	plan_dump(p, 2, f);
	fclose(f);
	return text;
}

static void *bytes_of(struct world *w, const char *script, size_t *len)
{
	print_message("%s\n", script);
	world_init(w);
	assert_non_null(world_plan(w, script, NULL));
	return plan_file_write(w->arena, w->plan, len);
}

static void test_same_plan(void **state)
{
	(void)state;
	for (int i = 0; i < N_SCRIPTS; i++) {
		struct world w;
		size_t len, again_len;
		void *bytes = bytes_of(&w, scripts[i], &len);
		struct plan *read = plan_file_read(w.arena, bytes, len);
		char *before = dump(w.plan), *after;
		void *again;

		assert_non_null(read);
		after = dump(read);
		assert_string_equal(before, after);
		again = plan_file_write(w.arena, read, &again_len);
		assert_int_equal(len, again_len);
		assert_memory_equal(bytes, again, len);
		assert_int_equal(plan_name_find(read, "", 0), 0);
		for (uint32_t j = 0; j < read->n_probes; j++) {
			struct place was =
				source_place(w.plan->source, w.plan->probes[j].span.start);
			struct place is = source_place(read->source, read->probes[j].span.start);

			assert_int_equal(was.line, is.line);
			assert_int_equal(was.col, is.col);
			assert_int_equal(plan_name_find(read, read->probes[j].name,
							(uint32_t)strlen(read->probes[j].name)),
					 read->probes[j].name_id);
		}
		free(before);
		free(after);
		free(again);
		free(bytes);
		world_free(&w);
	}
}

/* ---- damaged bytes ---- */

static char room[1 << 16];

static void forget(struct text *t)
{
	t->n = 0;
}

/* Show records of the plan's sizes, with all bits 0 or 1, and what messages show. */
static void use(const struct plan *p)
{
	struct text t = {.bytes = room, .capacity = sizeof(room), .make_room = forget};

	for (uint32_t i = 0; i < p->n_events; i++) {
		const struct plan_event *ev = &p->events[i];
		uint8_t *record = malloc(ev->size);
		struct view views[LIMIT_CALL_ARGS];
		struct span shown = source_shown(p->source, ev->span);

		for (int bits = 0; bits < 2; bits++) {
			memset(record, bits ? 0xff : 0, ev->size);
			for (uint32_t j = 0; j < ev->n_fields; j++) {
				view_make(&views[j], ev->fields[j].type,
					  record + ev->fields[j].offset, NULL);
				format_view(&t, &views[j]);
			}
			format_printf(&t, ev, views);
		}
		source_line(p->source, source_place(p->source, shown.start).line, &(uint32_t){0});
		free(record);
	}
}

static void test_damaged(void **state)
{
	static const uint8_t others[] = {0x01, 0x80, 0xff};

	(void)state;
	for (int i = 0; i < N_SCRIPTS; i++) {
		struct world w;
		size_t len;
		uint8_t *bytes = bytes_of(&w, scripts[i], &len);

		for (size_t cut = 0; cut < len; cut += 1 + len / 200) {
			struct arena *a = arena_new();

			assert_null(plan_file_read(a, bytes, cut));
			arena_free(a);
		}
		for (size_t at = 0; at < len; at++)
			for (size_t j = 0; j < sizeof(others); j++) {
				struct arena *a = arena_new();
				struct plan *read;

				bytes[at] ^= others[j];
				read = plan_file_read(a, bytes, len);
				if (read)
					use(read);
				bytes[at] ^= others[j];
				arena_free(a);
			}
		free(bytes);
		world_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_plan),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
