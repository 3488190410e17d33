/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of stubs in the procedure linkage table: those that objdump finds, in this test, in libc
 * and in Python.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/elf/elfsym.h"

/* Compare all stubs of the file. Returns their number. */
static int compare(const char *path)
{
	struct elfsym *e;
	const char *name;
	unsigned long at;
	uint64_t offset;
	char command[300], line[300], want[200];
	int err, n = 0;
	FILE *f;

	e = elfsym_open(path, &err);
	if (!e)
		return 0;
	snprintf(command, sizeof(command),
		 "objdump -d -j .plt -j .plt.got -j .plt.sec %s 2>/dev/null", path);
	f = popen(command, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx <%199[^>]>:", &at, want) != 2 || strchr(want, '*') ||
		    strchr(want, '+') || strchr(want, '-'))
			continue;
		assert_false(elfsym_by_address(e, at + 3, &name, &offset));
		assert_true(elfsym_plt_at(e, at + 3, &name, &offset));
		if (strncmp(want, "_Z", 2) != 0) /* shown demangled */
			assert_string_equal(name, want);
		assert_int_equal(offset, 3);
		n++;
	}
	pclose(f);
	assert_false(elfsym_plt_at(e, 8, &name, &offset));
	assert_false(elfsym_plt_at(e, UINT64_MAX, &name, &offset));
	elfsym_close(e);
	return n;
}

static void test_same_as_objdump(void **state)
{
	char self[200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(n > 0);
	self[n] = '\0';
	if (system("objdump --version >/dev/null 2>&1"))
		skip();
#ifdef __x86_64__
	assert_true(compare(self) > 5);
#endif
	compare("/usr/lib/x86_64-linux-gnu/libc.so.6");
	compare("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
	compare("/usr/bin/python3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_objdump)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
