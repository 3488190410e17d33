/* SPDX-License-Identifier: Apache-2.0 */
/*
 * departs: calls that are left without a return.
 *
 *	departs throw		an exception passes 25 calls of down()
 *	departs jump		longjmp() does
 *	departs exec N		again() executes this program with N - 1, and so on until 0
 *	departs thread-exec	a thread executes this program while the first one waits in main()
 */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

static jmp_buf place;
static bool jumps;

extern "C" {

__attribute__((noinline)) int down(int n)
{
	int below;

	if (!n && jumps)
		longjmp(place, 1);
	if (!n)
		throw 1;
	below = down(n - 1);
	asm volatile("" : "+r"(below));
	return below + 1;
}

__attribute__((noinline)) void later(void)
{
	asm volatile("");
}

__attribute__((noinline)) void attempt(void)
{
	if (setjmp(place)) {
		later();
		asm volatile("");
		return;
	}
	try {
		down(24);
	} catch (int) {
		later();
	}
	asm volatile("");
}

__attribute__((noinline)) void again(int n)
{
	char number[16], word[] = "exec", name[] = "departs";
	char *arguments[] = {name, word, number, nullptr};

	snprintf(number, sizeof(number), "%d", n);
	execv("/proc/self/exe", arguments);
	asm volatile("");
}

__attribute__((noinline)) void *run(void *unused)
{
	again(0);
	return unused;
}
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (!strcmp(word, "exec")) {
		int n = argc > 2 ? atoi(argv[2]) : 0;

		if (n)
			again(n - 1);
		return 0;
	}
	if (!strcmp(word, "thread-exec")) {
		pthread_create(&thread, nullptr, run, nullptr);
		pthread_join(thread, nullptr);
		return 1;
	}
	jumps = !strcmp(word, "jump");
	attempt();
	later();
	return 0;
}
