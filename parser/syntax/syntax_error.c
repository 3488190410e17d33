/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for syntax errors. The grammar stops at a token and says which kinds it expected; this
 * file says it in the user's words. First come, in order, the mistakes that can be named: a word
 * or form that is not built, a probe without block, '=' for '==', a missing ';'. What is none of
 * them is "expected …, found …". Nothing is said at a token that the filter put in or silenced.
 * One error at the '>' that closed an angle block, or behind it, adds where that block was opened.
 */
#include "parser/base/diag.h"
#include "parser/syntax/filter.h"
#include "parser.tab.h"
#include "parser/lang/probe.h"
#include "parser/syntax/foreign_syntax.h"
#include <string.h>

enum { SHOWN_MOST = 30 }; /* bytes of the user's text in a message */

/* The error: where the grammar stopped, and what it could have taken. */
struct stop {
	struct filter *f;
	const struct token *at;
	const struct token *before; /* NULL at the start of the script */
	uint32_t index;
	const int *expected;
	int n_expected;
};

static bool expects(const struct stop *s, int kind)
{
	for (int i = 0; i < s->n_expected; i++)
		if (s->expected[i] == kind)
			return true;
	return false;
}

/* A value or a statement begins with this. */
static bool begins_value(int kind)
{
	return kind == TOK_INT || kind == TOK_TRUE || kind == TOK_FALSE || kind == TOK_STRING ||
	       kind == TOK_NAME || kind == TOK_VAR || kind == TOK_MAP || kind == TOK_PARAM ||
	       kind == TOK_LPAREN || kind == TOK_CAST_OPEN || kind == TOK_RECORD_OPEN;
}

static bool begins_statement(int kind)
{
	return begins_value(kind) || kind == TOK_INC || kind == TOK_DEC || kind == TOK_IF ||
	       (kind >= TOK_RETURN && kind <= TOK_UNROLL && kind != TOK_ELSE) ||
	       kind == TOK_RESERVED || kind == TOK_DISCARD || kind == TOK_SIZEOF;
}

static int kind_before(const struct stop *s)
{
	return s->before ? s->before->kind : TOK_YYEOF;
}

static int not_built(const struct stop *s, struct span span, const char *what)
{
	return diag_error(s->f->diags, span, "not-built", "%s not built yet", what);
}

/* What the user wrote at a token: quoted, cut when long. */
static const char *found(const struct stop *s, const struct token *t, char *buf, size_t size)
{
	int len = (int)(t->span.end - t->span.start);
	const char *text = s->f->source->text + t->span.start;

	if (t->kind == TOK_YYEOF)
		return "the end of the script";
	if (len > SHOWN_MOST) {
		len = SHOWN_MOST;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
		snprintf(buf, size, "'%.*s…'", len, text);
	} else {
		snprintf(buf, size, "'%.*s'", len, text);
	}
	return buf;
}

/* ---- forms that are not built ---- */

static bool say_not_built_word(const struct stop *s)
{
	if (kind_before(s) == TOK_RESERVED && s->at->kind == TOK_LPAREN) /* typeof($x) as a type */
		diag_error(s->f->diags, s->before->span, "not-built", "'%s' is not built yet",
			   s->before->text.text);
	else if (s->at->kind == TOK_RESERVED)
		diag_error(s->f->diags, s->at->span, "not-built", "'%s' is not built yet",
			   s->at->text.text);
	else
		return false;
	return true;
}

static bool say_not_built_value(const struct stop *s)
{
	int at = s->at->kind;

	if (!expects(s, TOK_STRING))
		return false;
	if (at != TOK_AND)
		return false;
	not_built(s, s->at->span, "taking an address, '&x', is");
	return true;
}

