/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter's second pass (filter.h). All tokens are read and every bracket has its partner, so
 * this pass can look ahead to classify tokens for the grammar:
 *  - '(' is CAST_OPEN before a type name, ')' and something that can begin a value; a name that is
 *    a builtin's and no type's, as in `(pid) - 1`, or a constant's, as in `(ENOENT) & 3`, only
 *    groups;
 *  - '(' is RECORD_OPEN before a name and '=';
 *  - '{' is VALUE_OPEN and 'if' is IF_VALUE where a value is required;
 *  - '(' is TYPE_OPEN between 'sizeof', 'offsetof' or 'typeof' and a type;
 *  - '_' before '=' is DISCARD.
 * Names come from the tables of types and builtins; none is written here.
 */
#include "parser/lang/builtin.h"
#include "parser/syntax/filter.h"
#include "parser.tab.h"
#include "parser/lang/type.h"

static const struct token *at(const struct filter *f, uint32_t i)
{
	return &f->tokens[i < f->n_tokens ? i : f->n_tokens - 1];
}

static bool begins_operand(int kind)
{
	return token_begins_value(kind) || kind == TOK_SUB || kind == TOK_MUL || kind == TOK_AND ||
	       (kind >= TOK_INC && kind <= TOK_BNOT) ||
	       (kind >= TOK_SIZEOF && kind <= TOK_COMPTIME);
}

bool token_is_operator(int kind)
{
	return kind >= TOK_SET && kind <= TOK_MOD && kind != TOK_INC && kind != TOK_DEC;
}

/* True when a value must follow a token of this kind. */
static bool wants_value(const struct filter *f, uint32_t i)
{
	int kind = f->tokens[i].kind;

	if (kind == TOK_RPAREN)
		return f->tokens[f->tokens[i].partner].kind == TOK_CAST_OPEN;
	return kind == TOK_LPAREN || kind == TOK_LSQUARE || kind == TOK_COMMA ||
	       kind == TOK_RETURN || kind == TOK_COMPTIME || kind == TOK_QUESTION ||
	       kind == TOK_COLON || kind == TOK_RANGE || token_is_operator(kind);
}

/* The type name between '(' at `open` and `close`, when there is nothing else; or NULL. */
static const struct token *type_between(const struct filter *f, uint32_t open, uint32_t close,
					bool *is_plain)
{
	uint32_t i = open + 1, end;

	*is_plain = at(f, i)->kind == TOK_NAME;
	if (at(f, i)->kind == TOK_RESERVED)
		i++;
	if (i >= close || (at(f, i)->kind != TOK_NAME && at(f, i)->kind != TOK_TYPEOF))
		return NULL;
	end = i;
	if (at(f, i)->kind == TOK_TYPEOF && at(f, i + 1)->partner < close)
		end = at(f, i + 1)->partner;
	for (uint32_t j = end + 1; j < close; j++) {
		int kind = at(f, j)->kind;

		if (kind == TOK_MUL)
			*is_plain = false;
		else if (kind == TOK_LSQUARE && at(f, j)->partner <= j + 2)
			j = at(f, j)->partner;
		else
			return NULL;
	}
	return at(f, i);
}

/* A constant: ENOENT. Those of the kernel's types are not known yet, but have such names, too. */
static bool is_constant(const struct token *name)
{
	const char *text = name->text.text;

	return strlen(text) > 1 && !type_is_name(text) &&
	       text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';
}

static bool is_cast(const struct filter *f, uint32_t i)
{
	bool is_plain;
	const struct token *name = type_between(f, i, f->tokens[i].partner, &is_plain);
	int before = i ? f->tokens[i - 1].kind : TOK_YYEOF;

	if (!name || before == TOK_NAME || before == TOK_IF || before == TOK_WHILE ||
	    before == TOK_UNROLL || before == TOK_COMPTIME)
		return false;
	if (!is_plain)
		return true;
	if ((f->names && f->names->has(f->names, name->text.text)) || is_constant(name))
		return false;
	return begins_operand(at(f, f->tokens[i].partner + 1)->kind) &&
	       (type_is_name(name->text.text) || !builtin_find(name->text.text));
}

