/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lines of -f jsonl: see lines.h. The last line of a map has its full content, unless its
 * run resets maps; so a run's lines of maps are kept as text until all have come. Lines are
 * input: a line that is cut or mixed with another is counted and left out.
 */
#include "runtime/recording/lines.h"
#include "parser/base/limits.h"
#include "parser/base/read_text.h"
#include "parser/base/text.h"
#include "runtime/base/json_read.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/output/type_json.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/row_views.h"
#include "runtime/view/format.h"

enum { LINE_MOST = 256 << 20, LINES_VERSION = 2 };

struct kept_line {
	const char *name; /* of a map; NULL: another line */
	char *text;
	size_t len;
};

struct line_run {
	const char *id; /* the host, and the labels as JSON */
	struct view_run run;
	VEC(struct kept_line) kept;
	bool has_begun, has_ended;
	bool has_lines; /* other than losses; a merged result has lines of losses for each host */
};

struct lines {
	struct arena *arena; /* of facts of runs */
	struct merge *merge;
	const char *path;
	FILE *events; /* lines that are shown later */
	VEC(struct line_run *) runs;
	size_t n, n_bad, first_bad;
	bool is_old;
};

static const char *member(const json_t *line, const char *name)
{
	return json_string_value(json_object_get(line, name));
}

static uint64_t number(const json_t *line, const char *name)
{
	uint64_t x = 0;

	json_number(json_object_get(line, name), &x);
	return x;
}

/* ---- runs -------------------------------------------------------------------------------- */

static const char *keep(struct lines *l, const char *s)
{
	return s ? arena_strdup(l->arena, s) : NULL;
}

static void take_labels(struct lines *l, struct view_run *run, const json_t *line)
{
	struct view_label *labels = NULL, label;
	json_t *value;
	const char *name;

	json_object_foreach(json_object_get(line, "labels"), name, value)
	{
		label.name = keep(l, name);
		label.name_len = (uint32_t)strlen(name);
		label.value = keep(l, json_string_value(value) ?: "");
		arena_push(l->arena, labels, run->n_labels, label);
	}
	run->labels = labels;
}

static struct line_run *add_run(struct lines *l, const char *id, const json_t *line)
{
	struct line_run *run = arena_new_of(l->arena, struct line_run);

	run->id = arena_strdup(l->arena, id);
	run->run.host = arena_strdup(l->arena, member(line, "host") ?: "");
	take_labels(l, &run->run, line);
	return vec_push(&l->runs, run) ? NULL : run;
}

/* The last run of that host with those labels. */
static struct line_run *run_of(struct lines *l, struct arena *a, const json_t *line)
{
	const char *id = member(line, "host") ?: "";
	const json_t *labels = json_object_get(line, "labels");

	if (labels)
		id = arena_join(a, id, "\n",
				json_dumps(labels, JSON_SORT_KEYS | JSON_COMPACT) ?: "");
	for (size_t i = l->runs.n; i-- > 0;)
		if (strcmp(l->runs.items[i]->id, id) == 0)
			return l->runs.items[i];
	return add_run(l, id, line);
}

/* 0: it is no time. */
static uint64_t time_ns(const json_t *line)
{
	double s = json_number_value(json_object_get(line, "time"));

	return s > 0 && s < 1e10 ? (uint64_t)(s * 1e9) : 0;
}

static int take_begin(struct lines *l, struct line_run *run, const json_t *line)
{
	if (run->has_begun) /* that was another one */
		run = add_run(l, run->id, line);
	if (!run)
		return -ENOMEM;
	run->has_begun = true;
#define RUN_TEXT(to, name) \
	if (*name)         \
		run->run.to = keep(l, member(line, name));
#include "runtime/view/run_texts.def"
	run->run.resets = json_is_true(json_object_get(line, "resets"));
	run->run.start = time_ns(line);
	l->is_old |= number(line, "version") != LINES_VERSION;
	return 0;
}

/* ---- maps and losses ----------------------------------------------------------------------- */

/* Keep the line; that of a map in place of the one before. Owns `text`. */
static int keep_line(struct lines *l, struct line_run *run, const char *map, char *text, size_t len)
{
	struct kept_line *known = FIND(run->kept.items, run->kept.n,
				       map && item->name && strcmp(item->name, map) == 0);
	struct kept_line new = {.name = known && !run->run.resets ? known->name : keep(l, map),
				.text = text,
				.len = len};

	if (!known || run->run.resets)
		return vec_push(&run->kept, new);
	free(known->text);
	*known = new;
	return 0;
}

