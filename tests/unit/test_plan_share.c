/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes of system calls share a program up to the kernel's limit of maps in a program.
 */
#include "bpf_helpers/shared.h"
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { KERNEL_MAPS = 64 };

/* `n` probes, whose bodies `format` makes of their number. */
static void plan_of(struct world *w, const char *format, uint32_t n)
{
	size_t room = n * 200 + 1, at = 0;
	char *text = malloc(room);

	for (uint32_t i = 0; i < n; i++) {
		const char *c = format;

		for (; *c; c++)
			at += (size_t)(*c == '#' ? snprintf(text + at, room - at, "%u", i)
						 : snprintf(text + at, room - at, "%c", *c));
	}
	world_init(w);
	assert_non_null(world_plan(w, text, NULL));
	free(text);
}

static uint32_t count(const struct plan *p, enum plan_prog_kind kind, uint32_t *most_probes)
{
	uint32_t n = 0;

	*most_probes = 0;
	for (uint32_t i = 0; i < p->n_progs; i++)
		if (p->progs[i].kind == kind) {
			n++;
			if (p->progs[i].n_probes > *most_probes)
				*most_probes = p->progs[i].n_probes;
		}
	return n;
}

static void test_one_map_one_program(void **state)
{
	uint32_t most;
	struct world w;

	(void)state;
	plan_of(&w, "tracepoint:syscalls:sys_enter_openat { @ = count() }\n", 60);
	assert_int_equal(count(w.plan, PP_SYSCALL_ENTER, &most), 1);
	assert_int_equal(most, 60);
	world_free(&w);
}

static void test_many_maps_are_split(void **state)
{
	uint32_t n, most;
	struct world w;

	(void)state;
	plan_of(&w, "tracepoint:syscalls:sys_enter_openat { @a# = count() }\n", 200);
	n = count(w.plan, PP_SYSCALL_ENTER, &most);
	assert_true(n >= 4 && n <= 6);
	assert_true(most < KERNEL_MAPS);
	for (uint32_t i = 0; i + 1 < w.plan->n_probes; i++) /* in the script's order */
		assert_true(w.plan->probes[i].prog <= w.plan->probes[i + 1].prog);
	world_free(&w);
}

/* A map in a predicate or behind an if counts, the same map twice does not. */
static void test_where_maps_are_named(void **state)
{
	uint32_t most;
	struct world w;

	(void)state;
	plan_of(&w,
		"tracepoint:syscalls:sys_enter_openat /@p#/ { if (@q#) { @r# = @p#; @q# = 1 } "
		"@p# = 1 }\n",
		34);
	assert_int_equal(count(w.plan, PP_SYSCALL_ENTER, &most), 2);
	assert_int_equal(most, 17);
	world_free(&w);
}

static void test_states_of_spans_count(void **state)
{
	uint32_t most;
	struct world w;

	(void)state;
	plan_of(&w, "tracepoint:syscalls:sys_exit_openat { @ = sum(delta) }\n", 100);
	assert_true(count(w.plan, PP_SYSCALL_EXIT, &most) >= 2);
	assert_true(count(w.plan, PP_SYSCALL_ENTER, &most) >= 2);
	world_free(&w);
}

/* A program can have so many instructions. */
static void test_long_programs_are_split(void **state)
{
	uint32_t most;
	struct world w;

	(void)state;
	plan_of(&w, "tracepoint:syscalls:sys_enter_openat { @[pid, tid, uid, cpu] = count() }\n",
		400);
	assert_true(count(w.plan, PP_SYSCALL_ENTER, &most) > 5);
	assert_true(most < 80);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_map_one_program),
		cmocka_unit_test(test_many_maps_are_split),
		cmocka_unit_test(test_long_programs_are_split),
		cmocka_unit_test(test_where_maps_are_named),
		cmocka_unit_test(test_states_of_spans_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
