/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints for the syntax of other languages: a call without parentheses, a C declaration, a C
 * `for`, `elif`, `and`. Each rule looks at the token where the grammar stopped and at those
 * before it; the first that recognises the mistake reports it. Words are rows of
 * foreign_word.def, forms that need no more than a comparison of tokens rows of foreign_form.def.
 */
#include "parser/lang/builtin.h"
#include "parser/base/text.h"
#include "parser/lang/foreign_word.h"
#include "parser.tab.h"
#include "parser/syntax/foreign_syntax.h"
#include "parser/syntax/syntax_error.h"
#include "parser/lang/type.h"
#include <ctype.h>

enum { SHOWN_MOST = 40 }; /* bytes of a list in a hint */

/* The token `back` places before the error; the first token of the script when there are fewer. */
static const struct token *previous(const struct filter *f, uint32_t back)
{
	return &f->tokens[f->current >= back ? f->current - back : 0];
}

static const char *name_of(const struct token *t)
{
	return t->kind == TOK_NAME ? t->text.text : "";
}

/* The call with the parentheses. print() takes one value, which may be a tuple. */
static void hint_call(struct filter *f, const struct builtin *b, const struct token *at)
{
	const struct token *end = at;
	bool takes_one = (b->traits & (TR_ACT | TR_MAP | TR_KEY | TR_DROPS)) == (TR_ACT | TR_MAP);
	bool has_comma = false;
	uint32_t len;

	for (; end->kind != TOK_SEMI && end->kind != TOK_RBRACE && end->kind != TOK_YYEOF; end++)
		has_comma |= end->kind == TOK_COMMA;
	for (len = end->span.start - at->span.start;
	     len && isspace((unsigned char)filter_text(f, at->span)[len - 1]);)
		len--;
	if (!len || len > SHOWN_MOST)
		diag_hint(f->diags, "write %s(…)", b->name);
	else
		diag_hint(f->diags, has_comma && takes_one ? "write %s((%.*s))" : "write %s(%.*s)",
			  b->name, (int)len, filter_text(f, at->span));
}

/* `print 1`, `@x count()` */
static bool report_call(struct filter *f, const struct token *at)
{
	const struct token *before = previous(f, 1);
	const struct builtin *b = builtin_find(name_of(before));

	if (b && b->kind != BUILTIN_VAR &&
	    (at->kind == TOK_STRING || at->kind == TOK_INT || at->kind == TOK_NAME ||
	     at->kind == TOK_VAR || at->kind == TOK_MAP || at->kind == TOK_PARAM)) {
		diag_error(f->diags, before->span, "syntax", "'%s' needs parentheses", b->name);
		return hint_call(f, b, at), true;
	}
	b = builtin_find(name_of(at));
	if (!b || b->kind != BUILTIN_AGG ||
	    (before->kind != TOK_MAP && before->kind != TOK_RSQUARE))
		return false;
	diag_error(f->diags, at->span, "syntax", "missing '=' before '%s'", b->name);
	return diag_hint(f->diags, "write @ = %s(…)", b->name), true;
}

/* `[1, 2, 3]` as a value */
static bool report_list(struct filter *f, const struct token *at)
{
	const struct token *end;
	uint32_t len;

	if (at->kind != TOK_LSQUARE || token_ends_value(previous(f, 1)->kind) ||
	    at->partner == NO_TOKEN)
		return false;
	end = &f->tokens[at->partner];
	for (const struct token *t = at; t < end; t++)
		if (t->kind == TOK_FOR)
			return syntax_mistake(f, at->span, "there are no lists",
					      "a map has several values: for ($i : 0..10) { "
					      "@x[$i] = $i * 2; }");
	len = end->span.start - at->span.end;
	diag_error(f->diags, at->span, "syntax", "a list of values is a tuple, in parentheses");
	if (len && len <= SHOWN_MOST)
		diag_hint(f->diags, "write (%.*s)", (int)len,
			  filter_text(f, (struct span){at->span.end, end->span.start}));
	else
		diag_hint(f->diags, "write (1, 2, 3)");
	return true;
}

/* `@x[comm].count()`: where the text of the map begins; NULL: it is none. */
static const struct token *map_before(const struct filter *f, const struct token *dot)
{
	const struct token *map = dot > f->tokens ? dot - 1 : dot;

	if (map->kind == TOK_RSQUARE && map->partner != NO_TOKEN && map->partner)
		map = &f->tokens[map->partner - 1];
	return map->kind == TOK_MAP ? map : NULL;
}

