/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See out_tap.h. The tap takes the place of the writer's callbacks and calls them in turn.
 */
#include "runtime/output/out_tap.h"
#include "runtime/output/table_text.h"
#include "runtime/view/agg.h"
#include "runtime/view/format.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct out_tap {
	struct out next; /* the writer's callbacks */
	FILE *f;
	bool is_within_line; /* of what is printed */
	struct table_text table;
	struct text text;
	char buffer[4096];
};

/* Keys are on one line. */
static void write_key(struct text *t)
{
	struct out_tap *tap = (struct out_tap *)((char *)t - offsetof(struct out_tap, text));

	for (size_t i = 0; i < t->n; i++)
		if (t->bytes[i] == '\t' || t->bytes[i] == '\n')
			t->bytes[i] = ' ';
	fwrite(t->bytes, 1, t->n, tap->f);
	t->n = 0;
}

/* What is printed has a record for each line. */
static void write_lines(struct text *t)
{
	struct out_tap *tap = (struct out_tap *)((char *)t - offsetof(struct out_tap, text));

	for (size_t i = 0; i < t->n; i++) {
		char c = t->bytes[i];

		if (!tap->is_within_line)
			fputs("text\t", tap->f);
		tap->is_within_line = c != '\n';
		fputc(c == '\t' ? ' ' : c, tap->f);
	}
	t->n = 0;
}

static struct text *begin_text(struct out_tap *tap, void (*write)(struct text *t))
{
	tap->text = (struct text){.bytes = tap->buffer,
				  .capacity = sizeof(tap->buffer),
				  .make_room = write};
	return &tap->text;
}

static void put_buckets(FILE *f, const struct view *v)
{
	for (uint32_t i = 0; i < v->histogram.n; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];

		fprintf(f, "bucket\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\n",
			agg_bucket_begin(v->type, (uint32_t)b->index),
			agg_bucket_begin(v->type, (uint32_t)b->index + 1), b->count);
	}
}

static void put_value(FILE *f, const struct view *v)
{
	bool is_number =
		v->type->kind == TY_INT || v->type->kind == TY_BOOL || v->type->kind == TY_AGG;

	if (agg_has_buckets(v->type)) {
		fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\n", v->histogram.total, v->histogram.total);
		if (!agg_is_series(v->type))
			put_buckets(f, v);
	} else if (v->type->kind == TY_AGG && !agg_rows[v->type->agg].is_readable) { /* stats() */
		fprintf(f, "\t%" PRIu64 "\t%" PRIu64 "\n", v->stats.average, v->stats.count);
	} else {
		fprintf(f, "\t%" PRId64 "\t1\n", is_number ? (int64_t)v->integer : 0);
	}
}

static int tap_map(struct out *o, const struct view_map *m)
{
	struct out_tap *tap = o->tap;
	struct text *t = begin_text(tap, write_key);

	fprintf(tap->f, "map\t%s\n", m->name);
	for (uint32_t i = 0; i < m->n_rows; i++) {
		fputs("row\t", tap->f);
		format_keys(t, &m->rows[i], m->n_keys);
		write_key(t);
		put_value(tap->f, &m->rows[i].value);
	}
	return tap->next.map(o, m);
}

static int tap_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct text *t = begin_text(o->tap, write_lines);

	format_printf(t, e, fields);
	write_lines(t);
	return o->tap->next.printf_event(o, e, fields);
}

static int tap_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct text *t = begin_text(o->tap, write_lines);
	int err = table_text_row(&o->tap->table, t, e, fields);

	write_lines(t);
	return err ?: o->tap->next.row(o, e, fields);
}

static int tap_value(struct out *o, const struct view *v)
{
	struct text *t = begin_text(o->tap, write_lines);

	format_view(t, v);
	text_char(t, '\n');
	write_lines(t);
	return o->tap->next.value(o, v);
}

static void tap_close(struct out *o)
{
	struct out_tap *tap = o->tap;
	void (*close)(struct out *o) = tap->next.close;

	if (tap->is_within_line)
		fputc('\n', tap->f);
	fflush(tap->f);
	text_grown_free(&tap->table.cells);
	free(tap);
	close(o);
}

int out_tap(struct out *o, FILE *f)
{
	struct out_tap *tap = calloc(1, sizeof(*tap));

	if (!tap)
		return -ENOMEM;
	tap->next = *o;
	tap->f = f;
	o->tap = tap;
	o->map = tap_map;
	o->printf_event = tap_printf_event;
	o->row = tap_row;
	table_text_init(&tap->table, -1, false);
	o->value = tap_value;
	o->close = tap_close;
	return 0;
}
