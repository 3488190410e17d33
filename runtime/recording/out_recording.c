/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of recordings. Each result is a row that goes to the spool (spool.h); types, calls and
 * stacks go there when they are first used (recorder.h). What the text writer prints on standard
 * error, it prints here, too: the run is watched while it is recorded.
 */
#include "runtime/base/clock.h"
#include "runtime/output/out.h"
#include "runtime/base/log.h"
#include "runtime/output/out_file.h"
#include "runtime/recording/recorder.h"
#include "runtime/recording/row_views.h"
#include "runtime/recording/store.h"
#include <sys/stat.h>

struct out_recording {
	struct out_file file; /* first; nothing is written to it; the other writer is text */
	struct recorder recorder;
	char *path;
	uint64_t ended; /* of what is shown; 0: a run that ends now */
};

static struct recorder *recorder_of(struct out *o)
{
	return &((struct out_recording *)o)->recorder;
}

static struct out *text_of(struct out *o)
{
	return ((struct out_recording *)o)->file.other;
}

static int done(struct out *o)
{
	struct out_recording *w = (struct out_recording *)o;

	recorder_put(&w->recorder, &w->recorder.row);
	out_file_note(&w->file, w->recorder.error);
	return w->file.error;
}

static int add_view(void *store, const char *sql)
{
	return store_execute(store, sql);
}

static int begin(struct out *o, const struct view_run *run)
{
	struct out_recording *w = (struct out_recording *)o;
	struct store *store;
	struct stat st;
	int err;

	if (!run->path || fstat(w->file.fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		log_error("a recording needs a regular file: give -o FILE");
		return -EINVAL;
	}
	w->ended = run->ended;
	w->recorder.last.length_ns = run->last_ns;
	w->recorder.last.n_dropped = &o->n_dropped;
	w->path = strdup(run->path);
	store = w->path ? store_new(w->file.fd, w->path) : NULL;
	if (!store)
		return -EIO;
	err = row_views_make(w->recorder.plan, "VIEW", add_view, store);
	w->recorder.spool = spool_new(store, w->path);
	if (!w->recorder.spool) {
		log_error("cannot record to '%s': %s", w->path, strerror(errno));
		return -EIO;
	}
	recorder_run(&w->recorder, run);
	for (uint32_t i = 0; i < w->recorder.plan->n_events; i++)
		if (w->recorder.plan->events[i].kind == PE_ROW)
			recorder_call(&w->recorder, &w->recorder.plan->events[i]);
	return err ?: w->recorder.error;
}

/* ---- results ----------------------------------------------------------------------------- */

static void put_args(struct recorder *r, const struct view *fields, uint32_t n)
{
	struct json *j = row_open_json(&r->row);

	json_open(j, NULL, '[');
	for (uint32_t i = 0; i < n; i++)
		value_json_put(j, NULL, &fields[i], &r->numbers);
	json_close(j, ']');
	row_close_text(&r->row);
}

/* Of a call whose text the runtime has made: the text is its only argument. */
static int put_event(struct out *o, uint32_t call, const struct view *fields, uint32_t n)
{
	struct recorder *r = recorder_of(o);

	recorder_begin(r, REC_EVENTS);
	ROW_ADD(&r->row, row_integer(call));
	put_args(r, fields, n);
	r->n_events++;
	return done(o);
}

static int put_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	static const struct type type = {.kind = TY_STRING, .size = 1};
	uint32_t call = recorder_call(recorder_of(o), e);
	struct view text = {.type = &type};

	if (fields || !e->n_pieces)
		return put_event(o, call, fields, e->n_fields);
	text.string.text = e->pieces->text;
	text.string.len = e->pieces->text_len;
	return put_event(o, call, &text, 1);
}

static int put_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	return put_event(o, recorder_call(recorder_of(o), e), fields, e->n_fields);
}

static int put_value(struct out *o, const struct view *v)
{
	return put_event(o, recorder_print(recorder_of(o), v->type), v, 1);
}

static int put_message(struct out *o, const struct view_message *m)
{
	struct recorder *r = recorder_of(o);

	recorder_begin(r, REC_MESSAGES);
	ROW_ADD(&r->row, row_string(plan_event_names[m->kind]), row_bytes(m->text, m->len),
		row_string(m->file), row_integer(m->line), row_integer(m->first),
		row_integer(m->end), row_string(m->helper), row_integer(m->result),
		row_string(m->excerpt));
	return text_of(o)->message(text_of(o), m) ?: done(o);
}

static int put_span(struct out *o, const struct view_span *s)
{
	struct recorder *r = recorder_of(o);
	uint32_t call = s->n_values ? recorder_span(r, s) : 0;

	row_begin(&r->row, REC_SPANS);
	ROW_ADD(&r->row, row_integer((int64_t)++r->seq), row_integer(s->pid), row_integer(s->tid),
		row_string(s->comm), row_string(s->name), row_string(recording_spans[s->kind]),
		row_integer((int64_t)s->start), row_integer((int64_t)s->length),
		row_integer(s->is_call), row_integer(s->is_left ? RECORDING_LEFT : s->is_open),
		row_integer(s->is_cut), row_integer(s->is_outermost),
		row_integer((int64_t)s->tracer), row_string(s->arguments), row_string(s->result),
		call ? row_integer(call) : row_string(NULL));
	if (call)
		put_args(r, s->values, s->n_values);
	else
		ROW_ADD(&r->row, row_string(NULL));
	r->n_spans++;
	return done(o);
}

/* ---- maps -------------------------------------------------------------------------------- */

