/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare [N]: waits below assembly that has no call frame information (x86-64). A thread that is started as
 * musl's __clone() starts it waits in wait_in_thread(), called by start_here(). Then main() waits
 * in wait_below(), called by functions of assembly: that keep a number in rbp, that realign the
 * stack, with the old rsp in a word or in rbx, and one that waits itself, with the old rsp in r10.
 * Last, it waits in wait_elsewhere(), on a stack whose caller no instruction tells, and in
 * wait_in_fiber(), on a stack that is set up as boost::context does.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

void bare_clone(void (*fn)(void), void *stack, unsigned long flags);
void uses_rbp(void);
void keeps_word(void);
void keeps_rbx(void);
void keeps_r10(const struct timespec *pause);
void switches(void **rsp);
void bare_fiber(void (*fn)(void), void *stack);
void wait_in_fiber(void);
void wait_below(void);
void wait_elsewhere(void);
void wait_in_thread(void);
void start_here(void);

#ifdef __x86_64__
__asm__("	.text\n"
	"	.globl bare_clone, uses_rbp, keeps_word, keeps_rbx, keeps_r10, switches, bare_fiber\n"
	"	.type bare_clone, @function\n"
	"	.type uses_rbp, @function\n"
	"	.type keeps_word, @function\n"
	"	.type keeps_rbx, @function\n"
	"	.type keeps_r10, @function\n"
	"	.type switches, @function\n"
	"	.type bare_fiber, @function\n"
	"	.balign 16\n"
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
	"	.balign 16\n"
	"uses_rbp:\n"
	"	push %rbp\n"
	"	mov $7, %ebp\n"
	"	call wait_below\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.size uses_rbp, .-uses_rbp\n"
	"	.balign 16\n"
	"keeps_word:\n"
	"	mov %rsp, %rax\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	sub $160, %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rax, 152(%rsp)\n"
	"	mov $7, %ebp\n"
	"	call wait_below\n"
	"	mov 152(%rsp), %rsi\n"
	"	mov -16(%rsi), %rbp\n"
	"	mov -8(%rsi), %rbx\n"
	"	mov %rsi, %rsp\n"
	"	ret\n"
	"	.size keeps_word, .-keeps_word\n"
	"	.balign 16\n"
	"keeps_rbx:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	mov %rsp, %rbx\n"
	"	and $-64, %rsp\n"
	"	mov $7, %ebp\n"
	"	call wait_below\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	"	.size keeps_rbx, .-keeps_rbx\n"
	"	.balign 16\n"
	"keeps_r10:\n"
	"	lea 8(%rsp), %r10\n"
	"	and $-64, %rsp\n"
	"	xor %esi, %esi\n"
	"	mov $35, %eax\n" /* nanosleep */
	"	syscall\n"
	"	lea -8(%r10), %rsp\n"
	"	ret\n"
	"	.size keeps_r10, .-keeps_r10\n"
	"	.balign 16\n"
	"switches:\n"
	"	push %rbp\n"
	"	mov $7, %ebp\n"
	"	mov %rsp, (%rdi)\n"
	"	mov 8(%rdi), %rsp\n"
	"	push %rdi\n"
	"	push %rdi\n"
	"	call wait_elsewhere\n"
	"	pop %rdi\n"
	"	mov (%rdi), %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.size switches, .-switches\n"
	"	.balign 16\n"
	"bare_fiber:\n"
	"	lea 1f(%rip), %rbp\n"
	"	mov %rdi, %rbx\n"
	"	mov %rsi, %rsp\n"
	"	push %rbp\n"
	"	jmp *%rbx\n"
	"1:	xor %edi, %edi\n"
	"	mov $231, %eax\n" /* exit_group */
	"	syscall\n"
	"	hlt\n"
	"	.size bare_fiber, .-bare_fiber\n"
	"	.skip 256, 0x90\n" /* less code would not be decoded */
);

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

/* Several times, since some virtual machines do not report every switch. */
__attribute__((noinline)) void wait_in_thread(void)
{
	for (int i = 0; i < 4; i++)
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

__attribute__((noinline)) void wait_elsewhere(void)
{
	sleep_ns(100000000);
	__asm__ volatile("");
}

__attribute__((noinline)) void wait_in_fiber(void)
{
	sleep_ns(100000000);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	static const struct timespec pause = {.tv_nsec = 100000000};
	static uint64_t stack[2048];
	static void *rsp[2] = {0, stack + 1024};

	bare_clone(start_here, stack + 2048,
		   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM);
	for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; n--) {
		uses_rbp();
		keeps_word();
		keeps_rbx();
		keeps_r10(&pause);
	}
	switches(rsp);
	bare_fiber(wait_in_fiber, stack + 1024);
	return 0;
}
#else
int main(void)
{
	return 1;
}
#endif
