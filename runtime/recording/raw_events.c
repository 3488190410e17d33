/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads events of tracepoints: see raw_events.h.
 */
#include "runtime/recording/raw_impl.h"
#include "parser/base/text.h"
#include "parser/base/arena.h"
#include "parser/lang/probe.h"
#include "runtime/base/log.h"
#include "runtime/base/recorded_task.h"
#include <stdlib.h>
#include <string.h>

/* ---- facts -------------------------------------------------------------------------------- */

char *raw_events_facts(struct recording *r)
{
	sqlite3_stmt *s;
	int got = recording_fact(r, "facts", &s);
	const char *text = got > 0 ? recording_text(s, 0) : NULL;
	char *copy = text ? strdup(text) : NULL;

	if (got >= 0 && !copy) {
		log_error("'%s' has no events to replay", r->path);
		log_hint("'sonde record --events LIST -o FILE' records those that you name");
	}
	sqlite3_finalize(s);
	return copy;
}

/* A number of the run, or 0. -1 after a message. */
static int read_number(struct recording *r, const char *name, uint64_t *out)
{
	sqlite3_stmt *s;
	int got = recording_fact(r, name, &s);

	*out = got > 0 ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
	sqlite3_finalize(s);
	return got < 0 ? -1 : 0;
}

static int read_clocks(struct raw_reader *r)
{
	struct recorded_events *out = r->out;
	uint64_t end;

	if (read_number(r->rec, "boot", &out->start) || read_number(r->rec, "start", &out->wall) ||
	    read_number(r->rec, "monotonic", &out->mono) || read_number(r->rec, "tai", &out->tai) ||
	    read_number(r->rec, "end", &end))
		return -1;
	out->end = end > out->wall ? out->start + (end - out->wall) : out->start;
	return 0;
}

/* Does a loss of that cause leave out an event? One of another version of sonde may. */
static bool is_of_event(const char *cause)
{
	static const struct {
		const char *name;
		bool is_event;
	} causes[] = {
#define LOSS(id, name, is_event, ...) {name, is_event},
#define RUNTIME_LOSS LOSS
#include "bpf_helpers/losses.def"
	};

	__auto_type row = TEXT_ROW(causes, name, cause ?: "", cause ? strlen(cause) : 0);

	return row ? row->is_event : true;
}

static int read_losses(struct raw_reader *r)
{
	sqlite3_stmt *s = recording_prepare(r->rec, "SELECT cause, n FROM losses");
	int got = s ? 1 : -1;

	while (got > 0 && (got = recording_step(r->rec, s)) > 0)
		if (is_of_event(recording_text(s, 0)))
			r->out->n_lost += (uint64_t)sqlite3_column_int64(s, 1);
	sqlite3_finalize(s);
	return got;
}

/* ---- events ------------------------------------------------------------------------------- */

/* The format of CATEGORY:EVENT; NULL: the recording does not have it. */
static const struct tp_format *format_of(const struct raw_reader *r, const char *name)
{
	const char *event = strchr(name, ':');
	const struct tp_format *format;
	char category[256];

	if (!event || (size_t)(event - name) >= sizeof(category))
		return NULL;
	memcpy(category, name, (size_t)(event - name));
	category[event - name] = '\0';
	return r->kernel->tracepoint(r->kernel, category, event + 1, &format) ? NULL : format;
}

/* Of events that have no record. */
static const struct tp_format no_format = {.event = "", .category = ""},
			      call_format = {.event = "", .category = ""};

/* What the events of a point are made of; NULL: the recording does not have it. */
static const struct tp_format *find_format(const struct raw_reader *r, const char *name,
					   bool is_tracepoint)
{
	enum probe_id id;

	if (is_tracepoint)
		return format_of(r, name);
	if (strcmp(name, RAW_ENDED) == 0 || strcmp(name, RAW_REPLACED) == 0)
		return &no_format;
	return probe_find_call(name, &id)		 ? &call_format
	       : r->kernel->is_recorded(r->kernel, name) ? &no_format
							 : NULL;
}

