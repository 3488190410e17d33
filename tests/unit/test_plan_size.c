/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory the kernel may need for a script's maps on a machine of 256 CPUs. The bound: a
 * value of a keyed map has at most 16 bytes a CPU, whatever is counted in it, so that 131,072 keys
 * take 512 MiB of values and no more. A histogram has no place for all its buckets in a key's
 * entry: that would be 64 times as much and more.
 */
#include "bpf_helpers/shared.h"
#include "fake_kernel.h"
#include "parser/arena.h"
#include "parser/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { CPUS = 256, VALUE_BYTES = 16 };
static const uint64_t mib = 1 << 20;

static const char *const aggs[] = {
	"count()",	   "sum(arg0)",	    "avg(arg0)",
	"min(arg0)",	   "max(arg0)",	    "stats(arg0)",
	"hist(arg0)",	   "hist(arg0, 5)", "lhist(arg0, 0, 1000, 1)",
	"quantiles(arg0)",
};

static const struct plan_map *map_of(struct world *w, const char *key, const char *value)
{
	char text[200];

	snprintf(text, sizeof(text), "k:vfs_read { @%s = %s }", key, value);
	print_message("%s\n", text);
	world_init(w);
	assert_non_null(world_plan(w, text, NULL));
	return &w->plan->maps[0];
}

static void test_keyed(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(aggs) / sizeof(*aggs); i++) {
		const struct plan_map *m = map_of(&w, "[pid]", aggs[i]);

		assert_int_equal(m->kind, PM_PERCPU_HASH);
		assert_true(m->value_size <= VALUE_BYTES);
		assert_true(plan_map_bytes(m, CPUS) <=
			    (VALUE_BYTES * CPUS + 16ull) * LIMIT_MAP_KEYS);
		assert_true(plan_map_bytes(m, CPUS) <= 514 * mib);
		world_free(&w);
	}
}

/* Side by side, for there is one of them: the finest histogram is the largest. */
static void test_keyless(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(aggs) / sizeof(*aggs); i++) {
		const struct plan_map *m = map_of(&w, "", aggs[i]);

		assert_int_equal(m->kind, PM_PERCPU_ARRAY);
		assert_true(plan_map_bytes(m, CPUS) <= 32 * mib);
		world_free(&w);
	}
}

static void test_exactly(void **state)
{
	const struct plan_map *m;
	struct world w;

	(void)state;
	m = map_of(&w, "[pid]", "count()"); /* epoch and pid; a word a CPU */
	assert_int_equal(plan_map_bytes(m, CPUS), (8 + 8 * CPUS) * 131072ull);
	assert_int_equal(plan_map_bytes(m, 1), (8 + 8) * 131072ull);
	world_free(&w);
	m = map_of(&w, "[pid]", "1"); /* one value for all CPUs */
	assert_int_equal(plan_map_bytes(m, CPUS), (8 + 8) * 131072ull);
	world_free(&w);
	m = map_of(&w, "", "count()"); /* the counter and its "touched" */
	assert_int_equal(plan_map_bytes(m, CPUS), 4 * 16 * CPUS);
	world_free(&w);
}

static void test_stacks(void **state)
{
	struct plan_options options = {.max_stacks = 100};
	struct world w;

	(void)state;
	world_init(&w);
	assert_non_null(world_plan(&w, "k:vfs_read { @[kstack] = count() }", NULL));
	assert_int_equal(w.plan->needs.stack_entries, SONDE_STACK_ENTRIES);
	assert_true(sizeof(struct sonde_stack) * SONDE_STACK_ENTRIES <= 132 * mib);
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "k:vfs_read { @[kstack] = count() }", &options));
	assert_int_equal(w.plan->needs.stack_entries, 100);
	world_free(&w);
	world_init(&w);
	assert_non_null(world_plan(&w, "k:vfs_read { @[pid] = count() }", NULL));
	assert_int_equal(w.plan->needs.stack_entries, 0);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keyed),
		cmocka_unit_test(test_keyless),
		cmocka_unit_test(test_exactly),
		cmocka_unit_test(test_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
