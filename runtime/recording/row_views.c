// SPDX-License-Identifier: Apache-2.0
/*
 * Views of rows: see row_views.h. A row is an event, whose arguments are an array of JSON; the view
 * takes them apart.
 */
#include "runtime/recording/row_views.h"
#include "parser/base/limits.h"
#include "runtime/base/text_buffer.h"

/* Strings that were cut are objects with the text; a stack is a number. */
static void put_column(struct text *t, const struct plan_event *e, uint32_t i)
{
	const char *forms[] = {", ", ""};

	switch (type_shape(e->fields[i].type)) {
	case SHAPE_STACK:
		forms[0] = ", (SELECT folded FROM stacks WHERE id = ";
		forms[1] = ")";
		break;
	case SHAPE_STRING:
	case SHAPE_DEFERRED:
	case SHAPE_BUFFER:
		text_printf(t, ", coalesce(json_extract(args, '$[%u].text')", i);
		forms[1] = ")";
		break;
	case SHAPE_NONE:
	case SHAPE_BOOL:
	case SHAPE_INT:
	case SHAPE_FLOAT:
	case SHAPE_ADDRESS:
	case SHAPE_AGG:
	case SHAPE_PARTS: break;
	}
	text_string(t, forms[0]);
	text_printf(t, "json_extract(args, '$[%u]')%s AS \"%s\"", i, forms[1], e->pieces[i].text);
}

static void put_view(struct text *t, const struct plan *plan, const struct plan_event *e,
		     const char *kind)
{
	char name[PLAN_TABLE_NAME];
	uint32_t call = 0;
	const char *comma = "";

	text_printf(t, "CREATE %s %s AS SELECT seq, time AS recorded_ns", kind,
		    plan_table_name(e->table, name));
	for (uint32_t i = 0; i < e->n_pieces; i++)
		put_column(t, e, i);
	text_string(t, " FROM events WHERE call IN (");
	for (uint32_t i = 0; i < plan->n_events; i++) {
		call += plan->events[i].kind == PE_ROW;
		if (plan->events[i].kind != PE_ROW || plan->events[i].table != e->table)
			continue;
		text_printf(t, "%s%u", comma, call);
		comma = ", ";
	}
	text_string(t, ")");
	text_char(t, '\0');
}

int row_views_make(const struct plan *plan, const char *kind, row_view_fn *make, void *ctx)
{
	struct text_grown sql;
	uint32_t n_made = 0;
	int err = 0;

	text_grown_init(&sql);
	for (uint32_t i = 0; i < plan->n_events && !err; i++) {
		if (plan->events[i].kind != PE_ROW || plan->events[i].table != n_made)
			continue;
		n_made++;
		sql.text.n = 0;
		put_view(&sql.text, plan, &plan->events[i], kind);
		err = sql.error ?: make(ctx, sql.text.bytes);
	}
	text_grown_free(&sql);
	return err;
}

bool row_views_fit(const struct plan_event *e)
{
	bool has = e->n_fields > 0 && e->n_pieces == e->n_fields;

	for (uint32_t i = 0; has && i < e->n_pieces; i++)
		has = e->pieces[i].text_len > (e->pieces[i].time_unit ? strlen("_ns") : 0) &&
		      e->pieces[i].text_len <= LIMIT_ROW_NAME &&
		      !strpbrk(e->pieces[i].text, "\"\\");
	return has;
}
