/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/PID/maps of the test itself: odd file names, deleted files. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "runtime/base/proc_maps.h"

enum { PAGE = 4096 };

struct wanted {
	uint64_t at;
	struct proc_mapping m;
	char path[256];
	int n, stop_at;
};

static int find(const struct proc_mapping *m, void *ctx)
{
	struct wanted *w = ctx;

	if (++w->n == w->stop_at)
		return 77;
	if (m->start != w->at)
		return 0;
	w->m = *m;
	snprintf(w->path, sizeof(w->path), "%s", m->path);
	return 0;
}

/* A file of a page that is mapped for execution, from its second half. */
static void *map_file(const char *path, struct stat *st)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *at;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_int_equal(fstat(fd, st), 0);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	return at;
}

static void test_names(void **state)
{
	char path[64];
	struct wanted w = {0};
	struct stat st;
	void *at;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/mapped %d\n(deleted)", getpid());
	at = map_file(path, &st);
	w.at = (uintptr_t)at;
	assert_int_equal(proc_maps_each(0, find, &w), 0);
	assert_string_equal(w.path, path);
	assert_false(w.m.is_deleted);
	assert_true(w.m.is_executable);
	assert_int_equal(w.m.end, w.at + PAGE);
	assert_int_equal(w.m.file_offset, PAGE);
	assert_int_equal(w.m.inode, st.st_ino);
	unlink(path);
	assert_int_equal(proc_maps_each((uint32_t)getpid(), find, &w), 0);
	assert_string_equal(w.path, path);
	assert_true(w.m.is_deleted);
	munmap(at, PAGE);
}

static void test_walk(void **state)
{
	struct wanted w = {.stop_at = 3};

	(void)state;
	assert_int_equal(proc_maps_each(0, find, &w), 77);
	assert_int_equal(w.n, 3);
	assert_int_equal(proc_maps_each(0x7fffffff, find, &w), -ENOENT);
	w = (struct wanted){.at = 1};
	assert_int_equal(proc_maps_each(0, find, &w), 0);
	assert_true(w.n > 10 && !w.m.end);
}

static void test_base(void **state)
{
	uint64_t base = 0;
	struct wanted w = {0};
	char *path = realpath("/proc/self/exe", NULL);

	(void)state;
	assert_int_equal(proc_maps_base((uint32_t)getpid(), path, &base), 0);
	w.at = base;
	proc_maps_each(0, find, &w);
	assert_string_equal(w.path, path);
	assert_int_equal(w.m.file_offset, 0);
	assert_int_equal(proc_maps_base((uint32_t)getpid(), "/none", &base), -ESRCH);
	free(path);
}

static void test_path_length(void **state)
{
	(void)state;
	assert_int_equal(proc_maps_path_length("/a (deleted)"), 2);
	assert_int_equal(proc_maps_path_length("/a (deleted) (deleted)"), 12);
	assert_int_equal(proc_maps_path_length("/a(deleted)"), 11);
	assert_int_equal(proc_maps_path_length(" (deleted)"), 10);
	assert_int_equal(proc_maps_path_length(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_path_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
