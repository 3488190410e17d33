/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads events of tracepoints: see raw_events.h. An event is a value that was printed: a tuple of
 * the attach point, the time, the CPU, the thread's numbers and name, the record's fields, and the
 * strings that its arguments point to (cli/saved/record_events.c). From the fields, and the
 * format of the tracepoint, it makes the record again.
 */
#include "runtime/recording/raw_events.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/recording/recording.h"
#include <stdlib.h>
#include <string.h>

/* The members of the tuple. */
enum {
	PART_POINT,
	PART_TIME,
	PART_CPU,
	PART_PID,
	PART_TID,
	PART_UID,
	PART_GID,
	PART_COMM,
	PART_ARGS,
	PART_STRINGS,
};

enum { RECORD_HEAD = 8, RECORD_MOST = 1 << 16, TAIL_MOST = 1 << 15, COMMON_PID = 4 };

struct reader {
	struct recording *rec;
	struct kernel *kernel;
	struct recorded_events *out;
	const struct tp_format **formats; /* of each point */
};

/* ---- facts -------------------------------------------------------------------------------- */

char *raw_events_facts(struct recording *r)
{
	sqlite3_stmt *s = recording_prepare(r, "SELECT value FROM run WHERE name = 'facts'");
	int got = s ? recording_step(r, s) : -1;
	const char *text = got > 0 ? recording_text(s, 0) : NULL;
	char *copy = text ? strdup(text) : NULL;

	if (got >= 0 && !copy) {
		log_error("'%s' has no events to replay", r->path);
		log_text("hint: 'sonde record --events PATTERN -o FILE' records them");
	}
	sqlite3_finalize(s);
	return copy;
}

/* Numbers of the run. -1 after a message. */
static int read_number(struct recording *r, const char *name, uint64_t usual, uint64_t *out)
{
	sqlite3_stmt *s = recording_prepare(r, "SELECT value FROM run WHERE name = ?");
	int got = s ? 0 : -1;

	if (s) {
		sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
		got = recording_step(r, s);
	}
	*out = got > 0 ? (uint64_t)sqlite3_column_int64(s, 0) : usual;
	sqlite3_finalize(s);
	return got < 0 ? -1 : 0;
}

static int read_clocks(struct reader *r)
{
	struct recorded_events *out = r->out;
	uint64_t end;

	if (read_number(r->rec, "boot", 0, &out->start) ||
	    read_number(r->rec, "start", 0, &out->wall) ||
	    read_number(r->rec, "monotonic", 0, &out->mono) ||
	    read_number(r->rec, "tai", 0, &out->tai) || read_number(r->rec, "end", 0, &end))
		return -1;
	out->end = end > out->wall ? out->start + (end - out->wall) : out->start;
	return 0;
}

static int read_losses(struct reader *r)
{
	sqlite3_stmt *s =
		recording_prepare(r->rec,
				  "SELECT coalesce(sum(n), 0) FROM losses WHERE cause NOT IN "
				  "('read-fault', 'string-cut')"); /* the event is there */
	int got = s ? recording_step(r->rec, s) : -1;

	r->out->n_lost = got > 0 ? (uint64_t)sqlite3_column_int64(s, 0) : 0;
	sqlite3_finalize(s);
	return got < 0 ? -1 : 0;
}

/* ---- records ------------------------------------------------------------------------------ */

/* A string, also one that was cut, or is not UTF-8. *n: its bytes. NULL: it is none. */
static const char *string_of(struct arena *a, const struct json *j, uint32_t *n)
{
	const struct json *hex = json_member(j, "hex"), *text = json_member(j, "text");
	char *bytes, digits[3] = "";

	if (hex && json_text(hex)) {
		*n = hex->len / 2;
		bytes = arena_alloc(a, *n + 1);
		for (uint32_t i = 0; i < *n; i++) {
			memcpy(digits, hex->text + 2 * (size_t)i, 2);
			bytes[i] = (char)strtoul(digits, NULL, 16);
		}
		return bytes;
	}
	j = text ? text : j;
	if (!json_text(j))
		return NULL;
	*n = j->len;
	return j->text;
}

static bool integer_of(const struct json *j, uint64_t *x)
{
	*x = json_is_true(j);
	return json_number(j, x) || (j && (j->kind == JSON_TRUE || j->kind == JSON_FALSE));
}

static void put(struct recorded_event *e, uint32_t at, const void *bytes, uint32_t n)
{
	if (at > e->n_bytes || n > e->n_bytes - at)
		return;
	memcpy(e->record + at, bytes, n);
	memset(e->known + at, 1, n);
}

