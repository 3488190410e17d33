/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for syntax errors. The grammar stops at a token with the kinds it expected. First
 * come, in order, the mistakes that have messages of their own: words and forms that are not
 * implemented, a probe without a block, '=' for '==', a missing ';'. All others are "expected …,
 * found …". Nothing is reported at a token that the filter inserted or silenced. An error at or
 * after the '>' that closed an angle block gets a note where that block begins.
 */
#include "parser/syntax/syntax_error.h"
#include "parser/base/time_unit.h"
#include "parser/lang/builtin.h"
#include "parser.tab.h"
#include "parser/syntax/foreign_syntax.h"

enum { SHOWN_MOST = 30 }; /* bytes of source text in a message */

bool stop_expects(const struct stop *s, int kind)
{
	for (int i = 0; i < s->n_expected; i++)
		if (s->expected[i] == kind)
			return true;
	return false;
}

bool token_begins_value(int kind)
{
	return kind == TOK_INT || kind == TOK_TRUE || kind == TOK_FALSE || kind == TOK_STRING ||
	       kind == TOK_NAME || kind == TOK_VAR || kind == TOK_MAP || kind == TOK_PARAM ||
	       kind == TOK_LPAREN || kind == TOK_CAST_OPEN || kind == TOK_RECORD_OPEN;
}

static bool begins_statement(int kind)
{
	return token_begins_value(kind) || kind == TOK_INC || kind == TOK_DEC || kind == TOK_IF ||
	       (kind >= TOK_RETURN && kind <= TOK_UNROLL && kind != TOK_ELSE) ||
	       kind == TOK_RESERVED || kind == TOK_DISCARD || kind == TOK_SIZEOF ||
	       kind == TOK_OFFSETOF;
}

/* The kind of the token before the error; the end's at the start of the script. */
static int kind_before(const struct stop *s)
{
	return s->before ? s->before->kind : TOK_YYEOF;
}

const char *stop_found(const struct stop *s, const struct token *t)
{
	int len = (int)(t->span.end - t->span.start), shown = len;
	const char *text = filter_text(s->f, t->span);

	if (t->kind == TOK_YYEOF)
		return "the end of the script";
	if (len > SHOWN_MOST)
		for (shown = SHOWN_MOST; shown && ((unsigned char)text[shown] & 0xc0) == 0x80;)
			shown--;
	return arena_printf(s->f->diags->arena, "'%.*s%s'", shown, text, shown < len ? "…" : "");
}

const char *syntax_shown(const struct filter *f, struct span s, uint32_t most)
{
	uint32_t len = s.end - s.start;

	return len > most ? "…"
			  : arena_printf(f->diags->arena, "%.*s", (int)len, filter_text(f, s));
}

bool syntax_mistake(const struct filter *f, struct span s, const char *message, const char *hint,
		    ...)
{
	va_list ap;

	diag_error(f->diags, s, "syntax", "%s", message);
	va_start(ap, hint);
	diag_hint(f->diags, "%s", arena_vprintf(f->diags->arena, hint, ap));
	va_end(ap);
	return true;
}

/* ---- words that begin an item ---- */

static bool report_item_word(const struct stop *s)
{
	const struct token *t = s->at;

	if (kind_before(s) == TOK_RESERVED && t->kind == TOK_LPAREN)
		t = s->before;
	if (t->kind != TOK_RESERVED)
		return false;
	return diag_error(s->f->diags, t->span, "syntax",
			  "'%s' belongs before the probes, not in a block", t->text.text),
	       true;
}

/* Forms that are close to correct ones. */
static bool report_value_form(const struct stop *s)
{
	if (kind_before(s) == TOK_SIZEOF)
		return syntax_mistake(s->f, s->before->span, "'sizeof' needs parentheses",
				      "write sizeof(uint64) or sizeof($x)");
	if (s->at->kind == TOK_RANGE && !stop_expects(s, TOK_STRING))
		return syntax_mistake(
			s->f, s->at->span, "a range can only be used in 'for'",
			"write for ($i : 0..10) { … }; the first rows of a map are print(@, 5)");
	return false;
}

/* ---- inside blocks and predicates ---- */

/* True in the predicate, or between 'if' and its block. */
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

