/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The missing capability that is reported for the maps and programs of a script.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "runtime/kernel/missing_capability.h"
#include "tests/unit/fake_kernel.h"

/* What the kernel of the current row lacks. */
static enum capability_id lacks;

static enum capability_state all_but_one(struct kernel *k, enum capability_id id)
{
	(void)k;
	return id == lacks ? CAPABILITY_NO : CAPABILITY_YES;
}

static void test_rows(void **state)
{
	static const struct {
		const char *script;
		enum capability_id lacks;
		bool is_needed;
	} rows[] = {
		{"BEGIN { printf(\"x\") }", CAP_RING_BUFFER, true},
		{"t:sched:sched_switch { @ = count() }", CAP_RING_BUFFER, false},
		{"t:sched:sched_switch { @ = sum(delta) }", CAP_TASK_STORAGE, true},
		{"t:sched:sched_switch { @ = sum(delta) }", CAP_RAW_TRACEPOINTS, true},
		{"BEGIN { @ = 1 }", CAP_TASK_STORAGE, false},
		{"f:vfs_read { @ = count() }", CAP_FENTRY, true},
		{"fexit:vfs_read { @ = count() }", CAP_FENTRY, true},
		{"iter:task_file { @ = count() }", CAP_ITERATORS, true},
		{"BEGIN { @ = 1 }", CAP_ITERATORS, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct capability_row *row;
		struct plan *p;
		struct world w;

		print_message("%s\n", rows[i].script);
		world_init(&w);
		p = world_plan(&w, rows[i].script, NULL);
		assert_non_null(p);
		lacks = rows[i].lacks;
		w.kernel.k.capability = all_but_one;
		row = missing_capability_find(p, &w.kernel.k);
		assert_ptr_equal(row, rows[i].is_needed ? &capability_rows[rows[i].lacks] : NULL);
		world_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