static void put_key_names(struct recorder *r, const struct view_map *m)
{
	struct json *j;

	if (!m->key_names || !m->n_keys) {
		ROW_ADD(&r->row, row_string(NULL));
		return;
	}
	j = row_open_json(&r->row);
	json_open(j, NULL, '[');
	for (uint32_t i = 0; i < m->n_keys; i++)
		json_put_string(j, NULL, m->key_names[i]);
	json_close(j, ']');
	row_close_text(&r->row);
}

static void put_print(struct recorder *r, const struct view_map *m)
{
	const struct view_row *first = m->n_rows ? m->rows : NULL;

	recorder_begin(r, REC_PRINTS);
	ROW_ADD(&r->row, row_string(m->name), row_integer(m->is_time),
		row_integer((int64_t)m->time_unit), row_integer((int64_t)m->whole),
		row_string(m->delimiter));
	recorder_types(r, first && m->n_keys ? &first->keys->type : NULL, first ? m->n_keys : 0,
		       sizeof(*first->keys));
	ROW_ADD(&r->row, row_integer(first ? recorder_type(r, first->value.type) : 0));
	put_key_names(r, m);
}

static void put_map_value(struct recorder *r, const struct view *v)
{
	if (value_is_integer(v) && (v->type->is_signed || v->integer <= INT64_MAX)) {
		ROW_ADD(&r->row, row_integer((int64_t)v->integer));
		return;
	}
	value_json_put(row_open_json(&r->row), NULL, v, &r->numbers);
	row_close_text(&r->row);
}

static int put_map(struct out *o, const struct view_map *m)
{
	struct recorder *r = recorder_of(o);
	int err;

	put_print(r, m);
	err = done(o);
	for (uint32_t i = 0; i < m->n_rows && !err; i++) {
		row_begin(&r->row, REC_MAP_ROWS);
		ROW_ADD(&r->row, row_integer((int64_t)r->seq), row_integer(i));
		put_args(r, m->rows[i].keys, m->n_keys);
		put_map_value(r, &m->rows[i].value);
		err = done(o);
	}
	return err;
}

/* ---- the run ----------------------------------------------------------------------------- */

static int put_mark(struct out *o, const char *what, uint64_t n)
{
	struct recorder *r = recorder_of(o);

	recorder_begin(r, REC_MARKS);
	ROW_ADD(&r->row, row_string(what), row_integer((int64_t)n));
	return done(o);
}

static int put_attached(struct out *o, uint32_t n_probes)
{
	return text_of(o)->attached(text_of(o), n_probes) ?: put_mark(o, "attached", n_probes);
}

static int put_lost(struct out *o, const struct view_loss *l)
{
	struct recorder *r = recorder_of(o);

	row_begin(&r->row, REC_LOSSES);
	ROW_ADD(&r->row, row_integer((int64_t)++r->seq), row_string(l->probe), row_string(l->cause),
		row_integer((int64_t)l->n), row_string(l->what), row_string(l->help));
	return text_of(o)->lost(text_of(o), l) ?: done(o);
}

static int put_end(struct out *o)
{
	return put_mark(o, "end", 0);
}

static int flush(struct out *o)
{
	struct out_recording *w = (struct out_recording *)o;
	int err = w->recorder.spool ? spool_flush(w->recorder.spool) : 0;

	out_file_note(&w->file, err);
	return w->file.error;
}

/* --last: a dump() of the script, SIGUSR1, or the end. */
static int dump(struct out *o)
{
	struct recorder *r = recorder_of(o);

	out_file_note(&((struct out_recording *)o)->file, last_rows_dump(&r->last, r->spool));
	return flush(o);
}

/* What came after an error is missing in the file, with the maps of the end. */
static void report_missing(const struct out_recording *w, const uint64_t stored[REC_COUNT])
{
	log_error("the recording '%s' is incomplete: it has the first %llu of %llu events and %llu "
		  "of %llu spans; what came later is missing",
		  w->path, (unsigned long long)stored[REC_EVENTS],
		  (unsigned long long)w->recorder.n_events, (unsigned long long)stored[REC_SPANS],
		  (unsigned long long)w->recorder.n_spans);
}

static int finish(struct out *o)
{
	struct out_recording *w = (struct out_recording *)o;
	struct recorder *r = &w->recorder;
	uint64_t stored[REC_COUNT];
	int err;

	if (!r->spool)
		return 0;
	if (!w->file.error)
		recorder_fact(r, "end",
			      row_integer((int64_t)(w->ended ?: clock_ns(CLOCK_REALTIME))));
	dump(o);
	err = spool_close(r->spool, stored);
	r->spool = NULL;
	err = w->file.error ?: err ?: r->error;
	if (err)
		report_missing(w, stored);
	else
		log_info("recorded %llu events and %llu spans to %s",
			 (unsigned long long)stored[REC_EVENTS],
			 (unsigned long long)stored[REC_SPANS], w->path);
	return err;
}

static void release(struct out *o)
{
	struct out_recording *w = (struct out_recording *)o;

	recorder_free(&w->recorder);
	free(w->path);
}

/* Tests and benchmarks cannot be recorded: option_checks.c refuses them. */
struct out *out_recording_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = begin,
		.printf_event = put_printf_event,
		.row = put_row,
		.message = put_message,
		.value = put_value,
		.map = put_map,
		.span = put_span,
		.attached = put_attached,
		.lost = put_lost,
		.end = put_end,
		.flush = flush,
		.dump = dump,
		.finish = finish,
		.release = release,
	};
	struct out_recording *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	recorder_init(&w->recorder, plan);
	return &w->file.out;
}
