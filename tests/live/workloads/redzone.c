/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redzone N: calls each function N times, and prints "NAME CORRECT" for each: how many results were
 * correct. Some keep a value below the stack pointer while they pass a nop of 5 bytes, which the
 * kernel may replace by a call where it is probed.
 *
 *	inside	the nop is at inside+5
 *	line	the nop is what the line "nop" of the source is compiled to
 *	site	the nop is at the USDT probe demo:wide, after a nop of one byte at demo:narrow
 *	rounds	endbr64, and then the nop, which is passed three times in a call
 *	entry	begins with the nop, and keeps the value after it
 *	behind	endbr64, and then the nop; likewise
 *	other	likewise, with a nop of another form
 *	swap	keeps nothing; xchg %r8, %rax at swap+3
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef __x86_64__

#define NOP5 ".byte 0x0f, 0x1f, 0x44, 0, 0\n"
#define FUNCTION(name, code)                                                             \
	long name(long value, long n);                                                   \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" code \
		"	ret\n.size " #name ", . - " #name "\n")
#define NOTE(name, label)                                          \
	".pushsection .note.stapsdt,\"\",%note\n"                  \
	".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"              \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n"                \
	"993: .8byte " label "\n.8byte _.stapsdt.base\n.8byte 0\n" \
	".asciz \"demo\"\n.asciz \"" name "\"\n.asciz \"8@%rdi\"\n994: .balign 4\n.popsection\n"
#define KEEP "	mov %rdi, -8(%rsp)\n"
#define FETCH "	mov -8(%rsp), %rax\n"

/* The linker's address of this section tells how far a file has been moved. */
__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

FUNCTION(inside, KEEP NOP5 FETCH);
FUNCTION(site,
	 KEEP "988:	nop\n989:	" NOP5 FETCH NOTE("narrow", "988b") NOTE("wide", "989b"));
FUNCTION(rounds, "	endbr64\n1:	" NOP5 "	cmp $3, %rsi\n	jne 2f\n" KEEP
		 "2:	dec %rsi\n	jnz 1b\n" FETCH);
FUNCTION(entry, NOP5 KEEP FETCH);
FUNCTION(behind, "	endbr64\n	" NOP5 KEEP FETCH);
FUNCTION(other, "	endbr64\n	.byte 0x0f, 0x1f, 0x44, 0, 8\n" KEEP FETCH);
FUNCTION(swap, "	mov %rdi, %r8\n	xchg %r8, %rax\n");

__attribute__((noinline, noclone)) static long line(long value, long n)
{
	volatile long kept = value + n;

	__asm__ volatile(NOP5); /* nop */
	return kept - n;
}

static void call(const char *name, long (*f)(long, long), long n)
{
	long correct = 0;

	for (long i = 0; i < n; i++)
		correct += f(i, 3) == i;
	printf("%s %ld\n", name, correct);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;

	call("inside", inside, n);
	call("line", line, n);
	call("site", site, n);
	call("rounds", rounds, n);
	call("entry", entry, n);
	call("behind", behind, n);
	call("other", other, n);
	call("swap", swap, n);
	return 0;
}

#else
int main(void)
{
	return 0;
}
#endif
