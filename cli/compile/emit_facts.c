/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --emit facts: writes what a script needs to know about this kernel, for --kernel-facts on another
 * machine, or by users who may not read tracefs. The format is described in
 * runtime/kernel/facts_read.c.
 */
#include "cli/compile/emit_facts.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/lang/field_type.h"
#include "parser/lang/kernel.h"
#include "parser/lang/probe.h"
#include <inttypes.h>

/* Type "char[16]" is written as "char comm[16]". */
static void put_field(const struct tp_field *f, FILE *out)
{
	const char *bracket = f->is_data_loc ? NULL : strchr(f->type_text, '[');
	int n = bracket ? (int)(bracket - f->type_text) : (int)strlen(f->type_text);

	fprintf(out, "\tfield:%.*s %s%s;\toffset:%" PRIu32 ";\tsize:%" PRIu32 ";\tsigned:%d;\n", n,
		f->type_text, f->name, bracket ? bracket : "", f->offset, f->size, f->is_signed);
}

void emit_format(const struct tp_format *f, bool has_raw, FILE *out)
{
	fprintf(out, "\ntracepoint %s:%s%s\nname: %s\nID: %" PRIu32 "\nformat:\n", f->category,
		f->event, has_raw ? " raw" : "", f->event, f->id);
	for (uint32_t i = 0; i < f->n_fields; i++)
		put_field(&f->fields[i], out);
}

void emit_enum(const struct type_enum *e, const char *tag, FILE *out)
{
	fprintf(out, "enum %s %sint%" PRIu32 "\n", tag, e->type.is_signed ? "" : "u",
		e->type.size * 8);
	for (uint32_t i = 0; i < e->n_values; i++)
		fprintf(out, "value %s %" PRId64 "\n", e->values[i].name, e->values[i].value);
}

static void put_function(struct kernel *k, const struct attach_target *t, FILE *out)
{
	struct user_symbol f;

	if (!t->path)
		fprintf(out, "function %s\n", t->symbol);
	else if (k->user_symbol(k, t->path, t->symbol, &f) == 0)
		fprintf(out, "symbol %s %s 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 "\n", f.path,
			f.symbol, f.address, f.offset, f.size);
}

static bool is_tagged(const char *type)
{
	return strncmp(type, "struct ", 7) == 0 || strncmp(type, "union ", 6) == 0;
}

/* The word of a parameter: int32, ptr, struct.file*. */
static void put_word(const struct tp_field *f, FILE *out)
{
	const char *to = f->to.text, *space;

	if (!f->size) {
		fputs(strcmp(f->type_text, "void") ? "struct" : "void", out);
	} else if (!f->to.levels) {
		fprintf(out, "%sint%" PRIu32, f->is_signed ? "" : "u", f->size * 8);
	} else {
		to = strncmp(to, "const ", 6) == 0 ? to + 6 : to;
		space = strchr(to, ' ');
		if (f->to.size)
			fprintf(out, "%sint%" PRIu32, f->to.is_signed ? "" : "u", f->to.size * 8);
		else if (space && !strchr(space + 1, ' ') && is_tagged(to))
			fprintf(out, "%.*s.%s", (int)(space - to), to, space + 1);
		else
			fputs("void", out);
		for (uint32_t i = 0; i < f->to.levels; i++)
			fputc('*', out);
	}
}

static void put_typed(const struct typed_function *f, bool is_raw, FILE *out)
{
	fprintf(out, "typed%s %s %s ", is_raw ? "-raw" : "", f->module, f->name);
	if (!is_raw)
		put_word(&f->result, out);
	for (uint32_t i = 0; i < f->n_params; i++) {
		fputs(i || !is_raw ? " " : "", out);
		put_word(&f->params[i], out);
		fprintf(out, ":%s", f->params[i].name);
	}
	fputc('\n', out);
}

enum { MOST_PARAMS = 12 }; /* a line of facts has 16 words */

void emit_typed(const struct typed_function *f, bool is_raw, FILE *out)
{
	if (f->n_params <= MOST_PARAMS)
		put_typed(f, is_raw, out);
}

/* A function whose prototype is written. */
struct prototype {
	struct arena *a;
	struct kernel *k;
	const char *path, *symbol;
	FILE *out;
};

/* The enum of a parameter; NULL: it is none. */
static const struct type_enum *enum_of(const struct prototype *w, const struct tp_field *p)
{
	const char *name = p->type_text + (strncmp(p->type_text, "const ", 6) ? 0 : 6);
	const struct type *t;

	if (!p->is_enum || !w->k->user_c_type || w->k->user_c_type(w->k, w->path, name, &t))
		return NULL;
	return t->kind == TY_INT && t->size == p->size ? t->enumeration : NULL;
}

/* Enums without a tag are called after the function and the name, "" of the result. */
static const char *tag_of(const struct prototype *w, const struct type_enum *e,
			  const struct tp_field *p)
{
	return e->tag ?: arena_printf(w->a, "#%s.%s", w->symbol, p->name);
}

static void put_enum(const struct prototype *w, const struct tp_field *p)
{
	const struct type_enum *e = enum_of(w, p);

	if (e)
		emit_enum(e, tag_of(w, e, p), w->out);
}