/* What a call like that of a method is written as here. `at` is its '('. */
static void hint_method(struct filter *f, const struct builtin *b, const struct token *at)
{
	const struct token *dot = previous(f, 2), *map = map_before(f, dot);
	const struct token *end = at->partner == NO_TOKEN ? at : &f->tokens[at->partner];
	struct span args = {at->span.end, end->span.start};
	uint32_t len = end > at && args.end - args.start <= SHOWN_MOST ? args.end - args.start : 0;

	if (map && b->kind == BUILTIN_AGG && dot->span.start - map->span.start <= SHOWN_MOST)
		diag_hint(f->diags, "write %.*s = %s(%.*s)",
			  (int)(dot->span.start - map->span.start), filter_text(f, map->span),
			  b->name, (int)len, filter_text(f, args));
	else if (b->kind == BUILTIN_AGG)
		diag_hint(f->diags, "a map collects values: @ = %s(…)", b->name);
	else if (dot[-1].kind == TOK_NAME || dot[-1].kind == TOK_VAR || dot[-1].kind == TOK_MAP)
		diag_hint(f->diags, "write %s(%s%s%.*s)", b->name, dot[-1].text.text,
			  len ? ", " : "", (int)len, filter_text(f, args));
	else
		diag_hint(f->diags, "write %s(…)", b->name);
}

/* `comm.startswith("a")` */
static bool report_method(struct filter *f, const struct token *at)
{
	const struct token *name = previous(f, 1);
	int before = previous(f, 2)->kind;

	if (at->kind != TOK_LPAREN || name->kind != TOK_NAME || f->current < 3 ||
	    (before != TOK_DOT && before != TOK_ARROW))
		return false;
	diag_error(f->diags, name->span, "syntax", "values have no methods, such as '%s'",
		   name->text.text);
	if (builtin_find(name->text.text))
		hint_method(f, builtin_find(name->text.text), at);
	else
		diag_hint(f->diags, "%s",
			  foreign_hint(name->text.text)
				  ?: "a function takes the value: strlen(comm), strcontains(comm, "
				     "\"ssh\"); 'sonde help functions' lists them");
	return true;
}

/* `1 ? 2` */
static bool report_choice(struct filter *f, const struct token *at)
{
	if (at->kind != TOK_RPAREN && at->kind != TOK_SEMI && at->kind != TOK_RBRACE)
		return false;
	for (uint32_t back = 1; back <= f->current; back++) {
		const struct token *t = previous(f, back);

		if (t->inside != (at->kind == TOK_SEMI ? at->inside : at->partner))
			continue;
		if (t->kind == TOK_SEMI || t->kind == TOK_COLON || t->kind == TOK_COMMA ||
		    t->kind == TOK_SET)
			return false;
		if (t->kind != TOK_QUESTION)
			continue;
		return syntax_mistake(f, t->span, "this '?' has no ':'",
				      "write CONDITION ? VALUE : OTHER");
	}
	return false;
}

/* ---- declarations -------------------------------------------------------------------------- */

/* Words that declare a variable elsewhere, and words of types that are no type alone. */
static bool declares(const struct filter *f, const struct token *t)
{
	static const char *const words[] = {"var",    "my",	"local",  "auto",     "const",
					    "def",    "val",	"let",	  "static",   "unsigned",
					    "signed", "struct", "union",  "enum",     "volatile",
					    "extern", "float",	"double", "register", "long"};
	char word[24] = "";

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(filter_text(f, t->span), " \t\n*;=,(){}"),
		 filter_text(f, t->span));
	return t->kind != TOK_YYEOF &&
	       (type_is_name(word) || TEXT_IS_IN(words, word, strlen(word)));
}

/* The name that a declaration declares, of which `t` is the first token; NULL: it is none. */
static const struct token *declared_name(const struct filter *f, const struct token *t)
{
	const struct token *first = t;

	for (; declares(f, t); t++)
		if (t[1].kind == TOK_NAME && (t[2].kind == TOK_NAME || t[2].kind == TOK_MUL) &&
		    !declares(f, &t[1]))
			t++; /* the tag of a struct */
	while (t->kind == TOK_MUL)
		t++;
	return t > first && (t->kind == TOK_NAME || t->kind == TOK_VAR) ? t : NULL;
}