static bool read_row(struct arena *a, const json_t *j, const struct type *const *types,
		     struct view_map *m, struct view_row *out)
{
	const json_t *key = json_object_get(j, "key"), *value = json_object_get(j, "value");

	out->keys = arena_alloc(a, (m->n_keys + 1) * sizeof(*out->keys));
	if (json_array_size(key) != m->n_keys || !value)
		return false;
	for (uint32_t i = 0; i < m->n_keys; i++) {
		if (!value_json_read(a, types[i], json_array_get(key, i), NULL, &out->keys[i]))
			return false;
		if (type_shape(types[i]) == SHAPE_STACK)
			recording_name_frames(a, &out->keys[i].stack);
	}
	return value_json_read(a, types[m->n_keys], value, NULL, &out->value);
}

/* False: the line is not valid. */
static bool collect_map(struct arena *a, const json_t *line, struct out *to)
{
	const json_t *key_types = json_object_get(line, "key_types"),
		     *rows = json_object_get(line, "rows");
	struct view_map m = {.name = member(line, "name"),
			     .is_time = member(line, "unit") != NULL,
			     .n_keys = (uint32_t)json_array_size(key_types)};
	const struct type **types = arena_alloc(a, (m.n_keys + 1) * sizeof(*types));
	struct view_row row;

	if (m.n_keys > LIMIT_CALL_ARGS || !m.name)
		return false;
	for (uint32_t i = 0; i <= m.n_keys; i++) {
		types[i] = type_json_read(a, i < m.n_keys ? json_array_get(key_types, i)
							  : json_object_get(line, "value_type"));
		if (!types[i])
			return false;
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		if (!read_row(a, json_array_get(rows, i), types, &m, &row))
			return false;
		arena_push(a, m.rows, m.n_rows, row);
	}
	return to->map(to, &m) == 0;
}

/* `host`: that of a loss in a merged result; NULL: that of the run. */
static bool collect_lost(const json_t *line, const char *host, struct out *to)
{
	struct view_loss loss = {.probe = member(line, "probe"),
				 .cause = member(line, "cause"),
				 .what = member(line, "message"),
				 .help = member(line, "hint"),
				 .host = host,
				 .n = number(line, "count")};

	return loss.probe && loss.cause && loss.what && to->lost(to, &loss) == 0;
}

/* Add what was kept of a run. */
static void collect(struct lines *l, struct line_run *run)
{
	struct out *to = merge_collect(l->merge);
	const char *host = run->has_lines ? NULL : run->run.host;

	if (run->has_lines)
		to->begin(to, &run->run);
	for (size_t i = 0; i < run->kept.n; i++) {
		struct kept_line *k = &run->kept.items[i];
		struct arena *a = arena_new();
		const json_t *line = json_read(a, k->text, k->len);

		if (!(k->name ? collect_map(a, line, to) : collect_lost(line, host, to)))
			log_warning("%s: a line of '%s' is not valid, and is left out: %s", l->path,
				    run->run.host, k->name ?: "lost");
		arena_free(a);
		free(k->text);
	}
	vec_free(&run->kept);
	if (run->has_lines && !run->has_begun)
		log_warning("%s: the first line of '%s' is missing", l->path, run->run.host);
	if (run->has_lines && !run->has_ended)
		log_warning("%s: the run on '%s' did not end: what came later is missing", l->path,
			    run->run.host);
}

/* ---- events -------------------------------------------------------------------------------- */

static const struct type *type_of_json(const json_t *j)
{
	return json_is_integer(j)   ? type_int(8, true)
	       : json_is_real(j)    ? &type_double
	       : json_is_boolean(j) ? &type_bool
				    : merge_text_type;
}

