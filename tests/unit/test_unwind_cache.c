/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of unwind tables: what is read is what was written, or nothing. Files are damaged, cut,
 * forged with correct checksums, written by others and for others; the folder is too full, open to
 * others, or cannot be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/folders.h"
#include "runtime/unwind/unwind.h"
#include "tests/unit/cache_bytes.h"
#include "tests/unit/unwind_lookup.h"

enum { CHANGES = 4000, PATIENCE_MS = 20000 };

static char folder[] = "/tmp/sonde-test-cache-XXXXXX", cache[PATH_MAX];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(cache, sizeof(cache), "%s/a/b", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Rules that another file has added before, so that numbers differ. */
static void add_others(struct unwind_rules *rules)
{
	unwind_rules_begin_file(rules);
	for (int i = 0; i < 100; i++)
		unwind_rules_intern(rules, (struct unwind_rule){.cfa = UNWIND_SP,
								.cfa_offset = 500 - 8 * i});
}

static void assert_same(const struct unwind_table *a, const struct unwind_rules *rules_a,
			const struct unwind_table *b, const struct unwind_rules *rules_b)
{
	assert_int_equal(a->n_pieces, b->n_pieces);
	assert_int_equal(a->n_segments, b->n_segments);
	assert_int_equal(a->n_rows, b->n_rows);
	assert_int_equal(a->is_go, b->is_go);
	assert_memory_equal(a->segments, b->segments, a->n_segments * sizeof(*a->segments));
	for (uint32_t i = 0; i < a->n_pieces; i++) {
		const struct unwind_piece *p = &a->pieces[i];

		assert_int_equal(p->start, b->pieces[i].start);
		assert_int_equal(p->end, b->pieces[i].end);
		for (uint64_t at = p->start; at < p->end; at++)
			assert_memory_equal(unwind_table_rule(a, rules_a, at),
					    unwind_table_rule(b, rules_b, at),
					    sizeof(struct unwind_rule));
	}
}

/* What is read has the same rule for each byte of code: of this program, and of a made-up table. */
static void test_same(void **state)
{
	struct unwind_rules rules = {0}, other = {0};
	struct unwind_table made[2], got;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(unwind_table_read(fd, &rules, &made[0]), 0);
	close(fd);
	cache_bytes_table(&rules, &made[1]);
	add_others(&other);
	for (int i = 0; i < 2; i++) {
		fd = cache_bytes_write(&rules, &made[i]);
		assert_int_equal(cache_file_read(fd, &bytes_maker, &bytes_id, &other, &got), 0);
		close(fd);
		assert_same(&made[i], &rules, &got, &other);
		unwind_table_check(&got, &other);
		unwind_table_free(&got);
		unwind_table_free(&made[i]);
	}
	unwind_rules_free(&rules);
	unwind_rules_free(&other);
}

static int read_changed(const uint8_t *bytes, size_t size)
{
	struct unwind_rules rules = {0};
	struct unwind_table t = {0};
	int err = cache_bytes_read(bytes, size, &rules, &t);

	if (!err)
		unwind_table_check(&t, &rules);
	unwind_table_free(&t);
	unwind_rules_free(&rules);
	return err;
}

/* One bit is wrong, or the end is missing: there is no table. */
static void test_damaged(void **state)
{
	size_t size, n_index = 4096;
	uint8_t *bytes = cache_bytes_make(&size);

	(void)state;
	assert_int_equal(read_changed(bytes, size), 0);
	for (size_t at = 0; at < size; at += at < n_index ? 1 : 97) {
		uint8_t bit = (uint8_t)(1 << at % 8);

		bytes[at] ^= bit;
		if (!read_changed(bytes, size))
			fail_msg("a wrong bit at %zu of %zu is not found", at, size);
		bytes[at] ^= bit;
	}
	for (size_t end = 0; end < size; end += end < n_index ? 13 : 997)
		assert_int_not_equal(read_changed(bytes, end), 0);
	free(bytes);
}

/* Any content with correct checksums is refused, or gives a table that can be searched. */
static void test_forged(void **state)
{
	uint32_t seed = 1, n_read = 0;
	size_t size;
	uint8_t *made = cache_bytes_make(&size), *bytes = malloc(size);

	(void)state;
	for (int i = 0; i < CHANGES; i++) {
		uint32_t changes[6];

		for (int k = 0; k < 6; k++) {
			seed = seed * 1664525 + 1013904223;
			/* values are often small, as counts are */
			changes[k] = k % 2 && seed >> 31 ? seed >> 8 & 0x3fff : seed;
		}
		memcpy(bytes, made, size);
		cache_bytes_change(bytes, size, (const uint8_t *)changes, 8 * (1 + (size_t)i % 3));
		cache_bytes_correct(bytes, size);
		n_read += !read_changed(bytes, size);
	}
	assert_in_range(n_read, 10, CHANGES / 2);
	free(bytes);
	free(made);
}

/* Another build of sonde wrote it, or it is of another file. */
static void test_foreign(void **state)
{
	struct unwind_image_id maker = bytes_maker, ids[] = {bytes_id, bytes_id, bytes_id};
	struct unwind_rules rules = {0};
	struct unwind_table t;
	int fd;

	(void)state;
	cache_bytes_table(&rules, &t);
	fd = cache_bytes_write(&rules, &t);
	unwind_table_free(&t);
	maker.build_id[0]++;
	assert_int_equal(cache_file_read(fd, &maker, &bytes_id, &rules, &t), -EINVAL);
	ids[0].size++;
	ids[1].owner++;
	ids[2].build_id[19]++;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(cache_file_read(fd, &bytes_maker, &ids[i], &rules, &t), -EINVAL);
	unwind_rules_free(&rules);
	close(fd);
}

/* ---- the folder ---------------------------------------------------------------------------- */

static int save(struct unwind_cache *c)
{
	struct unwind_rules rules = {0};
	struct unwind_table t;
	int err;

	cache_bytes_table(&rules, &t);
	err = unwind_cache_begin(c, &bytes_id, &rules, &t);
	while (!err && (err = unwind_cache_write(c)) > 0)
		err = 0;
	unwind_table_free(&t);
	unwind_rules_free(&rules);
	return err;
}

static int load(struct unwind_cache *c)
{
	struct unwind_rules rules = {0};
	struct unwind_table t = {0};
	int err = unwind_cache_load(c, &bytes_id, &rules, &t);

	unwind_table_free(&t);
	unwind_rules_free(&rules);
	return err;
}

static const char *file_path(void)
{
	static char path[PATH_MAX + 96];

	snprintf(path, sizeof(path), "%s/%s-40000000-7", cache,
		 "612070726f6772616d2773206275696c64204944");
	return path;
}

static int load_anew(void)
{
	struct unwind_cache *c = unwind_cache_open(cache);
	int err = c ? load(c) : -EPERM;

	unwind_cache_close(c);
	return err;
}

/* A file is found after it was written, and only while nobody else may have written it. */
static void test_trust(void **state)
{
	struct unwind_cache *c = unwind_cache_open(cache);
	char other[PATH_MAX];
	struct stat st;

	(void)state;
	assert_int_equal(load(c), -ENOENT);
	assert_int_equal(stat(cache, &st), -1); /* nothing is made before something is written */
	assert_int_equal(save(c), 0);
	assert_int_equal(load(c), 0);
	unwind_cache_close(c);
	assert_int_equal(stat(cache, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(file_path(), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(load_anew(), 0);
	assert_int_equal(chmod(file_path(), 0620), 0);
	assert_int_equal(load_anew(), -EPERM);
	assert_int_equal(chmod(file_path(), 0600), 0);
	assert_int_equal(chmod(cache, 0777), 0);
	assert_int_equal(load_anew(), -EPERM);
	assert_int_equal(chmod(cache, 0755), 0);
	assert_int_equal(load_anew(), 0);
	if (!geteuid()) {
		assert_int_equal(chown(file_path(), 12345, 0), 0);
		assert_int_equal(load_anew(), -EPERM);
		assert_int_equal(chown(file_path(), 0, 0), 0);
		assert_int_equal(chown(cache, 12345, 0), 0);
		assert_int_equal(load_anew(), -EPERM);
		assert_int_equal(chown(cache, 0, 0), 0);
	}
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(rename(file_path(), other), 0);
	assert_int_equal(symlink(other, file_path()), 0);
	assert_int_equal(load_anew(), -ELOOP);
	assert_int_equal(unlink(file_path()), 0);
	assert_int_equal(mkfifo(file_path(), 0600), 0);
	assert_int_equal(load_anew(), -EPERM); /* it does not wait for a writer */
}

/* A symbolic link in place of the folder. */
static void test_link(void **state)
{
	char link[PATH_MAX];
	struct unwind_cache *c = unwind_cache_open(cache);

	(void)state;
	assert_int_equal(save(c), 0);
	unwind_cache_close(c);
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(cache, link), 0);
	assert_null(unwind_cache_open(link));
	assert_null(unwind_cache_open(NULL));
}

/* Where nothing can be written, that is all that happens. */
static void test_not_writable(void **state)
{
	struct unwind_cache *c = unwind_cache_open("/proc/self/none/sonde");

	(void)state;
	assert_non_null(c);
	assert_int_equal(load(c), -ENOENT);
	assert_true(save(c) < 0);
	unwind_cache_close(c);
}

static void make_file(const char *name, off_t bytes, time_t used)
{
	const struct timespec times[] = {{.tv_sec = used}, {.tv_sec = used}};
	char path[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", cache, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool exists(const char *name)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s", cache, name);
	return !access(path, F_OK);
}

/* The files that were not used for longest make room; a use is noted. */
static void test_full(void **state)
{
	const struct timespec old[] = {{.tv_sec = 50}, {.tv_sec = 50}};
	struct unwind_cache *c = unwind_cache_open(cache);
	struct stat st;

	(void)state;
	assert_int_equal(save(c), 0);
	assert_int_equal(utimensat(AT_FDCWD, file_path(), old, 0), 0);
	assert_int_equal(load(c), 0);
	unwind_cache_close(c);
	assert_int_equal(stat(file_path(), &st), 0);
	assert_true(st.st_mtim.tv_sec > 50);
	make_file("older", CACHE_BYTES_MAX / 2, 100);
	make_file("newer", CACHE_BYTES_MAX / 2, 200);
	make_file("newest", 1000, 300);
	c = unwind_cache_open(cache);
	assert_int_equal(save(c), 0);
	assert_int_equal(load(c), 0);
	unwind_cache_close(c);
	assert_false(exists("older"));
	assert_true(exists("newer") && exists("newest"));
}

/* Writing ends in the middle: nothing is left. */
static void test_unfinished(void **state)
{
	struct unwind_cache *c = unwind_cache_open(cache);
	struct unwind_rules rules = {0};
	struct unwind_table t;

	(void)state;
	cache_bytes_table(&rules, &t);
	assert_int_equal(unwind_cache_begin(c, &bytes_id, &rules, &t), 0);
	assert_int_equal(unwind_cache_write(c), 1);
	assert_int_equal(load(c), -ENOENT);
	unwind_cache_close(c);
	assert_int_equal(rmdir(cache), 0);
	unwind_table_free(&t);
	unwind_rules_free(&rules);
}

/* The second worker reads what the first one has written. */
static void test_worker(void **state)
{
	struct unwind_worker *w;
	struct unwind_stats first, st = {0};

	(void)state;
	if (unwind_worker_start(&w, cache))
		skip(); /* no right to create BPF maps */
	unwind_worker_add_program(w, "/bin/sh");
	assert_true(unwind_worker_wait(w, 20000000000));
	unwind_worker_stats(w, &first);
	assert_int_equal(first.n_files_cached, 0);
	for (int i = 0; i < PATIENCE_MS / 100 && st.n_files_cached < 2; i++) {
		struct unwind_worker *second;

		usleep(100000);
		assert_int_equal(unwind_worker_start(&second, cache), 0);
		unwind_worker_add_program(second, "/bin/sh");
		assert_true(unwind_worker_wait(second, 20000000000));
		unwind_worker_stats(second, &st);
		unwind_worker_stop(second);
	}
	assert_true(st.n_files_cached >= 2); /* the shell and the C library */
	assert_int_equal(st.n_files, first.n_files);
	assert_int_equal(st.n_rows, first.n_rows);
	assert_int_equal(st.n_rules, first.n_rules);
	unwind_worker_stop(w);
}

/* Where it is. */
static void test_place(void **state)
{
	char path[PATH_MAX];

	(void)state;
	setenv("HOME", "/home/x", 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("SONDE_CACHE");
	assert_true(folders_cache(path, sizeof(path)));
	assert_string_equal(path, geteuid() ? "/home/x/.cache/sonde" : "/var/cache/sonde");
	setenv("XDG_CACHE_HOME", "/x", 1);
	assert_true(folders_cache(path, sizeof(path)));
	assert_string_equal(path, "/x/sonde");
	setenv("SONDE_CACHE", "/y", 1);
	assert_true(folders_cache(path, sizeof(path)));
	assert_string_equal(path, "/y");
	setenv("SONDE_CACHE", "", 1);
	assert_false(folders_cache(path, sizeof(path)));
	assert_false(folders_cache(path, 1));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_forged),
		cmocka_unit_test(test_foreign),
		IN_FOLDER(test_trust),
		IN_FOLDER(test_link),
		cmocka_unit_test(test_not_writable),
		IN_FOLDER(test_full),
		IN_FOLDER(test_unfinished),
		IN_FOLDER(test_worker),
		cmocka_unit_test(test_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