/* The operand of sizeof and typeof, or the first one of offsetof. */
static void decide_type(struct filter *f, uint32_t open, bool is_list)
{
	uint32_t end = f->tokens[open].partner;
	const struct token *name;
	bool is_plain;

	for (uint32_t i = open + 1; is_list && i < end; i++)
		if (f->tokens[i].kind == TOK_COMMA && f->tokens[i].inside == open)
			end = i;
	name = type_between(f, open, end, &is_plain);
	if (name && (!is_plain || type_is_name(name->text.text) || strchr(name->text.text, ' ')))
		f->tokens[open].kind = TOK_TYPE_OPEN;
}

/* The operand may be a type: typeinfo(uint32 *). */
static bool takes_type(const struct filter *f, uint32_t name)
{
	const struct builtin *b = builtin_find(f->tokens[name].text.text);

	return b && b->traits & TR_TYPE;
}

/* True if the token can be the name of a member. */
static bool is_word(int kind)
{
	return kind == TOK_NAME || kind == TOK_RESERVED || kind == TOK_TRUE || kind == TOK_FALSE ||
	       kind == TOK_IMPORT || (kind >= TOK_SIZEOF && kind <= TOK_COMPTIME) ||
	       (kind >= TOK_IF && kind <= TOK_UNROLL);
}

static void decide_paren(struct filter *f, uint32_t i)
{
	int before = i ? f->tokens[i - 1].kind : TOK_YYEOF;

	if (before == TOK_SIZEOF || before == TOK_OFFSETOF || before == TOK_TYPEOF ||
	    (before == TOK_NAME && takes_type(f, i - 1)))
		decide_type(f, i, before == TOK_OFFSETOF);
	else if (is_cast(f, i))
		f->tokens[i].kind = TOK_CAST_OPEN;
	else if (before != TOK_NAME && before != TOK_IF && before != TOK_WHILE &&
		 is_word(at(f, i + 1)->kind) && at(f, i + 2)->kind == TOK_SET)
		f->tokens[i].kind = TOK_RECORD_OPEN;
}

/* Mark an `if` whose value is used, and those of its else-if chain. */
static void decide_if(struct filter *f, uint32_t i)
{
	uint32_t inside = f->tokens[i].inside, j = i + 1;

	if (f->tokens[i].kind != TOK_IF_VALUE && !(i && wants_value(f, i - 1)))
		return;
	if (at(f, j)->kind == TOK_SET) /* (if = 1) */
		return;
	f->tokens[i].kind = TOK_IF_VALUE;
	for (; j < f->n_tokens && f->tokens[j].inside == inside; j++) {
		const struct token *t = &f->tokens[j];

		if (t->kind == TOK_LBRACE && !wants_value(f, j - 1))
			break;
		if (t->partner != NO_TOKEN && t->partner > j)
			j = t->partner;
	}
	if (at(f, j)->kind != TOK_LBRACE || at(f, j)->partner == NO_TOKEN)
		return;
	j = f->tokens[j].partner;
	if (at(f, j + 1)->kind == TOK_ELSE && at(f, j + 2)->kind == TOK_IF)
		f->tokens[j + 2].kind = TOK_IF_VALUE;
}

static struct token class_token(struct token t)
{
	t.kind = TOK_RESERVED;
	t.text = (struct token_text){"struct", (uint32_t)strlen("struct")};
	return t;
}

/* `class ns::item`, a type of C++: a name cannot follow another one. */
static void mark_classes(struct filter *f)
{
	for (uint32_t i = 0; i + 1 < f->n_tokens; i++)
		if (f->tokens[i].kind == TOK_NAME && f->tokens[i + 1].kind == TOK_NAME &&
		    strcmp(f->tokens[i].text.text, "class") == 0)
			f->tokens[i] = class_token(f->tokens[i]);
}

void filter_decide(struct filter *f)
{
	mark_classes(f);
	for (uint32_t i = 0; i < f->n_tokens; i++) {
		struct token *t = &f->tokens[i];

		if (t->inside == NO_TOKEN)
			continue; /* probe heads, and the block's own brackets */
		if (t->kind == TOK_LPAREN && t->partner != NO_TOKEN)
			decide_paren(f, i);
		else if (t->kind == TOK_LBRACE && wants_value(f, i - 1))
			t->kind = TOK_VALUE_OPEN;
		else if (t->kind == TOK_IF || t->kind == TOK_IF_VALUE)
			decide_if(f, i);
		else if (t->kind == TOK_NAME && strcmp(t->text.text, "_") == 0 &&
			 at(f, i + 1)->kind == TOK_SET)
			t->kind = TOK_DISCARD;
	}
}
