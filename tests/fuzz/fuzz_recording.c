/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A type and a value of a recording, as JSON on two lines: what is accepted can be shown by the
 * writers of text and JSON, and is the same when it is written and read again.
 */
#include "tests/fuzz/fuzz.h"
#include "runtime/output/out.h"
#include "runtime/recording/row.h"
#include "runtime/output/type_json.h"
#include "runtime/recording/value_json.h"

static bool find(struct stack_lookup *l, uint64_t number, struct view_stack *out)
{
	static const struct view_frame frames[] = {{.ip = 1, .name = "f\x1b"}, {.ip = 2}};

	(void)l;
	*out = (struct view_stack){.frames = frames, .n = 2, .is_user = number & 1};
	return number < 3;
}

static uint32_t number(struct stack_numbers *n, const struct view_stack *s)
{
	(void)n;
	return s->n ? 1 : 0;
}

static void show(const struct view *v)
{
	struct view_row row = {.keys = (struct view *)v, .value = *v};
	struct view_map map = {.name = "@", .n_keys = 1, .rows = &row, .n_rows = 1};
	struct out *outs[] = {out_text_new(fuzz_sink(), NULL, NULL),
			      out_json_new(fuzz_sink(), NULL, NULL)};

	for (int i = 0; i < 2; i++) {
		outs[i]->value(outs[i], v);
		if (v->type->kind != TY_AGG)
			outs[i]->map(outs[i], &map);
		outs[i]->close(outs[i]);
	}
}

static void write_again(struct arena *a, const struct view *v)
{
	struct stack_numbers numbers = {number};
	struct stack_lookup lookup = {find};
	struct view again;
	struct row row;

	row_init(&row);
	value_json_put(&row.json, NULL, v, &numbers);
	if (!value_json_read(a, v->type, json_read(a, row.grown.text.bytes, row.grown.text.n),
			     &lookup, &again))
		abort();
	text_grown_free(&row.grown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stack_lookup lookup = {find};
	struct arena *a = arena_new();
	const uint8_t *line = memchr(data, '\n', size);
	const json_t *value = NULL;
	const struct type *type = NULL;
	struct view v;

	if (line) {
		type = type_json_read(a, json_read(a, (const char *)data, (size_t)(line - data)));
		value = json_read(a, (const char *)line + 1, size - (size_t)(line - data) - 1);
	}
	if (type && value && value_json_read(a, type, value, &lookup, &v)) {
		show(&v);
		write_again(a, &v);
	}
	arena_free(a);
	return 0;
}
