/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot of a map (map_read.c) to rows of views in the order they are to be printed, whatever
 * the output format: integers, counts and sums ascending by value, rows of equal values and all
 * other maps by their keys, first part first. Keys compare as what they show: integers by their
 * type's sign, strings bytewise, stacks frame by frame. Rows that show the same stay two rows.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "map_read.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

static int compare_unsigned(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_signed(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_strings(const struct view *a, const struct view *b)
{
	int order = memcmp(a->string.text, b->string.text, MIN(a->string.len, b->string.len));

	return order ? order : compare_unsigned(a->string.len, b->string.len);
}

/* By name where there is one: addresses differ from run to run. Unknown frames come first. */
static int compare_frames(const struct view_frame *a, const struct view_frame *b)
{
	int order = (a->name != NULL) - (b->name != NULL);

	if (!order && a->name)
		order = strcmp(a->name, b->name);
	if (!order && a->name)
		order = compare_unsigned(a->offset, b->offset);
	return order ? order : compare_unsigned(a->ip, b->ip);
}

static int compare_stacks(const struct view_stack *a, const struct view_stack *b)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < MIN(a->n, b->n); i++)
		order = compare_frames(&a->frames[i], &b->frames[i]);
	if (!order)
		order = compare_unsigned(a->n, b->n);
	return order ? order : a->is_lost - b->is_lost;
}

/* Two views of one type. */
static int compare_views(const struct view *a, const struct view *b);

static int compare_parts(const struct view *a, const struct view *b)
{
	int order = 0;

	for (uint32_t i = 0; !order && i < a->type->n_members; i++) {
		struct view x, y;

		view_part(a, i, &x);
		view_part(b, i, &y);
		order = compare_views(&x, &y);
	}
	return order;
}

static int compare_views(const struct view *a, const struct view *b)
{
	switch (a->type->kind) {
	case TY_INT:
	case TY_AGG:
		if (a->type->is_signed)
			return compare_signed((int64_t)a->integer, (int64_t)b->integer);
		return compare_unsigned(a->integer, b->integer);
	case TY_TUPLE:
	case TY_RECORD: return compare_parts(a, b);
	case TY_POINTER:
	case TY_BOOL: return compare_unsigned(a->integer, b->integer);
	case TY_STRING: return compare_strings(a, b);
	case TY_KSTACK:
	case TY_USTACK: return compare_stacks(&a->stack, &b->stack);
	case TY_ERROR:
	case TY_VOID: break;
	}
	return 0;
}

static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct view_row *a = x, *b = y;
	const struct plan_map *m = arg;
	int order = 0;

	if (m->value->kind == TY_INT || m->value->kind == TY_AGG)
		order = compare_views(&a->value, &b->value);
	for (uint32_t i = 0; !order && i < m->n_keys; i++)
		order = compare_views(&a->keys[i], &b->keys[i]);
	return order;
}

/* Integers are 8 bytes in a map's value, whatever their type's width. */
static void make_value(struct view *v, const struct plan_map *m, const struct map_snapshot *s,
		       uint32_t row, struct stack_source *stacks)
{
	const uint8_t *bytes;

	if (s->values) {
		v->type = m->value;
		v->integer = s->values[row];
		return;
	}
	bytes = s->value_bytes + (size_t)row * m->value_size;
	if (m->value->kind == TY_INT && m->value_size >= sizeof(v->integer)) {
		v->type = m->value;
		memcpy(&v->integer, bytes, sizeof(v->integer));
		return;
	}
	view_make(v, m->value, bytes, stacks);
}

static void make_row(struct view_row *r, const struct plan_map *m, const struct map_snapshot *s,
		     uint32_t row, struct stack_source *stacks)
{
	for (uint32_t i = 0; i < m->n_keys; i++) {
		const uint8_t *key = s->keys + (size_t)row * m->key_size;
		view_make(&r->keys[i], m->keys[i].type, key + m->keys[i].offset, stacks);
	}
	make_value(&r->value, m, s, row, stacks);
}

int view_map_make(const struct plan_map *m, const struct map_snapshot *s,
		  struct stack_source *stacks, struct view_map *out)
{
	size_t key_bytes = m->n_keys * sizeof(struct view);
	struct view_row *rows;
	struct view *keys;

	*out = (struct view_map){.name = m->name, .n_keys = m->n_keys};
	if (s->n_rows == 0)
		return 0;
	rows = reallocarray(NULL, s->n_rows, sizeof(*rows) + key_bytes);
	if (!rows)
		return -ENOMEM;
	keys = (struct view *)(rows + s->n_rows); /* behind the rows, in the same block */
	for (uint32_t i = 0; i < s->n_rows; i++) {
		rows[i].keys = keys + (size_t)i * m->n_keys;
		make_row(&rows[i], m, s, i, stacks);
	}
	qsort_r(rows, s->n_rows, sizeof(*rows), compare_rows, (void *)m);
	out->rows = rows;
	out->n_rows = s->n_rows;
	return 0;
}

void view_map_free(struct view_map *v)
{
	if (!v)
		return;
	free(v->rows);
	*v = (struct view_map){.rows = NULL};
}
