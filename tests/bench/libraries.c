/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libraries N NAME... - loads the first N of these libraries that are there, prints how many, and
 * waits to be killed: a process to begin to trace, for the bench `stacks`.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 0, n = 0;

	for (int i = 2; i < argc && n < wanted; i++)
		n += dlopen(argv[i], RTLD_LAZY | RTLD_LOCAL) != NULL;
	printf("%d\n", n);
	fflush(stdout);
	for (;;)
		usleep(10000);
}
