/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Functions of BPF for imports.test: numbers of each size, addresses, data, a map, a program that scripts do not run.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct pair {
	int first;
	long second;
};

static const char table[4] = {10, 20, 30, 40};
long calls = 5;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, int);
	__type(value, long);
} counts SEC(".maps");

int twice(int x)
{
	return 2 * x;
}

long add_byte(long a, unsigned char b)
{
	calls++;
	return a + b;
}

short smallest(signed char a, short b, int c, long d, _Bool e)
{
	long least = a < b ? a : b;

	least = least < c ? least : c;
	least = least < d ? least : d;
	return least + e;
}

unsigned int element(unsigned int i)
{
	return table[i & 3];
}

int letter(const char *text)
{
	return text[0];
}

long sum_of(struct pair *p)
{
	return p->first + p->second;
}

long how_often(void)
{
	return calls;
}

void note(int key)
{
	long one = 1, *at = bpf_map_lookup_elem(&counts, &key);

	if (at)
		__sync_fetch_and_add(at, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
}

long noted(int key)
{
	long *at = bpf_map_lookup_elem(&counts, &key);

	return at ? *at : -1;
}

int through(int (*f)(int))
{
	return f != 0;
}

static __noinline int not_global(int a)
{
	return a + 1;
}

int calls_static(int a)
{
	return not_global(a);
}

SEC("tracepoint/syscalls/sys_enter_getpid")
int not_for_scripts(void *ctx)
{
	note(99);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
