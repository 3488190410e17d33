// SPDX-License-Identifier: Apache-2.0
// compat N: a 32-bit program (x86) without a C library: N times it computes in spin() and sleeps 5 ms in nap(), both
// called by work().

struct times {
	long seconds, ns;
};

__attribute__((noipa)) static void nap(void)
{
	struct times t = {0, 5000000};
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(162), "b"(&t), "c"(0) : "memory");
}

__attribute__((noipa)) static unsigned spin(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += i * i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

__attribute__((noipa)) static unsigned work(unsigned n)
{
	unsigned sum = spin(n);

	nap();
	return sum + 1;
}

__attribute__((noreturn, used)) void begin(const char *const *words)
{
	unsigned n = 0, sum = 0;

	for (const char *c = words[2]; words[0] && c && *c; c++)
		n = 10 * n + (unsigned)(*c - '0');
	for (unsigned i = 0; i < n; i++)
		sum += work(2000000);
	__asm__ volatile("int $0x80" : : "a"(1), "b"(sum == 0) : "memory");
	__builtin_unreachable();
}

__asm__(".globl _start\n_start: xorl %ebp, %ebp\n movl %esp, %eax\n pushl %eax\n call begin\n hlt\n");
