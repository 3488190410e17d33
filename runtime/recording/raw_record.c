/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the record of a recorded event again, from the values of its fields and the format of its
 * tracepoint.
 */
#include "runtime/recording/raw_impl.h"
#include "parser/base/arena.h"
#include "runtime/recording/value_json.h"

enum { RECORD_HEAD = 8, RECORD_MOST = 1 << 16, TAIL_MOST = 1 << 15, COMMON_PID = 4 };

const char *raw_string(struct arena *a, const json_t *j, uint32_t *n)
{
	struct view v;

	if (!j || !value_json_read_string(a, j, &v))
		return NULL;
	*n = v.string.len;
	return v.string.text;
}

static bool integer_of(const json_t *j, uint64_t *x)
{
	*x = json_is_true(j);
	return json_number(j, x) || json_is_boolean(j);
}

static void put(struct recorded_event *e, uint32_t at, const void *bytes, uint32_t n)
{
	if (at > e->n_bytes || n > e->n_bytes - at)
		return;
	memcpy(e->record + at, bytes, n);
	memset(e->known + at, 1, n);
}

/* An array of numbers. */
static void put_list(struct recorded_event *e, const struct tp_field *f, const json_t *j)
{
	uint64_t x;

	if (!f->elem_size || f->elem_size > sizeof(x))
		return;
	for (uint32_t i = 0; i < json_array_size(j) && (i + 1) * f->elem_size <= f->size; i++)
		if (integer_of(json_array_get(j, i), &x))
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
		      const json_t *j, uint32_t *tail)
{
	const char *text;
	uint32_t n = 0;
	uint64_t x;

	if (!f->is_data_loc && f->size <= sizeof(x) && integer_of(j, &x)) {
		put(e, f->offset, &x, f->size);
	} else if ((text = raw_string(a, j, &n)) && f->is_data_loc) {
		put_tail(e, f, text, n, tail);
	} else if (text && f->is_char_array && f->size <= e->n_bytes &&
		   f->offset <= e->n_bytes - f->size) {
		memset(e->known + f->offset, 1, f->size);
		put(e, f->offset, text, n < f->size ? n : f->size);
	} else if (json_is_array(j)) {
		put_list(e, f, j);
	}
}

/* The bytes of the fields themselves, and of the strings behind them. */
static void record_size(const struct tp_format *f, const json_t *args, uint32_t *fixed,
			uint32_t *all)
{
	*fixed = RECORD_HEAD;
	*all = 0;
	for (uint32_t i = 0; i < f->n_fields; i++) {
		const struct tp_field *field = &f->fields[i];
		const json_t *j = json_object_get(args, field->name), *text;

		if (field->offset < RECORD_MOST && field->size < RECORD_MOST &&
		    field->offset + field->size > *fixed)
			*fixed = field->offset + field->size;
		if (!field->is_data_loc || !j)
			continue;
		text = json_object_get(j, "text") ?: json_object_get(j, "hex") ?: j;
		*all += json_is_string(text) && json_string_length(text) < TAIL_MOST
				? (uint32_t)json_string_length(text) + 1
				: 0;
	}
	*all = *fixed + (*all < RECORD_MOST ? *all : 0);
}

void raw_make_record(struct arena *a, const struct tp_format *f, const json_t *args,
		     struct recorded_event *e, uint32_t tid)
{
	uint32_t tail;

	record_size(f, args, &tail, &e->n_bytes);
	e->n_bytes += sizeof(uint64_t); /* numbers of system calls are read as a long */
	e->record = arena_alloc(a, e->n_bytes);
	e->known = arena_alloc(a, e->n_bytes);
	put(e, COMMON_PID, &tid, sizeof(tid));
	for (uint32_t i = 0; i < f->n_fields; i++)
		put_field(a, e, &f->fields[i], json_object_get(args, f->fields[i].name), &tail);
}

bool raw_make_words(struct arena *a, const json_t *args, struct recorded_event *e)
{
	uint32_t n = (uint32_t)json_array_size(args);
	uint64_t *words;

	if (n > RECORD_MOST / sizeof(*words))
		return false;
	words = arena_alloc(a, (n + 1) * sizeof(*words));
	e->n_bytes = n * (uint32_t)sizeof(*words);
	e->record = (uint8_t *)words;
	e->known = arena_alloc(a, e->n_bytes + 1);
	memset(e->known, 1, e->n_bytes);
	return json_numbers(args, words);
}

bool raw_events_has_string(const struct tp_format *f, const struct tp_field *field)
{
	return strcmp(f->category, "syscalls") == 0 && field->size == sizeof(uint64_t) &&
	       strcmp(field->type_text, "const char *") == 0;
}

bool raw_add_string(struct raw_reader *r, uint64_t address, const json_t *j,
		    struct recorded_event *e)
{
	struct recorded_string *strings = (struct recorded_string *)(uintptr_t)e->strings,
			       one = {.address = address};

	one.text = raw_string(r->rec->arena, j, &one.bytes);
	if (!one.text)
		return false;
	if (!address)
		return true;
	one.text = arena_strndup(r->rec->arena, one.text, one.bytes++);
	arena_push(r->rec->arena, strings, e->n_strings, one);
	e->strings = strings;
	return true;
}

/* The strings follow in the order of the fields that point to them. */
bool raw_take_strings(struct raw_reader *r, const struct tp_format *f, const json_t *tuple,
		      struct recorded_event *e)
{
	const json_t *args = json_array_get(tuple, PART_ARGS);
	uint32_t at = PART_STRINGS;
	uint64_t address;

	for (uint32_t i = 0; i < f->n_fields; i++) {
		if (!raw_events_has_string(f, &f->fields[i]))
			continue;
		if (at >= json_array_size(tuple) ||
		    !json_number(json_object_get(args, f->fields[i].name), &address) ||
		    !raw_add_string(r, address, json_array_get(tuple, at++), e))
			return false;
	}
	return at == json_array_size(tuple);
}
