/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/kernel/tracefs*.c: formats of several kernels, unusual and damaged ones, and (as root)
 * those of the running kernel. Texts are passed in blocks of their exact size, so that ASan detects
 * a read past the end.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "runtime/kernel/tracefs.h"
#include "parser/base/arena.h"

#define COMMON                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char sched_switch[] =
	"name: sched_switch\nID: 372\nformat:\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\nprint fmt: \"a=%s\nfield:int fake;\toffset:1;\tsize:4;\tsigned:1;\", REC->prev_comm\n";

static const char shapes[] =
	"name: shapes\nID: 7\nformat:\n" COMMON
	"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u64[] addrs;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * path;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char __attribute__((btf_type_tag(\"user\"))) * name;\toffset:24;\tsize:8;\n"
	"\tfield:unsigned long args[6];\toffset:32;\tsize:48;\tsigned:0;\n"
	"\tfield:  u16   grid [2] [3] ;  offset: 80 ;\t size : 12; signed:0;\r\n"
	"\tfield:char tag[TAG_LEN];\toffset:92;\tsize:5;\tsigned:1;\n"
	"\tfield:u8 mac[6];\toffset:97;\tsize:6;\tsigned:0;\n"
	"\tfield:void (*fn)(struct work_struct *);\toffset:104;\tsize:8;\tsigned:0;\n"
	"\tfield:char name_at_end[4] __attribute__((packed));\toffset:112;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long rest[];\toffset:116;\tsize:0;\tsigned:0;\n"
	"\tfield:struct in6_addr *addr;\toffset:116;\tsize:8;\tsigned:0;";

static struct arena *arena; /* the answers */

static int parse(const char *text, size_t len, const struct tp_format **out)
{
	char *copy = malloc(len ? len : 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, text, len);
	err = tracefs_format_parse(arena, "cat", "event", copy, len, out);
	free(copy);
	return err;
}

static void check(const struct tp_field *f, const char *type, const char *name, uint32_t offset,
		  uint32_t size, uint32_t elem_size)
{
	assert_string_equal(f->name, name);
	assert_string_equal(f->type_text, type);
	assert_int_equal(f->offset, offset);
	assert_int_equal(f->size, size);
	assert_int_equal(f->elem_size, elem_size);
}

static void test_sched_switch(void **state)
{
	const struct tp_format *f = NULL;

	(void)state;
	assert_int_equal(parse(sched_switch, strlen(sched_switch), &f), 0);
	assert_string_equal(f->category, "cat");
	assert_string_equal(f->event, "event");
	assert_int_equal(f->id, 372);
	assert_int_equal(f->n_fields, 3);
	check(&f->fields[0], "char[16]", "prev_comm", 8, 16, 1);
	check(&f->fields[1], "pid_t", "prev_pid", 24, 4, 0);
	check(&f->fields[2], "long", "prev_state", 32, 8, 0);
	assert_true(f->fields[0].is_char_array);
	assert_false(f->fields[0].is_signed);
	assert_true(f->fields[1].is_signed);
}

static void test_shapes(void **state)
{
	const struct tp_format *f = NULL;

	(void)state;
	assert_int_equal(parse(shapes, strlen(shapes), &f), 0);
	assert_int_equal(f->n_fields, 12);
	check(&f->fields[0], "__data_loc char[]", "filename", 8, 4, 0);
	check(&f->fields[1], "__rel_loc u64[]", "addrs", 12, 4, 0);
	check(&f->fields[2], "const char *", "path", 16, 8, 0);
	check(&f->fields[3], "const char *", "name", 24, 8, 0);
	check(&f->fields[4], "unsigned long[6]", "args", 32, 48, 8);
	check(&f->fields[5], "u16[2] [3]", "grid", 80, 12, 2);
	check(&f->fields[6], "char[TAG_LEN]", "tag", 92, 5, 1);
	check(&f->fields[7], "u8[6]", "mac", 97, 6, 1);
	check(&f->fields[8], "void (*)(struct work_struct *)", "fn", 104, 8, 0);
	check(&f->fields[9], "char[4]", "name_at_end", 112, 4, 1);
	check(&f->fields[10], "unsigned long[]", "rest", 116, 0, 0);
	check(&f->fields[11], "struct in6_addr *", "addr", 116, 8, 0);
	assert_true(f->fields[0].is_data_loc && f->fields[1].is_data_loc);
	assert_false(f->fields[0].is_char_array || f->fields[7].is_char_array);
	assert_true(f->fields[6].is_char_array && f->fields[6].is_signed);
}

