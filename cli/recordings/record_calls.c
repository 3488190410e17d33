/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the functions whose events are recorded: see record_calls.h. The patterns are resolved as
 * those of a script are. Each function becomes a fact of the recording, and is recorded once,
 * however many patterns match it. A return is recorded with its entry, because a replay needs both
 * for `delta` and `entry()`.
 */
#include "cli/recordings/record_calls.h"
#include "cli/base/diag_report.h"
#include "cli/compile/emit_facts.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/base/pattern.h"
#include "parser/lang/ast.h"
#include "parser/lang/probe.h"
#include "parser/lang/usdt_operand.h"
#include "runtime/base/log.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_ARGS = 16,
	USUAL_ARGS = 6, /* of a function whose types are not known: in registers */
};

/* The pattern that is being selected. */
struct choosing {
	struct recorded_calls *c;
	const char *pattern;
	enum probe_id id;
	const struct attach_point *point;
	struct recorded_call call;
	const char *points;    /* those that are new, one by one */
	struct string_set own; /* facts of functions that it matches */
	uint32_t n_new, n_old;
};

bool record_calls_is(const char *pattern)
{
	enum probe_id id;

	return probe_find_call(pattern, &id);
}

static bool add_to(struct string_set *s, const char *fact)
{
	size_t before = s->n_bytes;

	return string_set_intern(s, fact) && s->n_bytes != before;
}

/* Is it the first time? */
static bool is_new(struct recorded_calls *c, const char *fact)
{
	return add_to(&c->known, fact);
}

