/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers, strings and arrays of a plan as bytes: see plan_io.h.
 */
#include "parser/plan/plan_io.h"
#include "parser/base/arena.h"
#include <stdlib.h>
#include <string.h>

static void put(struct plan_io *io, const void *bytes, size_t n)
{
	if (n > io->room - io->len) {
		io->room = 2 * (io->len + n) + 4096;
		io->out = realloc(io->out, io->room);
		if (!io->out)
			arena_out_of_memory();
	}
	memcpy(io->out + io->len, bytes, n);
	io->len += n;
}

void io_check(struct plan_io *io, bool is_good)
{
	if (io->is_reading && !is_good)
		io->is_bad = true;
}

void io_bytes(struct plan_io *io, void *bytes, size_t n)
{
	if (!io->is_reading) {
		put(io, bytes, n);
		return;
	}
	io_check(io, n <= io->len - io->at);
	if (io->is_bad) {
		memset(bytes, 0, n);
		return;
	}
	memcpy(bytes, io->bytes + io->at, n);
	io->at += n;
}

void io_u8(struct plan_io *io, uint8_t *v)
{
	io_bytes(io, v, 1);
}

/* Both architectures are little-endian. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are");

void io_u32(struct plan_io *io, uint32_t *v)
{
	io_bytes(io, v, sizeof(*v));
}

void io_i32(struct plan_io *io, int32_t *v)
{
	io_bytes(io, v, sizeof(*v));
}

void io_u64(struct plan_io *io, uint64_t *v)
{
	io_bytes(io, v, sizeof(*v));
}

void io_i64(struct plan_io *io, int64_t *v)
{
	io_bytes(io, v, sizeof(*v));
}

void io_bool(struct plan_io *io, bool *v)
{
	uint8_t byte = *v;

	io_u8(io, &byte);
	io_check(io, byte <= 1);
	*v = byte == 1;
}

uint32_t io_below(struct plan_io *io, uint32_t v, uint32_t count)
{
	io_u32(io, &v);
	io_check(io, v < count);
	return io->is_bad ? 0 : v;
}

void io_string(struct plan_io *io, const char **s)
{
	uint32_t n = !io->is_reading && *s ? (uint32_t)strlen(*s) + 1 : 0;

	io_u32(io, &n);
	if (!io->is_reading) {
		if (n)
			put(io, *s, n - 1);
		return;
	}
	io_check(io, n == 0 || n - 1 <= io->len - io->at);
	if (io->is_bad || n == 0) {
		*s = NULL;
		return;
	}
	io_check(io, !memchr(io->bytes + io->at, 0, n - 1));
	*s = arena_strndup(io->arena, (const char *)io->bytes + io->at, n - 1);
	io->at += n - 1;
}

void io_text(struct plan_io *io, const char **s)
{
	io_string(io, s);
	io_check(io, *s != NULL);
	if (!*s)
		*s = "";
}

/* Each item is at least a byte, so a length that the bytes cannot hold is wrong. */
void *io_array(struct plan_io *io, void *items, uint32_t *n, size_t size)
{
	io_u32(io, n);
	if (!io->is_reading)
		return items;
	io_check(io, *n <= io->len - io->at);
	if (io->is_bad)
		*n = 0;
	return arena_alloc(io->arena, (*n + 1) * size);
}
