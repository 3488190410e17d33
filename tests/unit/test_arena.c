/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser/base/arena.c: zeroed and aligned memory, growing arrays, exit when memory runs out.
 */
#include "parser/base/arena.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
/* after what it needs */
#include <cmocka.h>

#ifdef SONDE_ASAN
enum { HAS_ASAN = true };
#else
enum { HAS_ASAN = false };
#endif

static void test_memory_is_zeroed_and_aligned(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (size_t size = 0; size < 3 << 20; size = size * 3 + 1) {
		unsigned char *p = arena_alloc(a, size);

		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
	arena_free(a);
	arena_free(NULL);
}

static void test_arrays_grow(void **state)
{
	struct arena *a = arena_new();
	uint32_t *items = NULL, n = 0;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		arena_push(a, items, n, i);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(items[i], i);
	arena_free(a);
}

static void test_strings(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(arena_printf(a, "%s-%d", "x", 7), "x-7");
	assert_string_equal(arena_strdup(a, "abc"), "abc");
	assert_string_equal(arena_strndup(a, "abc", 2), "ab");
	assert_string_equal(arena_strndup(a, NULL, 0), "");
	arena_free(a);
}

/* Use up the heap, so that the next calloc fails. */
static void exhaust_memory(void)
{
	struct rlimit none = {0};

	setrlimit(RLIMIT_AS, &none);
	for (size_t size = 1 << 20; size >= 16; size /= 2)
		while (malloc(size))
			;
}

static void make_arena(void)
{
	exhaust_memory();
	arena_new();
}

static void alloc_too_much(void)
{
	arena_alloc(arena_new(), SIZE_MAX / 2);
}

static void alloc_past_the_address_space(void)
{
	arena_alloc(arena_new(), SIZE_MAX);
}

/* `fn` must end the process with status 2 and the one message. */
static void assert_out_of_memory(void (*fn)(void))
{
	char message[128] = "";
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_true(read(ends[0], message, sizeof(message) - 1) > 0);
	assert_memory_equal(message, "sonde: error: out of memory", 27);
	assert_true(message[27] == '\n' || strstr(message, " MiB: ulimit -v)\n"));
	close(ends[0]);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	if (HAS_ASAN) /* its allocator aborts the process instead of returning NULL */
		skip();
	assert_out_of_memory(alloc_past_the_address_space);
	assert_out_of_memory(alloc_too_much);
	assert_out_of_memory(make_arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_zeroed_and_aligned),
		cmocka_unit_test(test_arrays_grow),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