/* An array of numbers. */
static void put_list(struct recorded_event *e, const struct tp_field *f, const struct json *j)
{
	uint64_t x;

	if (!f->elem_size || f->elem_size > sizeof(x))
		return;
	for (uint32_t i = 0; i < j->n && (i + 1) * f->elem_size <= f->size; i++)
		if (integer_of(&j->items[i], &x))
			put(e, f->offset + i * f->elem_size, &x, f->elem_size);
}

/* A field whose bytes are behind the others: the field says where, and how many. */
static void put_tail(struct recorded_event *e, const struct tp_field *f, const char *text,
		     uint32_t n, uint32_t *tail)
{
	bool is_relative = strncmp(f->type_text, "__rel_loc", 9) == 0;
	uint32_t from = is_relative ? *tail - f->offset - f->size : *tail, where;

	if (n >= TAIL_MOST || *tail + n + 1 > e->n_bytes)
		return;
	where = (n + 1) << 16 | (from & 0xffff);
	put(e, f->offset, &where, sizeof(where));
	put(e, *tail, text, n);
	put(e, *tail + n, "", 1);
	*tail += n + 1;
}

/* What cannot be written has no value, and reading it ends the replay. */
static void put_field(struct arena *a, struct recorded_event *e, const struct tp_field *f,
		      const struct json *j, uint32_t *tail)
{
	const char *text;
	uint32_t n = 0;
	uint64_t x;

	if (!f->is_data_loc && f->size <= sizeof(x) && integer_of(j, &x)) {
		put(e, f->offset, &x, f->size);
	} else if ((text = string_of(a, j, &n)) && f->is_data_loc) {
		put_tail(e, f, text, n, tail);
	} else if (text && f->is_char_array && f->size <= e->n_bytes &&
		   f->offset <= e->n_bytes - f->size) {
		memset(e->known + f->offset, 1, f->size);
		put(e, f->offset, text, n < f->size ? n : f->size);
	} else if (j && j->kind == JSON_LIST) {
		put_list(e, f, j);
	}
}

/* The bytes of the fields themselves, and of the strings behind them. */
static void record_size(const struct tp_format *f, const struct json *args, uint32_t *fixed,
			uint32_t *all)
{
	*fixed = RECORD_HEAD;
	*all = 0;
	for (uint32_t i = 0; i < f->n_fields; i++) {
		const struct tp_field *field = &f->fields[i];
		const struct json *j = json_member(args, field->name), *text;

		if (field->offset < RECORD_MOST && field->size < RECORD_MOST &&
		    field->offset + field->size > *fixed)
			*fixed = field->offset + field->size;
		if (!field->is_data_loc || !j)
			continue;
		text = json_member(j, "text") ?: json_member(j, "hex") ?: j;
		*all += text->kind == JSON_STRING && text->len < TAIL_MOST ? text->len + 1 : 0;
	}
	*all = *fixed + (*all < RECORD_MOST ? *all : 0);
}

static void make_record(struct arena *a, const struct tp_format *f, const struct json *args,
			struct recorded_event *e)
{
	uint32_t tail;

	record_size(f, args, &tail, &e->n_bytes);
	e->n_bytes += sizeof(uint64_t); /* numbers of system calls are read as a long */
	e->record = arena_alloc(a, e->n_bytes);
	e->known = arena_alloc(a, e->n_bytes);
	put(e, COMMON_PID, &e->tid, sizeof(e->tid));
	for (uint32_t i = 0; i < f->n_fields; i++)
		put_field(a, e, &f->fields[i], json_member(args, f->fields[i].name), &tail);
}

/* ---- events ------------------------------------------------------------------------------- */

bool raw_events_has_string(const struct tp_format *f, const struct tp_field *field)
{
	return strcmp(f->category, "syscalls") == 0 && field->size == sizeof(uint64_t) &&
	       strcmp(field->type_text, "const char *") == 0;
}

/* The strings follow in the order of the fields that point to them. */
static bool take_strings(struct reader *r, const struct tp_format *f, const struct json *tuple,
			 struct recorded_event *e)
{
	struct recorded_string *strings = NULL, one;
	const struct json *args = &tuple->items[PART_ARGS];
	uint32_t at = PART_STRINGS;

