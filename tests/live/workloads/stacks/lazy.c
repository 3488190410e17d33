/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose call of a function of the program that loads it, binds.c, is bound when it is made. */
int k_bound(int n);
int k_plugin(int n);

int k_plugin(int n)
{
	char room[100];

	for (int i = 0; i < 100; i++)
		room[i] = (char)(n + i);
	__asm__ volatile("" : : "r"(room) : "memory");
	return k_bound(n) + room[n];
}
