// SPDX-License-Identifier: Apache-2.0
// i386 N: a 32-bit program (x86) without a C library. N times it computes in spin() and sleeps 5 ms in nap(), both called by
// work(); sleeps 1 ms in the places that are called by begin() in turn: by the vDSO's entry for system calls, on a
// realigned stack, in handlers of both kinds of signal frames, at the end of a recursion.

struct times {
	long seconds, ns;
};

enum { EXIT = 1, GETPID = 20, KILL = 37, SIGACTION = 67, NANOSLEEP = 162, RT_SIGACTION = 174 };
enum { PLAIN = 10, WITH_INFO = 12, SA_SIGINFO = 4, AT_SYSINFO = 32, DEPTH = 20 };

static void *vdso_entry;

static inline __attribute__((always_inline)) long call(long number, long a, const void *b, long c,
						       long d)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return result;
}

__attribute__((noipa)) static void nap(long ns)
{
	struct times t = {0, ns};

	call(NANOSLEEP, (long)&t, 0, 0, 0);
}

__attribute__((noipa)) static long nap_by_vdso(void)
{
	struct times t = {0, 1000000};
	long result;

	__asm__ volatile("call *%[entry]"
			 : "=a"(result)
			 : [entry] "m"(vdso_entry), "a"(NANOSLEEP), "b"(&t), "c"(0)
			 : "memory");
	return result + 1;
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

	nap(5000000);
	return sum + 1;
}

__attribute__((noipa)) static unsigned realigned(unsigned n)
{
	volatile unsigned x[16] __attribute__((aligned(64)));

	x[n & 15] = n;
	nap(1000000);
	return x[n & 15] + 1;
}

__attribute__((noipa)) static unsigned recurse(unsigned n)
{
	if (n)
		n = recurse(n - 1);
	else
		nap(1000000);
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noipa)) static void on_signal(int signal)
{
	nap(1000000 + signal - signal);
	__asm__ volatile("");
}

__attribute__((noipa)) static long send(long signal)
{
	return call(KILL, call(GETPID, 0, 0, 0, 0), (void *)signal, 0, 0) + 1;
}

__attribute__((noreturn, used)) void begin(const char *const *words)
{
	const struct {
		void (*handler)(int);
		unsigned long mask, flags;
		void *restorer;
	} plain = {on_signal, 0, 0, 0};
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void *restorer;
		unsigned long mask[2];
	} with_info = {on_signal, SA_SIGINFO, 0, {0, 0}};
	unsigned n = 0, sum = 0;
	const long *more;

	for (const char *c = words[2]; words[0] && c && *c; c++)
		n = 10 * n + (unsigned)(*c - '0');
	for (more = (const long *)words + (long)words[0] + 2; *more; more++)
		; /* the environment */
	for (more++; *more; more += 2)
		if (*more == AT_SYSINFO)
			vdso_entry = (void *)more[1];
	call(SIGACTION, PLAIN, &plain, 0, 0);
	call(RT_SIGACTION, WITH_INFO, &with_info, 0, sizeof(with_info.mask));
	for (unsigned i = 0; i < n; i++) {
		sum += work(2000000);
		sum += nap_by_vdso() + realigned(i) + recurse(DEPTH);
		sum += send(PLAIN) + send(WITH_INFO);
	}
	call(EXIT, sum == 0, 0, 0, 0);
	__builtin_unreachable();
}

// Code without tables is decoded if there is enough of it.
__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start: xorl %ebp, %ebp\n movl %esp, %eax\n pushl %eax\n call begin\n hlt\n .fill 64, 1, 0xf4\n"
	".type filler, @function\n"
	"filler: .rept 200\n leal 1(%eax), %eax\n .endr\n ret\n");