/* Lines that make no sense are left out; the others stay. */
static void test_malformed_lines(void **state)
{
	static const char text[] =
		"ID: 99999999999\nformat:\n" COMMON
		"field:;offset:0;size:1;signed:0;\nfield:int;offset:0;size:1;signed:0;\n"
		"field:int a\nfield:int b;\nfield:int c;offset:x;size:4;\nfield:int d;offset:1;\n"
		"field:int ];offset:0;size:4;\nfield:int x];offset:8;size:4;\nfield:int );offset:0;size:4;\n"
		"field:int (*);offset:0;size:4;\nfield:int (*x;offset:0;size:4;\n"
		"field:__attribute__((;offset:0;size:4;\nfield:__attribute__((x));offset:0;size:4;\n"
		"field:int e;offset:4294967296;size:4;\nfield:int x[3][;offset:0;size:9;\n"
		"field:int good;offset:8;size:4;signed:1;";
	const struct tp_format *f = NULL;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &f), 0);
	assert_int_equal(f->id, 0);
	assert_int_equal(f->n_fields, 1);
	check(&f->fields[0], "int", "good", 8, 4, 0);
	assert_int_equal(parse("", 0, &f), -EINVAL);
	assert_int_equal(parse("name: x\nID: 3\n", 14, &f), -EINVAL);
}

static void test_only_common_fields(void **state)
{
	const struct tp_format *f = NULL;

	(void)state;
	assert_int_equal(parse("ID: 5\n" COMMON, strlen("ID: 5\n" COMMON), &f), 0);
	assert_int_equal(f->n_fields, 0);
	assert_int_equal(f->id, 5);
}

static void test_truncated(void **state)
{
	const struct tp_format *f;

	(void)state;
	for (size_t len = 0; len < strlen(shapes); len++) {
		f = NULL;
		if (!parse(shapes, len, &f))
			assert_true(f->n_fields <= 12);
	}
}

/* Random damage: the result is of no interest, only that every string ends and nothing breaks. */
static void test_damaged(void **state)
{
	static const char bytes[] = "[]();:*_ \t\n0 9a,\"\0";
	uint32_t seed = 12345;
	char text[sizeof(shapes)];
	const struct tp_format *f;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		memcpy(text, shapes, sizeof(shapes));
		for (int i = 0; i < 8; i++) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % (sizeof(text) - 1)] = bytes[(seed >> 3) % sizeof(bytes)];
		}
		f = NULL;
		if (!parse(text, sizeof(text) - 1, &f))
			for (uint32_t i = 0; i < f->n_fields; i++)
				assert_true(strlen(f->fields[i].name) < sizeof(text) &&
					    strlen(f->fields[i].type_text) < sizeof(text));
	}
}

/* ---- the running kernel ---- */

struct seen {
	int n, n_parsed, fd;
	bool is_switch_there;
};

static void see(const char *name, void *ctx)
{
	struct seen *s = ctx;
	const char *colon = strchr(name, ':');
	const struct tp_format *f = NULL;
	char category[256];

	s->n++;
	if (!strcmp(name, "sched:sched_switch"))
		s->is_switch_there = true;
	memcpy(category, name, colon - name);
	category[colon - name] = '\0';
	assert_int_equal(tracefs_format_read(arena, s->fd, category, colon + 1, &f), 0);
	assert_int_not_equal(f->id, 0);
	s->n_parsed++;
}

static void test_live(void **state)
{
	struct seen s = {.fd = tracefs_open()};
	const struct tp_format *f = NULL;

	(void)state;
	if (s.fd == -EACCES || s.fd == -ENODEV)
		skip();
	assert_true(s.fd >= 0);
	assert_int_equal(tracefs_format_read(arena, s.fd, "sched", "sched_switch", &f), 0);
	assert_int_equal(f->n_fields, 7);
	check(&f->fields[0], "char[16]", "prev_comm", 8, 16, 1);
	assert_int_equal(tracefs_format_read(arena, s.fd, "sched", "no_such", &f), -ENOENT);
	assert_int_equal(tracefs_format_read(arena, s.fd, "sched", "enable", &f), -ENOENT);
	assert_int_equal(tracefs_format_read(arena, s.fd, "..", "sched", &f), -ENOENT);
	assert_int_equal(tracefs_format_read(arena, s.fd, "sched", "../sched/sched_switch", &f),
			 -ENOENT);
	assert_int_equal(tracefs_each_event(s.fd, "no_such", see, &s), -ENOENT);
	assert_int_equal(tracefs_each_event(s.fd, "sched", see, &s), 0);
	assert_true(s.n > 10 && s.is_switch_there);
	s = (struct seen){.fd = s.fd};
	assert_int_equal(tracefs_each_event(s.fd, NULL, see, &s), 0);
	assert_true(s.n > 100 && s.n == s.n_parsed && s.is_switch_there);
	close(s.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sched_switch),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_malformed_lines),
		cmocka_unit_test(test_only_common_fields),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_live),
	};

	int n;

	arena = arena_new();
	n = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return n;
}
