/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tails: functions that end in jumps to other functions (tail calls), built with -O2.
 *
 *	tails calls N	each function N times. Prints "NAME CALLS" for each, counted by the program.
 *	tails times N	N calls of each function that is timed. Prints "NAME CALLS INSIDE OUTSIDE": the
 *			nanoseconds between the first and the last thing that the calls do
 *			themselves, and those that the caller waits, without those that the
 *			function spends to which they jump. What delta measures is in between.
 *	tails thrown N	N calls of thrower(), of which every other ends by an exception. Prints how
 *			many return, and how many do not.
 *	tails held N	the same for holder(), which also calls closed(), three times in two calls.
 *
 * Where the compiler may choose other instructions, the functions are of assembler: (x86-64) a jump on
 * each condition, near and far; a .cold part with a return and with a jump; a loop whose first
 * instruction is the function's; functions of one instruction; one that cannot be probed, as
 * always_throws().
 */
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#define ALONE __attribute__((noinline, noclone))

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- times --------------------------------------------------------------------------------- */

static std::mutex mutex;
static long inside, behind;
static volatile long total;

ALWAYS_INLINE long now_ns()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

ALWAYS_INLINE void spin(long ns)
{
	long start = now_ns();

	while (now_ns() - start < ns)
		;
}

extern "C" {

/* Ends in a jump to pthread_mutex_unlock(). */
ALONE void guarded(long ns)
{
	std::lock_guard<std::mutex> guard(mutex);
	long start = now_ns();

	spin(ns);
	inside += now_ns() - start;
}

ALONE void slow(long ns)
{
	long start = now_ns();

	spin(ns);
	behind += now_ns() - start;
}

/* Ends in a jump to a function that takes ten times as long. */
ALONE void hands_over(long ns)
{
	long start = now_ns();

	spin(ns);
	inside += now_ns() - start;
	slow(10 * ns);
}

/* The same, every other time. */
ALONE void sometimes(long ns)
{
	long start = now_ns();

	spin(ns);
	total = total + 1;
	inside += now_ns() - start;
	if (total & 1)
		slow(10 * ns);
}
}

static void time_calls(const char *name, void (*f)(long), int n)
{
	long outside = 0;

	inside = behind = 0;
	for (int i = 0; i < n; i++) {
		long start = now_ns();

		f(1000000);
		outside += now_ns() - start;
	}
	printf("%s %d %ld %ld\n", name, n, inside, outside - behind);
}

/* ---- C++ ----------------------------------------------------------------------------------- */

struct shape {
	virtual long area(long x) = 0;
	virtual ~shape()
	{
	}
};

struct square : shape {
	long area(long x) override;
};

ALONE long square::area(long x)
{
	total = total + x;
	return x * x;
}

typedef long function(long x);

extern "C" {
ALONE long leaf(long x)
{
	total = total + x;
	return x + 1;
}

ALONE long leaf_too(long x)
{
	total = total - x;
	return x - 1;
}

ALONE long by_virtual(shape *s, long x)
{
	return s->area(x + 1);
}

ALONE long by_member(shape *s, long (shape::*f)(long), long x)
{
	return (s->*f)(x);
}

ALONE long by_pointer(function *f, long x)
{
	return f(x + 1);
}

ALONE long by_array(int i, long x)
{
	static function *const functions[] = {leaf, leaf_too, leaf};

	return functions[i](x);
}

/* A switch with a jump table; some cases are tail calls, others return. */
ALONE long by_switch(int k, shape *s, long x, const long *p)
{
	switch (k) {
	case 0: return s->area(x);
	case 1: return leaf(x);
	case 2: return x + *p;
	case 3: return x * 3;
	case 4: return p[1] - p[2];
	case 5: return leaf_too(x);
	case 6: return x / 3;
	case 7: return p[x];
	default: return total;
	}
}

/* No tail calls at all: its jumps stay in the function. */
ALONE long in_switch(int k, long x, const long *p)
{
	switch (k) {
	case 0: return x + p[0];
	case 1: return x * p[1];
	case 2: return x / 7;
	case 3: return x - p[3];
	case 4: return total;
	case 5: return p[1] + p[2];
	case 6: return x ^ *p;
	default: return 0;
	}
}

ALONE long odd(long n);

ALONE long even(long n)
{
	total = total + 1;
	return n == 0 ? 1 : odd(n - 1);
}

ALONE long odd(long n)
{
	total = total + 2;
	return n == 0 ? 0 : even(n - 1);
}

/* Recursion in the last call, of which the compiler makes a loop. */
ALONE long sum_to(long n, long sum)
{
	total = total + 1;
	return n == 0 ? sum : sum_to(n - 1, sum + n);
}

ALONE void always_throws(long n)
{
	throw n;
}

ALONE long thrower(long n)
{
	if (n & 1)
		throw n;
	return leaf(n);
}
}

