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
#include "runtime/explain/loaded.h"
#include "parser/lang/bpf_import.h"
#include "runtime/load/verifier_log.h"

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

	verifier_log_read(&v, e->log, s, NULL, 0);
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
		/* 7.x says the same once more */
		{HEAD
		 "; @b[comm] = count();\n7: (79) r0 = *(u64 *)(r0 +0)\n"
		 "R0 invalid mem access 'map_value_or_null'\n"
		 "\nVerification failed: Invalid dereference: R0 may be NULL\n"
		 "\nReason:\n  R0 is not checked.\n\nAt:\n  Instruction context:\n"
		 "  >>> 7 | (79) r0 = *(u64 *)(r0 +0)\n\nSuggestion:\n  Add a NULL check.\n\n" TAIL,
		 "may be NULL", "R0 invalid mem access 'map_value_or_null'", 4},
		{HEAD "; @b[comm] = count();\n7: (79) r0 = *(u64 *)(r0 +0)\n"
		      "R0 invalid mem access 'scalar'\n" TAIL,
		 "through a number", "R0 invalid mem access 'scalar'", 4},
		{HEAD "0: (79) r1 = *(u64 *)(r1 +0)\nR1 invalid mem access 'inv'\n" TAIL,
		 "through a number", "R1 invalid mem access 'inv'", 0},
		{HEAD
		 "1: (55) if r0 != 0x0 goto pc-2 infinite loop detected at insn 0\n"
		 "cur state: R0=scalar(umin=1) R10=fp0\nold state: R0=scalar(umin=1) R10=fp0\n" TAIL,
		 "no end", "1: (55) if r0 != 0x0 goto pc-2 infinite loop detected at insn 0", 0},
		/* a text that is there twice says nothing; the line before it does */
		{HEAD "; {\n0: (b7) r1 = 1\n; print(@b);\n7: (05) goto pc-1\n"
		      "infinite loop detected at insn 7\n" TAIL,
		 "no end", "infinite loop detected at insn 7", 3},
		{HEAD "; @ s.bt:1\nBPF program is too large. Processed 1000001 insn\n" TAIL,
		 "a million steps", "BPF program is too large. Processed 1000001 insn", 0},
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

/* As 6.1, 6.12 and 6.18 print them. */
static void test_states(void **state)
{
	static const struct {
		const char *log, *reg, *holds, *words, *example;
	} rows[] = {
		{HEAD "0: R1=ctx(off=0,imm=0) R10=fp0\n"
		      "5: (85) call bpf_map_lookup_elem#1    ; "
		      "R0_w=map_value_or_null(id=1,off=0,ks=4,vs=8,imm=0)\n"
		      "6: (79) r1 = *(u64 *)(r0 +0)\nR0 invalid mem access 'map_value_or_null'\n",
		 "R0", "map_value_or_null(id=1,off=0,ks=4,vs=8,imm=0)", "or NULL", "null-lookup"},
		{HEAD
		 "5: (85) call bpf_map_lookup_elem#1 ; R0=map_value_or_null(id=1,map=m,ks=4,vs=8)\n"
		 "6: (79) r1 = *(u64 *)(r0 +0)\nR0 invalid mem access 'map_value_or_null'\n"
		 "stack depth 8\nprocessed 6 insns (limit 1000000)\n",
		 "R0", "map_value_or_null(id=1,map=m,ks=4,vs=8)", "or NULL", "null-lookup"},
		{HEAD "0: (bf) r2 = r10 ; R2_w=fp0 R10=fp0\n1: (07) r2 += -4 ; R2_w=fp-4\n"
		      "2: (85) call bpf_map_lookup_elem#1\n"
		      "invalid indirect read from stack R2 off -4+0 size 4\n",
		 "R2", "fp-4", "in the stack", "uninitialized-stack"},
		{HEAD "0: (79) r6 = *(u64 *)(r1 +0) ; R1=ctx() R6=scalar()\n"
		      "1: (79) r0 = *(u64 *)(r6 +0)\nR6 invalid mem access 'scalar'\n",
		 "R6", "scalar()", "anything", "kernel-memory"},
		{HEAD "0: (bf) r0 = r5\nR5 !read_ok\n", "R5", NULL, NULL, "uninitialized-register"},
		{HEAD "4: (85) call bpf_copy_from_user#148\nunknown func bpf_copy_from_user#148\n",
		 "", NULL, NULL, "missing-helper"},
		{HEAD "last insn is not an exit or jmp\n", "", NULL, NULL, "no-end"},
	};
	struct arena *a = arena_new();
	const struct source *s = source_from_text(a, "s.bt", script, strlen(script));
	struct verifier_message v;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		verifier_log_read(&v, rows[i].log, s, NULL, 0);
		assert_non_null(v.words);
		assert_string_equal(v.reg, rows[i].reg);
		assert_string_equal(v.example, rows[i].example);
		assert_int_equal(v.state_len, rows[i].holds ? strlen(rows[i].holds) : 0);
		if (!rows[i].holds) {
			assert_null(v.state_words);
			continue;
		}
		assert_memory_equal(v.state, rows[i].holds, v.state_len);
		assert_non_null(strstr(v.state_words, rows[i].words));
	}
	arena_free(a);
	(void)state;
}

