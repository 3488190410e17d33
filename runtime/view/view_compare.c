/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares views by the text that they show.
 */
#include "runtime/view/view_compare.h"
#include "runtime/base/hash.h"
#include "runtime/view/agg.h"
#include <math.h>
#include <sys/param.h>

static int compare_unsigned(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_signed(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* What is not a number is last. */
static int compare_reals(long double a, long double b)
{
	return isnan(a) || isnan(b) ? !!isnan(a) - !!isnan(b) : (a > b) - (a < b);
}

static int compare_strings(const struct view *a, const struct view *b)
{
	int order = memcmp(a->string.text, b->string.text, MIN(a->string.len, b->string.len));

	return order ? order : compare_unsigned(a->string.len, b->string.len);
}

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* By name where there is one, because addresses differ between processes. Unknown frames come
 * first. */
static int compare_named(const struct view_frame *a, const struct view_frame *b, uint32_t shows)
{
	int order = compare_texts(a->name, b->name);

	if (order || !a->name)
		return order ? order : compare_unsigned(a->ip, b->ip);
	if (shows & SHOWS_LINE || view_frame_is_run(a))
		order = compare_texts(a->file, b->file);
	if (order || !(shows & SHOWS_OFFSET))
		return order;
	if ((shows & SHOWS_LINE || view_frame_is_run(a)) && a->file)
		return compare_unsigned(a->line, b->line);
	return compare_unsigned(a->offset, b->offset);
}

static int compare_frames(const struct view_frame *a, const struct view_frame *b, uint32_t shows)
{
	int order = shows & SHOWS_NAME ? compare_named(a, b, shows) : 0;

	if (!order && shows & SHOWS_ADDRESS)
		order = compare_unsigned(a->ip, b->ip);
	if (!order && shows & SHOWS_ADDRESS && shows & SHOWS_NAME)
		order = compare_texts(a->module, b->module);
	return order ? order : a->is_inlined - b->is_inlined;
}

static int compare_stacks(const struct view_stack *a, const struct view_stack *b,
			  enum stack_form form)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < MIN(a->n, b->n); i++)
		order = compare_frames(&a->frames[i], &b->frames[i], stack_words[form].shows);
	if (!order)
		order = compare_unsigned(a->n, b->n);
	if (!order && !a->n) /* nothing else tells why there are none */
		order = compare_texts(a->cut, b->cut);
	return order ? order : a->is_lost - b->is_lost;
}

static int compare_parts(const struct view *a, const struct view *b)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < type_parts(a->type); i++) {
		struct view x, y;

		view_part(a, i, &x);
		view_part(b, i, &y);
		order = view_compare(&x, &y);
	}
	return order;
}

int view_compare(const struct view *a, const struct view *b)
{
	switch (type_shape(a->type)) {
	case SHAPE_AGG: return agg_compare(a, b);
	case SHAPE_INT:
		if (a->type->is_signed)
			return compare_signed((int64_t)a->integer, (int64_t)b->integer);
		return compare_unsigned(a->integer, b->integer);
	case SHAPE_FLOAT: return compare_reals(view_real(a), view_real(b));
	case SHAPE_PARTS: return compare_parts(a, b);
	case SHAPE_ADDRESS:
	case SHAPE_BOOL: return compare_unsigned(a->integer, b->integer);
	case SHAPE_DEFERRED:
	case SHAPE_BUFFER:
	case SHAPE_STRING: return compare_strings(a, b);
	case SHAPE_STACK: return compare_stacks(&a->stack, &b->stack, a->type->form);
	case SHAPE_NONE: break;
	}
	return 0;
}

/* ---- hashes: of what is compared above ------------------------------------------------------ */

static uint64_t hash_frame(uint64_t h, const struct view_frame *f, uint32_t shows)
{
	h = hash_mix(h, f->is_inlined);
	if (shows & SHOWS_ADDRESS)
		h = hash_mix(h, f->ip);
	if (!(shows & SHOWS_NAME))
		return h;
	if (!f->name)
		return hash_mix(h, f->ip);
	h = hash_mix_string(h, f->name);
	if (!(shows & SHOWS_OFFSET))
		return h;
	if ((shows & SHOWS_LINE || view_frame_is_run(f)) && f->file)
		return hash_mix(hash_mix_string(h, f->file), f->line);
	return hash_mix(h, f->offset);
}

static uint64_t hash_stack(uint64_t h, const struct view_stack *s, enum stack_form form)
{
	for (uint32_t i = 0; i < s->n; i++)
		h = hash_frame(h, &s->frames[i], stack_words[form].shows);
	return hash_mix(h, s->n * 2ull + s->is_lost);
}

uint64_t view_hash(uint64_t h, const struct view *v)
{
	struct view part;

	switch (type_shape(v->type)) {
	case SHAPE_INT:
	case SHAPE_ADDRESS:
	case SHAPE_BOOL: return hash_mix(h, v->integer);
	case SHAPE_DEFERRED:
	case SHAPE_BUFFER:
	case SHAPE_STRING: return hash_mix(h, hash_bytes(v->string.text, v->string.len));
	case SHAPE_STACK: return hash_stack(h, &v->stack, v->type->form);
	case SHAPE_PARTS:
		for (uint32_t i = 0; i < type_parts(v->type); i++) {
			view_part(v, i, &part);
			h = view_hash(h, &part);
		}
		return h;
	case SHAPE_FLOAT: /* 0.0 and -0.0 are equal */
	case SHAPE_AGG:
	case SHAPE_NONE: break;
	}
	return h;
}
