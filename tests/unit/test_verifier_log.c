/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations of shortened verifier logs of kernels 6.18 and 6.1: location, program and message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "runtime/session/verifier_log.h"

static const char script[] = "BEGIN { @a = 1; }\n"
			     "interval:s:1\n"
			     "{\n"
			     "\t@b[comm] = count();\n"
			     "\tprint(@b);\n"
			     "\tprint(@b);\n"
			     "}\n";

#define HEAD                                                                       \
	"libbpf: prog 'p1_interval': BPF program load failed: Permission denied\n" \
	"libbpf: prog 'p1_interval': -- BEGIN PROG LOAD LOG --\n"                  \
	"0: R1=ctx() R10=fp0\n"
#define TAIL                                                                       \
	"verification time 118 usec\n"                                             \
	"stack depth 8\n"                                                          \
	"processed 7 insns (limit 1000000) max_states_per_insn 0 total_states 0\n" \
	"-- END PROG LOAD LOG --\n"                                                \
	"libbpf: prog 'p1_interval': failed to load: -13\n"

struct expected {
	const char *log, *words, *reason;
	uint32_t line;
};

static void check(const struct source *s, const struct expected *e)
{
	struct verifier_message v;

	verifier_log_read(&v, e->log, s);
	assert_int_equal(v.line, e->line);
	assert_non_null(v.program);
	assert_int_equal(v.program_len, strlen("p1_interval"));
	assert_memory_equal(v.program, "p1_interval", v.program_len);
	assert_int_equal(v.reason_len, strlen(e->reason));
	assert_memory_equal(v.reason, e->reason, v.reason_len);
	if (!e->words)
		assert_null(v.words);
	else if (!v.words || !strstr(v.words, e->words))
		fail_msg("'%s' does not say '%s'", v.words ? v.words : "", e->words);
}