/* The call that printed the row, as far as the line tells. */
static bool read_call(struct arena *a, const json_t *line, struct plan_event *e, struct view *views)
{
	json_t *row = json_object_get(line, "row"), *value;
	const char *name;

	*e = (struct plan_event){.kind = PE_ROW};
	if (!row || json_object_size(row) > LIMIT_CALL_ARGS)
		return false;
	e->fields = arena_alloc(a, LIMIT_CALL_ARGS * sizeof(*e->fields));
	e->pieces = arena_alloc(a, LIMIT_CALL_ARGS * sizeof(*e->pieces));
	json_object_foreach(row, name, value)
	{
		const struct type *t = type_of_json(value);
		uint32_t i = e->n_fields++;

		e->fields[i].type = t;
		e->pieces[e->n_pieces++] = merge_column(name, i);
		if (t->kind == TY_STRING && !json_is_string(value))
			value = json_string(json_dumps(value, JSON_ENCODE_ANY) ?: "");
		if (!value_json_read(a, t, value, NULL, &views[i]))
			return false;
	}
	return row_views_fit(e);
}

/* A line does not tell what of its text the script wrote: all is escaped, and ends of lines within
 * it become blanks. */
static int pass_text(const json_t *line, enum plan_event_kind kind, struct out *pass)
{
	const json_t *json = json_object_get(line, "text");
	size_t len = 0;
	char *text = escape_copy(ESCAPE_LINES, json_string_value(json) ?: "",
				 json_string_length(json), &len);
	struct format_piece piece = {.text = text ?: "",
				     .text_len = (uint32_t)len,
				     .is_recorded = true};
	struct plan_event e = {.kind = kind, .pieces = &piece, .n_pieces = 1};
	struct view_message m = {.kind = kind,
				 .text = piece.text,
				 .len = piece.text_len,
				 .file = member(line, "file") ?: "",
				 .line = (uint32_t)number(line, "line"),
				 .first = (uint32_t)number(line, "column"),
				 .end = (uint32_t)number(line, "end_column")};
	int err;

	for (size_t i = 0; text && i + 1 < len; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	err = kind == PE_WARNF || kind == PE_ERRORF ? pass->message(pass, &m)
						    : pass->printf_event(pass, &e, NULL);
	free(text);
	return err;
}

static int pass_row(struct arena *a, const json_t *line, struct out *pass)
{
	struct view views[LIMIT_CALL_ARGS];
	struct plan_event e;

	return read_call(a, line, &e, views) ? pass->row(pass, &e, views) : 0;
}

/* print() of a value: as its JSON. */
static int pass_value(struct arena *a, const json_t *line, struct out *pass)
{
	const json_t *value = json_object_get(line, "value");
	const char *text = json_string_value(value) ?: json_dumps(value, JSON_ENCODE_ANY);
	struct view v = merge_text_view(text ?: "");

	return pass->value(pass, &v);
}

static int pass_span(const json_t *line, struct out *pass)
{
	struct view_span s = {.name = member(line, "name"),
			      .kind = VIEW_SPAN_USER,
			      .pid = (uint32_t)number(line, "pid"),
			      .tid = (uint32_t)number(line, "tid"),
			      .comm = member(line, "comm"),
			      .start = number(line, "start_ns"),
			      .length = number(line, "duration_ns"),
			      .tracer = number(line, "tracer_ns"),
			      .is_open = json_is_true(json_object_get(line, "open")),
			      .is_left = json_is_true(json_object_get(line, "left")),
			      .is_cut = json_is_true(json_object_get(line, "cut"))};

	return s.name && s.comm ? pass->span(pass, &s) : 0;
}

static const char *const line_types[] = {
#define EVENT(id, name, json, ...) [PE_##id] = json,
#include "parser/lang/event_kinds.def"
};

static int pass_event(struct arena *a, const json_t *line, struct out *pass)
{
	const char *type = member(line, "type");
	uint32_t kind = recording_find(line_types, PE_KIND_COUNT, type);

	switch (kind) {
	case PE_ROW: return pass_row(a, line, pass);
	case PE_PRINT_VALUE: return pass_value(a, line, pass);
	case PE_SPAN: return pass_span(line, pass);
	default:
		return kind < PE_KIND_COUNT ? pass_text(line, (enum plan_event_kind)kind, pass) : 0;
	}
}

/* Events go to a file until the writer is there. */
static int keep_event(struct lines *l, struct arena *a, const json_t *line, const char *text,
		      size_t len)
{
	struct out *to = merge_collect(l->merge);
	struct view views[LIMIT_CALL_ARGS];
	struct plan_event e;

	if (json_object_get(line, "row") && read_call(a, line, &e, views))
		merge_rows(l->merge, &(struct plan){.events = &e, .n_events = 1});
	if (json_object_get(line, "start_ns"))
		to->span(to, NULL);
	return fwrite(text, 1, len, l->events) == len && putc('\n', l->events) != EOF ? 0 : -1;
}

int lines_pass(struct lines *l, struct out *pass)
{
	const struct line_run *last = NULL;
	char *text;
	size_t len;
	int err = 0;

	rewind(l->events);
	while (!err && (text = read_text(l->events, '\n', LINE_MOST, &len))) {
		struct arena *a = arena_new();
		const json_t *line = json_read(a, text, len);
		const struct line_run *run = run_of(l, a, line);

		if (run && run != last)
			err = (last ? pass->end(pass) : 0) ?: pass->begin(pass, &run->run);
		last = run;
		err = err ?: pass_event(a, line, pass);
		arena_free(a);
		free(text);
	}
	return err ?: last ? pass->end(pass) : 0;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Owns `text`, whose line begins at `at`. */
static int take_line(struct lines *l, struct arena *a, const json_t *line, char *text, size_t at,
		     size_t len)
{
	const char *type = member(line, "type");
	struct line_run *run = type ? run_of(l, a, line) : NULL;
	bool is_map = type && strcmp(type, "map") == 0, is_lost = type && strcmp(type, "lost") == 0;
	int err = 0;

	if (run)
		run->has_lines |= !is_lost;
	if (run && (is_map || is_lost)) {
		memmove(text, text + at, len);
		return keep_line(l, run, is_map ? member(line, "name") ?: "" : NULL, text, len);
	}
	if (!run) {
		l->n_bad++;
		l->first_bad = l->first_bad ?: l->n;
	} else if (strcmp(type, "begin") == 0) {
		err = take_begin(l, run, line);
	} else if (strcmp(type, "end") == 0) {
		run->has_ended = true;
	} else {
		err = keep_event(l, a, line, text + at, len);
	}
	free(text);
	return err;
}

static int read_all(struct lines *l, FILE *f)
{
	char *text;
	size_t len;
	int err = 0;

	while (!err && !l->is_old && (text = read_text(f, '\n', LINE_MOST, &len))) {
		/* launchers put names of hosts before lines */
		size_t at = strcspn(text, "{");
		struct arena *a = arena_new();

		while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
			len--;
		l->n++;
		at = at < len ? at : len;
		err = take_line(l, a, json_read(a, text + at, len - at), text, at, len - at);
		arena_free(a);
	}
	if (ferror(f))
		return log_error("cannot read '%s': %s", l->path, strerror(errno));
	return err ? log_error("cannot keep the lines of '%s': %s", l->path, strerror(errno)) : 0;
}

struct lines *lines_read(FILE *f, const char *path, struct merge *m)
{
	struct lines *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		arena_out_of_memory();
	l->arena = arena_new();
	l->merge = m;
	l->path = path;
	l->events = tmpfile();
	err = l->events ? read_all(l, f)
			: log_error("cannot create a temporary file: %s", strerror(errno));
	if (!err && l->is_old)
		err = log_error("%s: these lines are not of version %d, as this sonde writes them",
				path, LINES_VERSION);
	if (!err && !l->runs.n)
		err = log_error("'%s' has no lines of sonde -f jsonl", path);
	if (!err && l->n_bad)
		log_warning(
			"%s: %zu of %zu lines are no lines of sonde -f jsonl, and are left out; "
			"the first is line %zu",
			path, l->n_bad, l->n, l->first_bad);
	for (size_t i = 0; i < l->runs.n && !err; i++)
		collect(l, l->runs.items[i]);
	if (!err)
		return l;
	lines_free(l);
	return NULL;
}

void lines_free(struct lines *l)
{
	for (size_t i = 0; i < l->runs.n; i++) {
		struct line_run *run = l->runs.items[i];

		for (size_t k = 0; k < run->kept.n; k++)
			free(run->kept.items[k].text);
		vec_free(&run->kept);
	}
	vec_free(&l->runs);
	if (l->events)
		fclose(l->events);
	arena_free(l->arena);
	free(l);
}