static bool begins_block(int kind)
{
	return kind == TOK_LBRACE || kind == TOK_RBRACE || kind == TOK_SEMI ||
	       kind == TOK_ANGLE_OPEN;
}

/* `int x;`, `unsigned long *x = 3;`, `var $x = 1`, `char name[16];` */
static bool report_declaration(struct filter *f, const struct token *at)
{
	const struct token *first = at, *name, *end;
	struct span value;
	int len;

	while (first > f->tokens && !begins_block(first[-1].kind))
		first--;
	name = declared_name(f, first);
	if (!name || name + 1 < at)
		return false;
	for (end = name;
	     end->kind != TOK_SEMI && end->kind != TOK_RBRACE && end->kind != TOK_YYEOF;)
		end++;
	diag_error(f->diags, span_join(first->span, name->span), "syntax",
		   name->kind == TOK_VAR ? "a variable is declared without a type"
					 : "variables begin with $, and have no declaration");
	if (name[1].kind == TOK_LSQUARE)
		return diag_hint(f->diags,
				 "write $%s = str(…), or a map @%s[key] = …; there are no arrays",
				 name->text.text, name->text.text),
		       true;
	value = (struct span){name[1].span.end, end->span.start};
	len = name[1].kind == TOK_SET && value.end - value.start <= SHOWN_MOST
		      ? (int)(value.end - value.start)
		      : 0;
	diag_hint(f->diags, "write %s%s =%.*s;", name->kind == TOK_VAR ? "" : "$", name->text.text,
		  len ? len : 2 + 2 * (name[1].kind == TOK_SET),
		  len			    ? filter_text(f, value)
		  : name[1].kind == TOK_SET ? " …"
					    : " 0");
	return true;
}

/* `self->x = 1`, of DTrace */
static bool report_member(struct filter *f, const struct token *at)
{
	const struct token *object = previous(f, 3);

	if (at->kind != TOK_SET || previous(f, 2)->kind != TOK_ARROW || f->current < 3 ||
	    !foreign_hint(name_of(object)))
		return false;
	return syntax_mistake(f, span_join(object->span, previous(f, 1)->span),
			      "only a variable or a map can be assigned to", "%s",
			      foreign_hint(name_of(object)));
}

/* True if the name is in a SystemTap declaration, `global a, b`, at the beginning of the script. */
static bool is_global(const struct filter *f, const char *name)
{
	const struct token *t = f->tokens;
	bool is_in = false;

	for (; t->kind == TOK_ATTACH || t->kind == TOK_COMMA; t++) {
		is_in |= t->kind == TOK_ATTACH && strcmp(t->text.text, "global") == 0;
		if (is_in && t->kind == TOK_ATTACH && strcmp(t->text.text, name) == 0)
			return true;
	}
	return false;
}

/* `x++` */
static bool report_form(struct filter *f, const struct token *at)
{
	const struct token *before = previous(f, 1);
	bool is_step = at->kind == TOK_INC || at->kind == TOK_DEC;

	if (is_step && before->kind == TOK_NAME && !builtin_find(name_of(before)))
		return syntax_mistake(
			f, before->span, "variables begin with $, maps with @",
			is_global(f, name_of(before))
				? "write @%s%s"
				: "write @%1$s%2$s, which all probes share, or $%1$s%2$s, which is "
				  "of one run of the probe",
			name_of(before), at->kind == TOK_INC ? "++" : "--");
	return false;
}