/* Forms that come near to the language's. */
static bool say_value_form(const struct stop *s)
{
	/* where other blocks could end */
	if (s->at->kind == TOK_RBRACE && expects(s, TOK_STRING) && expects(s, TOK_IF)) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "a block as a value must end in an expression without ';'");
	} else if (kind_before(s) == TOK_SIZEOF) {
		diag_error(s->f->diags, s->before->span, "syntax", "'sizeof' needs parentheses");
		diag_hint(s->f->diags, "write sizeof(uint64) or sizeof($x)");
	} else if (s->at->kind == TOK_RANGE && !expects(s, TOK_STRING)) {
		diag_error(s->f->diags, s->at->span, "syntax", "a range belongs to 'for'");
		diag_hint(s->f->diags, "write for ($i : 0..10) { … }");
	} else {
		return false;
	}
	return true;
}

/* ---- root items ---- */

static const struct {
	int kind;
	const char *word, *form;
} root_items[] = {
	{TOK_CONFIG, "config", "config = { max_map_keys = 1000; missing_probes = warn }"},
	{TOK_IMPORT, "import", "import \"file.bt\";"},
	{TOK_MACRO, "macro", "macro name($variable, @map, expression) { … }"},
	{TOK_FN, "fn", "fn name($x : int64) : int64 { … }"},
	{TOK_ROOT_LET, "let", "let @map = hash(1000);"},
};

static bool ends_item(const struct filter *f, const struct token *t)
{
	if (t->kind == TOK_RBRACE)
		return f->tokens[t->partner].inside == NO_TOKEN;
	return t->kind == TOK_SEMI && t->inside == NO_TOKEN;
}

/* In an item of the root, but not in the body of a macro or fn: what the item looks like. */
static bool say_root_item(const struct stop *s)
{
	uint32_t region = filter_region(s->f, s->index);
	char buf[64];

	for (uint32_t i = s->index + 1; i-- > 0;) {
		const struct token *t = &s->f->tokens[i];

		if (t->kind == TOK_ATTACH || (i < s->index && ends_item(s->f, t)))
			return false;
		for (size_t k = 0; k < sizeof(root_items) / sizeof(root_items[0]); k++) {
			if (root_items[k].kind != t->kind || i == s->index)
				continue;
			if (region != NO_TOKEN && t->kind != TOK_CONFIG)
				return false;
			if (t->kind == TOK_ROOT_LET && s->at->kind == TOK_VAR)
				diag_error(s->f->diags, s->at->span, "syntax",
					   "only maps are declared outside of blocks");
			else if (s->n_expected == 1 && expects(s, TOK_SEMI))
				diag_error(s->f->diags, s->at->span, "syntax",
					   "missing ';' before %s",
					   found(s, s->at, buf, sizeof(buf)));
			else
				diag_error(s->f->diags, s->at->span, "syntax",
					   "%s does not fit '%s' here",
					   found(s, s->at, buf, sizeof(buf)), root_items[k].word);
			diag_hint(s->f->diags, "write %s", root_items[k].form);
			return true;
		}
	}
	return false;
}

/* ---- top level ---- */

/* The '>' that ended an angle block, when the error is at it or between it and the next block. */
static const struct token *angle_end(const struct stop *s)
{
	if (s->at->kind == TOK_ANGLE_CLOSE)
		return s->at;
	if (s->at->inside != NO_TOKEN)
		return NULL;
	for (uint32_t i = s->index; i-- > 0;) {
		int kind = s->f->tokens[i].kind;

		if (kind == TOK_ANGLE_CLOSE)
			return &s->f->tokens[i];
		if (kind == TOK_RBRACE || kind == TOK_PRED_CLOSE || i + 64 < s->index)
			return NULL;
	}
	return NULL;
}

static bool has_char(const struct token *t, char c)
{
	return memchr(t->text.text, c, t->text.len) != NULL;
}

static bool is_probe_type(const struct token *t)
{
	for (int i = 0; i < PROBE_COUNT; i++)
		if (probe_type_is(t->text.text, t->text.len, (enum probe_id)i))
			return true;
	return false;
}

