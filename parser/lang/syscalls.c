/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System call numbers by the names that the kernel's tracepoints use. The table is generated at
 * build time from the C library's SYS_ macros (cmake/syscalls.cmake). Listed here are calls whose
 * tracepoint has the name of the kernel function instead, and calls that are newer than the headers
 * of the build.
 */
#include "parser/lang/syscalls.h"
#include "parser/base/text.h"
#include <sys/syscall.h>

static const struct {
	const char *name;
	int64_t number;
} names[] = {
#include "syscalls_gen.h"
	/* Since Linux 6.5. New calls have the same number on all supported architectures. */
	{"cachestat", 451},	    {"fchmodat2", 452},	       {"map_shadow_stack", 453},
	{"futex_wake", 454},	    {"futex_wait", 455},       {"futex_requeue", 456},
	{"statmount", 457},	    {"listmount", 458},	       {"lsm_get_self_attr", 459},
	{"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
	{"setxattrat", 463},	    {"getxattrat", 464},       {"listxattrat", 465},
	{"removexattrat", 466},	    {"open_tree_attr", 467},   {"file_getattr", 468},
	{"file_setattr", 469},
#ifdef __x86_64__
	{"uretprobe", 335},	    {"uprobe", 336},
#endif
};
enum { N_NAMES = sizeof(names) / sizeof(*names) };

/* Tracepoint name (SYSCALL_DEFINE in the kernel) -> name in the C library. */
static const struct {
	const char *kernel, *libc;
} renamed[] = {
	{"newstat", "stat"},
	{"newlstat", "lstat"},
	{"newfstat", "fstat"},
	{"newuname", "uname"},
	{"umount", "umount2"},
	{"sendfile64", "sendfile"},
	{"mmap_pgoff", "mmap2"},
#ifdef __aarch64__
	{"arm64_personality", "personality"},
	{"fadvise64_64", "fadvise64"},
#endif
};

int64_t syscall_number(const char *name)
{
	__auto_type other = TEXT_ROW(renamed, kernel, name, strlen(name));
	const char *libc = other ? other->libc : name;
	__auto_type call = TEXT_ROW(names, name, libc, strlen(libc));

	return call ? call->number : -1;
}

const char *syscall_name(int number)
{
	for (int i = 0; i < N_NAMES; i++)
		if (names[i].number == number)
			return names[i].name;
	return NULL;
}

const struct newer_call *syscall_newer(const char *name)
{
	static const struct newer_call rows[] = {
#define NEWER_CALL(name, instead) {name, instead},
#include "parser/lang/newer_calls.def"
	};

	return TEXT_ROW(rows, name, name, strlen(name));
}
