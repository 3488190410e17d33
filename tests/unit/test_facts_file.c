/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/kernel/facts_file.c: the answers of a file, the messages for bad files, and that
 * functions which need the running kernel return -ENOSYS.
 */
#include "runtime/kernel/facts_file.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char good[] = "# a comment\n"
			   "\n"
			   "tracepoint sched:sched_switch raw\n"
			   "name: sched_switch\n"
			   "ID: 372\n"
			   "format:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\n"
			   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			   "# between\n"
			   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			   "print fmt: \"prev_comm=%s\", REC->prev_comm\n"
			   "tracepoint skb:kfree_skb\n"
			   "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
			   "raw sys_enter\r\n"
			   "  symbol  ./app\tmain 0x401136 4406 64\n"
			   "symbol ./app handle 0x401180 0x1180 0\n"
			   "function vfs_read\n"
			   "capability BTF\n"
			   "capability fentry unknown\n"
			   "capability UPROBE_MULTI"; /* the last line may lack its newline */

/* A file of that text; its name is in `path`. */
static void write_file(char *path, const char *text, size_t len)
{
	int fd = mkstemp(strcpy(path, "/tmp/sonde-facts-XXXXXX"));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static struct kernel *open_text(const char *text, size_t len)
{
	struct kernel *k;
	char path[64];

	write_file(path, text, len);
	k = facts_file_open(path);
	unlink(path);
	return k;
}

static struct kernel *open_good(void)
{
	struct kernel *k = open_text(good, sizeof(good) - 1);

	assert_non_null(k);
	return k;
}

static void note_name(const char *name, void *ctx)
{
	strcat(strcat(ctx, name), " ");
}

static void note_function(const struct user_symbol *f, void *ctx)
{
	note_name(f->symbol, ctx);
}

static void test_tracepoints(void **state)
{
	struct kernel *k = open_good();
	const struct tp_format *f = NULL;
	char names[200] = "";

	(void)state;
	assert_int_equal(k->tracepoint(k, "sched", "sched_switch", &f), 0);
	assert_string_equal(f->category, "sched");
	assert_string_equal(f->event, "sched_switch");
	assert_int_equal(f->id, 372);
	assert_int_equal(f->n_fields, 2);
	assert_string_equal(f->fields[0].name, "prev_comm");
	assert_true(f->fields[0].is_char_array);
	assert_true(f->fields[1].is_signed);
	assert_int_equal(k->tracepoint(k, "skb", "kfree_skb", &f), 0);
	assert_int_equal(f->n_fields, 1);
	assert_int_equal(k->tracepoint(k, "skb", "sched_switch", &f), -ENOENT);
	assert_int_equal(k->each_tracepoint(k, NULL, note_name, names), 0);
	assert_string_equal(names, "sched:sched_switch skb:kfree_skb ");
	names[0] = '\0';
	assert_int_equal(k->each_tracepoint(k, "skb", note_name, names), 0);
	assert_string_equal(names, "skb:kfree_skb ");
	assert_true(k->has_raw_tracepoint(k, "sched_switch"));
	assert_true(k->has_raw_tracepoint(k, "sys_enter"));
	assert_false(k->has_raw_tracepoint(k, "kfree_skb"));
	kernel_close(k);
}

static void test_symbols(void **state)
{
	struct kernel *k = open_good();
	struct user_symbol s = {0};
	char names[200] = "";

	(void)state;
	assert_int_equal(k->user_symbol(k, "./app", "main", &s), 0);
	assert_string_equal(s.path, "./app");
	assert_string_equal(s.symbol, "main");
	assert_int_equal(s.address, 0x401136);
	assert_int_equal(s.offset, 4406);
	assert_int_equal(s.size, 64);
	s.path = NULL;
	assert_int_equal(k->user_symbol(k, "./app", "none", &s), -ESRCH);
	assert_string_equal(s.path, "./app");
	assert_int_equal(k->user_symbol(k, "app", "main", &s), -ENOENT);
	assert_int_equal(k->each_user_function(k, "./app", note_function, names), 0);
	assert_string_equal(names, "main handle ");
	assert_int_equal(k->each_user_function(k, "app", note_function, names), -ENOENT);
	kernel_close(k);
}

static void test_the_rest(void **state)
{
	struct kernel *k = open_good();

	(void)state;
	assert_int_equal(k->kernel_function(k, "vfs_read"), 0);
	assert_int_equal(k->kernel_function(k, "vfs_write"), -ENOENT);
	kernel_close(k);
}

static void note_exit(const struct user_exit *x, void *ctx)
{
	*(int *)ctx += x->is_jump ? 10 : 1;
}

/* In a replay a file is found by the end of its path or as a library, and a function has the return
 * probes that it had. */
static void test_replay(void **state)
{
	static const char text[] = "symbol /usr/bin/app main 1 1 8\n"
				   "symbol /usr/lib/libx.so.6 f 1 1 8 exits\n"
				   "symbol /usr/lib/libx.so.6 g 9 9 8 jump\n"
				   "mapped /usr/bin/app\nmapped /usr/lib/libx.so.6\n"
				   "arguments /usr/bin/app main int32 int32:n@2 text:s\n"
				   "recorded uprobe:/usr/bin/app:main\n";
	static const char *const found[] = {"/usr/bin/app", "app",    "bin/app",
					    "./bin/app",    "../app", "/bin/app"},
				 *const none[] = {"pp", "n/app", "/app/", "", "libx", "/usr/app"};
	struct kernel *k = open_text(text, sizeof(text) - 1);
	const struct typed_function *typed;
	struct user_symbol s = {0};
	struct user_exits exits;
	char names[200] = "";
	int n = 0;

	(void)state;
	assert_non_null(k);
	assert_int_equal(k->user_symbol(k, "app", "main", &s), -ENOENT);
	k->recording = "r";
	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++)
		assert_int_equal(k->user_symbol(k, found[i], "main", &s), 0);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_true(k->user_symbol(k, none[i], "main", &s) != 0);
	assert_false(k->user_unwinds(k, "/usr/bin/app"));
	assert_int_equal(k->user_typed(k, "/usr/bin/app", 1, &typed), 0);
	assert_int_equal(typed->params[0].offset, 16);
	assert_int_equal(typed->params[1].offset, 24);
	assert_int_equal(k->user_symbol(k, "libx", "f", &s), 0);
	assert_true(k->user_unwinds(k, s.path));
	assert_int_equal(k->each_user_exit(k, &s, note_exit, &n, &exits), 0);
	assert_int_equal(k->user_symbol(k, "libx.so.6", "g", &s), 0);
	assert_int_equal(k->each_user_exit(k, &s, note_exit, &n, &exits), 0);
	assert_int_equal(n, 11);
	assert_true(k->is_recorded(k, "uprobe:/usr/bin/app:main"));
	assert_false(k->is_recorded(k, "uretprobe:/usr/bin/app:main"));
	k->each_user_file(k, "/usr/lib/*", note_name, names);
	assert_string_equal(names, "/usr/lib/libx.so.6 ");
	kernel_close(k);
}

