/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System call numbers by the names the kernel's tracepoints use. The table is made at build time
 * from the C library's SYS_ macros of the target (cmake/syscalls.cmake); the few calls whose
 * tracepoint carries the kernel function's name instead are listed here.
 */
#include "probe.h"
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

struct syscall_name {
	const char *name;
	int64_t number;
};

static const struct syscall_name names[] = {
#include "syscalls_gen.h"
};

/* Tracepoint name (SYSCALL_DEFINE in the kernel) -> name in the C library. */
static const struct {
	const char *kernel, *libc;
} renamed[] = {
	{"newstat", "stat"},	   {"newlstat", "lstat"},	{"newfstat", "fstat"},
	{"newuname", "uname"},	   {"umount", "umount2"},	{"sendfile64", "sendfile"},
	{"mmap_pgoff", "mmap2"},
};

static int64_t find(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].number;
	return -1;
}

int64_t syscall_number(const char *name)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (strcmp(renamed[i].kernel, name) == 0)
			return find(renamed[i].libc);
	return find(name);
}
