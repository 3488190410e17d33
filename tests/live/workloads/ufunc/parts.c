/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose .cold parts have no symbols: linked with -rdynamic and stripped, as the programs
 * of distributions are.
 *
 *	parts N		each function N times. Prints "NAME CALLS SUM", the sum of what they return.
 *
 * The compiler makes the part of checked(). The others are of assembler: framed() has a frame when
 * it jumps to its part, which returns, comes back, or is entered in its middle; bare() has none,
 * and its part comes back. Two functions are refused: hands_over() ends in a tail call of a local
 * function; astray() has a jump to the part of another function, in another frame. That jump is
 * never taken: __builtin_unreachable() leaves such jumps.
 */
#include <stdio.h>
#include <stdlib.h>

long framed(long i);
long bare(long i);
long hands_over(long i);
long astray(long i);
long checked(long i);

#define FUNCTION(name, code)                                                               \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 4\n" name ":" \
		"\n.cfi_startproc\n" code "\n.cfi_endproc\n.size " name ", . - " name "\n")
/* What follows the directive of the start describes the frame of the first instruction. */
#define PART(name, code)                                                            \
	__asm__(".section .text.unlikely, \"ax\"\n" name ":\n.cfi_startproc\n" code \
		"\n.cfi_endproc\n.text\n")

#ifdef __x86_64__
FUNCTION("framed", "push %rbx\n.cfi_def_cfa_offset 16\nmov %rdi, %rbx\ntest $1, %dil\n"
		   "jne .Lframed_part\ntest $2, %dil\njne .Lframed_middle\n"
		   ".Lframed_back: lea 1(%rbx), %rax\npop %rbx\n.cfi_def_cfa_offset 8\nret");
PART(".Lframed_part",
     ".cfi_def_cfa_offset 16\ntest $4, %dil\njne .Lframed_back\n"
     ".Lframed_middle: lea 1000(%rbx), %rax\npop %rbx\n.cfi_def_cfa_offset 8\nret");
FUNCTION("bare", "test $1, %dil\njne .Lbare_part\n.Lbare_back: lea 3(%rdi), %rax\nret");
PART(".Lbare_part", "test $2, %dil\njne 1f\nadd $100, %rdi\njmp .Lbare_back\n"
		    "1: lea 5(%rdi), %rax\nret");
FUNCTION("hands_over", "jmp .Llocal");
PART(".Llocal", "lea 7(%rdi), %rax\nret");
FUNCTION("astray", "cmp %rdi, %rdi\njne .Lframed_part\nlea 9(%rdi), %rax\nret");

#else
#define SAVE \
	"stp x19, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset 19, -16\n.cfi_offset 30, -8\n"
#define RESTORE \
	"ldp x19, x30, [sp], 16\n.cfi_def_cfa_offset 0\n.cfi_restore 19\n.cfi_restore 30\nret"

FUNCTION("framed", SAVE "mov x19, x0\ntbnz x0, 0, .Lframed_part\ntbnz x0, 1, .Lframed_middle\n"
			".Lframed_back: add x0, x19, 1\n" RESTORE);
PART(".Lframed_part", ".cfi_def_cfa_offset 16\n.cfi_offset 19, -16\n.cfi_offset 30, -8\n"
		      "tbnz x0, 2, .Lframed_back\n"
		      ".Lframed_middle: add x0, x19, 1000\n" RESTORE);
FUNCTION("bare", "tbnz x0, 0, .Lbare_part\n.Lbare_back: add x0, x0, 3\nret");
PART(".Lbare_part", "tbnz x0, 1, 1f\nadd x0, x0, 100\nb .Lbare_back\n"
		    "1: add x0, x0, 5\nret");
FUNCTION("hands_over", "b .Llocal");
PART(".Llocal", "add x0, x0, 7\nret");
FUNCTION("astray", "cmp x0, x0\nb.ne .Lframed_part\nadd x0, x0, 9\nret");
#endif

__attribute__((cold, noipa)) static long complain(long i)
{
	__asm__ volatile("" : "+r"(i));
	return i * 3;
}

__attribute__((noipa)) static long step(long i)
{
	__asm__ volatile("" : "+r"(i));
	return i + 11;
}

__attribute__((noipa)) long checked(long i)
{
	long r = step(i);

	return r % 4 == 3 ? complain(r) + i : step(r) + i;
}

static void run(const char *name, long (*f)(long), long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += f(i);
	printf("%s %ld %ld\n", name, n, sum);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10;

	run("framed", framed, n);
	run("bare", bare, n);
	run("hands_over", hands_over, n);
	run("astray", astray, n);
	run("checked", checked, n);
	return 0;
}