static void put_fact(struct recorded_calls *c, const char *fact)
{
	if (is_new(c, fact))
		fprintf(c->to_facts, "%s\n", fact);
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* Can it be the address of a string? */
static bool is_text(const struct tp_field *p)
{
	return p->size == sizeof(uint64_t) && p->to.levels == 1 &&
	       (p->to.size == 1 || !p->to.text || strcmp(p->to.text, "void") == 0);
}

static void add_args(struct choosing *g, uint32_t n, uint32_t texts)
{
	if (n > MOST_ARGS)
		n = MOST_ARGS;
	if (n > g->call.n_args)
		g->call.n_args = n;
	g->call.texts |= texts;
}

/* What debug information says of a function: its arguments, as far as they are known. */
static void take_types(struct choosing *g, const struct typed_function *f)
{
	uint32_t n = 0, texts = 0;

	for (uint32_t i = 0; i < f->n_params; i++) {
		const struct tp_field *p = &f->params[i];
		uint32_t word = p->offset / 8;

		if (p->offset == TYPED_NO_PLACE || !p->size || word >= MOST_ARGS)
			continue;
		n = word + 1 > n ? word + 1 : n;
		texts |= (uint32_t)is_text(p) << word;
	}
	add_args(g, n, texts);
}

/* What results point to is not known; may it be a string? */
static void take_result(struct choosing *g, const struct typed_function *f)
{
	g->call.is_text_result |= !f || f->result.size == sizeof(uint64_t);
}

/* The types of a function, from debug information or BTF, which become a fact. NULL: not known. */
static const struct typed_function *types_of(struct choosing *g, const struct attach_target *t)
{
	struct kernel *k = g->c->kernel;
	const struct typed_function *f = NULL;
	bool first = is_new(g->c,
			    arena_printf(g->c->arena, "arguments %s %s", t->path ?: "", t->symbol));
	struct user_symbol s;

	if (!t->path) {
		if (!kernel_has(k, CAP_BTF) ||
		    k->typed(k, TYPED_FUNCTION, t->module, t->symbol, &f))
			return NULL;
		if (first)
			emit_typed(f, false, g->c->to_facts);
		return f;
	}
	if (!k->user_typed || k->user_symbol(k, t->path, t->symbol, &s) ||
	    k->user_typed(k, t->path, s.offset, &f))
		return NULL;
	if (first)
		emit_arguments(g->c->arena, k, f, t->path, t->symbol, g->c->to_facts);
	return f;
}

static void take_arguments(struct choosing *g, const struct attach_target *t)
{
	const struct typed_function *f = types_of(g, t);

	take_result(g, f);
	if (f)
		take_types(g, f);
	else
		add_args(g, USUAL_ARGS, (1u << USUAL_ARGS) - 1);
}

/* Argument i of a static probe at all of its locations: one that cannot be read at any, or the
 * widest, as the type of `argN` is. */
static void merge_operand(struct usdt_operand *all, const struct usdt_operand *here)
{
	if (!all->text || here->kind == USDT_UNREADABLE) {
		*all = *here;
	} else if (all->kind != USDT_UNREADABLE && all->is_signed != here->is_signed) {
		all->is_signed = true;
		all->size = sizeof(uint64_t);
	} else if (all->kind != USDT_UNREADABLE && here->size > all->size) {
		all->size = here->size;
	}
}

/* The operands that a probe of that name has at all of its locations. Returns their number. */
static uint32_t find_operands(struct choosing *g, const char *fact,
			      struct usdt_operand all[USDT_ARGS])
{
	const struct attach_point *p = g->point;
	uint32_t n = USDT_ARGS;
	struct usdt_format f;

	for (uint32_t i = 0; i < p->n_targets; i++) {
		if (strcmp(probe_recorded_fact(g->c->arena, g->id, &p->targets[i]), fact) != 0)
			continue;
		usdt_format_parse(g->c->arena, p->targets[i].args, USDT_HERE, &f);
		n = f.n < n ? f.n : n;
		for (uint32_t k = 0; k < n; k++)
			merge_operand(&all[k], &f.args[k]);
	}
	return n;
}

static const char *operand_text(const struct choosing *g, const struct usdt_operand *o, uint32_t i)
{
	if (o->kind != USDT_UNREADABLE)
		return arena_printf(g->c->arena, "%s%u@=%u", o->is_signed ? "-" : "", o->size, i);
	return strpbrk(o->text, " ;") ? "?" : o->text;
}

/* The arguments of a static probe, each as a word of the context: 4@=0;8@=1 */
static const char *take_operands(struct choosing *g, const char *fact)
{
	struct usdt_operand all[USDT_ARGS] = {0};
	const char *text = NULL;

	g->call.n_args = find_operands(g, fact, all);
	for (uint32_t i = 0; i < g->call.n_args; i++) {
		bool is_read = all[i].kind != USDT_UNREADABLE;

		text = arena_printf(g->c->arena, "%s%s%s", text ?: "", text ? ";" : "",
				    operand_text(g, &all[i], i));
		g->call.unread |= (uint32_t)!is_read << i;
		g->call.texts |= (uint32_t)(is_read && all[i].size == sizeof(uint64_t)) << i;
	}
	return text ?: "-";
}

/* ---- facts --------------------------------------------------------------------------------- */

/* A file, and the name by which scripts will ask for it. */
static void put_file(struct recorded_calls *c, const struct attach_target *t)
{
	put_fact(c, arena_printf(c->arena, "mapped %s", t->path));
	if (t->called && strcmp(t->called, t->path) != 0 && !strpbrk(t->called, " \t\n"))
		put_fact(c, arena_printf(c->arena, "alias %s %s", t->path, t->called));
}

static void put_function(struct recorded_calls *c, const char *path, const struct user_symbol *f,
			 const char *exits)
{
	put_fact(c, arena_printf(c->arena, "symbol %s %s 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 "%s",
				 path, f->symbol, f->address, f->offset, f->size, exits));
}

static void put_symbol(const struct choosing *g, const struct attach_target *t)
{
	const char *exits = !probe_is_at_returns(g->point) ? "" : t->has_jump ? " jump" : " exits";
	struct recorded_calls *c = g->c;
	struct kernel *k = c->kernel;
	struct user_symbol f;

	put_file(c, t);
	if (k->user_symbol(k, t->path, t->symbol, &f) == 0)
		put_function(c, t->path, &f, exits);
}

/* The function that a static probe is in: the value of `func`, if there is only one. */
static void put_function_of(struct choosing *g, const char *fact)
{
	struct kernel *k = g->c->kernel;
	const struct attach_point *p = g->point;
	struct user_symbol first = {0}, f;

	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct attach_target *t = &p->targets[i];

		if (strcmp(probe_recorded_fact(g->c->arena, g->id, t), fact) != 0)
			continue;
		if (!k->user_function_at || k->user_function_at(k, t->path, t->address, &f) ||
		    (first.symbol && strcmp(first.symbol, f.symbol) != 0))
			return;
		first = f;
	}
	if (first.symbol)
		put_function(g->c, first.path, &first, "");
}