/* The number of a tracepoint, or of another probe, whose events have no record. */
static int find_point(struct raw_reader *r, const char *name)
{
	static const char word[] = "tracepoint:";
	struct recorded_events *out = r->out;
	uint32_t n_formats = out->n_points;
	const struct tp_format *format;
	const char **known;
	bool is_tracepoint;

	if (!name)
		return -1;
	is_tracepoint = strncmp(name, word, sizeof(word) - 1) == 0;
	name += is_tracepoint ? sizeof(word) - 1 : 0;
	known = FIND(out->points, out->n_points, strcmp(*item, name) == 0);
	if (known)
		return (int)(known - out->points);
	format = find_format(r, name, is_tracepoint);
	if (!format)
		return -1;
	arena_push(r->rec->arena, r->formats, n_formats, format);
	name = arena_strdup(r->rec->arena, name);
	arena_push(r->rec->arena, out->points, out->n_points, name);
	return (int)out->n_points - 1;
}

/* Fields of the thread's struct; 0: they were not recorded. */
static bool take_words(struct raw_reader *r, const json_t *list, struct recorded_event *e)
{
	uint64_t *words, none;

	if (json_number(list, &none))
		return true;
	if (json_array_size(list) != RECORDED_N_WORDS + 1)
		return false;
	e->words = words = arena_alloc(r->rec->arena, (RECORDED_N_WORDS + 1) * sizeof(*words));
	return json_numbers(list, words);
}

/* The parts that all events have. */
static bool take_head(struct raw_reader *r, struct arena *a, const json_t *tuple,
		      struct recorded_event *e)
{
	uint64_t cpu;

	if (!json_number(json_array_get(tuple, PART_TIME), &e->time) ||
	    !json_number(json_array_get(tuple, PART_CPU), &cpu) ||
	    !raw_thread(r, a, json_array_get(tuple, PART_THREAD), &e->thread) ||
	    !raw_stack(r, json_array_get(tuple, PART_KSTACK), &e->kstack) ||
	    !raw_stack(r, json_array_get(tuple, PART_USTACK), &e->ustack))
		return false;
	e->cpu = (uint32_t)cpu;
	return take_words(r, json_array_get(tuple, PART_WORDS), e);
}

/* The end of a time on or off the CPU; raw_switches() makes an event of it. */
static bool take_span(struct raw_reader *r, const json_t *tuple, bool is_on_cpu,
		      const struct recorded_event *e)
{
	struct raw_span s = {.time = e->time,
			     .thread = e->thread,
			     .cpu = e->cpu,
			     .kstack = e->kstack,
			     .ustack = e->ustack,
			     .words = e->words,
			     .seq = e->seq,
			     .is_on_cpu = is_on_cpu};

	if (json_array_size(tuple) != PART_SPAN_END ||
	    !json_number(json_array_get(tuple, PART_LENGTH), &s.length) || s.length > s.time)
		return false;
	s.is_open = json_is_true(json_array_get(tuple, PART_OPEN));
	s.is_cut = json_is_true(json_array_get(tuple, PART_CUT));
	arena_push(r->rec->arena, r->spans, r->n_spans, s);
	return true;
}

/* [cgroup, id, path] */
static bool take_cgroup(struct raw_reader *r, const json_t *tuple)
{
	struct arena *a = r->rec->arena;
	struct recorded_cgroup c;
	const char *path;
	uint32_t n;

	if (json_array_size(tuple) != 3 || !json_number(json_array_get(tuple, 1), &c.id))
		return false;
	path = raw_string(a, json_array_get(tuple, 2), &n);
	if (!path)
		return false;
	c.path = arena_strndup(a, path, n);
	arena_push(a, r->out->cgroups, r->out->n_cgroups, c);
	return true;
}

/* The values of a call, and the strings that they point to; 0 instead of a string: none. */
static bool take_call(struct raw_reader *r, const json_t *tuple, struct recorded_event *e)
{
	const json_t *list = json_array_get(tuple, PART_ARGS);
	uint64_t *values;

	if (!json_is_array(list) || json_array_size(list) < RECORDED_ARGUMENTS ||
	    json_array_size(tuple) - PART_STRINGS > json_array_size(list) - RECORDED_ARGUMENTS)
		return false;
	values = arena_alloc(r->rec->arena, json_array_size(list) * sizeof(*values));
	if (!json_numbers(list, values))
		return false;
	e->values = values;
	e->n_values = (uint32_t)json_array_size(list);
	for (uint32_t i = PART_STRINGS; i < json_array_size(tuple); i++)
		if (!json_is_integer(json_array_get(tuple, i)) &&
		    !raw_add_string(r, values[RECORDED_ARGUMENTS + i - PART_STRINGS],
				    json_array_get(tuple, i), e))
			return false;
	return true;
}

