/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for syntax errors outside of blocks: in root items, parameters and probe heads.
 */
#include "parser/syntax/syntax_error.h"
#include "parser/base/text.h"
#include "parser/base/time_unit.h"
#include "parser/lang/builtin.h"
#include "parser/lang/probe.h"
#include "parser/lang/type.h"
#include "parser.tab.h"

enum { CONDITION_MOST = 60 }; /* bytes of a condition in a hint */

static const struct {
	int kind;
	const char *word, *form;
} root_items[] = {
	{TOK_CONFIG, "config", "config = { max_map_keys = 1000; missing_probes = warn }"},
	{TOK_IMPORT, "import", "import \"file.bt\"; builtins need no import"},
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

/* An error in a root item, but not in the body of a macro or fn: show the item's form. */
bool report_root_item(const struct stop *s)
{
	uint32_t region = filter_region(s->f, s->index);

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
					   "only maps can be declared outside of blocks");
			else if (s->n_expected == 1 && stop_expects(s, TOK_SEMI))
				diag_error(s->f->diags, s->at->span, "syntax",
					   "missing ';' before %s", stop_found(s, s->at));
			else
				diag_error(s->f->diags, s->at->span, "syntax",
					   "unexpected %s in '%s'", stop_found(s, s->at),
					   root_items[k].word);
			return diag_hint(s->f->diags, "write %s", root_items[k].form), true;
		}
	}
	return false;
}

/* ---- top level ---- */

const struct token *stop_angle_end(const struct stop *s)
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
	return t->text.len && memchr(t->text.text, c, t->text.len);
}

bool token_is_probe_type(const struct token *t)
{
	for (int i = 0; i < PROBE_COUNT; i++)
		if (probe_type_is(t->text.text, t->text.len, (enum probe_id)i))
			return true;
	return false;
}

static bool is_text(const struct token *t, const char *word)
{
	return t->kind == TOK_ATTACH && strcmp(t->text.text, word) == 0;
}

static bool is_joint(const struct token *t)
{
	return is_text(t, "||") || is_text(t, "&&") || is_text(t, "or") || is_text(t, "and");
}

/* `comm == "ls" { … }`, as in awk: a condition where the probe is expected. */
static bool report_bare_condition(const struct stop *s, const struct token *head)
{
	const struct builtin *b = head->kind == TOK_ATTACH ? builtin_find(head->text.text) : NULL;
	const char *text = filter_text(s->f, head->span);
	int len = (int)strcspn(text, "{\n");

	if (!b || b->kind != BUILTIN_VAR || text[len] != '{' || len > CONDITION_MOST)
		return false;
	while (len && text[len - 1] == ' ')
		len--;
	return syntax_mistake(s->f, head->span, "this is a condition without a probe before it",
			      "write tracepoint:syscalls:sys_enter_openat /%.*s/ { … }", len, text);
}

/* A hint for a word after a head, where the block is expected. */
static void hint_second(const struct stop *s)
{
	const struct token *head = s->before;

	if (is_joint(s->at) && s->at[1].kind == TOK_ATTACH)
		diag_hint(s->f->diags, "attach points of one probe are separated by commas: %s, %s",
			  head->text.text, s->at[1].text.text);
	else if (is_joint(s->at))
		diag_hint(s->f->diags, "attach points of one probe are separated by commas: a, b");
	else if (has_char(head, '('))
		diag_hint(s->f->diags, "statements go in a probe's block: BEGIN { … }");
	else if (probe_type_is(head->text.text, head->text.len, PROBE_KPROBE) ||
		 probe_type_is(head->text.text, head->text.len, PROBE_KRETPROBE))
		diag_hint(s->f->diags, "write %s:%s", head->text.text, s->at->text.text);
	else
		diag_hint(s->f->diags, "statements go in { … }, a condition before it: /pid == 1/");
}

/* True for `point<@ = count()>`, where '<' was read as part of the head, as in C++ names. */
static bool is_glued(const struct token *head)
{
	bool is_statement = has_char(head, '@') || has_char(head, '$') || has_char(head, '=');

	if (!head->text.len)
		return false;
	return head->text.text[head->text.len - 1] == '<' || (has_char(head, '<') && is_statement);
}

/* A statement's keyword that begins a head: the statement is outside of any probe. */
static bool is_statement_word(const struct token *head)
{
	static const char *const words[] = {"if", "else", "while", "for", "unroll", "return"};

	return head->kind == TOK_ATTACH && TEXT_IS_IN(words, head->text.text, head->text.len);
}

/* `int x;`, `unsigned long f(void) { … }` */
static bool is_c_word(const struct token *head)
{
	static const char *const words[] = {"const", "unsigned", "signed", "volatile", "void",
					    "float", "double",	 "_Bool",  "auto",     "register"};

	return head->kind == TOK_ATTACH && (TEXT_IS_IN(words, head->text.text, head->text.len) ||
					    type_is_name(head->text.text));
}

/* `-e trace.bt` */
static bool names_script(const struct stop *s, const struct token *head)
{
	return s->at->kind == TOK_YYEOF && head->text.len > 3 &&
	       strcmp(head->text.text + head->text.len - 3, ".bt") == 0;
}