/* A word behind a head, where its block should be. */
static void hint_second(const struct stop *s)
{
	const struct token *head = s->before;

	if (has_char(head, '('))
		diag_hint(s->f->diags, "statements stand in a probe's block: BEGIN { … }");
	else if (has_char(s->at, ':') || is_probe_type(s->at))
		diag_hint(s->f->diags, "attach points of one probe have a comma between them");
	else if (probe_type_is(head->text.text, head->text.len, PROBE_KPROBE) ||
		 probe_type_is(head->text.text, head->text.len, PROBE_KRETPROBE))
		diag_hint(s->f->diags, "write %s:%s", head->text.text, s->at->text.text);
	else
		diag_hint(s->f->diags,
			  "statements stand in { … }, a condition before it: /pid == 1/");
}

/* `point<@ = count()>`: '<' is part of the head, as it is of C++'s names. */
static bool is_glued(const struct token *head)
{
	bool is_statement = has_char(head, '@') || has_char(head, '$') || has_char(head, '=');

	return head->text.text[head->text.len - 1] == '<' || (has_char(head, '<') && is_statement);
}

/* Behind a head that no block follows. */
static void say_no_block(const struct stop *s)
{
	const struct token *head = s->before;
	char buf[64];

	if (head->kind == TOK_PRED_CLOSE) {
		diag_error(s->f->diags, head->span, "syntax",
			   "probe has no block: write { … } behind its predicate");
		return;
	}
	diag_error(s->f->diags, head->span, "syntax", "probe has no block: write { … } behind %s",
		   found(s, head, buf, sizeof(buf)));
	if (head->kind != TOK_ATTACH)
		return;
	if (is_glued(head))
		diag_hint(s->f->diags, "a space before '<' opens a block");
	else if (s->at->kind == TOK_ATTACH ? !angle_end(s) : has_char(head, '('))
		hint_second(s);
}

/* Between `param` and its ';'. */
static bool say_param(const struct stop *s)
{
	char buf[64];

	if (s->at->inside != NO_TOKEN)
		return false;
	for (uint32_t i = s->index; i-- > 0;) {
		int kind = s->f->tokens[i].kind;

		if (kind == TOK_PARAM_ITEM) {
			diag_error(s->f->diags, s->at->span, "syntax",
				   "%s does not fit in a parameter",
				   found(s, s->at, buf, sizeof(buf)));
			diag_hint(s->f->diags,
				  "write param $seconds: uint64 = none \"what it is\";");
			return true;
		}
		if (kind == TOK_SEMI || kind == TOK_RBRACE || kind == TOK_ANGLE_CLOSE)
			return false;
	}
	return false;
}

static bool say_top_level(const struct stop *s)
{
	char buf[64];
	int at = s->at->kind;

	if (s->at->inside != NO_TOKEN)
		return false;
	if (expects(s, TOK_ANGLE_OPEN)) {
		say_no_block(s);
	} else if (at == TOK_GT && s->f->has_reported_angle) {
		s->f->has_reported_angle =
			false; /* the end meant for the block that closed early */
	} else if (at == TOK_RBRACE || at == TOK_GT || at == TOK_RPAREN || at == TOK_RSQUARE) {
		diag_error(s->f->diags, s->at->span, "syntax", "this %s closes nothing",
			   found(s, s->at, buf, sizeof(buf)));
	} else if (at == TOK_LBRACE || at == TOK_ANGLE_OPEN) {
		diag_error(s->f->diags, s->at->span, "syntax", "this block has no probe before it");
		diag_hint(s->f->diags, "a probe is an attach point and a block: BEGIN { … }");
	} else if (at == TOK_PRED_OPEN) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "this predicate has no probe before it");
	} else {
		diag_error(s->f->diags, s->at->span, "syntax", "%s begins no probe",
			   found(s, s->at, buf, sizeof(buf)));
	}
	return true;
}

/* ---- inside blocks and predicates ---- */

/* In a condition: the predicate, or between 'if' and its block. */
static bool is_in_condition(const struct stop *s)
{
	uint32_t region = filter_region(s->f, s->index);

	if (region != NO_TOKEN && s->f->tokens[region].kind == TOK_PRED_OPEN)
		return true;
	for (uint32_t i = s->index; i-- > 0 && i != region;) {
		int kind = s->f->tokens[i].kind;

		if (kind == TOK_IF)
			return true;
		if (kind == TOK_SEMI || kind == TOK_LBRACE || kind == TOK_RBRACE)
			return false;
	}
	return false;
}

