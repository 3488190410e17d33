/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads lines of -f jsonl: see lines.h. The last line of a map has its full content, unless its
 * run resets maps; so a run's lines of maps are kept as text until all have come. Lines are
 * input: a line that is cut or mixed with another is counted and left out.
 */
#include "runtime/recording/lines_impl.h"
#include "parser/base/limits.h"
#include "parser/base/read_text.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/output/type_json.h"
#include "runtime/recording/recording.h"

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
	const char *host = line_text(line, "host");

	run->id = arena_strdup(l->arena, id);
	run->run.host = arena_strdup(l->arena, host && *host ? host : l->path);
	take_labels(l, &run->run, line);
	return vec_push(&l->runs, run) ? NULL : run;
}

struct line_run *line_run_of(struct lines *l, struct arena *a, const json_t *line)
{
	const char *id = line_text(line, "host") ?: "";
	const json_t *labels = json_object_get(line, "labels");

	if (labels)
		id = arena_join(a, id, "\n",
				json_dumps(labels, JSON_SORT_KEYS | JSON_COMPACT) ?: "");
	for (size_t i = l->runs.n; i-- > 0;)
		if (strcmp(l->runs.items[i]->id, id) == 0)
			return l->runs.items[i];
	return add_run(l, id, line);
}

/* A time in seconds with microseconds as decimals, in ns. 0: it is not a time. */
static uint64_t time_ns(const json_t *line, const char *name)
{
	double s = json_number_value(json_object_get(line, name));

	return s > 0 && s < 1e10 ? (uint64_t)(s * 1e6 + 0.5) * 1000 : 0;
}

static int take_begin(struct lines *l, struct line_run *run, const json_t *line)
{
	struct line_run *before = run->has_begun ? run : NULL;

	if (before) /* that was another one */
		run = add_run(l, run->id, line);
	if (!run)
		return -ENOMEM;
	run->has_begun = true;
#define RUN_TEXT(to, name) \
	if (*name)         \
		run->run.to = keep(l, line_text(line, name));
#include "runtime/view/run_texts.def"
	run->run.resets = json_is_true(json_object_get(line, "resets"));
	run->run.start = time_ns(line, "time");
	l->is_refused |= merge_note_run(l->merge, &run->run, l->path, &run->is_repeated) != 0;
	if (run->is_repeated && before && !before->has_ended &&
	    before->run.start == run->run.start) {
		l->runs.n--; /* the lines of both come together */
		before->n_copies++;
		l->has_copies = true;
	}
	l->is_old |= line_number(line, "version") != LINES_VERSION;
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
	struct view_map m = {.name = line_text(line, "name"),
			     .is_time = line_text(line, "unit") != NULL,
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
	struct view_loss loss = {.probe = line_text(line, "probe"),
				 .cause = line_text(line, "cause"),
				 .what = line_text(line, "message"),
				 .help = line_text(line, "hint"),
				 .host = host,
				 .n = line_number(line, "count")};

	return loss.probe && loss.cause && loss.what && to->lost(to, &loss) == 0;
}

/* Add what was kept of a run. */
static void collect(struct lines *l, struct line_run *run)
{
	struct out *to = merge_collect(l->merge);
	const char *host = run->has_lines ? NULL : run->run.host;

	if (run->is_repeated)
		return;
	if (run->has_lines)
		to->begin(to, &run->run);
	for (size_t i = 0; i < run->kept.n && run->n_copies; i++)
		lines_count_copy(l, run, run->kept.items[i].text, run->kept.items[i].len);
	for (size_t i = 0; i < run->kept.n; i++) {
		struct kept_line *k = &run->kept.items[i];
		struct arena *a = arena_new();
		const json_t *line = json_read(a, k->text, k->len);

		if (!lines_is_copy(l, run, k->text, k->len) &&
		    !(k->name ? collect_map(a, line, to) : collect_lost(line, host, to)))
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

/* ---- lines ------------------------------------------------------------------------------- */

/* Owns `text`, whose line begins at `at`. */
static int take_line(struct lines *l, struct arena *a, const json_t *line, char *text, size_t at,
		     size_t len)
{
	const char *type = line_text(line, "type");
	struct line_run *run = type ? line_run_of(l, a, line) : NULL;
	bool is_map = type && strcmp(type, "map") == 0, is_lost = type && strcmp(type, "lost") == 0;
	int err = 0;

	if (run) {
		run->has_lines |= !is_lost;
		run->run.ended = time_ns(line, "time") ?: run->run.ended;
	}
	if (run && run->is_repeated && strcmp(type, "begin") != 0) {
		free(text);
		return 0;
	}
	if (run && (is_map || is_lost)) {
		memmove(text, text + at, len);
		return keep_line(l, run, is_map ? line_text(line, "name") ?: "" : NULL, text, len);
	}
	if (!run) {
		if (!l->n_bad++)
			l->first_bad = l->n;
		len += at;
		if (!l->bad_text && len)
			l->bad_text =
				arena_strndup(l->arena, text, len < BAD_SHOWN ? len : BAD_SHOWN);
	} else if (strcmp(type, "begin") == 0) {
		err = take_begin(l, run, line);
	} else if (strcmp(type, "end") == 0) {
		run->has_ended = true;
		run->run.ended = run->run.start + time_ns(line, "duration");
	} else {
		err = lines_keep_event(l, a, line, text + at, len);
	}
	free(text);
	return err;
}

static int read_all(struct lines *l, FILE *f)
{
	char *text;
	size_t len;
	int err = 0;

	while (!err && !l->is_old && !l->is_refused &&
	       (text = read_text(f, '\n', LINE_MOST, &len))) {
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

bool lines_have_runs(const struct lines *l, bool is_alone)
{
	enum log_level level = is_alone ? LOG_ERROR : LOG_WARNING;
	const char *end = is_alone ? "" : "; it is left out";

	if (l->runs.n)
		return true;
	if (l->bad_text)
		log_msg(level, "'%s' has no lines of sonde -f jsonl, the first is \"%s\"%s",
			l->path, l->bad_text, end);
	else
		log_msg(level, "'%s' is empty: no sonde -f jsonl has written to it%s", l->path,
			end);
	if (is_alone)
		log_hint("write -f jsonl in the command that is run: clush -w HOSTS sudo sonde -q "
			 "-f jsonl SCRIPT | sonde report -");
	return false;
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
	err = err ?: l->is_refused ? -1 : 0;
	if (!err && l->is_old)
		err = log_error("%s: these lines are not of version %d, as this sonde writes them",
				path, LINES_VERSION);
	if (!err && l->n_bad && l->runs.n)
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
	hash_free(&l->copied);
	arena_free(l->arena);
	free(l);
}