/* `interval:5`, without a unit */
static bool is_timer(const struct token *head)
{
	const char *colon = strchr(head->text.text, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

/* `a:b:c d:e:f { … }`, `interval:5 s { … }` */
static bool report_comma(const struct stop *s, const struct token *head)
{
	const char *unit = s->at->text.text;

	if (head->kind != TOK_ATTACH || s->at->kind != TOK_ATTACH)
		return false;
	if (is_timer(head) && time_unit_meant(unit) && !has_char(s->at, ':'))
		return syntax_mistake(s->f, s->at->span,
				      "a blank stands between the number and its unit of time",
				      "write %s%s", head->text.text, time_unit_meant(unit));
	if (!(has_char(s->at, ':') || token_is_probe_type(s->at)) || has_char(head, '('))
		return false;
	return syntax_mistake(s->f, s->at->span, "missing ',' between these attach points",
			      "attach points of one probe are separated by commas");
}

/* Report text that is read as a head but is none. */
static bool report_no_head(const struct stop *s, const struct token *head)
{
	return head->kind == TOK_ATTACH &&
	       (report_foreign_item(s, head) || report_bare_condition(s, head) ||
		report_loose_statement(s, head) || report_comma(s, head));
}

/* `PROBE (pid == 1) { … }`: the condition, without the parentheses; NULL: it is none. */
static const char *condition_in(const struct stop *s, int *len)
{
	const char *text = filter_text(s->f, s->at->span), *c = text;
	int depth = 0;

	if (s->at->kind != TOK_LPAREN)
		return NULL;
	for (; *c && *c != '\n' && *c != '{'; c++) {
		depth += *c == '(';
		depth -= *c == ')';
		if (!depth)
			break;
	}
	*len = (int)(c - text) - 1;
	return *c == ')' && *len > 0 && *len <= CONDITION_MOST ? text + 1 : NULL;
}

static void hint_condition(const struct stop *s)
{
	int len;
	const char *text = condition_in(s, &len);

	if (text)
		diag_hint(s->f->diags, "a condition is between slashes: write /%.*s/", len, text);
	else if (s->at->kind == TOK_LPAREN)
		diag_hint(s->f->diags, "a condition is between slashes: write /pid == 1/");
}

/* A head without a block. */
static void report_no_block(const struct stop *s)
{
	const struct token *head = s->before;

	if (head->kind == TOK_PRED_CLOSE) {
		diag_error(s->f->diags, head->span, "syntax",
			   "probe has no block: write { … } after its predicate");
		return;
	}
	if (is_c_word(head)) {
		syntax_mistake(s->f, head->span,
			       "only types of C can be defined here, not variables or functions",
			       "a variable of a script is $name, a map @name; a function is macro "
			       "name(x) { … } or fn name($x : int64) : int64 { … }");
		return;
	}
	if (is_statement_word(head)) {
		diag_error(s->f->diags, head->span, "syntax", "%s is only allowed inside a probe",
			   stop_found(s, head));
		return;
	}
	if (!is_glued(head) && report_no_head(s, head))
		return;
	diag_error(s->f->diags, head->span, "syntax", "probe has no block: write { … } after %s",
		   stop_found(s, head));
	if (head->kind != TOK_ATTACH)
		return;
	if (head->text.len > 1 && head->text.text[head->text.len - 1] == ':')
		diag_hint(s->f->diags, "statements go in { … }: %.*s { print(pid); }",
			  (int)head->text.len - 1, head->text.text);
	else if (names_script(s, head))
		diag_hint(s->f->diags, "a script is run without -e: sonde %s", head->text.text);
	else if (is_glued(head))
		diag_hint(s->f->diags, "put a space before '<' to open a block");
	else if (s->at->kind == TOK_ATTACH ? !stop_angle_end(s) : has_char(head, '('))
		hint_second(s);
	else
		hint_condition(s);
}

/* Between `param` and its ';'. */
bool report_param(const struct stop *s)
{
	if (s->at->inside != NO_TOKEN)
		return false;
	for (uint32_t i = s->index; i-- > 0;) {
		int kind = s->f->tokens[i].kind;

		if (kind == TOK_PARAM_ITEM) {
			diag_error(s->f->diags, s->at->span, "syntax",
				   "unexpected %s in a parameter", stop_found(s, s->at));
			return diag_hint(s->f->diags,
					 "write param $seconds: uint64 = none \"what it is\";"),
			       true;
		}
		if (kind == TOK_SEMI || kind == TOK_RBRACE || kind == TOK_ANGLE_CLOSE)
			return false;
	}
	return false;
}

bool report_top_level(const struct stop *s)
{
	int at = s->at->kind;

	if (s->at->inside != NO_TOKEN)
		return false;
	if (stop_expects(s, TOK_ANGLE_OPEN)) {
		report_no_block(s);
	} else if (at == TOK_GT && s->f->has_reported_angle) {
		s->f->has_reported_angle =
			false; /* the '>' meant for the block that closed early */
	} else if (at == TOK_RBRACE || at == TOK_GT || at == TOK_RPAREN || at == TOK_RSQUARE) {
		diag_error(s->f->diags, s->at->span, "syntax", "unmatched %s",
			   stop_found(s, s->at));
		diag_hint(s->f->diags, "leave it out, or open it before");
	} else if (at == TOK_LBRACE || at == TOK_ANGLE_OPEN) {
		syntax_mistake(s->f, s->at->span, "this block has no probe before it",
			       "a probe is an attach point and a block: BEGIN { … }");
	} else if (at == TOK_PRED_OPEN) {
		syntax_mistake(s->f, s->at->span, "this predicate has no probe before it",
			       "write PROBE /pid == 1/ { … }");
	} else {
		diag_error(s->f->diags, s->at->span, "syntax", "expected a probe, found %s",
			   stop_found(s, s->at));
		if (at == TOK_SEMI && s->before && s->before->kind == TOK_RBRACE)
			diag_hint(s->f->diags, "leave it out: nothing stands between probes");
	}
	return true;
}