	for (uint32_t i = 0; i < f->n_fields; i++) {
		if (!raw_events_has_string(f, &f->fields[i]))
			continue;
		if (at >= tuple->n ||
		    !json_number(json_member(args, f->fields[i].name), &one.address))
			return false;
		one.text = string_of(r->rec->arena, &tuple->items[at++], &one.bytes);
		if (!one.text)
			return false;
		one.text = arena_strndup(r->rec->arena, one.text, one.bytes++);
		if (one.address)
			arena_push(r->rec->arena, strings, e->n_strings, one);
	}
	e->strings = strings;
	return at == tuple->n;
}

static int find_point(struct reader *r, const char *name)
{
	static const char word[] = "tracepoint:";
	struct recorded_events *out = r->out;
	uint32_t n_formats = out->n_points;
	const struct tp_format *format;
	char category[256];
	const char *event;

	if (!name || strncmp(name, word, sizeof(word) - 1) != 0)
		return -1;
	name += sizeof(word) - 1;
	for (uint32_t i = 0; i < out->n_points; i++)
		if (strcmp(out->points[i], name) == 0)
			return (int)i;
	event = strchr(name, ':');
	if (!event || (size_t)(event - name) >= sizeof(category))
		return -1;
	memcpy(category, name, (size_t)(event - name));
	category[event - name] = '\0';
	if (r->kernel->tracepoint(r->kernel, category, event + 1, &format))
		return -1;
	arena_push(r->rec->arena, r->formats, n_formats, format);
	name = arena_strdup(r->rec->arena, name);
	arena_push(r->rec->arena, out->points, out->n_points, name);
	return (int)out->n_points - 1;
}

static bool take_numbers(const struct json *tuple, struct recorded_event *e)
{
	uint32_t *const to[] = {&e->cpu, &e->pid, &e->tid, &e->uid, &e->gid};
	uint64_t x;

	if (!json_number(&tuple->items[PART_TIME], &e->time))
		return false;
	for (int i = 0; i < 5; i++) {
		if (!json_number(&tuple->items[PART_CPU + i], &x))
			return false;
		*to[i] = (uint32_t)x;
	}
	return true;
}

/* [[point, time, …]] */
static bool take_event(struct reader *r, struct arena *a, const struct json *list, uint64_t seq)
{
	const struct json *tuple =
		list && list->kind == JSON_LIST && list->n == 1 ? list->items : NULL;
	struct recorded_event e = {.seq = seq};
	const char *comm;
	uint32_t n;
	int point;

	if (!tuple || tuple->kind != JSON_LIST || tuple->n <= PART_ARGS || !take_numbers(tuple, &e))
		return false;
	point = find_point(r, json_text(&tuple->items[PART_POINT]));
	comm = string_of(a, &tuple->items[PART_COMM], &n);
	if (point < 0 || !comm)
		return false;
	memcpy(e.comm, comm, n < sizeof(e.comm) - 1 ? n : sizeof(e.comm) - 1);
	e.point = (uint32_t)point;
	make_record(r->rec->arena, r->formats[point], &tuple->items[PART_ARGS], &e);
	if (!take_strings(r, r->formats[point], tuple, &e))
		return false;
	arena_push(r->rec->arena, r->out->events, r->out->n_events, e);
	return true;
}

static int by_time(const void *x, const void *y)
{
	const struct recorded_event *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int read_events(struct reader *r)
{
	sqlite3_stmt *s = recording_prepare(r->rec, "SELECT seq, args FROM events ORDER BY seq");
	int got = s ? 1 : -1;

	while (got > 0 && (got = recording_step(r->rec, s)) > 0) {
		struct arena *a = arena_new();
		int64_t seq = sqlite3_column_int64(s, 0);

		if (!take_event(r, a, recording_json(a, s, 1), (uint64_t)seq))
			got = recording_damaged(r->rec, REC_EVENTS, seq);
		arena_free(a);
	}
	sqlite3_finalize(s);
	return got;
}

int raw_events_read(struct recording *r, struct kernel *k, struct recorded_events *out)
{
	struct reader reader = {.rec = r, .kernel = k, .out = out};

	*out = (struct recorded_events){0};
	if (read_clocks(&reader) || read_losses(&reader) || read_events(&reader))
		return -1;
	if (out->n_events) {
		qsort(out->events, out->n_events, sizeof(*out->events), by_time);
		if (out->events[0].time < out->start)
			out->start = out->events[0].time;
		if (out->events[out->n_events - 1].time > out->end)
			out->end = out->events[out->n_events - 1].time;
	}
	return 0;
}