static bool report_assignment(const struct stop *s)
{
	if (s->at->kind < TOK_SET || s->at->kind > TOK_XOR_SET)
		return false;
	if (is_in_condition(s) && s->at->kind == TOK_SET)
		return syntax_mistake(s->f, s->at->span, "'=' assigns, but a condition compares",
				      "write '==' to compare");
	if (stop_expects(s, TOK_STRING))
		return false;
	if (stop_expects(s, TOK_SEMI))
		return syntax_mistake(s->f, s->at->span,
				      "only a variable or a map can be assigned to",
				      "write $name or @name before the '='");
	return syntax_mistake(s->f, s->at->span, "an assignment is a statement and has no value",
			      "write '==' to compare");
}

static bool report_incdec(const struct stop *s)
{
	int at = s->at->kind, before = kind_before(s);
	bool is_at = (at == TOK_INC || at == TOK_DEC) && stop_expects(s, TOK_SEMI);
	bool is_before = (before == TOK_INC || before == TOK_DEC) && !stop_expects(s, TOK_STRING) &&
			 stop_expects(s, TOK_VAR);

	if (!is_at && !is_before)
		return false;
	diag_error(s->f->diags, is_at ? s->at->span : s->before->span, "syntax",
		   "'%s' needs a variable or a map",
		   (is_at ? at : before) == TOK_INC ? "++" : "--");
	if (is_at && before == TOK_NAME)
		diag_hint(s->f->diags, "write $%s%s or @%s%s", s->before->text.text,
			  at == TOK_INC ? "++" : "--", s->before->text.text,
			  at == TOK_INC ? "++" : "--");
	else
		diag_hint(s->f->diags, "variables begin with $, maps with @");
	return true;
}

static bool report_semicolon(const struct stop *s)
{
	if (!stop_expects(s, TOK_SEMI) || stop_expects(s, TOK_IF) || !begins_statement(s->at->kind))
		return false;
	diag_error(s->f->diags, s->at->span, "syntax", "missing ';' before %s",
		   stop_found(s, s->at));
	if (s->at->kind == TOK_IF)
		diag_hint(s->f->diags, "a condition is before its statements: if (…) { … }");
	else if (s->at->span.end - s->at->span.start <= SHOWN_MOST)
		diag_hint(s->f->diags, "statements are separated by ';': write … ; %.*s …",
			  (int)(s->at->span.end - s->at->span.start),
			  filter_text(s->f, s->at->span));
	return true;
}

/* `if pid == 1: …`: the condition, which goes in parentheses. */
static const char *condition_before(const struct stop *s, const struct token *word)
{
	struct span c = {word->span.end + 1, s->at->span.start};
	bool is_bare = word[1].kind != TOK_LPAREN && s->at->kind == TOK_COLON && c.end > c.start &&
		       c.end - c.start <= SHOWN_MOST;

	return is_bare ? arena_printf(s->f->diags->arena, "if (%.*s)", (int)(c.end - c.start),
				      filter_text(s->f, c))
		       : "if (condition)";
}

/* The form, up to its block, of the statement before the error to which a missing block belongs. */
static const char *block_form(const struct stop *s)
{
	for (uint32_t i = s->index; i-- > 0;) {
		int kind = s->f->tokens[i].kind;

		if (kind == TOK_WHILE)
			return "while (condition)";
		if (kind == TOK_FOR)
			return "for ($i : 0..10)";
		if (kind == TOK_UNROLL)
			return "unroll (count)";
		if (kind == TOK_IF || kind == TOK_IF_VALUE)
			return condition_before(s, &s->f->tokens[i]);
		if (kind == TOK_SEMI)
			break;
	}
	return "if (condition)";
}

/* True for the `while (…);` of a `do { … }` that was reported. */
static bool ends_do(const struct stop *s)
{
	const struct token *tokens = s->f->tokens;
	uint32_t i = s->at->kind == TOK_RBRACE && s->index ? s->index - 1 : s->index;

	while (i > 0 && tokens[i].kind != TOK_WHILE && tokens[i].kind != TOK_RBRACE)
		i--;
	if (i < 2 || tokens[i].kind != TOK_WHILE || tokens[i - 1].kind != TOK_RBRACE)
		return false;
	i = tokens[i - 1].partner;
	return i > 0 && tokens[i - 1].kind == TOK_NAME &&
	       strcmp(tokens[i - 1].text.text, "do") == 0;
}