/* `x = 1`, `@x[1][2] = 3` */
static bool report_target(struct filter *f, const struct token *at)
{
	const struct token *before = previous(f, 1);
	const struct token *open =
		before->kind == TOK_RSQUARE ? &f->tokens[before->partner] : before;

	if (at->kind != TOK_SET)
		return false;
	if (before->kind == TOK_NAME && !builtin_find(name_of(before)) &&
	    previous(f, 2)->kind != TOK_DOT && previous(f, 2)->kind != TOK_ARROW &&
	    (previous(f, 2)->kind == TOK_LBRACE || previous(f, 2)->kind == TOK_SEMI))
		return syntax_mistake(f, before->span, "variables begin with $, maps with @",
				      "write $%s = … or @%s = …", name_of(before), name_of(before));
	if (open != before && open > f->tokens &&
	    (open[-1].kind == TOK_NAME || open[-1].kind == TOK_VAR)) {
		const char *name = open[-1].text.text + (open[-1].kind == TOK_VAR);

		return syntax_mistake(f, open[-1].span,
				      open[-1].kind == TOK_VAR ? "only a map can be set by a key"
							       : "maps begin with @",
				      "write @%s[…] = …", name);
	}
	if (open != before && open > f->tokens && open[-1].kind == TOK_RSQUARE)
		return syntax_mistake(f, at->span, "all keys of a map go in one pair of brackets",
				      "write @map[key, key] = …");
	if (before->kind == TOK_NAME && builtin_find(name_of(before)) &&
	    (previous(f, 2)->kind == TOK_LBRACE || previous(f, 2)->kind == TOK_SEMI)) {
		diag_error(f->diags, before->span, "syntax", "'%s' cannot be changed",
			   name_of(before));
		return diag_hint(f->diags, "a value of your own is $name or @name"), true;
	}
	return false;
}

/* `for i in 1..10`, `foreach ($k in @m)`, `for ($k in @m)` */
static bool report_in(struct filter *f, const struct token *head, const struct token *at)
{
	const struct token *name = at, *in = at, *of;
	bool is_for = head->kind == TOK_FOR;

	if (head[1].kind == TOK_LPAREN || is_for)
		name = head[1].kind == TOK_LPAREN ? &head[2] : &head[1];
	in = name + 1;
	of = name + 2;
	if (strcmp(name_of(in), "in") != 0 && (is_for || in->kind != TOK_COLON))
		return false;
	diag_error(
		f->diags, is_for ? in->span : span_join(head->span, in->span), "syntax",
		is_for ? "'in' is not a word of 'for': a ':' is there"
		       : "'foreach' and 'in' are not words of the language: write 'for' and ':'");
	if (of->kind == TOK_MAP)
		diag_hint(f->diags, "write for ($kv : %s) { … }: $kv.0 is the key, $kv.1 the value",
			  of->text.text);
	else if (strcmp(name_of(of), "range") == 0 && of[2].kind == TOK_INT &&
		 of[3].kind == TOK_RPAREN)
		diag_hint(f->diags, "write for ($%s : 0..%llu) { … }",
			  name->text.text + (name->kind == TOK_VAR),
			  (unsigned long long)of[2].integer);
	else if (of->kind == TOK_INT)
		diag_hint(f->diags, "write for ($i : 0..10) { … }, in parentheses, a variable with "
				    "'$'; the end is not included");
	else
		diag_hint(f->diags, "write for ($i : 0..10) { … } or for ($kv : @map) { … }");
	return true;
}

/* `for ($i = 0; …`, `for $i in …`, `for ($i : 10)` */
static bool report_for(struct filter *f, const struct token *at)
{
	const struct token *head = NULL;

	for (uint32_t back = 1; !head && back <= 6 && back <= f->current; back++) {
		const struct token *t = previous(f, back);

		if (t->kind == TOK_FOR || strcmp(name_of(t), "foreach") == 0)
			head = t;
		if (t->kind == TOK_SEMI || t->kind == TOK_LBRACE || t->kind == TOK_RBRACE)
			break;
	}
	if (head && report_in(f, head, at))
		return true;
	if (!head || (at->kind != TOK_SET && at->kind != TOK_NAME && at->kind != TOK_RPAREN &&
		      at->kind != TOK_COMMA))
		return false;
	return syntax_mistake(f, at->span, "'for' iterates over a range or a map",
			      "write for ($i : 0..10) { … } or for ($kv : @map) { … }");
}

/* `if (…) printk(…)`: what is wrong is that the block is missing. */
static bool begins_branch(const struct filter *f, const struct token *at)
{
	const struct token *close = previous(f, 1);
	const struct token *open = close->kind == TOK_RPAREN ? &f->tokens[close->partner] : close;

	return open != close && open > f->tokens && at[1].kind == TOK_LPAREN &&
	       (open[-1].kind == TOK_IF || open[-1].kind == TOK_WHILE || open[-1].kind == TOK_FOR);
}

