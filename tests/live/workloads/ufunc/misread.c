/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that begin with instructions which the kernel's uprobes would execute wrongly. x86-64:
 * AVX, of which vxorps is taken for a push, vpcmpeqb for a conditional jump; arm64: loads of
 * vectors from a distance to the instruction, of which a copy elsewhere is executed. Each is called 10 times; prints the sum of
 * their results, 10 * (7 + 0).
 */
#include <stdio.h>

#ifdef __x86_64__
__attribute__((naked, noinline)) static int clears(int x __attribute__((unused)))
{
	__asm__("vxorps %xmm0, %xmm0, %xmm0\n\t"
		"lea 7(%rdi), %eax\n\t"
		"ret");
}

__attribute__((naked, noinline)) static int compares(int x __attribute__((unused)))
{
	__asm__("vpcmpeqb %xmm1, %xmm1, %xmm1\n\t"
		"vpmovmskb %xmm1, %eax\n\t"
		"sub $0xffff, %eax\n\t"
		"ret");
}

#else
int clears(int x);
int compares(int x);
__asm__(".text\n.type clears, %function\nclears: ldr s0, 1f\n"
	"fmov w0, s0\nret\n1: .4byte 7\n.size clears, . - clears\n"
	".type compares, %function\ncompares: ldr q1, 1f\n"
	"umov w0, v1.s[1]\nret\n.balign 16\n1: .4byte 1, 0, 1, 1\n.size compares, . - compares\n");
#endif

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += clears(0) + compares(i);
	printf("%d\n", sum);
	return 0;
}