/* usdt PATH PROVIDER:NAME ADDRESS SEMAPHORE ARGUMENTS */
static void put_note(struct choosing *g, const struct attach_target *t, const char *fact)
{
	struct recorded_calls *c = g->c;
	const char *name = fact + strlen(probe_rows[g->id].name) + 1 + strlen(t->path) + 1;

	put_file(c, t);
	put_function_of(g, fact);
	put_fact(c, arena_printf(c->arena, "usdt %s %s 0x%" PRIx64 " 0 %s", t->path, name,
				 t->address, take_operands(g, fact)));
}

/* The facts by which a script's attach points are found again. */
static void put_target(struct choosing *g, const struct attach_target *t, const char *fact)
{
	struct recorded_calls *c = g->c;

	if (!t->path)
		put_fact(c, arena_printf(c->arena, "function %s", t->symbol));
	else if (t->args)
		put_note(g, t, fact);
	else
		put_symbol(g, t);
	put_fact(c, arena_printf(c->arena, "capability %s",
				 capability_rows[probe_rows[g->id].capability].id));
}

/* ---- the pattern --------------------------------------------------------------------------- */

/* The pattern with the file's own path in place of another path to it, so that `probe` is the same
 * however the file is called. */
static const char *own_path(struct choosing *g, const struct attach_point *p)
{
	const char *type_end = strchr(g->pattern, ':'), *rest = type_end + 1;
	const char *end = probe_end_of_part(rest, ':');
	const char *path = arena_strndup(g->c->arena, rest, (size_t)(end - rest));
	const char *type = probe_rows[g->id].name;

	if (!*end || !strchr(path, '/') || pattern_is(path) || strchr(path, '@') ||
	    !p->targets[0].path)
		return arena_printf(g->c->arena, "%s:%s", type, rest);
	return arena_printf(g->c->arena, "%s:\"%s\"%s", type, p->targets[0].path, end);
}

/* A function's own attach point. */
static const char *one_point(struct choosing *g, const struct attach_target *t, const char *fact)
{
	const char *type = probe_rows[g->id].name;

	if (t->args)
		return arena_printf(g->c->arena, "%s:\"%s\"%s", type, t->path,
				    fact + strlen(type) + 1 + strlen(t->path));
	return t->path ? arena_printf(g->c->arena, "%s:\"%s\":\"%s\"", type, t->path, t->symbol)
		       : arena_printf(g->c->arena, "%s:%s", type, t->symbol);
}

/* 0, or -1 after a message. */
static int check_target(const struct choosing *g, const struct attach_point *p,
			const struct attach_target *t)
{
	const char *blank = t->path ? strpbrk(t->path, " \t\n") : NULL;

	if (prog_kind_is(probe_rows[g->id].program, PK_TRAMPOLINE))
		log_error("--events: %s cannot be recorded: write kprobe or kretprobe",
			  probe_rows[g->id].name);
	else if (probe_abi(p) != USER_ABI_C)
		log_error("--events: %s is a function of Go, whose calls cannot be recorded",
			  t->function);
	else if (blank)
		log_error("--events: a recording cannot hold the path '%s', which has a blank",
			  t->path);
	else if (t->path ? !t->args && !t->is_entry : t->offset || t->address)
		log_error("--events: %s: only the entry and the return of functions can be "
			  "recorded",
			  g->pattern);
	else
		return 0;
	return -1;
}

