/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live view: maps are shown on the terminal and refreshed in place, printed lines in a pane
 * below (live_screen.c draws). The interface of the writers delivers both: a round is what
 * --interval prints. A map that the script prints itself is shown as it was printed last. With -o
 * everything but maps also goes to the file. When tracing has ended, results are written by the
 * text writer.
 *
 * Meanwhile standard error is a file in memory, since messages would be written across the screen:
 * its new lines are shown in the pane, and all of it is written when the view ends.
 */
#include "runtime/base/clock.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/output/live_screen.h"
#include "runtime/output/out_file.h"
#include "runtime/output/table_text.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct out_live {
	/* First. Its text is that of one printed record; the other writer is text to the file of
	 * -o, or at the end to standard output. */
	struct out_file file;
	bool has_file;		/* -o */
	bool is_over;		/* tracing has ended, and so has the view */
	bool is_round;		/* maps that come now are those of a round */
	uint64_t round_ns;	/* CLOCK_MONOTONIC of the last one */
	int messages, error_fd; /* the file in memory; standard error until then; -1: none */
	off_t seen;
	struct table_text table; /* of printed rows */
	struct live_screen screen;
};

static struct out_live *out_live(struct out *o)
{
	return (struct out_live *)o;
}

static void to_pane(struct text *t)
{
	struct out_live *w = (struct out_live *)((char *)t - offsetof(struct out_live, file.text));

	live_lines_add(&w->screen.printed, t->bytes, t->n);
	t->n = 0;
}

/* ---- messages ------------------------------------------------------------------------------ */

static int hide_messages(struct out_live *w)
{
	w->messages = memfd_create("messages", MFD_CLOEXEC);
	w->error_fd = w->messages < 0 ? -1 : dup(STDERR_FILENO);
	return w->error_fd < 0 || dup2(w->messages, STDERR_FILENO) < 0 ? -errno : 0;
}

static void show_messages(struct out_live *w)
{
	char bytes[4096];
	ssize_t n;

	fflush(stderr);
	while (w->messages >= 0 && (n = pread(w->messages, bytes, sizeof(bytes), w->seen)) > 0) {
		live_lines_add(&w->screen.printed, bytes, (size_t)n);
		w->seen += n;
	}
}

static void release_messages(struct out_live *w)
{
	char bytes[4096];
	ssize_t n;
	off_t at = 0;

	if (w->error_fd < 0)
		return;
	fflush(stderr);
	dup2(w->error_fd, STDERR_FILENO);
	while ((n = pread(w->messages, bytes, sizeof(bytes), at)) > 0) {
		at += n;
		if (write(STDERR_FILENO, bytes, (size_t)n) != n)
			break;
	}
	close(w->error_fd);
	close(w->messages);
	w->error_fd = w->messages = -1;
}

/* ---- what the script prints ---------------------------------------------------------------- */

static int live_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_live *w = out_live(o);

	if (!w->is_over) {
		out_text_event(&w->file.text, e, fields);
		to_pane(&w->file.text);
	}
	return w->is_over || w->has_file ? w->file.other->printf_event(w->file.other, e, fields)
					 : 0;
}

static int live_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct out_live *w = out_live(o);

	if (!w->is_over) {
		out_file_note(&w->file, table_text_row(&w->table, &w->file.text, e, fields));
		to_pane(&w->file.text);
	}
	return w->is_over || w->has_file ? w->file.other->row(w->file.other, e, fields) : 0;
}

static int live_value(struct out *o, const struct view *v)
{
	struct out_live *w = out_live(o);

	if (!w->is_over) {
		format_view(&w->file.text, v);
		text_char(&w->file.text, '\n');
		to_pane(&w->file.text);
	}
	return w->is_over || w->has_file ? w->file.other->value(w->file.other, v) : 0;
}

static int live_span(struct out *o, const struct view_span *s)
{
	struct out_live *w = out_live(o);

	if (w->is_over || w->has_file)
		return w->file.other->span(w->file.other, s);
	w->screen.n_spans++;
	return 0;
}

/* ---- maps ---------------------------------------------------------------------------------- */

