/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a library while it is traced, waits below its functions, unloads it, and does the same with
 * another one, which the kernel puts at the same place. record.h explains what is printed; `same
 * place` or `another place` comes before it.
 *
 *	load FIRST SECOND [ROUNDS [MS]]
 */
#include "record.h"
#include <dlfcn.h>

typedef void wait_fn(void);

static long wait_ms = 4;
static const char *start_functions;

/* Until the tracer has seen the library. */
STAYS void k_start(void)
{
	START_SITE(" of a library", start_functions);
}

STAYS void k_nanosleep(void)
{
	struct timespec pause = known_ms(wait_ms);

	AT_SITE(nanosleep(&pause, NULL));
}

/* Returns the address of the library's function. */
STAYS int (*k_load(const char *path, const char *name, const char *starts,
		   const char *functions))(wait_fn *)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*plugin)(wait_fn *);

	if (!library)
		fprintf(stderr, "load: %s\n", dlerror()), exit(2);
	*(void **)&plugin = dlsym(library, "k_plugin");
	start_functions = starts;
	plugin(k_start);
	expect(name, functions);
	plugin(k_nanosleep);
	NOT_LAST();
	print_maps(); /* the library will not be there at the end */
	dlclose(library);
	return plugin;
}

int main(int argc, char **argv)
{
	long rounds = argc > 3 ? strtol(argv[3], NULL, 10) : 3;
	int (*first)(wait_fn *) = NULL, (*second)(wait_fn *) = NULL;
	void *warm_up[4];

	wait_ms = argc > 4 ? strtol(argv[4], NULL, 10) : 4;
	backtrace(warm_up, 4);
	for (long i = 0; i < rounds; i++) {
		first = k_load(argv[1], "first library",
			       "k_start k_first_inner k_plugin k_load main",
			       "k_nanosleep k_first_inner k_plugin k_load main");
		second = k_load(argv[2], "second library",
				"k_start k_second_inner k_second_middle k_plugin k_load main",
				"k_nanosleep k_second_inner k_second_middle k_plugin k_load main");
	}
	printf("%s place\n",
	       (uintptr_t)first >> 16 == (uintptr_t)second >> 16 ? "same" : "another");
	print_record();
	return 0;
}
