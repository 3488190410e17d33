/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the tree as S-expressions, for --emit ast and --emit types. Each statement has its own
 * line, indented by two; an expression stays on one line. Leaves print as in the script: 5,
 * "text", pid, $x, @m; a keyed map is (map @m key …), a call (call name argument …), an operator
 * (op operand …). With types each expression is followed by `: type`, and the maps follow the
 * probes as (map @m [key types] value type). The order is that of the script, so the output is
 * stable for golden tests.
 */
#include "parser/syntax/ast_dump.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/lang/type.h"

struct dump {
	FILE *out;
	struct arena *arena; /* type names; NULL: without types */
	void (*at)(void *ctx, struct span span);
	void *ctx;
};

static void dump_expr(struct dump *d, struct expr *e);
static void dump_block(struct dump *d, const char *word, const struct block *b, unsigned depth);

static void mark(struct dump *d, struct span span)
{
	if (d->at)
		d->at(d->ctx, span);
}

static void indent(struct dump *d, unsigned depth)
{
	fprintf(d->out, "\n%*s", (int)(2 * depth), "");
}

static void dump_string(struct dump *d, const char *text, uint32_t len)
{
	fputc('"', d->out);
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(d->out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", d->out);
		else if (c == '\t')
			fputs("\\t", d->out);
		else if (c < 0x20 || c == 0x7f)
			fprintf(d->out, "\\x%02x", c);
		else
			fputc(c, d->out);
	}
	fputc('"', d->out);
}

static void dump_child(struct expr *e, void *ctx)
{
	struct dump *d = ctx;

	fputc(' ', d->out);
	dump_expr(d, e);
}

/* (HEAD NAME child …) */
static void dump_over(struct dump *d, const char *head, const char *name, struct expr *e)
{
	fprintf(d->out, "(%s%s", head, name);
	ast_each_child(e, dump_child, d);
	fputc(')', d->out);
}

static void dump_field(struct dump *d, const struct expr *e)
{
	fputs("(. ", d->out);
	dump_expr(d, e->field.object);
	fprintf(d->out, " %s)", e->field.name);
}

static void dump_type_name(struct dump *d, const struct type_name *t)
{
	if (t->of) {
		fputs("(typeof ", d->out);
		dump_expr(d, t->of);
		fputc(')', d->out);
	} else {
		fputs(t->name, d->out);
	}
	for (uint32_t i = 0; i < t->n_suffixes; i++)
		if (t->suffixes[i].is_pointer)
			fputc('*', d->out);
		else
			fprintf(d->out, "[%llu]", (unsigned long long)t->suffixes[i].n);
}

static void dump_cast(struct dump *d, const struct expr *e)
{
	fputs("(cast ", d->out);
	dump_type_name(d, e->cast.to);
	dump_child(e->cast.operand, d);
	fputc(')', d->out);
}

static void dump_record(struct dump *d, const struct expr *e)
{
	fputs("(record", d->out);
	for (uint32_t i = 0; i < e->list.n; i++) {
		fprintf(d->out, " %s=", e->list.names[i]);
		dump_expr(d, e->list.items[i]);
	}
	fputc(')', d->out);
}

/* Print a block's statements on one line, as part of an expression. */
static void dump_block_value(struct dump *d, const struct expr *e)
{
	fputs("(value ", d->out);
	dump_block(d, "block", &e->block.body, 2);
	if (e->block.value)
		dump_child(e->block.value, d);
	fputc(')', d->out);
}

