/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A USDT probe with an argument in memory that cannot be read, at address 16.
 */
#if defined(__x86_64__)
#define OPERAND "8@16(%0)"
#else
#define OPERAND "8@[%0, 16]"
#endif

int main(void)
{
	long nowhere = 0;

	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",%%note\n"
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b\n.8byte 0\n.8byte 0\n"
			 ".asciz \"demo\"\n.asciz \"fault\"\n.asciz \"" OPERAND "\"\n"
			 "994: .balign 4\n.popsection\n" ::"r"(nowhere));
	return 0;
}