/* ---- assembler ----------------------------------------------------------------------------- */

#define FUNCTION(name, code)                                          \
	".type " name ", @function\n" name ":\n.cfi_startproc\n" code \
	"\n.cfi_endproc\n.size " name ", . - " name "\n"
#define GLOBAL(name, code) __asm__(".text\n.globl " name "\n" FUNCTION(name, code))

__asm__(".data\n.globl taken_count\n.balign 8\ntaken_count: .quad 0\n");
#ifdef __x86_64__
/* The functions that are jumped to count the jumps. */
GLOBAL("taken", "incq taken_count(%rip); ret");

/* on_X has a jump of four bytes' distance, short_X one of a byte's, to near_X. */
#define ON_CONDITION(cc)                                                          \
	GLOBAL("on_" #cc, "cmp %rsi, %rdi; j" #cc " taken; xor %eax, %eax; ret"); \
	GLOBAL("short_" #cc, "cmp %rsi, %rdi; j" #cc " 1f; xor %eax, %eax; ret"); \
	__asm__(FUNCTION("near_" #cc, "1: incq taken_count(%rip); ret"));         \
	extern "C" long on_##cc(long a, long b), short_##cc(long a, long b)

ON_CONDITION(o);
ON_CONDITION(no);
ON_CONDITION(b);
ON_CONDITION(ae);
ON_CONDITION(e);
ON_CONDITION(ne);
ON_CONDITION(be);
ON_CONDITION(a);
ON_CONDITION(s);
ON_CONDITION(ns);
ON_CONDITION(p);
ON_CONDITION(np);
ON_CONDITION(l);
ON_CONDITION(ge);
ON_CONDITION(le);
ON_CONDITION(g);

/* A loop to its own first instruction: n rounds, then a return. */
__asm__(".p2align 4\n");
GLOBAL("rounds", "dec %rdi; jne rounds; ret");
GLOBAL("one_ret", "ret");
GLOBAL("one_jump", "jmp taken");
/* Only its return can leave it. */
GLOBAL("closed", "nop; lea 5(%rdi), %rax; ret");
/* 0: the .cold part returns, 1: it jumps, 2: it comes back; else it is not entered. */
GLOBAL("split", "cmp $2, %rdi; jbe split.cold\n.Lsplit: xor %eax, %eax; ret");
__asm__(".section .text.unlikely, \"ax\"\n" FUNCTION(
	"split.cold", "cmp $1, %rdi; jl 1f; je taken; jmp .Lsplit\n1: mov $1, %eax; ret"));
/* Not called: a jump of which nothing is known. */
GLOBAL("nowhere", "lea (%rdi,%rsi,8), %rax; jmp *%rax");
#else
GLOBAL("taken", "adrp x0, taken_count; add x0, x0, :lo12:taken_count; ldr x1, [x0]; add x1, x1, 1;"
		"str x1, [x0]; ret");
GLOBAL("rounds", "subs x0, x0, 1; b.ne rounds; ret");
GLOBAL("one_ret", "ret");
GLOBAL("one_jump", "b taken");
GLOBAL("closed", "nop; add x0, x0, 5; ret");
GLOBAL("split", "cmp x0, 2; b.ls split.cold\n.Lsplit: mov x0, 0; ret");
__asm__(".section .text.unlikely, \"ax\"\n" FUNCTION(
	"split.cold", "cmp x0, 1; b.lt 1f; b.ne .Lsplit; b taken\n1: mov x0, 1; ret"));
GLOBAL("nowhere", "add x0, x0, x1, lsl 3; br x0");
/* Compilers for arm64 make no tail call of a conditional branch: it is refused. */
GLOBAL("on_condition", "cmp x0, x1; b.eq taken; mov x0, 0; ret");
#endif
__asm__(".text\n");

extern "C" {
long rounds(long n), one_ret(void), one_jump(void), split(long x), closed(long x);
extern long taken_count;

ALONE long holder(long n)
{
	long x = closed(n);

	if (n & 1)
		throw x;
	return x + closed(n);
}
}

/* ---- calls --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	long (*far)(long, long), (*near)(long, long);
} conditions[] = {
#ifdef __x86_64__
#define ROW(cc) {#cc, on_##cc, short_##cc},
	ROW(o) ROW(no) ROW(b) ROW(ae) ROW(e) ROW(ne) ROW(be) ROW(a) ROW(s) ROW(ns) ROW(p) ROW(np)
		ROW(l) ROW(ge) ROW(le) ROW(g)
#endif
};

/* Pairs that differ in each flag of their difference. */
static const long pairs[][2] = {{1, 2},	 {2, 1},  {3, 3}, {LONG_MIN, 1}, {LONG_MAX, -1},
				{-1, 1}, {1, -1}, {7, 4}, {8, 1},	 {0, LONG_MIN}};

enum { PAIRS = sizeof(pairs) / sizeof(*pairs) };

static void call_conditions(int n)
{
	for (auto &c : conditions) {
		long before = taken_count;

		for (int i = 0; i < n; i++)
			c.far(pairs[i % PAIRS][0], pairs[i % PAIRS][1]);
		printf("on_%s %d taken %ld\n", c.name, n, taken_count - before);
		before = taken_count;
		for (int i = 0; i < n; i++)
			c.near(pairs[i % PAIRS][0], pairs[i % PAIRS][1]);
		printf("short_%s %d taken %ld\n", c.name, n, taken_count - before);
	}
}

static void call_all(int n)
{
	const long p[] = {5, 6, 7, 8, 9, 10, 11, 12};
	square s;

	call_conditions(n);
	for (int i = 0; i < n; i++) {
		by_virtual(&s, i);
		by_member(&s, &shape::area, i);
		by_pointer(leaf, i);
		by_array(i % 3, i);
		by_switch(i % 9, &s, i % 8, p);
		in_switch(i % 8, i, p);
		even(3);
		sum_to(5, 0);
		rounds(4);
		one_ret();
		one_jump();
		split(i % 4);
	}
	for (auto name : {"by_virtual", "by_member", "by_pointer", "by_array", "by_switch",
			  "in_switch", "sum_to", "rounds", "one_ret", "one_jump", "split"})
		printf("%s %d\n", name, n);
	printf("even %d\nodd %d\n", 2 * n, 2 * n);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1, n_thrown = 0;

	if (argc > 1 && !strcmp(argv[1], "calls")) {
		call_all(n);
	} else if (argc > 1 && !strcmp(argv[1], "times")) {
		time_calls("guarded", guarded, n);
		time_calls("hands_over", hands_over, n);
		time_calls("sometimes", sometimes, n);
	} else if (argc > 1 && !strcmp(argv[1], "thrown")) {
		for (int i = 0; i < n; i++)
			try {
				thrower(i);
			} catch (long) {
				n_thrown++;
			}
		try {
			always_throws(n);
		} catch (long) {
		}
		printf("thrower %d %d\n", n - n_thrown, n_thrown);
	} else if (argc > 1 && !strcmp(argv[1], "held")) {
		for (int i = 0; i < n; i++)
			try {
				holder(i);
			} catch (long) {
				n_thrown++;
			}
		printf("holder %d %d\n", n - n_thrown, n_thrown);
	}
	return 0;
}
