/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the live view: order, filter, folded rows, and rows that are left out.
 */
#include "runtime/output/live_screen.h"
#include "runtime/output/live_table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
// cmocka needs those above
#include <cmocka.h>

enum { MANY = LIVE_ROWS + 5 };

static struct view keys[MANY];
static struct view_row rows[MANY];

/* Row i has the key 1000 + i, and i % 7 * 100000 + i as its value. */
static struct view_map numbers(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		keys[i] = (struct view){.type = type_int(8, false), .integer = 1000 + i};
		rows[i].keys = &keys[i];
		rows[i].value =
			(struct view){.type = type_int(8, false), .integer = i % 7 * 100000 + i};
	}
	return (struct view_map){.name = "@m", .n_keys = 1, .rows = rows, .n_rows = n};
}

static const char *shown(const struct live_table *t, uint32_t row, uint32_t column)
{
	return t->rows[t->order.items[row]].cells[column].text;
}

static void orders_by_any_column(void **state)
{
	struct live_table t = {.name = "@m"};
	struct view_map m = numbers(10);

	(void)state;
	assert_int_equal(live_table_read(&t, &m), 0);
	assert_int_equal(live_table_arrange(&t, ""), 0);
	assert_int_equal(t.order.n, 10);
	assert_string_equal(shown(&t, 0, 0), "600006");
	assert_string_equal(shown(&t, 9, 0), "0");
	t.column = 1;
	t.ascends = true;
	live_table_arrange(&t, "");
	assert_string_equal(shown(&t, 0, 1), "1000");
	live_table_arrange(&t, "1003");
	assert_int_equal(t.order.n, 1);
	assert_string_equal(shown(&t, 0, 0), "300003");
	live_table_arrange(&t, "nothing");
	assert_int_equal(t.order.n, 0);
	live_table_toggle(&t); /* no row is selected */
	live_table_empty(&t);
	assert_int_equal(t.n_rows, 0);
	live_table_free(&t);
}

static void keeps_the_largest(void **state)
{
	struct live_table t = {.name = "@m"};
	struct view_map m = numbers(MANY);

	(void)state;
	assert_int_equal(live_table_read(&t, &m), 0);
	live_table_arrange(&t, "");
	assert_int_equal(t.order.n, LIVE_ROWS);
	assert_int_equal(t.n_left_out, 5);
	t.ascends = true;
	live_table_arrange(&t, "");
	assert_string_equal(shown(&t, 0, 0), "35"); /* 0, 7, 14, 21 and 28 are left out */
	live_table_free(&t);
}

static void folds_stacks(void **state)
{
	struct view_frame frames[] = {{.ip = 1, .name = "inner", .offset = 1},
				      {.ip = 2, .name = "outer", .offset = 2}};
	struct type stack = *type_int(8, false);
	struct live_table t = {.name = "@m"};
	struct view_map m = numbers(1);

	(void)state;
	stack.kind = TY_KSTACK;
	keys[0] = (struct view){.type = &stack, .stack = {.frames = frames, .n = 2}};
	assert_int_equal(live_table_read(&t, &m), 0);
	live_table_arrange(&t, "OUTER");
	assert_string_equal(shown(&t, 0, 1), "inner+1 < outer+2");
	assert_int_equal(live_table_height(&t, &t.rows[0]), 1);
	live_table_toggle(&t);
	assert_int_equal(live_table_height(&t, &t.rows[0]), 3);
	live_table_read(&t, &m); /* the next refresh */
	assert_int_equal(live_table_height(&t, &t.rows[0]), 3);
	live_table_toggle(&t);
	assert_int_equal(live_table_height(&t, &t.rows[0]), 1);
	live_table_free(&t);
}

static void keeps_the_last_lines(void **state)
{
	static struct live_lines l;
	char text[32];

	(void)state;
	assert_null(live_lines_get(&l, 0));
	live_lines_add(&l, "a\n\nb", 4);
	live_lines_add(&l, "c", 1);
	assert_string_equal(live_lines_get(&l, 0), "bc");
	assert_string_equal(live_lines_get(&l, 1), "");
	assert_string_equal(live_lines_get(&l, 2), "a");
	assert_null(live_lines_get(&l, 3));
	for (int i = 0; i < 1000; i++)
		live_lines_add(&l, text, (size_t)snprintf(text, sizeof(text), "\n%d", i));
	assert_string_equal(live_lines_get(&l, 0), "999");
	assert_string_equal(live_lines_get(&l, LIVE_LINES - 1), "936");
	assert_null(live_lines_get(&l, LIVE_LINES));
	assert_int_equal(l.n, 1003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_by_any_column),
		cmocka_unit_test(keeps_the_largest),
		cmocka_unit_test(folds_stacks),
		cmocka_unit_test(keeps_the_last_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