static void add_call(struct choosing *g, const char *points)
{
	g->call.points = points;
	arena_push(g->c->arena, g->c->calls, g->c->n, g->call);
}

static void begin_call(struct choosing *g)
{
	g->call = (struct recorded_call){
		.arena = g->c->arena,
		.is_return = prog_kind_is(probe_rows[g->id].program, PK_RETURN),
		.is_kernel = probe_rows[g->id].space == SPACE_KERNEL,
		.has_stack_pointer = probe_rows[g->id].context != CTX_NOTE,
	};
}

static int take_target(struct choosing *g, const struct attach_point *p,
		       const struct attach_target *t)
{
	const char *fact = probe_recorded_fact(g->c->arena, g->id, t), *point;

	if (check_target(g, p, t))
		return -1;
	if (!is_new(g->c, arena_printf(g->c->arena, "recorded %s", fact))) {
		g->n_old += add_to(&g->own, fact); /* a file may have several of that name */
		return 0;
	}
	add_to(&g->own, fact);
	fprintf(g->c->to_facts, "recorded %s\n", fact);
	if (t->args)
		begin_call(g);
	else
		take_arguments(g, t);
	put_target(g, t, fact);
	point = one_point(g, t, fact);
	if (t->args) /* each has its own arguments */
		add_call(g, point);
	g->points = g->n_new++ ? arena_printf(g->c->arena, "%s,\n%s", g->points, point) : point;
	return 0;
}

static int take_points(struct choosing *g, const struct attach_point *points, uint32_t n_points)
{
	begin_call(g);
	for (uint32_t i = 0; i < n_points; i++) {
		uint32_t n;
		const struct attach_target *t = probe_functions(&points[i], &n);

		g->point = &points[i];
		for (uint32_t k = 0; k < n; k++)
			if (take_target(g, &points[i], &t[k]))
				return -1;
	}
	if (!g->n_new || probe_rows[g->id].arm == ARM_USDT)
		return 0;
	if (g->n_old && g->n_new > LIMIT_PROBES / 2)
		return log_error(
			"--events: %s has functions that an earlier pattern has recorded, and "
			"%u others: write patterns that do not overlap",
			g->pattern, g->n_new);
	add_call(g, g->n_old ? g->points : own_path(g, points));
	return 0;
}

static int select_of(struct recorded_calls *c, const char *pattern, enum probe_id id)
{
	struct choosing g = {.c = c, .id = id};
	struct diags d = {.arena = c->arena};
	const struct probe_reader r = {.arena = c->arena, .diags = &d, .kernel = c->kernel};
	struct attach_text text = {.span = {0, (uint32_t)strlen(pattern)}};
	struct attach_point *points = NULL;
	uint32_t n_points = 0;
	int err;

	text.text = g.pattern =
		arena_printf(c->arena, "%s%s", probe_rows[id].name, strchr(pattern, ':'));
	d.source = source_from_text(c->arena, "--events", text.text, strlen(text.text));
	text.span.end = (uint32_t)strlen(text.text);
	err = probe_resolve_all(&r, &text, &points, &n_points);
	diag_report(&d);
	if (!err)
		err = take_points(&g, points, n_points);
	string_set_free(&g.own);
	return err ? -1 : 0;
}

int record_calls_select(struct recorded_calls *c, const char *pattern)
{
	enum probe_id id;

	if (!probe_find_call(pattern, &id))
		return -1;
	if (!c->to_facts)
		c->to_facts = open_memstream(&c->facts, &c->n_facts);
	if (!c->to_facts)
		return log_error("out of memory");
	if (probe_rows[id].entry != id && select_of(c, pattern, probe_rows[id].entry))
		return -1;
	return select_of(c, pattern, id);
}

void record_calls_free(struct recorded_calls *c)
{
	if (c->to_facts)
		fclose(c->to_facts);
	free(c->facts);
	string_set_free(&c->known);
}
