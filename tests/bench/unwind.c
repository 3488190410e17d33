/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of unwind tables: build/tests/bench/unwind FILE… prints for each ELF file how many rows it
 * has, bytes per row, the time it takes to compile (the first time, and the least of five), rows
 * for each millisecond, and what is not supported.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"

enum { TURNS = 5 };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double compile(int fd, struct unwind_table *out, int *err)
{
	struct unwind_rules rules = {0};
	double start = now_ms(), ms;

	*err = unwind_table_read(fd, &rules, out);
	ms = now_ms() - start;
	unwind_rules_free(&rules);
	return ms;
}

static void print_row(const char *path, const struct unwind_table *t, double first, double least)
{
	const char *name = strrchr(path, '/');
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < t->n_pieces; i++)
		bytes += t->pieces[i].n_words * sizeof(uint32_t);
	printf("%-28.28s %9lu %6.2f %9.2f %9.2f %8.0f %11lu %7lu\n", name ? name + 1 : path,
	       (unsigned long)t->n_rows, t->n_rows ? (double)bytes / (double)t->n_rows : 0, first,
	       least, (double)t->n_rows / least, (unsigned long)t->n_unsupported,
	       (unsigned long)t->n_refused);
}

static int measure(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	double first, least;
	struct unwind_table t;

	if (fd < 0)
		return -1;
	first = least = compile(fd, &t, &err);
	for (int i = 0; i < TURNS && !err; i++) {
		double ms;

		unwind_table_free(&t);
		ms = compile(fd, &t, &err);
		least = ms < least ? ms : least;
	}
	close(fd);
	if (err)
		return err;
	print_row(path, &t, first, least);
	unwind_table_free(&t);
	return 0;
}

int main(int argc, char **argv)
{
	int status = argc < 2;

	printf("%-28s %9s %6s %9s %9s %8s %11s %7s\n", "file", "rows", "B/row", "ms, first",
	       "ms, least", "rows/ms", "unsupported", "refused");
	for (int i = 1; i < argc; i++)
		if (measure(argv[i])) {
			fprintf(stderr, "%s: cannot be read, or is not an ELF file for x86-64\n",
				argv[i]);
			status = 1;
		}
	return status;
}
