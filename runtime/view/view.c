/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a struct view of one value from its type and its bytes in a key, a map value or a record.
 * Integers are extended by their type's width and sign, strings end at the first NUL, and the stack
 * source turns a stack's hash into frames. This file knows no output format (format.c, out_*.c).
 * view_map.c makes the views of whole maps.
 */
#include "runtime/view/view.h"
#include "bpf_helpers/shared.h"
#include "parser/base/text.h"
#include "runtime/base/hash.h"
#include "runtime/view/agg.h"

/* The bytes may be unaligned, as in records of tests. */
static uint64_t load_integer(const void *bytes, uint32_t size, bool is_signed)
{
	uint64_t x = 0;

	switch (size) {
	case 1: {
		uint8_t b;
		memcpy(&b, bytes, sizeof(b));
		x = is_signed ? (uint64_t)(int8_t)b : b;
		break;
	}
	case 2: {
		uint16_t h;
		memcpy(&h, bytes, sizeof(h));
		x = is_signed ? (uint64_t)(int16_t)h : h;
		break;
	}
	case 4: {
		uint32_t w;
		memcpy(&w, bytes, sizeof(w));
		x = is_signed ? (uint64_t)(int32_t)w : w;
		break;
	}
	case 8: memcpy(&x, bytes, sizeof(x)); break;
	}
	return x;
}

long double view_real(const struct view *v)
{
	long double x;

	memcpy(&x, v->real, sizeof(x));
	return x;
}

void view_set_real(struct view *v, long double x)
{
	memcpy(v->real, &x, sizeof(x));
}

static long double load_real(const void *bytes, uint32_t size)
{
	long double x;
	double d;
	float f;

	switch (size) {
	case sizeof(f): memcpy(&f, bytes, sizeof(f)); return f;
	case sizeof(d): memcpy(&d, bytes, sizeof(d)); return d;
	default: memcpy(&x, bytes, sizeof(x)); return x;
	}
}

static void make_stack(struct view *v, const void *bytes, const struct type *type,
		       struct stack_source *stacks)
{
	struct view_stack none = {.is_user = type->kind == TY_USTACK};
	uint64_t hash = load_integer(bytes, sizeof(hash), false);

	v->stack = none;
	if (hash == 0)
		return;
	if (stacks && stacks->find(stacks, hash, type, &v->stack))
		return;
	v->stack = none;
	v->stack.is_lost = true;
}

/* In a record: one word, or two for stats. */
static void make_agg(struct view *v, const struct type *type, const void *bytes)
{
	uint64_t words[2] = {0};

	if (type->size == 8) {
		v->stats.average = load_integer(bytes, sizeof(uint64_t), false);
		v->stats.count = v->stats.total = 0; /* not known */
		return;
	}
	memcpy(words, bytes, sizeof(words));
	agg_view(v, type, words);
}

static void make_buffer(struct view *v, const struct type *type, const void *bytes)
{
	uint32_t most = type->size - BUFFER_HEAD,
		 len = (uint32_t)load_integer(bytes, BUFFER_HEAD, false);

	v->string.text = (const char *)bytes + BUFFER_HEAD;
	v->string.len = len < most ? len : most;
}

void view_make(struct view *v, const struct type *type, const void *bytes,
	       struct stack_source *stacks)
{
	v->type = type;
	switch (type_shape(type)) {
	case SHAPE_NONE: v->integer = 0; break;
	case SHAPE_BOOL: v->integer = load_integer(bytes, 1, false) != 0; break;
	case SHAPE_INT: v->integer = load_integer(bytes, type->size, type->is_signed); break;
	case SHAPE_FLOAT: view_set_real(v, load_real(bytes, type->size)); break;
	case SHAPE_ADDRESS: v->integer = load_integer(bytes, sizeof(uint64_t), false); break;
	case SHAPE_AGG: make_agg(v, type, bytes); break;
	case SHAPE_STRING:
		v->string.text = bytes;
		v->string.len = (uint32_t)strnlen(bytes, type->size);
		v->string.trailer = v->string.len < type->size || type->is_chars ? NULL
				    : stacks && stacks->trailer			 ? stacks->trailer
										 : "..";
		break;
	case SHAPE_BUFFER: make_buffer(v, type, bytes); break;
	case SHAPE_DEFERRED:
		v->string.text = stacks && stacks->text ? stacks->text(stacks, type, bytes) : "";
		v->string.len = (uint32_t)strlen(v->string.text);
		v->string.trailer = NULL;
		break;
	case SHAPE_STACK: make_stack(v, bytes, type, stacks); break;
	case SHAPE_PARTS:
		v->compound.bytes = bytes;
		v->compound.stacks = stacks;
		v->compound.parts = NULL;
		break;
	}
}

static uint64_t bit_field(const struct type_member *m, const uint8_t *bytes)
{
	uint32_t end = m->bit + m->bits, above = 64 - m->bits;
	uint64_t word = 0;

	memcpy(&word, bytes + m->offset, (end + 7) / 8);
	word = word >> m->bit << above;
	return m->type->is_signed ? (uint64_t)((int64_t)word >> above) : word >> above;
}

void view_part(const struct view *v, uint32_t i, struct view *out)
{
	const struct type *elem = v->type->to; /* of an array, which has no members */
	const struct type_member *m = elem ? NULL : v->type->members + i;

	if (v->compound.parts) {
		*out = v->compound.parts[i];
		return;
	}
	if (v->type->kind == TY_ARRAY)
		view_make(out, elem, v->compound.bytes + i * elem->size, v->compound.stacks);
	else if (m->bits)
		*out = (struct view){.type = m->type, .integer = bit_field(m, v->compound.bytes)};
	else
		view_make(out, m->type, v->compound.bytes + m->offset, v->compound.stacks);
}

bool view_frame_is_gap(const struct view_frame *f)
{
	return f->ip == SONDE_STACK_GAP && f->name;
}

static const char *const run_modules[] = {
	NULL,
#define RUNTIME(id, name, ...) "[" name "]",
#include "bpf_helpers/runtimes.def"
};

enum { N_RUN_MODULES = sizeof(run_modules) / sizeof(*run_modules) };

const char *view_run_module(uint32_t runtime)
{
	return runtime < N_RUN_MODULES ? run_modules[runtime] : NULL;
}

bool view_frame_is_run(const struct view_frame *f)
{
	if (!f->module || *f->module != '[')
		return false;
	for (uint32_t i = 1; i < N_RUN_MODULES; i++)
		if (!strcmp(f->module, run_modules[i]))
			return true;
	return false;
}

const char *view_frame_file(const struct view_frame *f)
{
	size_t n = strcspn(f->file, ":/");

	if (view_frame_is_run(f) && f->file[n] == ':' && f->file[n + 1] != '/')
		return f->file;
	return text_base_name(f->file);
}

uint64_t view_frame_hash(uint64_t h, const struct view_frame *f)
{
	h = hash_mix(hash_mix(h, f->ip), f->offset);
	h = hash_mix(h, f->line * 4ull + f->is_inlined * 2ull + f->is_caller);
	h = hash_mix_string(hash_mix_string(h, f->name), f->module);
	h = hash_mix_string(hash_mix(h, f->linked), f->file);
	return hash_mix_string(h, f->build_id);
}

uint64_t view_stack_hash(const struct view_stack *s)
{
	uint64_t h = hash_mix_string(s->is_user + 2u * s->is_lost, s->cut);

	for (uint32_t i = 0; i < s->n; i++)
		h = view_frame_hash(h, &s->frames[i]);
	return h;
}
