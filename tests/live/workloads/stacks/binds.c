/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits while the dynamic linker binds a function: a library, lazy.c, calls k_bound() of this program
 * through a PLT entry, and the function that chooses what k_bound() is (an ifunc) waits. The CFA of
 * ld.so's _dl_runtime_resolve_*, which is below it, is rbx + an offset. record.h explains what is printed.
 *
 *	binds LIBRARY [ROUNDS [MS]]
 */
#include "record.h"
#include <dlfcn.h>

static long wait_ms = 20;

int k_bound(int n);

STAYS static int k_chosen(int n)
{
	return n + 1;
}

/* Saves rbx among other registers, and needs them afterwards. */
STAYS void k_nanosleep(int a, int b, int c, int d)
{
	struct timespec pause = known_ms(wait_ms);

	AT_SITE(nanosleep(&pause, NULL));
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

typedef int bound_fn(int);

static bound_fn *k_choose(void)
{
	k_nanosleep(1, 2, 3, 4);
	NOT_LAST();
	return k_chosen;
}

int k_bound(int n) __attribute__((ifunc("k_choose")));

STAYS void k_load(const char *path)
{
	void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	int (*plugin)(int);

	if (!library)
		fprintf(stderr, "binds: %s\n", dlerror()), exit(2);
	*(void **)&plugin = dlsym(library, "k_plugin");
	START_SITE(" of a library", "");
	/* k_choose() has two names, and the other one is exported */
	expect("binding of a function", "k_nanosleep k_bound k_plugin k_load main");
	plugin(3);
	NOT_LAST();
	print_maps(); /* the library will not be there at the end */
	dlclose(library);
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 3;
	void *warm_up[4];

	wait_ms = argc > 3 ? strtol(argv[3], NULL, 10) : wait_ms;
	backtrace(warm_up, 4);
	START_SITE("", "main");
	for (long i = 0; i < rounds; i++)
		k_load(argv[1]);
	print_record();
	return 0;
}
