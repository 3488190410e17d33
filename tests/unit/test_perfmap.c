/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of generated code: lines, overlaps, growth, limits; and what /proc/PID/status says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/base/proc_status.h"
#include "runtime/symbols/perfmap.h"

struct file {
	int fd; /* of the test */
	struct perfmap *map;
};

static void append(const struct file *f, const char *text)
{
	size_t n = strlen(text);

	assert_int_equal(write(f->fd, text, n), n);
}

static struct file file_of(const char *text)
{
	struct file f = {.fd = memfd_create("perf", MFD_CLOEXEC)};

	assert_true(f.fd >= 0);
	append(&f, text);
	f.map = perfmap_new(dup(f.fd));
	assert_non_null(f.map);
	return f;
}

static void close_file(struct file *f)
{
	perfmap_free(f->map);
	close(f->fd);
}

/* "name+offset", or "-" */
static const char *at(const struct file *f, uint64_t address)
{
	static char text[8192];
	const char *name;
	uint64_t offset;

	if (!perfmap_find(f->map, address, &name, &offset))
		return "-";
	snprintf(text, sizeof(text), "%s+%llu", name, (unsigned long long)offset);
	return text;
}

static void test_lines(void **state)
{
	struct file f =
		file_of("1000 10 one\n0x2000 0x20 JS:*two words /a b.js:1:2\n"
			"  3000   8   three\nFFFFfff0 10 Upper\n"
			"4000 0 nothing\n5000 10\n5000 10 \n5000 zz bad\n-6000 10 minus\n\n"
			"fffffffffffffff0 20 over\n10000000000000000 10 large\n7000 10 no end");

	(void)state;
	assert_string_equal(at(&f, 0x1000), "one+0");
	assert_string_equal(at(&f, 0x100f), "one+15");
	assert_string_equal(at(&f, 0x1010), "-");
	assert_string_equal(at(&f, 0xfff), "-");
	assert_string_equal(at(&f, 0x201f), "JS:*two words /a b.js:1:2+31");
	assert_string_equal(at(&f, 0x3001), "three+1");
	assert_string_equal(at(&f, 0xffffffff), "Upper+15");
	assert_string_equal(at(&f, 0x4000), "-");
	assert_string_equal(at(&f, 0x5000), "-");
	assert_string_equal(at(&f, 0x6000), "-");
	assert_string_equal(at(&f, UINT64_MAX - 8), "-");
	assert_string_equal(at(&f, 0), "-");
	assert_string_equal(at(&f, 0x7000), "-"); /* until the line has an end */
	append(&f, "ing\n");
	assert_string_equal(at(&f, 0x7000), "no ending+0");
	close_file(&f);
}

/* Compare with the plain rule: the last line that covers the address. */
static void test_overlaps(void **state)
{
	struct {
		uint32_t start, size;
	} lines[200];
	struct file f = file_of("");
	char text[64];

	(void)state;
	srand(7);
	for (int i = 0; i < 200; i++) {
		lines[i].start = (uint32_t)(rand() % 1000);
		lines[i].size = (uint32_t)(1 + rand() % (i % 2 ? 20 : 300));
		snprintf(text, sizeof(text), "%x %x f%d\n", lines[i].start, lines[i].size, i);
		append(&f, text);
		for (uint32_t a = 0; i % 20 == 19 && a < 1400; a++) {
			strcpy(text, "-");
			for (int j = i; j >= 0; j--) {
				if (a - lines[j].start >= lines[j].size)
					continue;
				snprintf(text, sizeof(text), "f%d+%u", j, a - lines[j].start);
				break;
			}
			if (!a && i > 19)
				usleep(110000); /* a name that is known is kept for 100 ms */
			assert_string_equal(at(&f, a), text);
		}
	}
	close_file(&f);
}

static void test_written_anew(void **state)
{
	struct file f = file_of("1000 10 old\n");

	(void)state;
	assert_string_equal(at(&f, 0x1000), "old+0");
	assert_int_equal(ftruncate(f.fd, 0), 0);
	lseek(f.fd, 0, SEEK_SET);
	append(&f, "2000 10 new\n"); /* of the same size */
	assert_string_equal(at(&f, 0x2000), "new+0");
	assert_string_equal(at(&f, 0x1000), "-");
	lseek(f.fd, 0, SEEK_SET);
	append(&f, "3000 10 yet\n4000 10 longer\n");
	assert_string_equal(at(&f, 0x4000), "longer+0");
	assert_string_equal(at(&f, 0x2000), "-");
	assert_int_equal(ftruncate(f.fd, 0), 0);
	assert_string_equal(at(&f, 0x5000), "-");
	assert_string_equal(at(&f, 0x4000), "-");
	perfmap_drop(f.map);
	assert_string_equal(at(&f, 0x4000), "-");
	close_file(&f);
}

static void test_long_lines(void **state)
{
	struct file f = file_of("1000 10 ");
	char *name = malloc(200001);

	(void)state;
	memset(name, 'n', 200000);
	strcpy(name + 5000, "\n");
	append(&f, name);
	append(&f, "2000 10 ");
	memset(name, 'm', 200000);
	name[200000] = '\0';
	append(&f, name);
	assert_int_equal(strlen(at(&f, 0x1000)), 4096 + 2); /* names are cut */
	assert_string_equal(at(&f, 0x2000), "-");
	append(&f, " 3000 10 inside\n3000 10 after\n");
	assert_string_equal(at(&f, 0x2000), "-"); /* a line that long is left out */
	assert_string_equal(at(&f, 0x3000), "after+0");
	free(name);
	close_file(&f);
}

static void test_limits(void **state)
{
	struct file f = file_of("1 1 a\n");

	(void)state;
	assert_string_equal(at(&f, 1), "a+0");
	assert_false(perfmap_is_cut(f.map));
	assert_int_equal(ftruncate(f.fd, 1ll << 40), 0); /* a sparse file */
	lseek(f.fd, 0, SEEK_END);
	append(&f, "\n2 1 b\n");
	assert_string_equal(at(&f, 2), "-");
	assert_true(perfmap_is_cut(f.map));
	assert_true(perfmap_bytes(f.map) < 1 << 20);
	close_file(&f);
}

static void test_status(void **state)
{
	struct proc_status s;

	(void)state;
	assert_true(proc_status_parse("Name:\tx\nPid:\t812\nUid:\t1\t1000\t3\t4\nGid:\t5\n"
				      "NSpid:\t812\t40\t1\nNSpgid:\t9\n",
				      &s));
	assert_int_equal(s.effective_uid, 1000);
	assert_int_equal(s.inner_pid, 1);
	assert_true(proc_status_parse("Name:\tNSpid:\nNSpid:\t7\nUid:\t0\t0\t0\t0\n", &s));
	assert_int_equal(s.effective_uid, 0);
	assert_int_equal(s.inner_pid, 7);
	assert_false(proc_status_parse("Name:\tx\nUid:\t1\nNSpid:\t1\n", &s));
	assert_false(proc_status_parse("Name:\tx\nUid:\t1\t2\t3\t4\nNSpid:\n", &s));
	assert_false(proc_status_parse("Name:\tx\nUid:\t1\t2\t3\t4\n", &s));
	assert_int_equal(proc_status_read((uint32_t)getpid(), &s), 0);
	assert_int_equal(s.effective_uid, geteuid());
	assert_int_equal(s.inner_pid, getpid());
	assert_true(proc_status_read(0x7ffffffe, &s) < 0);
	assert_true(proc_start_ns((uint32_t)getpid()) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	     cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_written_anew), cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_limits),	     cmocka_unit_test(test_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