static bool say_assignment(const struct stop *s)
{
	if (s->at->kind < TOK_SET || s->at->kind > TOK_XOR_SET)
		return false;
	if (is_in_condition(s) && s->at->kind == TOK_SET) {
		diag_error(s->f->diags, s->at->span, "syntax", "'=' assigns; a condition compares");
		diag_hint(s->f->diags, "write '==' to compare");
	} else if (expects(s, TOK_STRING)) {
		return false;
	} else if (expects(s, TOK_SEMI)) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "only a variable or a map can be assigned to");
		diag_hint(s->f->diags, "write $name or @name before the '='");
	} else {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "an assignment is a statement, it has no value");
		diag_hint(s->f->diags, "write '==' to compare");
	}
	return true;
}

static bool say_incdec(const struct stop *s)
{
	int at = s->at->kind, before = kind_before(s);
	bool is_at = (at == TOK_INC || at == TOK_DEC) && expects(s, TOK_SEMI);
	bool is_before = (before == TOK_INC || before == TOK_DEC) && !expects(s, TOK_STRING) &&
			 expects(s, TOK_VAR);

	if (!is_at && !is_before)
		return false;
	diag_error(s->f->diags, is_at ? s->at->span : s->before->span, "syntax",
		   "'%s' needs a variable or a map",
		   (is_at ? at : before) == TOK_INC ? "++" : "--");
	return true;
}

static bool say_semicolon(const struct stop *s)
{
	char buf[64];

	if (!expects(s, TOK_SEMI) || expects(s, TOK_IF) || !begins_statement(s->at->kind))
		return false;
	diag_error(s->f->diags, s->at->span, "syntax", "missing ';' before %s",
		   found(s, s->at, buf, sizeof(buf)));
	return true;
}

/* The kind of the nearest word before the error that a block belongs to. */
static int block_kind(const struct stop *s)
{
	for (uint32_t i = s->index; i-- > 0;) {
		int kind = s->f->tokens[i].kind;

		if (kind == TOK_WHILE || kind == TOK_FOR || kind == TOK_UNROLL)
			return kind;
		if (kind == TOK_IF || kind == TOK_IF_VALUE || kind == TOK_SEMI)
			break;
	}
	return TOK_IF;
}

static const char *block_word(const struct stop *s)
{
	switch (block_kind(s)) {
	case TOK_WHILE: return "while";
	case TOK_FOR: return "for";
	case TOK_UNROLL: return "unroll";
	default: return "if";
	}
}

static const char *block_form(const struct stop *s)
{
	switch (block_kind(s)) {
	case TOK_WHILE: return "while (condition)";
	case TOK_FOR: return "for ($i : 0..10)";
	case TOK_UNROLL: return "unroll (count)";
	default: return "if (condition)";
	}
}

/* The `while (…);` of a `do { … }`, of which it was said that there is none. */
static bool ends_do(const struct stop *s)
{
	const struct token *tokens = s->f->tokens;
	uint32_t i = s->index;

	while (i > 0 && tokens[i].kind != TOK_WHILE && tokens[i].kind != TOK_RBRACE)
		i--;
	if (i < 2 || tokens[i].kind != TOK_WHILE || tokens[i - 1].kind != TOK_RBRACE)
		return false;
	i = tokens[i - 1].partner;
	return i > 0 && tokens[i - 1].kind == TOK_NAME &&
	       strcmp(tokens[i - 1].text.text, "do") == 0;
}