/* `if` and the loops. */
static bool report_if(const struct stop *s)
{
	if ((s->at->kind == TOK_SEMI || s->at->kind == TOK_RBRACE) && ends_do(s))
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
		syntax_mistake(s->f, s->at->span, "'for' needs a variable and a range or map",
			       "write for ($kv : @map) { … } or for ($i : 0..10) { … }");
	} else if (stop_expects(s, TOK_LBRACE) && !stop_expects(s, TOK_STRING) &&
		   s->at->kind == TOK_RPAREN) {
		syntax_mistake(s->f, s->at->span, "'if' without a block has no value",
			       "write CONDITION ? VALUE : OTHER");
	} else if (stop_expects(s, TOK_LBRACE) && !stop_expects(s, TOK_STRING)) {
		diag_error(s->f->diags, s->at->span, "syntax",
			   "'%.*s' needs a block: expected '{', found %s",
			   (int)strcspn(block_form(s), " "), block_form(s), stop_found(s, s->at));
		diag_hint(s->f->diags, "write %s { … }", block_form(s));
	} else {
		return false;
	}
	return true;
}

/* ---- the rest ---- */

/* Names of expected tokens other than operators, the most helpful first. */
static const struct {
	int kind;
	const char *name;
} expected_names[] = {
	{TOK_STRING, "a value"}, {TOK_SEMI, "';'"},	   {TOK_COMMA, "','"},
	{TOK_RPAREN, "')'"},	 {TOK_RSQUARE, "']'"},	   {TOK_COLON, "':'"},
	{TOK_RBRACE, "'}'"},	 {TOK_ANGLE_CLOSE, "'>'"}, {TOK_PRED_CLOSE, "'/' and a block"},
};

static const char *expected_text(const struct stop *s)
{
	const char *text = NULL;
	int left = 0;

	if (!stop_expects(s, TOK_STRING) && stop_expects(s, TOK_RESERVED) &&
	    stop_expects(s, TOK_NAME))
		return "a field's name";
	for (size_t i = 0; i < sizeof(expected_names) / sizeof(expected_names[0]); i++)
		left += stop_expects(s, expected_names[i].kind);
	for (size_t i = 0; i < sizeof(expected_names) / sizeof(expected_names[0]); i++) {
		if (!stop_expects(s, expected_names[i].kind))
			continue;
		left--;
		text = text ? arena_join(s->f->diags->arena, text, left ? ", " : " or ",
					 expected_names[i].name)
			    : expected_names[i].name;
	}
	return text;
}

/* What a shell may have done to the program of -e. */
static void hint_shell(const struct stop *s)
{
	int at = s->at->kind;

	if (at == TOK_MOD && source_lost_quotes(s->f->source))
		diag_hint(s->f->diags, "%s", SHELL_TAKES_QUOTES);
	else if (at == TOK_MOD)
		diag_hint(
			s->f->diags,
			"a text is in double quotes: \"%%d\\n\"; in a shell, put the program in single "
			"quotes: -e 'PROGRAM'");
	else if (strcmp(s->f->source->name, "stdin") == 0 &&
		 (at == TOK_RSQUARE || at == TOK_RPAREN || at == TOK_PRED_CLOSE || at == TOK_SET ||
		  at == TOK_COMMA || at == TOK_SEMI))
		diag_hint(s->f->diags,
			  "a shell replaces $name inside double quotes: put the program in single "
			  "quotes: -e 'PROGRAM'");
}

/* `PROBE { /pid == 1/ … }`: the condition is inside the block. */
static bool hint_condition_inside(const struct stop *s)
{
	const char *text = filter_text(s->f, s->at->span), *end;
	int len;

	if (*text != '/')
		return false;
	end = strpbrk(text + 1, "/\n");
	len = end && *end == '/' && end - text < SHOWN_MOST ? (int)(end - text - 1) : 0;
	while (len && text[1] == ' ')
		text++, len--;
	return diag_hint(
		       s->f->diags,
		       "a condition stands before the block, PROBE /%.*s/ { … }; in the block write if "
		       "(%.*s) { … }",
		       len ? len : 3, len ? text + 1 : "…", len ? len : 3, len ? text + 1 : "…"),
	       filter_silence_rest(s->f), true;
}

/* `comm matches "a"`: a word between two values. */
static bool report_operator(const struct stop *s)
{
	const struct token *word = s->at;
	const char *unit = word->kind == TOK_NAME ? time_unit_meant(word->text.text) : NULL;

	if (unit && kind_before(s) == TOK_INT && word[1].kind != TOK_LPAREN &&
	    !builtin_find(word->text.text))
		return syntax_mistake(s->f, span_join(s->before->span, word->span),
				      "a blank stands between the number and its unit of time",
				      "write %llu%s", (unsigned long long)s->before->integer, unit);
	if (word->kind != TOK_NAME || !s->before || !token_ends_value(s->before->kind) ||
	    !stop_expects(s, TOK_EQ) || !token_begins_value(word[1].kind) ||
	    word[1].kind == TOK_LPAREN || builtin_find(word->text.text))
		return false;
	diag_error(s->f->diags, word->span, "syntax", "'%s' is not an operator", word->text.text);
	return diag_hint(s->f->diags, "operators are == != < <= > >= && || + - * / %% and those of "
				      "bits; functions compare texts: strcontains(comm, \"ssh\")"),
	       filter_silence_rest(s->f), true;
}