/* `elif (…) {`, `a and b`; not a call before which a ';' is missing. */
static bool report_word(struct filter *f, const struct token *at, bool wants_semicolon)
{
	const struct token *word = at, *before = previous(f, 1);

	if (at->kind == TOK_LBRACE && before->kind == TOK_RPAREN && before->partner)
		word = &f->tokens[before->partner - 1];
	else if (foreign_hint(name_of(before)) || !foreign_hint(name_of(at)))
		word = before;
	if (word == at && wants_semicolon && at[1].kind == TOK_LPAREN &&
	    at[1].span.start == at->span.end)
		return false;
	if (!foreign_hint(name_of(word)) || word == f->tokens || word[-1].kind == TOK_DOT ||
	    word[-1].kind == TOK_ARROW || (word == at && begins_branch(f, at)))
		return false;
	diag_error(f->diags, word->span, "syntax", "'%s' is not a keyword", name_of(word));
	return diag_hint(f->diags, "%s", foreign_hint(name_of(word))), true;
}

/* `/pid == 1/ /tid == 1/ { … }` */
static bool report_second_predicate(struct filter *f, const struct token *at)
{
	const struct token *before = previous(f, 1);
	bool is_joined = at->kind == TOK_LAND || at->kind == TOK_LOR;

	if (at->kind != TOK_DIV && at->kind != TOK_PRED_CLOSE && !is_joined)
		return false;
	if (before->kind != TOK_DIV)
		return false;
	return syntax_mistake(f, at->span, "a probe has one predicate",
			      "join the conditions: /pid == 1 %s tid == 1/",
			      at->kind == TOK_LOR ? "||" : "&&");
}

/* `BEGIN { interval:1s { … } }` */
static bool report_inner_probe(struct filter *f, const struct token *at)
{
	const struct token *type = previous(f, 1);
	int before = previous(f, 2)->kind;

	if (at->kind != TOK_COLON || type->kind != TOK_NAME || f->current < 2 ||
	    (before != TOK_LBRACE && before != TOK_SEMI && before != TOK_RBRACE))
		return false;
	if (!token_is_probe_type(type))
		return false;
	return syntax_mistake(f, type->span, "a probe cannot be inside another",
			      "close the block before it with '}'");
}

void filter_silence_rest(struct filter *f)
{
	const struct token *at = &f->tokens[f->current];
	const char *text = filter_text(f, at->span);
	uint32_t end = at->span.start + (uint32_t)strcspn(text, "\n");

	for (uint32_t i = f->current + 1; i < f->n_tokens && f->tokens[i].span.start < end; i++)
		f->tokens[i].is_quiet = true;
}

bool report_foreign_syntax(struct filter *f, bool wants_semicolon)
{
	const struct token *at = &f->tokens[f->current];

	if (at->inside == NO_TOKEN || !f->current ||
	    (!report_second_predicate(f, at) && !report_inner_probe(f, at) &&
	     !report_method(f, at) && !report_for(f, at) && !report_declaration(f, at) &&
	     !report_foreign_form(f) && !report_word(f, at, wants_semicolon) &&
	     !report_call(f, at) && !report_list(f, at) && !report_choice(f, at) &&
	     !report_form(f, at) && !report_member(f, at) && !report_target(f, at)))
		return false;
	filter_silence_rest(f);
	return true;
}

bool foreign_is_comment(const char *text)
{
	static const char *const words[] = {
#define C_LINE(word, ...) #word,
#include "parser/lang/c_lines.def"
	};
	size_t blank = strspn(text + 1, " \t"), len = strcspn(text + 1 + blank, " \t\r\n(<\"/!");

	return *text == '#' && blank && len && !TEXT_IS_IN(words, text + 1 + blank, len);
}

void foreign_hint_comment(const struct filter *f, const struct token *opener)
{
	const char *at = filter_text(f, opener->span), *end = at + strcspn(at, "\n");
	char before = 0; /* the last character that is no blank */
	bool is_string = false;

	if (opener->kind != TOK_LPAREN && opener->kind != TOK_LSQUARE)
		return;
	for (; at < end && (is_string || strncmp(at, "//", 2) != 0); at++) {
		is_string ^= *at == '"' && before != '\\';
		before = *at == ' ' ? before : *at;
	}
	if (at < end && (isalnum((unsigned char)before) || (before && strchr("_)]", before))))
		diag_hint(f->diags, "'//' begins a comment up to the end of the line: numbers are "
				    "divided by '/', which gives an integer");
}
