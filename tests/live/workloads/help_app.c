/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ./app of the examples of `sonde help`: a variable, a function with ten arguments and a USDT
 * probe with twelve, which are constants.
 */
volatile int counter;

__asm__(".pushsection .stapsdt.base,\"aG\",%progbits,.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

#if defined(__x86_64__)
#define C(n) "-4@$" #n
#else
#define C(n) "-4@" #n
#endif
#define ARGS                                                                                    \
	C(0)                                                                                    \
	" " C(1) " " C(2) " " C(3) " " C(4) " " C(5) " " C(6) " " C(7) " " C(8) " " C(9) " " C( \
		10) " " C(11)

__attribute__((noinline)) static int layout(int a, int b, int c, int d, int e, int f, int g, int h,
					    int i, int j)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"\",%note\n"
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"
			 ".asciz \"myapp\"\n.asciz \"request\"\n.asciz \"" ARGS "\"\n"
			 "994: .balign 4\n.popsection\n");
	return a + b + c + d + e + f + g + h + i + j;
}

int main(int n, char **words)
{
	(void)words;
	for (int i = 0; i < 10; i++)
		counter += layout(n, i, 2, 3, 4, 5, 6, 7, 8, 9);
	return 0;
}