static void dump_untyped(struct dump *d, struct expr *e)
{
	static const char *const steps[2][2] = {{"_--", "_++"}, {"--_", "++_"}};

	switch (e->kind) {
	case EX_INT:
		if (e->integer.is_bool) {
			fputs(e->integer.value ? "true" : "false", d->out);
			return;
		}
		fprintf(d->out, "%llu", (unsigned long long)e->integer.value);
		return;
	case EX_STRING: dump_string(d, e->string.text, e->string.len); return;
	case EX_NAME: fputs(e->name.name, d->out); return;
	case EX_VAR: fputs(e->var.name, d->out); return;
	case EX_MAP:
		if (e->map.n_keys)
			dump_over(d, "map ", e->map.name, e);
		else
			fputs(e->map.name, d->out);
		return;
	case EX_CALL: dump_over(d, "call ", e->call.name, e); return;
	case EX_UNARY: dump_over(d, op_str(e->unary.op), "", e); return;
	case EX_BINARY: dump_over(d, op_str(e->binary.op), "", e); return;
	case EX_TERNARY: dump_over(d, "?:", "", e); return;
	case EX_FIELD: dump_field(d, e); return;
	case EX_INCDEC:
		dump_over(d, steps[e->incdec.is_prefix][e->incdec.is_increment], "", e);
		return;
	case EX_PARAM: fputs(e->param.text, d->out); return;
	case EX_CAST: dump_cast(d, e); return;
	case EX_TUPLE: dump_over(d, "tuple", "", e); return;
	case EX_RECORD: dump_record(d, e); return;
	case EX_INDEX: dump_over(d, "index", "", e); return;
	case EX_BLOCK: dump_block_value(d, e); return;
	case EX_TYPE:
		fputs("(typeof ", d->out);
		dump_type_name(d, e->named);
		fputc(')', d->out);
		return;
	}
}

static void dump_expr(struct dump *d, struct expr *e)
{
	dump_untyped(d, e);
	if (d->arena && e->type)
		fprintf(d->out, ": %s", type_str(d->arena, e->type));
}

static void dump_assign(struct dump *d, const struct stmt *s)
{
	fprintf(d->out, "(%s=", op_str(s->assign.op));
	dump_child(s->assign.target, d);
	dump_child(s->assign.value, d);
	fputc(')', d->out);
}

static void dump_if(struct dump *d, const struct stmt *s, unsigned depth)
{
	fputs("(if ", d->out);
	dump_expr(d, s->branch.cond);
	indent(d, depth + 1);
	dump_block(d, "then", &s->branch.then, depth + 1);
	if (s->branch.otherwise.n) {
		indent(d, depth + 1);
		dump_block(d, "else", &s->branch.otherwise, depth + 1);
	}
	fputc(')', d->out);
}

static void dump_let(struct dump *d, const struct stmt *s)
{
	fputs("(let ", d->out);
	dump_expr(d, s->let.var);
	if (s->let.type) {
		fputs(" : ", d->out);
		dump_type_name(d, s->let.type);
	}
	if (s->let.value)
		dump_child(s->let.value, d);
	fputc(')', d->out);
}

static void dump_loop(struct dump *d, const struct stmt *s, unsigned depth)
{
	struct expr *const parts[] = {s->loop.cond, s->loop.count, s->loop.var,
				      s->loop.over, s->loop.from,  s->loop.to};

	fputs(s->kind == ST_WHILE ? "(while" : s->kind == ST_UNROLL ? "(unroll" : "(for", d->out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i])
			dump_child(parts[i], d);
	indent(d, depth + 1);
	dump_block(d, "block", &s->loop.body, depth + 1);
	fputc(')', d->out);
}

static void dump_stmt(struct dump *d, const struct stmt *s, unsigned depth)
{
	mark(d, s->span);
	switch (s->kind) {
	case ST_EXPR: dump_expr(d, s->expr); return;
	case ST_ASSIGN: dump_assign(d, s); return;
	case ST_IF: dump_if(d, s, depth); return;
	case ST_BLOCK: dump_block(d, "block", &s->block, depth); return;
	case ST_CALLED: dump_block(d, "called", &s->block, depth); return;
	case ST_RETURN:
		fputs("(return", d->out);
		if (s->expr)
			dump_child(s->expr, d);
		fputc(')', d->out);
		return;
	case ST_LET: dump_let(d, s); return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: dump_loop(d, s, depth); return;
	case ST_BREAK: fputs("(break)", d->out); return;
	case ST_CONTINUE: fputs("(continue)", d->out); return;
	}
}

