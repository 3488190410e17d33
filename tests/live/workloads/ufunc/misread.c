/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that begin with AVX instructions which the kernel's uprobes would take for others:
 * vxorps for a push, vpcmpeqb for a conditional jump. Each is called 10 times; prints the sum of
 * their results, 10 * (7 + 0).
 */
#include <stdio.h>

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

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += clears(0) + compares(i);
	printf("%d\n", sum);
	return 0;
}