static void test_counts(void **state)
{
	struct arena *a = arena_new();
	struct verifier_counts c;

	verifier_counts_read(
		a,
		"verification time 118 usec\nstack depth 8+16\n"
		"processed 73 insns (limit 1000000) max_states_per_insn 2 total_states 5 "
		"peak_states 4 mark_read 1\n",
		&c);
	assert_true(c.is_known);
	assert_int_equal(c.processed, 73);
	assert_int_equal(c.states, 5);
	assert_int_equal(c.peak_states, 4);
	assert_int_equal(c.states_per_insn, 2);
	assert_int_equal(c.microseconds, 118);
	assert_string_equal(c.stack, "8+16");
	verifier_counts_read(a, "", &c);
	assert_false(c.is_known);
	assert_string_equal(c.stack, "");
	arena_free(a);
	(void)state;
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
		verifier_log_read(&v, logs[i], s, NULL, 0);
		assert_null(v.reason);
		assert_null(v.words);
		assert_int_equal(v.line, 0);
	}
	arena_free(a);
}

/* The last line before the message decides whether it is about imported C. Lines of sonde's own files change nothing. */
static void test_imports(void **state)
{
	static const struct {
		const char *log;
		uint32_t import_line, line;
	} rows[] = {
		{HEAD
		 "; @a = f(1); @ s.bt:2\n; return *v; @ f.bpf.c:12\nR0 invalid mem access 'map_value_or_null'\n" TAIL,
		 12, 2},
		{HEAD "; return *v; @ f.bpf.c:12\n; @a = 1; @ s.bt:2\nR0 !read_ok\n" TAIL, 0, 2},
		{HEAD "; x(); @ f.bpf.c:3\n; y(); @ unwind.bpf.c:9\nR0 !read_ok\n" TAIL, 3, 0},
		{HEAD "; x(); @ ff.bpf.c:3\nR0 !read_ok\n" TAIL, 0, 0},
		{HEAD "; x();\nR0 !read_ok\n" TAIL, 0, 0},
	};
	static const struct bpf_import import = {.name = "lib/f.bpf.c"};
	struct arena *a = arena_new();
	const struct source *s = source_from_text(a, "s.bt", script, strlen(script));

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct verifier_message v;

		verifier_log_read(&v, rows[i].log, s, &import, 1);
		assert_int_equal(v.import_line, rows[i].import_line);
		assert_ptr_equal(v.import, rows[i].import_line ? &import : NULL);
		assert_int_equal(v.line, rows[i].line);
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

		verifier_log_read(&v, rows[i].log, s, NULL, 0);
		assert_string_equal(v.helper, rows[i].helper);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_helper_names), cmocka_unit_test(test_imports),
		cmocka_unit_test(test_logs),	     cmocka_unit_test(test_no_log),
		cmocka_unit_test(test_states),	     cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
