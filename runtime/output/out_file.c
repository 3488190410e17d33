/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the writers: a descriptor with a buffer. The buffer is written when it is
 * full, when the loop is idle (flush), and as -B requires. The first error is kept, and every
 * later call returns it. out_text.c and out_json.c fill the buffer.
 */
#include "runtime/output/out_file.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/base/status.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_out(struct out_file *w)
{
	if (w->error == 0 && w->text.n) {
		status_hide();
		w->error = io_write(w->fd, w->text.bytes, w->text.n);
		status_note(w->fd, w->text.bytes, w->text.n);
	}
	w->text.n = 0;
	w->looked_at = 0;
}

int out_file_flush(struct out *o)
{
	struct out_file *w = (struct out_file *)o;

	/* "full" ignores the flush of an idle loop; close() still writes. */
	if (w->buffering != OUT_BUFFER_FULL)
		write_out(w);
	return w->error;
}

static void make_room(struct text *t)
{
	write_out((struct out_file *)((char *)t - offsetof(struct out_file, text)));
}

static bool has_new_line(struct out_file *w)
{
	const char *from = w->text.bytes + w->looked_at;
	bool found = memchr(from, '\n', w->text.n - w->looked_at) != NULL;

	w->looked_at = w->text.n;
	return found;
}

int out_file_done(struct out_file *w)
{
	switch (w->buffering) {
	case OUT_BUFFER_IDLE:
	case OUT_BUFFER_FULL: break;
	case OUT_BUFFER_LINE:
		if (has_new_line(w))
			write_out(w);
		break;
	case OUT_BUFFER_NONE: write_out(w); break;
	}
	return w->error;
}

int out_set_buffering(struct out *o, enum out_buffering buffering)
{
	struct out_file *w = (struct out_file *)o;

	w->buffering = buffering;
	return w->fd;
}

void out_share(struct out *o)
{
	struct out_file *w = (struct out_file *)o;
	int flags = fcntl(w->fd, F_GETFL);
	struct stat st;

	if (flags < 0 || flags & O_APPEND || fstat(w->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    lseek(w->fd, 0, SEEK_CUR) != st.st_size)
		return;
	w->is_appending = fcntl(w->fd, F_SETFL, flags | O_APPEND) == 0;
}

void out_unshare(struct out *o)
{
	struct out_file *w = (struct out_file *)o;

	if (w->is_appending)
		fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) & ~O_APPEND);
	w->is_appending = false;
}

void out_file_note(struct out_file *w, int err)
{
	if (!w->error)
		w->error = err;
}

int out_finish(struct out *o)
{
	struct out_file *w = (struct out_file *)o;
	int err = o->finish ? o->finish(o) : 0;

	o->finish = NULL; /* once */
	out_file_note(w, err);
	write_out(w);
	return w->error;
}

/* ---- callbacks that a writer does not have ------------------------------------------------- */

static struct out *other_of(struct out *o)
{
	return ((struct out_file *)o)->other;
}

/* What the other one was given is not held back. */
static int shown(struct out *o, int err)
{
	return err ?: other_of(o)->flush(other_of(o));
}

static int other_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	return shown(o, other_of(o)->printf_event(other_of(o), e, fields));
}

static int other_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	return shown(o, other_of(o)->row(other_of(o), e, fields));
}

int out_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	if (e->kind == PE_PRINT_VALUE)
		return o->value(o, &fields[0]);
	return (e->kind == PE_ROW ? o->row : o->printf_event)(o, e, fields);
}

int out_other_map(struct out *o, const struct view_map *m)
{
	return shown(o, other_of(o)->map(other_of(o), m));
}

#define OTHER(hook, type)                                           \
	static int other_##hook(struct out *o, type x)              \
	{                                                           \
		return shown(o, other_of(o)->hook(other_of(o), x)); \
	}
OTHER(message, const struct view_message *)
OTHER(value, const struct view *)
OTHER(attached, uint32_t)
OTHER(lost, const struct view_loss *)
OTHER(test, const struct view_test *)

static int add_span(struct out *o, const struct view_span *s)
{
	struct span_trees *spans = &((struct out_file *)o)->spans;

	return spans->show ? span_trees_add(spans, s) : shown(o, other_of(o)->span(other_of(o), s));
}

static int end(struct out *o)
{
	return ((struct out_file *)o)->error;
}

static double percent(uint64_t ns, uint64_t elapsed_ns)
{
	return elapsed_ns ? 100 * (double)ns / (double)elapsed_ns : 0;
}

/* A table on standard error. */
static int print_stats(struct out *o, const struct view_stats *s)
{
	log_text("%12s %12s %9s %10s %10s %10s  %s", "hits", "runs", "ns/run", "% of a CPU",
		 "missed", "lost",
		 s->is_all ? "probe, in the whole run" : "probe, since the last table");
	for (uint32_t i = 0; i < s->n; i++) {
		const struct view_stats_row *r = &s->rows[i];

		log_text("%12llu %12llu %9.0f %10.3f %10llu %10llu  %s",
			 (unsigned long long)r->hits, (unsigned long long)r->runs,
			 r->runs ? (double)r->ns / (double)r->runs : 0,
			 percent(r->ns, s->elapsed_ns), (unsigned long long)r->missed,
			 (unsigned long long)r->lost, r->name);
		if (r->kstacks)
			log_text("%12llu kernel stacks, %.1f %% of them recalled",
				 (unsigned long long)r->kstacks, percent(r->recalled, r->kstacks));
	}
	log_text("%12s %12s %9s %10.3f %10s %10s  sonde itself", "", "", "",
		 percent(s->self_ns, s->elapsed_ns), "", "");
	return 0;
}

/* ---- opening and closing ------------------------------------------------------------------- */

static void close_file(struct out *o)
{
	struct out_file *w = (struct out_file *)o;

	out_finish(o);
	if (o->release)
		o->release(o);
	if (w->other)
		w->other->close(w->other);
	span_trees_free(&w->spans);
	free(w);
}

static void set_callbacks(struct out *to, const struct out *own)
{
	*to = *own;
	to->printf_event = own->printf_event ?: other_printf_event;
	to->row = own->row ?: other_row;
	to->message = own->message ?: other_message;
	to->value = own->value ?: other_value;
	to->map = own->map ?: out_other_map;
	to->span = own->span ?: add_span;
	to->attached = own->attached ?: other_attached;
	to->lost = own->lost ?: other_lost;
	to->test = own->test ?: other_test;
	to->stats = own->stats ?: print_stats;
	to->end = own->end ?: end;
	to->flush = own->flush ?: out_file_flush;
	to->close = close_file;
}

void *out_file_new(size_t size, FILE *f, struct out *other, const struct out *out)
{
	struct out_file *w = calloc(1, size);
	int fd = fileno(f);

	if (!w || fd < 0 || fflush(f) != 0) {
		if (other)
			other->close(other);
		free(w);
		return NULL;
	}
	set_callbacks(&w->out, out);
	w->other = other;
	w->text = (struct text){
		.bytes = w->buffer,
		.capacity = sizeof(w->buffer),
		.make_room = make_room,
		.is_terminal = isatty(fd) == 1,
	};
	w->fd = fd;
	return w;
}

void *out_file_beside_text(size_t size, FILE *f, const struct out *out)
{
	struct out *text = out_text_new(stderr, NULL, NULL);

	return text ? out_file_new(size, f, text, out) : NULL;
}
