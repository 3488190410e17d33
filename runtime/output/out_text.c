/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text writer: printf output unchanged, one line per value, maps as `@name[key, key]: value`.
 * Reads views; out_file.c has the buffer and the descriptor, format.c formats values. Everything
 * that is not a result goes to standard error.
 */
#include "runtime/base/log.h"
#include "runtime/output/out.h"
#include "runtime/output/format_spans.h"
#include "runtime/output/out_file.h"
#include "runtime/output/table_text.h"
#include <time.h>

struct out_text {
	struct out_file file; /* first */
	struct span_text shown;
	struct table_text table;
};

/* For lines that are no row of a table. */
static struct out_file *out_text(struct out *o)
{
	table_text_end(&((struct out_text *)o)->table);
	return (struct out_file *)o;
}

static const char *const endings[] = {
#define EVENT(id, name, json, ending, ...) [PE_##id] = ending,
#include "parser/lang/event_kinds.def"
};

_Static_assert(sizeof(endings) / sizeof(*endings) == PE_KIND_COUNT, "one for each kind");

void out_text_event(struct text *t, const struct plan_event *e, const struct view *fields)
{
	format_printf(t, e, fields);
	text_string(t, endings[e->kind]);
}

static int text_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_file *w = out_text(o);

	out_text_event(&w->text, e, fields);
	return out_file_done(w);
}

static int text_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_text *w = (struct out_text *)o;

	out_file_note(&w->file, table_text_row(&w->table, &w->file.text, e, fields));
	return out_file_done(&w->file);
}

/* On standard error, behind what was printed before. */
static int text_message(struct out *o, const struct view_message *m)
{
	int err = out_file_flush(o);

	log_place(m->file, m->line, m->first, m->end, m->kind == PE_WARNF ? "WARNING" : "ERROR",
		  m->text, m->len);
	if (m->helper) {
		fputs("Additional Info - helper: ", stderr);
		escape_write(ESCAPE_NAME, m->helper, stderr);
		fprintf(stderr, ", retcode: %lld\n", (long long)m->result);
	}
	if (m->excerpt)
		escape_write(ESCAPE_LINES, m->excerpt, stderr);
	return err;
}

static int text_value(struct out *o, const struct view *v)
{
	struct out_file *w = out_text(o);

	format_view(&w->text, v);
	text_char(&w->text, '\n');
	return out_file_done(w);
}

static void put_row(struct text *t, const struct view_map *m, const struct view_row *r,
		    uint64_t time_unit)
{
	text_name(t, m->name);
	for (uint32_t i = 0; i < m->n_keys; i++) {
		if (i == 0)
			text_char(t, '[');
		else
			format_comma(t, r->keys[i - 1].type, r->keys[i].type);
		if (m->n_keys == 1 && r->keys[i].type->kind == TY_TUPLE)
			format_parts(t, &r->keys[i]); /* looks like several keys */
		else
			format_view(t, &r->keys[i]);
	}
	text_string(t, m->n_keys > 0 ? "]:" : ":");
	text_char(t, format_is_block(r->value.type) ? '\n' : ' ');
	t->time_unit = time_unit;
	format_view(t, &r->value);
	t->time_unit = SHOW_NUMBER;
	if (m->whole)
		format_share(t, &r->value, m->whole);
	text_char(t, '\n');
}

int out_text_map(struct out *o, const struct view_map *m)
{
	struct out_file *w = out_text(o);
	uint64_t time_unit = format_map_unit(m);

	for (uint32_t i = 0; i < m->n_rows && w->error == 0; i++)
		put_row(&w->text, m, &m->rows[i], time_unit);
	return out_file_done(w);
}

/* 14:05:09, or 14:05:09.250 for intervals below a second. */
static int text_interval(struct out *o, const struct timespec *now, bool is_short)
{
	struct out_file *w = out_text(o);
	char text[32];
	struct tm local;

	if (!localtime_r(&now->tv_sec, &local) || !strftime(text, sizeof(text), "%H:%M:%S", &local))
		return 0;
	text_string(&w->text, text);
	if (is_short)
		text_printf(&w->text, ".%03ld", now->tv_nsec / 1000000);
	text_char(&w->text, '\n');
	return out_file_done(w);
}

static int show_spans(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_text *w = out_of_spans(trees);
	int err = format_span_tree(&out_text(&w->file.out)->text, &w->shown, trees, thread);

	return err ?: out_file_done(&w->file);
}

/* Shows spans that are left. Ends the line in which a terminal shows ^C, and sets the maps off by
 * an empty one. */
static int text_end(struct out *o)
{
	struct out_file *w = out_text(o);
	int err = span_trees_finish(&w->spans);

	text_string(&w->text, "\n\n");
	return err ?: out_file_done(w);
}

static int text_attached(struct out *o, uint32_t n_probes)
{
	log_info("Attached %u probe%s", n_probes, n_probes == 1 ? "" : "s");
	return 0;
}

static int text_lost(struct out *o, const struct view_loss *l)
{
	log_warning("%s%s%s: %s: %llu%s%s%s", l->host ? l->host : "", l->host ? ": " : "", l->probe,
		    l->what, (unsigned long long)l->n, l->help ? " (" : "", l->help ? l->help : "",
		    l->help ? ")" : "");
	return 0;
}

static void text_release(struct out *o)
{
	text_grown_free(&((struct out_text *)o)->table.cells);
}

struct out *out_text_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.release = text_release,
		.printf_event = text_printf_event,
		.row = text_row,
		.message = text_message,
		.value = text_value,
		.map = out_text_map,
		.attached = text_attached,
		.lost = text_lost,
		.test = out_text_test,
		.end = text_end,
		.interval = text_interval,
	};
	struct out_file *w = out_file_new(sizeof(struct out_text), f, NULL, &hooks);

	if (!w)
		return NULL;
	w->spans.show = show_spans;
	table_text_init(&((struct out_text *)w)->table, w->fd, w->text.is_terminal);
	w->spans.shows_values = true;
	return &w->out;
}
