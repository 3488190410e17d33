/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a plan as bytes, in both directions: the same function of plan_file*.c writes a struct
 * and reads it. Private to these files. Numbers are little-endian; a string is its length, plus 1,
 * and its bytes; an array is its length and its items. Reading trusts nothing: `is_bad` is set, and
 * what follows reads as zeros.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct type;

struct plan_io {
	struct arena *arena;
	bool is_reading, is_bad;
	const uint8_t *bytes; /* reading */
	size_t at, len;	      /* reading; writing: `len` bytes are written */
	uint8_t *out;	      /* writing: from malloc */
	size_t room;
	uint32_t depth; /* of the type that is being read */
};

void io_bytes(struct plan_io *io, void *bytes, size_t n);
void io_u8(struct plan_io *io, uint8_t *v);
void io_u32(struct plan_io *io, uint32_t *v);
void io_i32(struct plan_io *io, int32_t *v);
void io_u64(struct plan_io *io, uint64_t *v);
void io_i64(struct plan_io *io, int64_t *v);
void io_bool(struct plan_io *io, bool *v);
/* A number below `count`. */
uint32_t io_below(struct plan_io *io, uint32_t v, uint32_t count);
/* A string in the arena, or NULL. */
void io_string(struct plan_io *io, const char **s);
/* The same, not NULL. */
void io_text(struct plan_io *io, const char **s);
/* The length of an array; when reading, its zeroed items. */
void *io_array(struct plan_io *io, void *items, uint32_t *n, size_t size);
/* Reading: what was read is bad unless `is_good`. */
void io_check(struct plan_io *io, bool is_good);

/* The member `lvalue` of an enum type with `count` values. */
#define IO_ENUM(io, lvalue, count) ((lvalue) = io_below((io), (uint32_t)(lvalue), (count)))
/* Each item of an array by `hook`. */
#define IO_ARRAY(io, items, n, hook)                                               \
	do {                                                                       \
		(items) = io_array((io), (void *)(items), &(n), sizeof(*(items))); \
		for (uint32_t io_i = 0; io_i < (n); io_i++)                        \
			hook((io), &(items)[io_i]);                                \
	} while (0)

/* plan_file_type.c: what the runtime needs of a type; what a pointer points to is left out. */
void io_type(struct plan_io *io, const struct type **t);