static void dump_block(struct dump *d, const char *word, const struct block *b, unsigned depth)
{
	fprintf(d->out, "(%s", word);
	for (uint32_t i = 0; i < b->n; i++) {
		indent(d, depth + 1);
		dump_stmt(d, b->items[i], depth + 1);
	}
	fputc(')', d->out);
}

static void dump_probe(struct dump *d, const struct probe *p)
{
	mark(d, p->span);
	fputs("(probe", d->out);
	for (uint32_t i = 0; i < p->n_texts; i++) {
		fputc(' ', d->out);
		dump_string(d, p->texts[i].text, (uint32_t)strlen(p->texts[i].text));
	}
	if (p->predicate) {
		indent(d, 1);
		mark(d, p->predicate->span);
		fputs("(predicate ", d->out);
		dump_expr(d, p->predicate);
		fputc(')', d->out);
	}
	indent(d, 1);
	mark(d, p->open_span);
	dump_block(d, p->is_angle ? "angle" : "block", &p->body, 1);
	fputs(")\n", d->out);
}

/* (macro name parameter … (block …)), (fn name parameter:type … type (block …)) */
static void dump_function(struct dump *d, const struct function *f)
{
	mark(d, f->span);
	fprintf(d->out, "(%s %s", f->is_macro ? "macro" : "fn", f->name);
	for (uint32_t i = 0; i < f->n_params; i++) {
		fputc(' ', d->out);
		dump_untyped(d, f->params[i]);
		if (i < f->n_types) {
			fputc(':', d->out);
			dump_type_name(d, f->types[i]);
		}
	}
	if (f->result) {
		fputc(' ', d->out);
		dump_type_name(d, f->result);
	}
	indent(d, 1);
	dump_block(d, "block", &f->body, 1);
	fputs(")\n", d->out);
}

static void dump_param(struct dump *d, const struct param_item *item)
{
	fprintf(d->out, "(%s %s%s ", item->is_option ? "option" : "param", item->name,
		item->form.is_list ? " list" : "");
	for (uint32_t i = 0; i < item->form.n_words; i++)
		fprintf(d->out, "%s%s", i ? "|" : "", item->form.words[i]);
	fputc(' ', d->out);
	if (item->other) {
		dump_expr(d, item->other);
		fputc(' ', d->out);
	}
	dump_string(d, item->doc, (uint32_t)strlen(item->doc));
	fputs(")\n", d->out);
}

static void dump_script_map(struct dump *d, const struct map *m)
{
	mark(d, m->first);
	fprintf(d->out, "(map %s [", m->name);
	for (uint32_t i = 0; i < m->n_keys; i++)
		fprintf(d->out, "%s%s", i ? ", " : "", type_str(d->arena, m->key_types[i]));
	fprintf(d->out, "] %s)\n", m->value ? type_str(d->arena, m->value) : "?");
}

void ast_dump_with_places(const struct program *p, bool with_types, FILE *out,
			  void (*at)(void *ctx, struct span span), void *ctx)
{
	struct dump d = {.out = out,
			 .arena = with_types ? arena_new() : NULL,
			 .at = at,
			 .ctx = ctx};

	for (uint32_t i = 0; i < p->n_items; i++)
		dump_param(&d, &p->items[i]);
	for (uint32_t i = 0; !d.arena && i < p->n_functions; i++)
		dump_function(&d, p->functions[i]);
	for (uint32_t i = 0; i < p->n_probes; i++)
		dump_probe(&d, p->probes[i]);
	for (uint32_t i = 0; d.arena && i < p->n_maps; i++)
		dump_script_map(&d, p->maps[i]);
	arena_free(d.arena);
}

void ast_dump(const struct program *p, bool with_types, FILE *out)
{
	ast_dump_with_places(p, with_types, out, NULL, NULL);
}
