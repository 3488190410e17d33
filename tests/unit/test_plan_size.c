/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that the kernel needs for a script's maps. An element of a keyed map has at most 2 KiB
 * for any aggregation and number of CPUs, a power of two, so those of 131,072 keys take at most 256
 * MiB. A histogram does not keep all its buckets in the entry of a key: that would take more than 64 times as much.
 */
#include "bpf_helpers/shared.h"
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/agg.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { CPUS = 256, VALUE_BYTES = 2048, HEAD_BYTES = 56, ROUNDED_BYTES = 2048 };
static const uint32_t cpus[] = {1,  2,	3,  4,	 6,   8,   12,	16,  20,  24,	32,
				48, 64, 96, 128, 192, 255, 256, 257, 512, 1000, 8192};
static const uint64_t mib = 1 << 20;

static const char *const aggs[] = {
	"count()",	   "sum(arg0)",	     "avg(arg0)",
	"min(arg0)",	   "max(arg0)",	     "stats(arg0)",
	"hist(arg0)",	   "hist(arg0, 5)",  "lhist(arg0, 0, 1000, 1)",
	"quantiles(arg0)", "shist(arg0, 5)", "tseries(arg0, 1s, 10, \"avg\")",
};

static const struct plan_map *map_of(struct world *w, const char *key, const char *value,
				     uint32_t n_cpus)
{
	struct plan_options options = {.kernel = &w->kernel.k};
	char text[200];

	snprintf(text, sizeof(text), "k:vfs_read { @%s = %s }", key, value);
	print_message("%s on %u CPUs\n", text, n_cpus);
	world_init(w);
	w->kernel.n_cpus = n_cpus;
	assert_non_null(world_plan(w, text, &options));
	return &w->plan->maps[0];
}

static void check_slots(const struct plan_map *m, uint32_t n_cpus)
{
	assert_int_equal(m->kind, PM_SLOT_HASH);
	assert_int_equal(m->value_size, m->n_slots * m->slot_bytes + (m->interval_offset ? 8 : 0));
	assert_true(m->value_size <= VALUE_BYTES);
	assert_true(m->slot_bytes >= m->n_words * 8 && m->slot_bytes % 8 == 0);
	assert_true(m->n_slots <= n_cpus);
	/* CPUs share slots by their numbers' last bits */
	assert_true(m->n_slots == n_cpus || (m->n_slots & (m->n_slots - 1)) == 0);
	assert_true(plan_map_bytes(m, n_cpus) <= 258 * mib);
	assert_true(HEAD_BYTES + m->key_size + m->value_size <= ROUNDED_BYTES);
}

static void test_keyed(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(aggs) / sizeof(*aggs); i++)
		for (size_t j = 0; j < sizeof(cpus) / sizeof(*cpus); j++) {
			check_slots(map_of(&w, "[pid]", aggs[i], cpus[j]), cpus[j]);
			world_free(&w);
		}
}

/* A long key has as much room beside it. */
static void test_long_key(void **state)
{
	struct world w;

	(void)state;
	for (size_t j = 0; j < sizeof(cpus) / sizeof(*cpus); j++) {
		const struct plan_map *m = map_of(&w, "[str(arg0, 240)]", "count()", cpus[j]);

		assert_int_equal(m->key_size, 248);
		assert_true(m->value_size <= VALUE_BYTES);
		assert_true(m->slot_bytes >= 8 && m->slot_bytes % 8 == 0);
		world_free(&w);
	}
}

/* A cache line a CPU, or as much of one as fits what the kernel allocates: 256 bytes for 2 and 4
 * CPUs, 512 for 8, 2 KiB for 32 and more. */
static void test_slots(void **state)
{
	static const struct {
		const char *value;
		uint32_t n_cpus, n_slots, slot_bytes;
	} rows[] = {
		{"count()", 1, 1, 64},	   {"count()", 2, 2, 64},      {"count()", 4, 4, 48},
		{"count()", 8, 8, 56},	   {"count()", 12, 12, 64},    {"count()", 16, 16, 56},
		{"count()", 32, 32, 56},   {"count()", 64, 64, 24},    {"count()", 128, 128, 8},
		{"count()", 256, 128, 8},  {"count()", 1000, 128, 8},  {"avg(arg0)", 2, 2, 64},
		{"avg(arg0)", 64, 64, 24}, {"avg(arg0)", 128, 64, 24}, {"avg(arg0)", 256, 64, 24},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct plan_map *m = map_of(&w, "[pid]", rows[i].value, rows[i].n_cpus);

		assert_int_equal(m->n_slots, rows[i].n_slots);
		assert_int_equal(m->slot_bytes, rows[i].slot_bytes);
		world_free(&w);
	}
}

/* Side by side, for there is one of them: the finest histogram is the largest. */
static void test_keyless(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(aggs) / sizeof(*aggs); i++) {
		const struct plan_map *m = map_of(&w, "", aggs[i], CPUS);

		/* a series has an entry for each interval here, too */
		assert_int_equal(m->kind, agg_is_series(m->value) ? PM_SLOT_HASH : PM_PERCPU_ARRAY);
		assert_true(plan_map_bytes(m, CPUS) <= 32 * mib);
		world_free(&w);
	}
}

static void test_exactly(void **state)
{
	const struct plan_map *m;
	struct world w;

	(void)state;
	m = map_of(&w, "[pid]", "count()", CPUS); /* epoch and pid; a word for two CPUs */
	assert_int_equal(plan_map_bytes(m, CPUS), (8 + 8 * CPUS / 2) * 131072ull);
	world_free(&w);
	m = map_of(&w, "[pid]", "1", CPUS); /* one value for all CPUs */
	assert_int_equal(plan_map_bytes(m, CPUS), (8 + 8) * 131072ull);
	world_free(&w);
	m = map_of(&w, "", "count()", CPUS); /* the counter and its "touched" */
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
		cmocka_unit_test(test_keyed),	cmocka_unit_test(test_long_key),
		cmocka_unit_test(test_slots),	cmocka_unit_test(test_keyless),
		cmocka_unit_test(test_exactly), cmocka_unit_test(test_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
