/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libdw: see libdw.h.
 */
#include "runtime/elf/libdw.h"
#include <dlfcn.h>
#include <errno.h>

int libdw_load(struct libdw *l)
{
	void *so = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!so)
		return -ENOSYS;
#define LOOK_UP(name)                          \
	*(void **)&l->name = dlsym(so, #name); \
	if (!l->name)                          \
		return -ENOSYS;
	LIBDW_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	return 0;
}
