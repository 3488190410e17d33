/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stepped N: calls plain() N times, whose first instruction the kernel single-steps, then pushes(),
 * whose first one it emulates, and aligned(), which has a nop of 8 bytes before its loop, as
 * compilers put there.
 */
#include <stdlib.h>

int plain(int a);
int pushes(int a);
int aligned(int a);

#ifdef __x86_64__
__asm__(".text\n"
	".globl plain\n"
	".type plain, @function\n"
	"plain: lea 1(%rdi), %eax\n"
	"ret\n"
	".size plain, . - plain\n"
	".globl pushes\n"
	".type pushes, @function\n"
	"pushes: push %rbx\n"
	"lea 1(%rdi), %eax\n"
	"pop %rbx\n"
	"ret\n"
	".size pushes, . - pushes\n"
	".globl aligned\n"
	".type aligned, @function\n"
	"aligned: mov %edi, %eax\n"
	"mov $3, %edx\n"
	".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
	"1: dec %edx\n"
	"jne 1b\n"
	"inc %eax\n"
	"ret\n"
	".size aligned, . - aligned\n");
#else
__attribute__((noinline)) int plain(int a)
{
	return a + 1;
}

__asm__(".text\n"
	".globl pushes\n"
	".type pushes, @function\n"
	"pushes: adr x1, pushes\n"
	"add w0, w0, 1\n"
	"ret\n"
	".size pushes, . - pushes\n");

__attribute__((noinline)) int aligned(int a)
{
	return a + 1;
}
#endif

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, x = 0;

	for (int i = 0; i < n; i++)
		x = plain(x);
	for (int i = 0; i < n; i++)
		x = pushes(x);
	for (int i = 0; i < n; i++)
		x = aligned(x);
	return x != 3 * n;
}
