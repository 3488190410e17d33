/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unprobable: functions, only some of which the kernel can probe: not mix_lock and mix_segment, which
 * begin with an instruction that uprobes refuse (arm64: of an exclusive load, and of one from a
 * distance to itself). mix_a to mix_e begin with `push` on x86-64. Calls each twice.
 */
#include <stdio.h>

#if defined(__x86_64__)
#define BAD(name, instruction)                                                                 \
	void name(long *p);                                                                    \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ": " instruction \
		"\nret\n.size " #name ", . - " #name "\n")
BAD(mix_lock, "lock incq (%rdi)");
BAD(mix_segment, ".byte 0x3e; incq (%rdi)");
#else
#define BAD(name, code)                                                                 \
	void name(long *p);                                                             \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ": " code \
		"\n.size " #name ", . - " #name "\n")
BAD(mix_lock, "ldxr x1, [x0]; add x1, x1, 1; stxr w2, x1, [x0]; cbnz w2, mix_lock; ret");
BAD(mix_segment,
    "ldr x2, 1f; ldr x1, [x0]; add x1, x1, x2; str x1, [x0]; ret; .balign 8; 1: .quad 1");
#endif

#define GOOD(name)                                                        \
	__attribute__((noinline, noclone)) void name(long *p);            \
	__attribute__((noinline, noclone)) void name(long *p)             \
	{                                                                 \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0))); \
		++*p;                                                     \
	}
GOOD(mix_a)
GOOD(mix_b)
GOOD(mix_c)
GOOD(mix_d)
GOOD(mix_e)

int main(void)
{
	long n = 0;

	for (int i = 0; i < 2; i++) {
		mix_a(&n);
		mix_b(&n);
		mix_c(&n);
		mix_lock(&n);
		mix_d(&n);
		mix_segment(&n);
		mix_e(&n);
	}
	printf("%ld\n", n);
	return 0;
}
