// SPDX-License-Identifier: Apache-2.0
/*
 * The records of row(): a field and a piece for each column. The piece has the name, as data have
 * it, the unit of a time, and the width that text begins with.
 */
#include "parser/plan/plan_build.h"

/* The name says the unit of a time: latency_ns. */
static const char ns_ending[] = "_ns";

static bool names_ns(const char *name)
{
	size_t n = strlen(name), ending = sizeof(ns_ending) - 1;

	return n > ending && strcmp(name + n - ending, ns_ending) == 0;
}

/* Columns of text that most values of a type fit in. */
static int32_t width_of(const struct type *t)
{
	enum { NUMBER = 8, TEXT = 16, NAME = 24 };
	static const int32_t of_integers[] = {[1] = 4, [2] = 6, [4] = 7, [8] = NUMBER};

	switch (type_shape(t)) {
	case SHAPE_BOOL: return sizeof("false") - 1;
	case SHAPE_INT: return t->enumeration ? TEXT : of_integers[t->size];
	case SHAPE_ADDRESS: return sizeof("0xffff888100000000") - 1;
	case SHAPE_STRING: return t->size < TEXT ? (int32_t)t->size : TEXT;
	case SHAPE_DEFERRED: return t->kind == TY_TIMESTAMP ? sizeof("12:34:56") - 1 : TEXT;
	case SHAPE_STACK:
	case SHAPE_PARTS: return NAME;
	case SHAPE_NONE:
	case SHAPE_AGG:
	case SHAPE_FLOAT:
	case SHAPE_BUFFER: break;
	}
	return NUMBER;
}

void plan_add_column(struct planner *pl, struct plan_event *ev, const struct expr *call, uint32_t i)
{
	uint64_t unit = pl->program->config.time_unit;
	const struct expr *arg = call->call.args[i];
	const char *name = call->call.names[i];
	bool is_time = arg->type->kind == TY_INT &&
		       (names_ns(name) || (ast_is_time(arg) && !ast_is_clock(arg)));
	struct format_piece piece = {
		.text = !is_time || names_ns(name)
				? name
				: arena_printf(pl->arena, "%s%s", name, ns_ending),
		.conv = 's',
		.width = width_of(arg->type),
		.precision = -1,
		.field = ev->n_fields,
		.time_unit = !is_time		      ? 0
			     : unit == TIME_UNIT_AUTO ? TIME_UNIT_MS
						      : (uint32_t)unit,
	};

	piece.text_len = (uint32_t)strlen(piece.text);
	plan_add_field(pl, ev, arg->type);
	arena_push(pl->arena, ev->pieces, ev->n_pieces, piece);
}

void pln_row(struct planner *pl, struct expr *call)
{
	struct plan_event ev = {.kind = PE_ROW, .size = sizeof(struct sonde_event)};

	for (uint32_t i = 0; i < call->call.n_args; i++)
		plan_add_column(pl, &ev, call, i);
	ev.table = plan_row_table(pl->plan, &ev);
	plan_add_event(pl, call, ev);
}

/* Strings of all kinds may be in one column. */
static bool is_text(const struct type *t)
{
	return type_shape(t) == SHAPE_STRING || type_shape(t) == SHAPE_DEFERRED;
}

static bool is_same_column(const struct plan_event *a, const struct plan_event *b, uint32_t i)
{
	return strcmp(a->pieces[i].text, b->pieces[i].text) == 0 &&
	       a->pieces[i].time_unit == b->pieces[i].time_unit &&
	       (type_shape(a->fields[i].type) == type_shape(b->fields[i].type) ||
		(is_text(a->fields[i].type) && is_text(b->fields[i].type)));
}

static bool has_same_columns(const struct plan_event *a, const struct plan_event *b)
{
	bool is_same = a->kind == PE_ROW && a->n_pieces == b->n_pieces;

	for (uint32_t i = 0; is_same && i < a->n_pieces; i++)
		is_same = is_same_column(a, b, i);
	return is_same;
}

uint32_t plan_n_tables(const struct plan *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_events; i++)
		if (p->events[i].kind == PE_ROW && p->events[i].table >= n)
			n = p->events[i].table + 1;
	return n;
}

uint32_t plan_row_table(const struct plan *p, const struct plan_event *row)
{
	for (uint32_t i = 0; i < p->n_events; i++)
		if (has_same_columns(&p->events[i], row))
			return p->events[i].table;
	return plan_n_tables(p);
}

const char *plan_table_name(uint32_t table, char out[PLAN_TABLE_NAME])
{
	snprintf(out, PLAN_TABLE_NAME, table ? "rows_%u" : "rows", table + 1);
	return out;
}
