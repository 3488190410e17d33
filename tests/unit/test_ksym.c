/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel symbols of the running kernel: bpf_snprintf() and /proc/kallsyms must agree. Needs root;
 * skips (77) where the kernel lacks the program type.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/kernel/ksym_names.h"
#include "runtime/elf/names.h"
#include "runtime/symbols/ksym_query.h"

static const char *const names[] = {"schedule", "vfs_read", "do_exit", "bpf_trace_run4", "kthread"};
enum { N = sizeof(names) / sizeof(*names) };

static void test_names_of_addresses(void **state)
{
	struct ksym_query *a = *state;
	uint64_t addresses[N], offset;
	const char *name, *module;

	assert_int_equal(ksyms_addresses(names, addresses, N), 0);
	for (int i = 0; i < N; i++) {
		assert_true(addresses[i] != 0);
		assert_true(ksym_query_find(a, addresses[i] + 3, &name, &offset, &module));
		assert_string_equal(name, names[i]);
		assert_int_equal(offset, 3);
		assert_null(module);
	}
}

static void test_each_address_is_looked_up_once(void **state)
{
	struct ksym_query *a = ksym_query_new();
	uint64_t address, offset;
	const char *first, *again, *module;

	(void)state;
	assert_int_equal(ksyms_addresses(names, &address, 1), 0);
	for (int i = 0; i < 3000; i++) /* the table grows under them */
		ksym_query_find(a, address + (uint64_t)i, &first, &offset, &module);
	assert_int_equal(ksym_query_count(a), 3000);
	ksym_query_find(a, address, &first, &offset, &module);
	assert_true(ksym_query_find(a, address, &again, &offset, &module));
	assert_ptr_equal(first, again);
	assert_int_equal(ksym_query_count(a), 3000);
	ksym_query_free(a);
}

static void test_no_name(void **state)
{
	uint64_t offset;
	const char *name, *module;

	assert_false(ksym_query_find(*state, 0, &name, &offset, &module));
	assert_false(ksym_query_find(*state, 0x1234, &name, &offset, &module));
	assert_null(name);
}

static void test_same_as_kallsyms(void **state)
{
	struct ksyms *k = ksyms_new();
	uint64_t addresses[N], offset;
	const char *name, *module;

	(void)state;
	assert_int_equal(ksyms_addresses(names, addresses, N), 0);
	for (int i = 0; i < N; i++) {
		assert_true(ksyms_find(k, addresses[i] + 8, &name, &offset, &module));
		assert_string_equal(name, names[i]);
		assert_int_equal(offset, 8);
	}
	ksyms_free(k);
}

/* With kernel.kptr_restrict = 2, and the address of do_exit in the environment: live/stack-
 * kernel.test. Names go on after as many addresses as are looked up before kallsyms is read. */
static void test_hidden(void **state)
{
	uint64_t address = strtoull(getenv("DO_EXIT"), NULL, 16), offset;
	struct ksyms *k = ksyms_new();
	const char *name, *module;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		bool is_found = ksyms_find(k, address + i, &name, &offset, &module);

		if (i < 100 || i > 9000)
			assert_true(is_found);
		if (i < 100)
			assert_string_equal(name, "do_exit");
	}
	assert_true(ksyms_find(k, address + 7, &name, &offset, &module));
	assert_string_equal(name, "do_exit");
	assert_int_equal(offset, 7);
	ksyms_free(k);
}

int main(void)
{
	const struct CMUnitTest hidden[] = {cmocka_unit_test(test_hidden)};
	struct ksym_query *a = ksym_query_new();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_names_of_addresses, a),
		cmocka_unit_test(test_each_address_is_looked_up_once),
		cmocka_unit_test_prestate(test_no_name, a),
		cmocka_unit_test(test_same_as_kallsyms),
	};
	int failed;

	if (!a) {
		puts("skip: this process may not load BPF programs, or the kernel is older than 5.14");
		return 77;
	}
	failed = getenv("DO_EXIT") ? cmocka_run_group_tests(hidden, NULL, NULL)
				   : cmocka_run_group_tests(tests, NULL, NULL);
	ksym_query_free(a);
	return failed;
}