static struct live_table *table_of(struct live_screen *s, const char *name)
{
	return TEXT_ITEM(s->tables, s->n_tables, name, name);
}

static int live_map(struct out *o, const struct view_map *m)
{
	struct out_live *w = out_live(o);
	struct live_table *t = table_of(&w->screen, m->name);

	if (w->is_over)
		return w->file.other->map(w->file.other, m);
	if (!t || w->screen.is_frozen || (w->is_round && t->is_printed))
		return 0;
	t->is_printed |= !w->is_round;
	t->is_fresh = true;
	return live_table_read(t, m) ?: live_table_arrange(t, w->screen.filter);
}

static int begin_round(struct out_live *w)
{
	int err = 0;

	if (!w->screen.terminal) {
		w->screen.begin_ns = monotonic_ns();
		err = live_screen_open(&w->screen) ?: hide_messages(w);
	}
	for (uint32_t i = 0; i < w->screen.n_tables; i++)
		w->screen.tables[i].is_fresh = false;
	w->is_round = true;
	return err;
}

static int live_round(struct out *o, bool begins)
{
	struct out_live *w = out_live(o);
	uint64_t now = monotonic_ns();

	if (w->is_over)
		return 0;
	if (begins)
		return begin_round(w);
	w->is_round = false;
	for (uint32_t i = 0; i < w->screen.n_tables && !w->screen.is_frozen; i++)
		if (!w->screen.tables[i].is_fresh && !w->screen.tables[i].is_printed)
			live_table_empty(&w->screen.tables[i]);
	w->screen.every_ns = w->round_ns ? now - w->round_ns : 0;
	w->round_ns = now;
	show_messages(w);
	live_screen_draw(&w->screen);
	return 0;
}

/* ---- the end ------------------------------------------------------------------------------- */

static void live_stop(struct out *o)
{
	struct out_live *w = out_live(o);

	if (w->is_over)
		return;
	w->is_over = true;
	live_screen_close(&w->screen);
	release_messages(w);
}

static int live_input(struct out *o)
{
	if (!live_screen_keys(&out_live(o)->screen))
		return 0;
	live_stop(o);
	return OUT_END_RUN;
}

static int live_end(struct out *o)
{
	struct out *text = out_live(o)->file.other;

	return text->end(text);
}

static int live_flush(struct out *o)
{
	struct out *text = out_live(o)->file.other;

	return text->flush(text);
}

static int live_finish(struct out *o)
{
	return out_finish(out_live(o)->file.other);
}

static void live_release(struct out *o)
{
	struct out_live *w = out_live(o);

	live_stop(o);
	text_grown_free(&w->table.cells);
	for (uint32_t i = 0; i < w->screen.n_tables; i++)
		live_table_free(&w->screen.tables[i]);
	free(w->screen.tables);
}

static int by_name(const void *x, const void *y)
{
	const struct live_table *a = x, *b = y;

	return strcmp(a->name, b->name);
}

static int make_tables(struct live_screen *s, const struct plan *plan)
{
	s->tables = calloc(plan->n_maps + 1, sizeof(*s->tables));
	if (!s->tables)
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->n_maps; i++)
		s->tables[s->n_tables++].name = plan->maps[i].name;
	qsort(s->tables, s->n_tables, sizeof(*s->tables), by_name);
	return 0;
}

struct out *out_live_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.printf_event = live_printf_event,
		.row = live_row,
		.value = live_value,
		.map = live_map,
		.span = live_span,
		.end = live_end,
		.flush = live_flush,
		.finish = live_finish,
		.round = live_round,
		.input = live_input,
		.input_fd = STDIN_FILENO,
		.stop = live_stop,
		.release = live_release,
	};
	struct out *text = out_text_new(f, plan, word);
	struct out_live *w = text ? out_file_new(sizeof(*w), f, text, &hooks) : NULL;

	if (!w)
		return NULL;
	w->messages = w->error_fd = -1;
	table_text_init(&w->table, -1, false);
	w->has_file = f != stdout;
	w->file.text.make_room = to_pane;
	w->file.text.is_terminal = true;
	if (make_tables(&w->screen, plan) == 0)
		return &w->file.out;
	w->file.out.close(&w->file.out);
	return NULL;
}