/* `if` and the loops. */
static bool say_if(const struct stop *s)
{
	char buf[64];

	if (s->at->kind == TOK_SEMI && ends_do(s))
		return true;
	if (s->at->kind == TOK_ELSE) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "'else' without an 'if' block before it");
	} else if (kind_before(s) == TOK_ELSE) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "'else' needs a block: write else { … }");
	} else if (kind_before(s) == TOK_IF || kind_before(s) == TOK_IF_VALUE) {
		diag_error(s->f->diags, s->at->span, "syntax", "'if' needs a condition");
	} else if (kind_before(s) == TOK_WHILE) {
		diag_error(s->f->diags, s->at->span, "syntax", "'while' needs a condition");
	} else if (kind_before(s) == TOK_UNROLL) {
		diag_error(s->f->diags, s->at->span, "syntax", "'unroll' needs a count");
	} else if (kind_before(s) == TOK_FOR) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "'for' needs a variable and what it goes over");
		diag_hint(s->f->diags, "write for ($kv : @map) { … } or for ($i : 0..10) { … }");
	} else if (expects(s, TOK_LBRACE) && !expects(s, TOK_STRING)) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "'%s' needs a block: expected '{', found %s", block_word(s),
			   found(s, s->at, buf, sizeof(buf)));
		diag_hint(s->f->diags, "write %s { … }", block_form(s));
	} else {
		return false;
	}
	return true;
}

/* ---- the rest ---- */

/* Names of what is expected besides operators, most telling first. */
static const struct {
	int kind;
	const char *name;
} wanted[] = {
	{TOK_STRING, "a value"}, {TOK_SEMI, "';'"},	   {TOK_COMMA, "','"},
	{TOK_RPAREN, "')'"},	 {TOK_RSQUARE, "']'"},	   {TOK_COLON, "':'"},
	{TOK_RBRACE, "'}'"},	 {TOK_ANGLE_CLOSE, "'>'"}, {TOK_PRED_CLOSE, "'/' and a block"},
};

static const char *expected_text(const struct stop *s, char *buf, size_t size)
{
	size_t used = 0;
	int n = 0, left = 0;

	if (!expects(s, TOK_STRING) && expects(s, TOK_RESERVED) && expects(s, TOK_NAME))
		return "a field's name";
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		left += expects(s, wanted[i].kind);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && used < size; i++) {
		if (!expects(s, wanted[i].kind))
			continue;
		left--;
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 !n	? ""
					 : left ? ", "
						: " or ",
					 wanted[i].name);
		n++;
	}
	return n ? buf : NULL;
}

static void say_generic(const struct stop *s)
{
	char what[64], expected[128];
	const char *names = expected_text(s, expected, sizeof(expected));
	bool is_statement = expects(s, TOK_STRING) && expects(s, TOK_IF);

	if (is_statement)
		names = "a statement";
	if (s->at->kind == TOK_PRED_CLOSE && kind_before(s) == TOK_PRED_OPEN)
		diag_error(s->f->diags, span_join(s->before->span, s->at->span), "syntax",
			   "the predicate is empty");
	else if (names)
		diag_error(s->f->diags, s->at->span, "syntax", "expected %s, found %s", names,
			   found(s, s->at, what, sizeof(what)));
	else
		diag_error(s->f->diags, s->at->span, "syntax", "%s does not fit here",
			   found(s, s->at, what, sizeof(what)));
}

static void add_angle_note(const struct stop *s)
{
	const struct token *close = angle_end(s);
	struct place open;

	if (!close)
		return;
	open = source_place(s->f->source, s->f->tokens[close->partner].span.start);
	diag_note(s->f->diags, close->span,
		  "this '>' closed the block opened at %u:%u; write '(a > b)' to compare",
		  open.line, open.col);
	s->f->has_reported_angle = true;
}

void syntax_error(struct filter *f, const int *expected, int n_expected)
{
	uint32_t i = f->current, n_reported;
	struct stop s = {
		.f = f,
		.at = &f->tokens[i],
		.before = i ? &f->tokens[i - 1] : NULL,
		.index = i,
		.expected = expected,
		.n_expected = n_expected,
	};

	n_reported = f->diags->n;
	if (s.at->is_quiet)
		return;
	if (!say_param(&s) && !say_root_item(&s) && !say_not_built_word(&s) && !say_top_level(&s) &&
	    !foreign_syntax(f) && !say_not_built_value(&s) && !say_value_form(&s) &&
	    !say_assignment(&s) && !say_incdec(&s) && !say_if(&s) && !say_semicolon(&s))
		say_generic(&s);
	if (f->diags->n > n_reported)
		add_angle_note(&s);
}