static void test_capabilities(void **state)
{
	struct kernel *k = open_good();

	(void)state;
	assert_int_equal(kernel_capability(k, CAP_BTF), CAPABILITY_YES);
	assert_int_equal(kernel_capability(k, CAP_FENTRY), CAPABILITY_UNKNOWN);
	assert_int_equal(kernel_capability(k, CAP_KPROBES), CAPABILITY_NO);
	assert_int_equal(kernel_capability(k, CAP_TRACEPOINTS), CAPABILITY_YES); /* implied */
	assert_int_equal(kernel_capability(k, CAP_ITERATORS), CAPABILITY_NO);
	assert_int_equal(kernel_capability(k, CAP_NONE), CAPABILITY_YES);
	assert_true(kernel_has(k, CAP_UPROBE_MULTI));
	assert_false(kernel_has(k, CAP_FENTRY));
	assert_false(kernel_lacks(k, CAP_FENTRY));
	assert_true(kernel_lacks(k, CAP_UPROBES));
	kernel_close(k);
}

static void test_running_kernel_only(void **state)
{
	struct kernel *k = open_good();
	const char *name = "task_struct";

	(void)state;
	assert_int_equal(kernel_btf_id(k, name, BTF_KIND_STRUCT), -ENOSYS);
	assert_int_equal(kernel_btf_cut(k, &name, 1), -ENOSYS);
	assert_int_equal(kernel_tracefs(k), -ENOSYS);
	kernel_trim(k);
	assert_true(kernel_has(k, CAP_BTF));
	kernel_close(k);
	kernel_close(NULL);
}

