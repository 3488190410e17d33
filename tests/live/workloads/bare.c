/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits below assembly that has no call frame information (x86-64). A thread that is started as
 * musl's __clone() starts it waits in wait_in_thread(), called by start_here(). Then main() waits in
 * wait_below(), called by uses_rbp(), which keeps a number in rbp.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

void bare_clone(void (*fn)(void), void *stack, unsigned long flags);
void uses_rbp(void);
void wait_below(void);
void wait_in_thread(void);
void start_here(void);

#ifdef __x86_64__
__asm__("	.text\n"
	"	.globl bare_clone, uses_rbp\n"
	"	.type bare_clone, @function\n"
	"	.type uses_rbp, @function\n"
	"bare_clone:\n"
	"	mov %rdi, %r9\n"
	"	mov %rdx, %rdi\n"
	"	and $-16, %rsi\n"
	"	sub $8, %rsi\n"
	"	mov $56, %eax\n" /* clone */
	"	xor %edx, %edx\n"
	"	xor %r10d, %r10d\n"
	"	xor %r8d, %r8d\n"
	"	syscall\n"
	"	test %eax, %eax\n"
	"	jnz 1f\n"
	"	xor %ebp, %ebp\n"
	"	pop %rdi\n"
	"	call *%r9\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n" /* exit */
	"	syscall\n"
	"1:	ret\n"
	"	.size bare_clone, .-bare_clone\n"
	"uses_rbp:\n"
	"	push %rbp\n"
	"	mov $7, %ebp\n"
	"	call wait_below\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.size uses_rbp, .-uses_rbp\n");

/* Without libc: the thread has no thread-local memory. */
static long sleep_ns(long ns)
{
	struct timespec t = {.tv_nsec = ns};
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_nanosleep), "D"(&t), "S"(0)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline)) void wait_in_thread(void)
{
	sleep_ns(20000000);
	__asm__ volatile("");
}

__attribute__((noinline)) void start_here(void)
{
	wait_in_thread();
	__asm__ volatile("");
}

__attribute__((noinline)) void wait_below(void)
{
	sleep_ns(100000000);
	__asm__ volatile("");
}

int main(void)
{
	static uint64_t stack[2048];

	bare_clone(start_here, stack + 2048,
		   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM);
	uses_rbp();
	return 0;
}
#else
int main(void)
{
	return 1;
}
#endif
