/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bump allocator (arena.h). Chunk sizes double from 16 KiB to 1 MiB, so that a one-line script
 * costs little memory and a long one few calls. A request larger than a quarter of a chunk gets a
 * chunk of its own, linked behind the current one. Chunks come zeroed from calloc and no byte is
 * handed out twice, so arena_alloc() needs no memset. Under AddressSanitizer the bytes between two
 * allocations are poisoned.
 */
#include "parser/base/arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef SONDE_ASAN
#include <sanitizer/asan_interface.h>
enum { GAP_BYTES = 16 }; /* after each allocation */
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
enum { GAP_BYTES = 0 };
#endif

enum {
	CHUNK_FIRST_BYTES = 16 << 10,
	CHUNK_MOST_BYTES = 1 << 20,
	ALIGN_BYTES = 16,
	GROW_FIRST = 8, /* items */
};

struct chunk {
	struct chunk *older;
	size_t used, size; /* bytes of data */
	_Alignas(ALIGN_BYTES) unsigned char data[];
};

struct arena {
	struct chunk *current; /* small requests are served from here */
	size_t next_size;
};

__attribute__((cold)) void arena_out_of_memory(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		fputs("sonde: error: out of memory\n", stderr);
	else
		fprintf(stderr,
			"sonde: error: out of memory (the limit of virtual memory is %llu MiB: ulimit -v)\n",
			(unsigned long long)limit.rlim_cur >> 20);
	exit(2);
}

struct arena *arena_new(void)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		arena_out_of_memory();
	a->next_size = CHUNK_FIRST_BYTES;
	return a;
}

void arena_free(struct arena *a)
{
	struct chunk *c, *older;

	if (!a)
		return;
	for (c = a->current; c; c = older) {
		older = c->older;
		free(c);
	}
	free(a);
}

static struct chunk *chunk_new(size_t size)
{
	struct chunk *c;

	if (size > SIZE_MAX - sizeof(*c))
		arena_out_of_memory();
	c = calloc(1, sizeof(*c) + size);
	if (!c)
		arena_out_of_memory();
	c->size = size;
	return c;
}

/* A chunk for one large request, linked behind the current one, which stays in use. */
static void *alloc_large(struct arena *a, size_t size)
{
	struct chunk *c = chunk_new(size);

	c->used = size;
	if (a->current) {
		c->older = a->current->older;
		a->current->older = c;
	} else {
		a->current = c;
	}
	return c->data;
}

static void add_chunk(struct arena *a)
{
	struct chunk *c = chunk_new(a->next_size);

	c->older = a->current;
	a->current = c;
	if (a->next_size < CHUNK_MOST_BYTES)
		a->next_size *= 2;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t requested = size;
	unsigned char *p;

	if (size > SIZE_MAX - ALIGN_BYTES - GAP_BYTES)
		arena_out_of_memory();
	size = (size + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES + GAP_BYTES;
	if (!a->current || a->current->size - a->current->used < size) {
		if (size > a->next_size / 4)
			return alloc_large(a, size);
		add_chunk(a);
	}
	p = a->current->data + a->current->used;
	a->current->used += size;
	ASAN_POISON_MEMORY_REGION(p + requested, size - requested);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (len)
		memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_join(struct arena *a, const char *x, const char *y, const char *z)
{
	size_t n_x = strlen(x), n_y = strlen(y), n_z = strlen(z);
	char *s = arena_alloc(a, n_x + n_y + n_z + 1);

	memcpy(s, x, n_x);
	memcpy(s + n_x, y, n_y);
	memcpy(s + n_x + n_y, z, n_z);
	return s;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	size_t left = a->current ? a->current->size - a->current->used : 0;
	char *s = left ? (char *)a->current->data + a->current->used : NULL;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(s, left, fmt, ap); /* in place, if it fits */
	if (n < 0)
		n = 0;
	if ((size_t)n + ALIGN_BYTES + GAP_BYTES >= left) {
		if (left)
			memset(s, 0, (size_t)n < left ? (size_t)n : left);
		s = arena_alloc(a, (size_t)n + 1);
		vsnprintf(s, (size_t)n + 1, fmt, again);
	} else {
		s = arena_alloc(a, (size_t)n + 1);
	}
	va_end(again);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}

void *arena_grow(struct arena *a, void *items, uint32_t n, size_t size)
{
	size_t capacity;
	void *larger;

	if (n && (n < GROW_FIRST || (n & (n - 1)))) /* n is not a capacity: one more item fits */
		return items;
	capacity = n ? (size_t)n * 2 : GROW_FIRST;
	if (capacity > SIZE_MAX / size)
		arena_out_of_memory();
	larger = arena_alloc(a, capacity * size);
	if (n)
		memcpy(larger, items, n * size);
	return larger;
}