static void test_logs(void **state)
{
	static const struct expected rows[] = {
		{HEAD "; BEGIN { @a = 1; } @ s.bt:1\n0: (b7) r1 = 1\n"
		      "; @b[comm] = count(); @ s.bt:4\n7: (79) r0 = *(u64 *)(r0 +0)\n"
		      "; return *v; @ map.bpf.c:52\n"
		      "R0 invalid mem access 'map_value_or_null'\n" TAIL,
		 "may be NULL", "R0 invalid mem access 'map_value_or_null'", 4},
		{HEAD "; @b[comm] = count();\n7: (79) r0 = *(u64 *)(r0 +0)\n"
		      "R0 invalid mem access 'scalar'\n" TAIL,
		 "may not be valid", "R0 invalid mem access 'scalar'", 4},
		/* a text that is there twice says nothing; the line before it does */
		{HEAD "; {\n0: (b7) r1 = 1\n; print(@b);\n7: (05) goto pc-1\n"
		      "infinite loop detected at insn 7\n" TAIL,
		 "no end", "infinite loop detected at insn 7", 3},
		{HEAD "; x @ other.bt:2\nBPF program is too large. Processed 1000001 insn\n" TAIL,
		 "a million steps", "BPF program is too large. Processed 1000001 insn", 0},
		{HEAD "; for ($i : 0..2) { @ s.bt:3\nthe call stack of 9 frames is too deep\n" TAIL,
		 "nested deeper", "the call stack of 9 frames is too deep", 3},
		{HEAD "combined stack size of 2 calls is 544. Too large\n" TAIL, "512 bytes",
		 "combined stack size of 2 calls is 544. Too large", 0},
		{HEAD "R1 bitwise operator |= on pointer prohibited\n" TAIL,
		 "computes with a pointer", "R1 bitwise operator |= on pointer prohibited", 0},
		{HEAD "R1 pointer arithmetic with <<= operator prohibited\n" TAIL,
		 "computes with a pointer", "R1 pointer arithmetic with <<= operator prohibited",
		 0},
		{HEAD
		 "R0 pointer arithmetic on map_value_or_null prohibited, null-check it first\n" TAIL,
		 "may be NULL",
		 "R0 pointer arithmetic on map_value_or_null prohibited, null-check it first", 0},
		{HEAD
		 "math between map_value pointer and register with unbounded min value is not allowed\n" TAIL,
		 "negative or too large",
		 "math between map_value pointer and register with unbounded min value is not allowed",
		 0},
		{HEAD "R2 unbounded memory access, use 'var &= const' or 'if (var < const)'\n" TAIL,
		 "no upper bound",
		 "R2 unbounded memory access, use 'var &= const' or 'if (var < const)'", 0},
		{HEAD "R2 min value is negative, either use unsigned or 'var &= const'\n" TAIL,
		 "may be negative",
		 "R2 min value is negative, either use unsigned or 'var &= const'", 0},
		{HEAD "value -2147483648 makes map_value pointer be out of bounds\n" TAIL,
		 "out of bounds", "value -2147483648 makes map_value pointer be out of bounds", 0},
		{HEAD "invalid access to map value, value_size=8 off=8 size=8\n" TAIL,
		 "beyond its end", "invalid access to map value, value_size=8 off=8 size=8", 0},
		{HEAD "The sequence of 8193 jumps is too complex.\n" TAIL, "more branches",
		 "The sequence of 8193 jumps is too complex.", 0},
		{HEAD "Unreleased reference id=2 alloc_insn=7\n" TAIL, "not released",
		 "Unreleased reference id=2 alloc_insn=7", 0},
		{HEAD "BPF_EXIT instruction in main prog would lead to unreleased reference\n" TAIL,
		 "not released",
		 "BPF_EXIT instruction in main prog would lead to unreleased reference", 0},
		{HEAD "invalid bpf_context access off=80 size=8\n" TAIL, "not have that argument",
		 "invalid bpf_context access off=80 size=8", 0},
		{HEAD "dereference of modified ctx ptr R1 off=8 disallowed\n" TAIL,
		 "computed position", "dereference of modified ctx ptr R1 off=8 disallowed", 0},
		{HEAD "R0 !read_ok\n" TAIL, "before it was written", "R0 !read_ok", 0},
		{HEAD "misaligned stack access off (0x0; 0x0)+-7 size 8\n" TAIL, "not aligned",
		 "misaligned stack access off (0x0; 0x0)+-7 size 8", 0},
		{HEAD "; @b[comm] = count(); @ s.bt:99\nsomething new\n" TAIL, NULL,
		 "something new", 0},
		{HEAD "The total number of maps per program has reached the limit of 64\n",
		 "more than 64 maps",
		 "The total number of maps per program has reached the limit of 64", 0},
	};
	struct arena *a = arena_new();
	struct source *s = source_from_text(a, "/tmp/s.bt", script, strlen(script));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(s, &rows[i]);
	arena_free(a);
}

static void test_no_log(void **state)
{
	static const char *const logs[] = {
		"",
		"libbpf: map 'map_a': failed to create: Too many open files(-24)\n",
		"-- BEGIN PROG LOAD LOG --",
		"-- BEGIN PROG LOAD LOG --\n-- END PROG LOAD LOG --\n",
		"x\n'-- BEGIN PROG LOAD LOG --\n; \n;  @ \n; @ s.bt:\n",
	};
	struct arena *a = arena_new();
	struct source *s = source_from_text(a, "s.bt", script, strlen(script));
	struct verifier_message v;

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++) {
		verifier_log_read(&v, logs[i], s);
		assert_null(v.reason);
		assert_null(v.words);
		assert_int_equal(v.line, 0);
	}
	arena_free(a);
}

static void test_helper_names(void **state)
{
	static const struct {
		const char *log, *helper;
	} rows[] = {
		{HEAD "unknown func bpf_loop#181\n" TAIL, "bpf_loop"},
		{HEAD "invalid func unknown#181\n" TAIL, "bpf_loop"},
		{HEAD "program of this type cannot use helper bpf_probe_write_user#36\n" TAIL,
		 "bpf_probe_write_user"},
		{HEAD "invalid func unknown#99999\n" TAIL, ""},
		{HEAD "R1 !read_ok\n" TAIL, ""},
	};
	struct arena *a = arena_new();
	const struct source *s = source_from_text(a, "s.bt", script, strlen(script));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct verifier_message v;

		verifier_log_read(&v, rows[i].log, s);
		assert_string_equal(v.helper, rows[i].helper);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_helper_names),
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_no_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