/* `printf("%d" pid)` */
static bool report_comma_between(const struct stop *s)
{
	if (!stop_expects(s, TOK_COMMA) || stop_expects(s, TOK_STRING) ||
	    !token_begins_value(s->at->kind) || !s->before || !token_ends_value(s->before->kind))
		return false;
	if (s->before->kind == TOK_RPAREN || s->before->kind == TOK_RSQUARE ||
	    s->before->span.end - s->before->span.start > SHOWN_MOST)
		return syntax_mistake(s->f, s->at->span, "a ',' is missing before this value",
				      "write ',' before %s",
				      syntax_shown(s->f, s->at->span, SHOWN_MOST));
	return syntax_mistake(s->f, s->at->span, "a ',' is missing before this value",
			      "write %s, %s", syntax_shown(s->f, s->before->span, SHOWN_MOST),
			      syntax_shown(s->f, s->at->span, SHOWN_MOST));
}

/* The form of what the error is in. */
static void hint_around(const struct stop *s)
{
	const struct token *open = s->at->inside == NO_TOKEN ? NULL : &s->f->tokens[s->at->inside];
	const struct builtin *b =
		open && open->kind == TOK_LPAREN && open > s->f->tokens && open[-1].kind == TOK_NAME
			? builtin_find(open[-1].text.text)
			: NULL;
	const char *example = b ? builtin_example_call(s->f->diags->arena, b) : NULL;

	if (example)
		diag_hint(s->f->diags, "such as %s", example);
	else if (open && open->kind == TOK_LSQUARE)
		diag_hint(s->f->diags, "keys are separated by commas: @[comm, pid]");
	else if (is_in_condition(s))
		diag_hint(s->f->diags, "a condition is such as comm == \"ls\" && pid > 1");
}

static void report_generic(const struct stop *s)
{
	const char *names = expected_text(s);
	bool is_statement = stop_expects(s, TOK_STRING) && stop_expects(s, TOK_IF);

	if (is_statement)
		names = "a statement";
	if (s->at->kind == TOK_PRED_CLOSE && kind_before(s) == TOK_PRED_OPEN)
		diag_error(s->f->diags, span_join(s->before->span, s->at->span), "syntax",
			   "the predicate is empty");
	else if (names)
		diag_error(s->f->diags, s->at->span, "syntax", "expected %s, found %s", names,
			   stop_found(s, s->at));
	else
		diag_error(s->f->diags, s->at->span, "syntax", "unexpected %s",
			   stop_found(s, s->at));
	if (is_statement && hint_condition_inside(s))
		return;
	if (stop_expects(s, TOK_STRING))
		hint_shell(s);
	else if (s->at->kind == TOK_COMMA && stop_expects(s, TOK_SEMI))
		diag_hint(s->f->diags, "statements are separated by ';'");
	else if (s->at->kind == TOK_COMMA && is_in_condition(s))
		diag_hint(s->f->diags, "conditions are joined by && (and) or || (or)");
	else
		hint_around(s);
}

static void add_angle_note(const struct stop *s)
{
	const struct token *close = stop_angle_end(s);
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
	uint32_t i = f->current, n_reported = f->diags->n;
	struct stop s = {
		.f = f,
		.at = &f->tokens[i],
		.before = i ? &f->tokens[i - 1] : NULL,
		.index = i,
		.expected = expected,
		.n_expected = n_expected,
	};

	if (s.at->is_quiet || f->is_mangled)
		return;
	if (diags_are_full(f->diags)) { /* only counted, so it need not be explained */
		diag_error(f->diags, s.at->span, "syntax", "syntax error");
		return;
	}
	if (!report_param(&s) && !report_root_item(&s) && !report_item_word(&s) &&
	    !report_top_level(&s) && !report_foreign_syntax(f, stop_expects(&s, TOK_SEMI)) &&
	    !report_value_form(&s) && !report_assignment(&s) && !report_incdec(&s) &&
	    !report_if(&s) && !report_operator(&s) && !report_semicolon(&s) &&
	    !report_comma_between(&s))
		report_generic(&s);
	if (f->diags->n > n_reported)
		add_angle_note(&s);
}