static void test_comments_only(void **state)
{
	struct kernel *k = open_text("# nothing\n\n", 11);

	(void)state;
	assert_non_null(k);
	assert_false(kernel_has(k, CAP_BTF));
	kernel_close(k);
}

/* What goes to standard error while `path` is opened, which must fail. */
static void complaint(const char *path, char *out, size_t size)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t n;

	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	assert_null(facts_file_open(path));
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	n = fread(out, 1, size - 1, file);
	out[n] = '\0';
	fclose(file);
}

static void test_bad_lines(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
	} rows[] = {
		{"rubbish\n", 1},
		{"# ok\n\ncapability warp\n", 3},
		{"capability\n", 1},
		{"capability BTF perhaps\n", 1},
		{"cpus\n", 1},
		{"cpus 0\n", 1},
		{"cpus 8193\n", 1},
		{"cpus 4 4\n", 1},
		{"raw\n", 1},
		{"raw a b\n", 1},
		{"function\n", 1},
		{"symbol ./app main 1 2\n", 1},
		{"symbol ./app main 1 2 3 exits jump\n", 1},
		{"symbol ./app main 1 2 x\n", 1},
		{"symbol ./app main 1 2 3 4 5 6 7 8 9\n", 1},
		{"symbol ./app main -1 2 3\n", 1},
		{"symbol ./app main 1 2 99999999999999999999\n", 1},
		{"tracepoint a:b\n\nraw c\n", 1},
		{"tracepoint a:b cooked\n\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n", 1},
		{"tracepoint ab\n", 1},
		{"tracepoint a:\n", 1},
		{"tracepoint :b\n", 1},
		{"tracepoint\n", 1},
		{"field:int x;\toffset:8;\tsize:4;\n", 1},
		{"tracepoint a:b\n\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\nprint fmt: \"\"\nno\n",
		 4},
	};
	char path[64], message[400], place[100];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_file(path, rows[i].text, strlen(rows[i].text));
		complaint(path, message, sizeof(message));
		print_message("%s", message);
		snprintf(place, sizeof(place), "%s:%u: ", path, rows[i].line);
		assert_non_null(strstr(message, place));
		unlink(path);
	}
}

static void test_bad_files(void **state)
{
	char path[64], message[400];

	(void)state;
	complaint("/no/such/file", message, sizeof(message));
	assert_non_null(strstr(message, "cannot read '/no/such/file': No such file"));
	complaint("/tmp", message, sizeof(message));
	assert_non_null(strstr(message, "cannot read '/tmp': Is a directory"));
	complaint("/dev/null", message, sizeof(message));
	assert_non_null(strstr(message, "empty"));
	write_file(path, "raw a\0raw b\n", 12);
	complaint(path, message, sizeof(message));
	assert_non_null(strstr(message, "not a text file"));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_the_rest),
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_running_kernel_only),
		cmocka_unit_test(test_comments_only),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
