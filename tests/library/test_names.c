/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library "names" by itself: this program links it and the libraries below it, and asks it
 * about its own functions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "parser/base/arena.h"
#include "runtime/elf/names.h"

enum { LINE = __LINE__ + 3 }; /* where the code of subject() begins */
/* Its address, arguments and line are looked up. */
__attribute__((noinline)) static int subject(int first, const char *second)
{
	__asm__ volatile("" : : "r"(first), "r"(second));
	return first > 1 ? *second : 0;
}

static char self[4096];

static struct elfsym *open_self(void)
{
	int err;
	struct elfsym *e = elfsym_open(self, &err);

	assert_non_null(e);
	return e;
}

static void processes(void **state)
{
	struct usyms *u = usyms_new();
	struct uaddress a = {.tgid = (uint32_t)getpid(), .ip = (uint64_t)(uintptr_t)subject + 1};
	struct srcframe lines[SRCFRAMES_MAX];
	struct usym found;

	assert_non_null(u);
	assert_int_equal(usyms_note_process(u, a.tgid), 0);
	usyms_note_stack(u, a.tgid, a.exec_id, UINT64_MAX);
	assert_true(usyms_find(u, &a, &found));
	assert_string_equal(found.name, "subject");
	assert_int_equal(found.offset, 1);
	assert_string_equal(found.module, self);
	assert_int_equal(usyms_lines(u, &a, lines), 1);
	assert_non_null(strstr(lines[0].file, "test_names.c"));
	assert_in_range(lines[0].line, LINE, LINE + 3);
	usyms_free(u);
}

static void files(void **state)
{
	struct elfsym *e = open_self();
	uint64_t vaddr, at, size, offset;
	const char *name;

	assert_int_equal(elfsym_by_name(e, "subject", &vaddr, &at, &size), 0);
	assert_int_equal(vaddr, (uint64_t)(uintptr_t)subject); /* the program is not movable */
	assert_true(elfsym_by_address(e, vaddr + 2, &name, &offset));
	assert_string_equal(name, "subject");
	assert_int_equal(offset, 2);
	assert_int_equal(elfsym_by_name(e, "no_such_function", &vaddr, &at, &size), -ESRCH);
	elfsym_close(e);
}

static void count_place(uint64_t address, void *ctx)
{
	*(bool *)ctx |= address == (uint64_t)(uintptr_t)subject;
}

static void arguments_and_lines(void **state)
{
	const struct source_place place = {.file = "test_names.c", .line = LINE};
	const struct typed_function *f;
	int fd = open(self, O_RDONLY | O_CLOEXEC), err;
	struct arena *arena = arena_new();
	struct dwarf_types *t;
	bool is_found = false;
	uint32_t near;

	t = dwarf_types_open(open(self, O_RDONLY | O_CLOEXEC), &err);
	assert_non_null(t);
	assert_int_equal(dwarf_types_find(t, (uint64_t)(uintptr_t)subject, arena, &f), 0);
	assert_int_equal(f->n_params, 2);
	assert_string_equal(f->params[0].name, "first");
	assert_int_equal(f->params[0].size, 4);
	assert_string_equal(f->params[1].name, "second");
	dwarf_types_close(t);
	arena_free(arena);
	assert_int_equal(srcline_each(fd, &place, count_place, &is_found, &near), 0);
	assert_true(is_found);
	close(fd);
}

static void kernel(void **state)
{
	struct ksyms *k = ksyms_new();
	const char *name, *module;
	uint64_t offset;

	assert_non_null(k);
	assert_false(ksyms_find(k, 1, &name, &offset, &module));
	ksyms_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes),
		cmocka_unit_test(files),
		cmocka_unit_test(arguments_and_lines),
		cmocka_unit_test(kernel),
	};

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) <= 0 || subject(1, ""))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
