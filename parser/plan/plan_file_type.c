/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in the file of a plan: what is needed to read and print values. A type that is read has the
 * sizes that its kind allows, and its parts are inside of it.
 */
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/agg.h"
#include "parser/lang/c_type.h"
#include "parser/plan/plan_io.h"

_Static_assert(sizeof(struct type) == 128, "by_kind() knows every member");
_Static_assert(sizeof(struct type_member) == 24, "io_member() knows every member");

enum { DEPTH_MOST = 64 };

static void io_enumerator(struct plan_io *io, struct type_enumerator *e)
{
	io_text(io, &e->name);
	io_i64(io, &e->value);
}

static void io_enumeration(struct plan_io *io, struct type *t)
{
	bool has = !io->is_reading && t->enumeration;
	struct type_enum *e = has ? (struct type_enum *)t->enumeration : NULL;

	io_bool(io, &has);
	if (!has)
		return;
	if (io->is_reading)
		e = enum_new(io->arena, NULL, t->size, t->is_signed);
	IO_ARRAY(io, e->values, e->n_values, io_enumerator);
	t->enumeration = e;
}

static bool is_int_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void io_int(struct plan_io *io, struct type *t)
{
	uint8_t size = (uint8_t)t->size;

	io_u8(io, &size);
	io_check(io, is_int_size(size));
	t->size = t->align = io->is_bad ? 8 : size;
	io_bool(io, &t->is_signed);
	IO_ENUM(io, t->clock, NSECS_SW_TAI + 1);
	IO_ENUM(io, t->space, N_SPACES);
	io_enumeration(io, t);
}

static void io_size(struct plan_io *io, struct type *t, uint32_t least)
{
	io_u32(io, &t->size);
	io_u32(io, &t->align);
	io_check(io, t->size >= least && t->size <= LIMIT_C_BYTES && t->align &&
			     t->align <= LIMIT_C_ALIGN);
}

static bool is_scale(const struct type *t)
{
	const int64_t *s = t->scale;

	switch (agg_rows[t->agg].layout) {
	case AL_LOG_BUCKETS:
	case AL_SIGNED_BUCKETS: return s[0] >= 0 && s[0] <= 16;
	case AL_LINEAR_BUCKETS:
		return s[0] > -(1ll << 62) && s[1] < 1ll << 62 && s[0] < s[1] && s[2] > 0 &&
		       (s[1] - s[0]) / s[2] < 1 << 20;
	case AL_SERIES:
		return s[0] > 0 && s[1] > 0 && s[1] < 1 << 20 && s[2] >= 0 && s[2] <= SERIES_SUM;
	case AL_SUM:
	case AL_MIN:
	case AL_MAX:
	case AL_AVERAGE: break;
	}
	return s[0] == 0 && s[1] == 0 && s[2] == 0;
}

static void io_agg(struct plan_io *io, struct type *t)
{
	IO_ENUM(io, t->agg, sizeof(agg_rows) / sizeof(*agg_rows));
	io_check(io, t->agg);
	io_bool(io, &t->is_signed);
	for (int i = 0; i < 3; i++)
		io_i64(io, &t->scale[i]);
	io_check(io, is_scale(t));
	t->size = type_agg(t->agg, t->is_signed)->size;
	t->align = 8;
}

static void io_member(struct plan_io *io, struct type_member *m)
{
	io_string(io, &m->name);
	io_type(io, &m->type);
	io_u32(io, &m->offset);
	io_u8(io, &m->bit);
	io_u8(io, &m->bits);
}

/* Where the member ends, in bytes. */
static uint64_t end_of(const struct type_member *m)
{
	return (uint64_t)m->offset + (m->bits ? (m->bit + m->bits + 7u) / 8 : m->type->size);
}

static void io_members(struct plan_io *io, struct type *t)
{
	struct type_member *members = (struct type_member *)t->members;

	io_size(io, t, 0);
	IO_ARRAY(io, members, t->n_members, io_member);
	t->members = members;
	for (uint32_t i = 0; io->is_reading && i < t->n_members; i++) {
		const struct type_member *m = &members[i];

		io_check(io, end_of(m) <= t->size && m->bit < 8 && m->bit + m->bits <= 64);
		io_check(io, !m->bits || m->type->kind == TY_INT || m->type->kind == TY_BOOL);
		io_check(io, m->name || t->kind == TY_TUPLE);
	}
}

static void io_elements(struct plan_io *io, struct type *t)
{
	io_size(io, t, 0);
	io_type(io, &t->to);
}

static void by_kind(struct plan_io *io, struct type *t)
{
	switch (t->kind) {
	case TY_INT: io_int(io, t); break;
	case TY_AGG: io_agg(io, t); break;
	case TY_STRING: io_size(io, t, 1); break;
	case TY_BUFFER: io_size(io, t, BUFFER_HEAD); break;
	case TY_KSTACK:
	case TY_USTACK:
		IO_ENUM(io, t->form, STACK_FORM_COUNT);
		t->size = t->align = 8;
		break;
	case TY_CGROUP:
	case TY_TIMESTAMP:
		io_string(io, &t->format);
		IO_ENUM(io, t->clock, NSECS_SW_TAI + 1);
		io_check(io, t->kind == TY_CGROUP || t->format);
		t->size = t->align = 8;
		break;
	case TY_POINTER:
		IO_ENUM(io, t->space, N_SPACES);
		t->size = t->align = 8;
		t->to = &type_void;
		break;
	case TY_TUPLE:
	case TY_RECORD:
	case TY_STRUCT: io_members(io, t); break;
	case TY_ARRAY: io_elements(io, t); break;
	default: break; /* a kind without members */
	}
}

void io_type(struct plan_io *io, const struct type **t)
{
	struct type *own = arena_new_of(io->arena, struct type);

	io_check(io, io->depth < DEPTH_MOST);
	if (!io->is_reading)
		*own = **t;
	IO_ENUM(io, own->kind, TY_KINDS);
	if (io->is_bad)
		own->kind = TY_VOID;
	io->depth++;
	by_kind(io, own);
	io->depth--;
	if (io->is_reading)
		*t = type_kinds[own->kind].plain ? type_kinds[own->kind].plain : own;
}
