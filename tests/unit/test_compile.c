/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compile child: its bytes arrive, and what goes wrong on the way has the exit status of
 * whoever is at fault. LLVM is replaced by one function, fstat and mmap by ones that fail on
 * request.
 */
#include "runtime/base/log.h"
#include "runtime/output/out.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fails_stat, fails_map;

static int test_fstat(int fd, struct stat *st)
{
	errno = EOVERFLOW;
	return fails_stat ? -1 : fstat(fd, st);
}

static void *test_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	errno = ENOMEM;
	return fails_map ? MAP_FAILED : mmap(at, len, prot, flags, fd, offset);
}

#define fstat test_fstat
#define mmap test_mmap
#include "cli/compile/compile.c"
#include "cli/compile/confine.c"
#include "cli/base/diag_report.c"

static int generated; /* what codegen_run returns */
static bool ends_early, tries_more;
static int dies_of;

int codegen_run(const struct program *p, const struct plan *plan, enum codegen_stage stage,
		struct diags *d, struct codegen_output *out)
{
	(void)p, (void)plan, (void)stage, (void)d;
	if (ends_early)
		_exit(0);
	if (dies_of)
		raise(dies_of);
	if (tries_more && (open("/proc/self/status", O_RDONLY) >= 0 || errno != EPERM ||
			   fork() >= 0 || errno != EPERM || kill(getppid(), 0) == 0))
		return -1;
	out->bytes = generated ? "too long" : "object";
	out->len = strlen(out->bytes);
	return generated;
}

static int compile(struct compile *c)
{
	static const struct program program;
	int status;

	assert_int_equal(compile_start(c, &program, NULL, CODEGEN_ELF), 0);
	status = compile_wait(c);
	if (!status) {
		assert_int_equal(c->len, 6);
		assert_memory_equal(c->bytes, "object", 6);
	}
	compile_end(c);
	return status;
}

static void test_statuses(void **state)
{
	struct compile c;

	(void)state;
	assert_int_equal(compile(&c), 0);
	generated = 1;
	assert_int_equal(compile(&c), 1);
	generated = -1;
	assert_int_equal(compile(&c), 3);
	generated = 0;
	ends_early = true;
	assert_int_equal(compile(&c), 3);
	ends_early = false;
}

/* The system's failure, not a defect of the compiler. */
static void test_cannot_map(void **state)
{
	struct compile c;

	(void)state;
	fails_stat = true;
	assert_int_equal(compile(&c), 2);
	fails_stat = false;
	fails_map = true;
	assert_int_equal(compile(&c), 2);
	fails_map = false;
	assert_int_equal(compile(&c), 0);
}

/* The child can open nothing, start nothing, and reach no other process. */
static void test_confined(void **state)
{
	struct compile c;

	(void)state;
	tries_more = true;
	assert_int_equal(compile(&c), 0);
	tries_more = false;
}

/* The out-of-memory killer ends the child: the system's failure. A crash is a defect. */
static void test_killed(void **state)
{
	struct compile c;

	(void)state;
	dies_of = SIGKILL;
	assert_int_equal(compile(&c), 2);
	dies_of = SIGABRT;
	assert_int_equal(compile(&c), 3);
	dies_of = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(test_cannot_map),
		cmocka_unit_test(test_confined),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
