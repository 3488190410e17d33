// SPDX-License-Identifier: Apache-2.0
// compat N: a 32-bit program (x86 or arm) without a C library: N times it computes in spin() and sleeps 5 ms in nap(), both
// called by work().

struct times {
	long seconds, ns;
};

#ifdef __arm__
#define APART __attribute__((noinline)) /* clang has no noipa */

static long call(long number, long a, long b)
{
	register long r0 __asm__("r0") = a, r1 __asm__("r1") = b, r7 __asm__("r7") = number;

	__asm__ volatile("svc 0" : "+r"(r0) : "r"(r1), "r"(r7) : "memory");
	return r0;
}
#else
#define APART __attribute__((noipa))

static long call(long number, long a, long b)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b) : "memory");
	return result;
}
#endif

APART static void nap(void)
{
	struct times t = {0, 5000000};

	call(162, (long)&t, 0);
}

APART static unsigned spin(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += i * i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

APART static unsigned work(unsigned n)
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
	call(1, sum == 0, 0);
	__builtin_unreachable();
}

#ifdef __arm__
__asm__(".globl _start\n.type _start, %function\n_start: mov r11, #0\n mov lr, #0\n mov r0, sp\n bl begin\n udf #0\n");
#else
__asm__(".globl _start\n_start: xorl %ebp, %ebp\n movl %esp, %eax\n pushl %eax\n call begin\n hlt\n");
#endif
