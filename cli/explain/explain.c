/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See explain.h: which stages are wanted, and what is done with their texts.
 */
#define _GNU_SOURCE
#include "cli/explain/explain.h"
#include "parser/base/text.h"
#include "cli/options/option_rows.h"
#include "cli/options/options.h"
#include "cli/base/output_file.h"
#include "parser/base/arena.h"
#include "parser/plan/plan.h"
#include "runtime/base/log.h"
#include "runtime/explain/object_code.h"
#include "cli/explain/code_lines.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct explain_row explain_rows[] = {
#define STAGE(id, word, hook, is_beside, what) {word, what, is_beside, ex_##hook},
#include "cli/explain/stages.def"
#undef STAGE
};
_Static_assert(sizeof(explain_rows) / sizeof(*explain_rows) == EXPLAIN_STAGE_COUNT,
	       "a row for each stage");

static int unknown_stage(const char *word, int len)
{
	char names[160] = "";
	size_t n = 0;

	for (int i = 0; i < EXPLAIN_STAGE_COUNT && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				      explain_rows[i].word);
	return option_error("--stage: unknown stage '%.*s': expected %s", len, word, names);
}

static int find_stage(const char *word, size_t len)
{
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		if (strlen(explain_rows[i].word) == len &&
		    memcmp(explain_rows[i].word, word, len) == 0)
			return i;
	return -1;
}

int explain_take_stages(struct options *o, const char *words)
{
	for (const char *word = words;; word++) {
		size_t len = strcspn(word, ",");
		int stage = find_stage(word, len);

		if (stage < 0)
			return unknown_stage(word, (int)len);
		o->stages |= 1u << stage;
		word += len;
		if (!*word)
			return 0;
	}
}

/* ---- lines ---- */

static void push(struct explain *x, struct explain_text *t, uint32_t line, const char *text)
{
	if (vec_push(&t->lines, (struct explain_line){.text = text, .line = line}))
		arena_out_of_memory();
	(void)x;
}

void explain_add(struct explain *x, struct explain_text *t, uint32_t line, const char *format, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		arena_out_of_memory();
	push(x, t, line, arena_strdup(x->arena, text));
	free(text);
}

void explain_add_text(struct explain *x, struct explain_text *t, const char *text, size_t len)
{
	const char *end = text + len;
	struct text_line l;

	while (text_next_line(&text, end, &l))
		push(x, t, 0, arena_strndup(x->arena, l.at, l.len));
}

/* ---- all ---- */

static int collect(struct explain *x, uint32_t stages)
{
	int status = 0;

	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++) {
		x->texts[i].is_empty = !(stages >> i & 1);
		if (!status && !x->texts[i].is_empty)
			status = explain_rows[i].hook(x, &x->texts[i]);
	}
	return status;
}

static uint32_t wanted(const struct options *o)
{
	return o->stages ? o->stages : (1u << EXPLAIN_STAGE_COUNT) - 1;
}

static void begin(struct explain *x, struct arena *a, const struct options *o,
		  const struct program *program, const struct plan *plan, struct kernel *k)
{
	*x = (struct explain){
		.arena = a, .options = o, .program = program, .plan = plan, .kernel = k};
}

static void end(struct explain *x)
{
	explain_unload(x);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		vec_free(&x->texts[i].lines);
}

int explain_run(struct arena *a, const struct options *o, const struct program *program,
		const struct plan *plan, struct kernel *k)
{
	struct explain x;
	int status;
	FILE *f;

	begin(&x, a, o, program, plan, k);
	status = collect(&x, wanted(o));
	f = status ? NULL : output_open(o->output);
	if (f) {
		if (o->is_page)
			explain_write_page(&x, f);
		else
			explain_write_text(&x, f);
		status = output_close(o->output, f) ?: x.has_failed ? 2 : 0;
	} else if (!status) {
		status = 2;
	}
	end(&x);
	return status;
}

int explain_before_run(struct arena *a, const struct options *o, const struct program *program,
		       const struct plan *plan, struct kernel *k)
{
	struct explain x;
	int status;

	begin(&x, a, o, program, plan, k);
	/* what a run costs is measured in the run: --stats */
	status = collect(&x, wanted(o) & ~(1u << EXPLAIN_COST));
	if (!status)
		explain_write_text(&x, stderr);
	end(&x);
	return status;
}

int explain_listing(const struct source *s, const void *elf, size_t len, FILE *f)
{
	struct explain x = {.arena = arena_new()};
	struct explain_text t = {0};
	struct code_object code;
	int err = object_code_read(x.arena, elf, len, &code);

	if (!err) {
		code_lines_add(&x, &t, s, &code);
		explain_write_lines(s, &t, true, f);
	}
	vec_free(&t.lines);
	arena_free(x.arena);
	return err;
}