static void put_type(const struct prototype *w, const struct tp_field *p)
{
	const struct type_enum *e = enum_of(w, p);

	if (p->is_float) {
		fputs("double", w->out);
	} else if (p->offset == TYPED_NO_PLACE) {
		fputs("lost", w->out);
	} else if (e) {
		fprintf(w->out, "enum.%s", tag_of(w, e, p));
	} else if (strcmp(p->type_text, "char") == 0 || strcmp(p->type_text, "bool") == 0 ||
		   strcmp(p->type_text, "_Bool") == 0) {
		fputs(p->type_text[0] == 'c' ? "char" : "bool", w->out);
	} else if (field_is_text(p)) {
		fputs("text", w->out);
	} else {
		put_word(p, w->out);
	}
}

/* Where the parameters before it do not tell which word it is in, the number of the word follows.
 */
void emit_arguments(struct arena *a, struct kernel *k, const struct typed_function *f,
		    const char *path, const char *symbol, FILE *out)
{
	const struct prototype w = {a, k, path, symbol, out};
	uint32_t at = 0;

	if (f->n_params > MOST_PARAMS)
		return;
	put_enum(&w, &f->result);
	for (uint32_t i = 0; i < f->n_params; i++)
		put_enum(&w, &f->params[i]);
	fprintf(out, "arguments %s %s ", path, symbol);
	put_type(&w, &f->result);
	for (uint32_t i = 0; i < f->n_params; i++) {
		const struct tp_field *p = &f->params[i];

		fputc(' ', out);
		put_type(&w, p);
		fprintf(out, ":%s", p->name && *p->name ? p->name : "_");
		if (p->offset == TYPED_NO_PLACE || !p->size)
			continue;
		if (p->offset != at)
			fprintf(out, "@%" PRIu32, p->offset / 8);
		at = p->offset + 8;
	}
	fputc('\n', out);
}

static void put_iterator(const struct kernel_iter *iter, FILE *out)
{
	fprintf(out, "iterator %s", iter->name);
	for (uint32_t i = 0; i < iter->n_fields; i++) {
		const struct iter_field *f = &iter->fields[i];

		fprintf(out, " %s:", f->name);
		if (f->to)
			fprintf(out, "struct.%s*", f->to + sizeof("struct ") - 1);
		else if (f->is_pointer)
			fputs("pointer", out);
		else
			fprintf(out, "%c%" PRIu32, f->is_signed ? 's' : 'u', f->size * 8);
	}
	fputc('\n', out);
}

static bool has_functions(enum probe_id id)
{
	enum probe_context context = probe_rows[id].context;

	return context == CTX_REGS_ENTRY || context == CTX_REGS_RETURN;
}

static void put_point(struct kernel *k, const struct attach_point *p, FILE *out)
{
	if (probe_format(p))
		emit_format(probe_format(p), point_tracepoint(p)->has_raw, out);
	for (uint32_t i = 0; has_functions(p->id) && i < p->n_targets; i++)
		put_function(k, &p->targets[i], out);
	if (point_has(p, ARM_TYPED) && p->typed && !p->typed->prog_id)
		put_typed(p->typed, probe_rows[p->id].context == CTX_TYPED_EVENT, out);
	if (point_has(p, ARM_KERNEL) && p->kernel.typed)
		put_typed(p->kernel.typed, false, out);
	if (point_has(p, ARM_ITER))
		put_iterator(point_iter(p)->kind, out);
	if (probe_format(p) || has_functions(p->id) || point_has(p, ARM_ITER) ||
	    (point_has(p, ARM_TYPED) && p->typed && !p->typed->prog_id))
		return;
	if (probe_typed(p) || point_has(p, ARM_ITER) || p->n_targets)
		fprintf(out, "# %s is not saved\n", p->name);
}

static void put_capabilities(struct kernel *k, FILE *out)
{
	for (int i = 0; i < CAP_COUNT; i++) {
		enum capability_state state = kernel_capability(k, (enum capability_id)i);

		if (state != CAPABILITY_NO)
			fprintf(out, "capability %s%s\n", capability_rows[i].id,
				state == CAPABILITY_UNKNOWN ? " unknown" : "");
	}
}

void emit_facts(struct kernel *k, const struct program *program, FILE *out)
{
	static const char *const raw[] = {"sys_enter", "sys_exit"};

	fprintf(out,
		"# For sonde --kernel-facts FILE: what one script needs to know about a kernel\n");
	put_capabilities(k, out);
	fprintf(out, "cpus %" PRIu32 "\n", k->n_cpus(k));
	if (k->version && k->version(k))
		fprintf(out, "version %u.%u.%u\n", k->version(k) >> 16, k->version(k) >> 8 & 255,
			k->version(k) & 255);
	for (size_t i = 0; i < sizeof(raw) / sizeof(*raw); i++)
		if (k->has_raw_tracepoint(k, raw[i]))
			fprintf(out, "raw %s\n", raw[i]);
	for (uint32_t i = 0; i < program->n_probes; i++)
		for (uint32_t j = 0; j < program->probes[i]->n_points; j++)
			put_point(k, &program->probes[i]->points[j], out);
	emit_types(program->c_types, out);
}