/* The fields of a tracepoint, and the strings that they point to. */
static bool take_record(struct raw_reader *r, const struct tp_format *f, const json_t *tuple,
			struct recorded_event *e)
{
	if (f == &no_format && json_is_array(json_array_get(tuple, PART_ARGS)))
		return raw_make_words(r->rec->arena, json_array_get(tuple, PART_ARGS), e);
	raw_make_record(r->rec->arena, f, json_array_get(tuple, PART_ARGS), e,
			r->out->threads[e->thread].tid);
	return raw_take_strings(r, f, tuple, e);
}

bool raw_take_event(struct raw_reader *r, struct arena *a, const json_t *list, uint64_t seq)
{
	const json_t *tuple = json_array_size(list) == 1 ? json_array_get(list, 0) : NULL;
	struct recorded_event e = {.seq = seq};
	const char *name;
	uint64_t state;
	int point;

	if (!json_array_size(tuple))
		return false;
	name = json_string_value(json_array_get(tuple, PART_POINT));
	if (name && strcmp(name, RAW_CGROUP) == 0)
		return take_cgroup(r, tuple);
	if (json_array_size(tuple) <= PART_ARGS || !take_head(r, a, tuple, &e))
		return false;
	if (name && (strcmp(name, RAW_BACK) == 0 || strcmp(name, RAW_ON) == 0))
		return take_span(r, tuple, strcmp(name, RAW_ON) == 0, &e);
	point = find_point(r, name);
	if (point < 0)
		return false;
	e.point = (uint32_t)point;
	if (r->formats[point] == &call_format ? !take_call(r, tuple, &e)
					      : !take_record(r, r->formats[point], tuple, &e))
		return false;
	e.has_state = strcmp(r->out->points[point], "sched:sched_switch") == 0 &&
		      json_number(json_object_get(json_array_get(tuple, PART_ARGS), "prev_state"),
				  &state);
	e.state = e.has_state ? (uint32_t)state : 0;
	arena_push(r->rec->arena, r->out->events, r->out->n_events, e);
	return true;
}

enum { EVENTS_PER_ARENA = 256 };

static int read_events(struct raw_reader *r)
{
	sqlite3_stmt *s = recording_prepare(r->rec, "SELECT seq, args FROM events ORDER BY seq");
	struct arena *a = arena_new();
	int got = s ? 1 : -1;

	for (uint32_t n = 1; got > 0 && (got = recording_step(r->rec, s)) > 0; n++) {
		int64_t seq = sqlite3_column_int64(s, 0);

		if (!raw_take_event(r, a, recording_json(a, s, 1), (uint64_t)seq))
			got = recording_damaged(r->rec, REC_EVENTS, seq);
		if (n % EVENTS_PER_ARENA)
			continue;
		arena_free(a);
		a = arena_new();
	}
	arena_free(a);
	sqlite3_finalize(s);
	return got;
}

/* The clocks begin and end with the events. */
static void fit_times(struct recorded_events *out)
{
	if (out->n_events && out->events[0].time < out->start)
		out->start = out->events[0].time;
	for (uint32_t i = 0; i < out->n_begins; i++)
		if (out->begins[i].time < out->start)
			out->start = out->begins[i].time;
	if (out->n_events && out->events[out->n_events - 1].time > out->end)
		out->end = out->events[out->n_events - 1].time;
	if (!out->open_end)
		out->open_end = out->end;
}

void raw_order(struct raw_reader *r)
{
	r->out->has_stacks = r->out->n_stacks > 1;
	raw_sort(r->out);
	raw_calls(r);
	raw_switches(r);
	fit_times(r->out);
}

int raw_events_read(struct recording *rec, struct kernel *k, struct recorded_events *out)
{
	struct raw_reader r = {.rec = rec, .kernel = k, .out = out};
	int err;

	*out = (struct recorded_events){0};
	raw_threads_begin(&r);
	err = recording_load(rec) || read_clocks(&r) || read_losses(&r) || read_events(&r);
	if (!err)
		raw_order(&r);
	raw_threads_end(&r);
	return err ? -1 : 0;
}
