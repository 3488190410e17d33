/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar: from the filter's tokens to the tree of ast.h. Each action is one call. The
 * filter guarantees that brackets balance, and makes separate tokens of a '/' that ends a
 * predicate and of '<' and '>' around a body, so the grammar has no conflicts. Errors:
 * yyreport_syntax_error passes the expected tokens to syntax_error.c, then asks the filter to
 * recover: the next token is RESUME, which the rules `error RESUME` take in a list of
 * statements, a predicate, or the list of probes. The nesting depth of expressions is counted
 * while they are built (checked()), so that later passes can recurse over the tree without a
 * check. The interface is parse() (ast.h).
 */
%code requires {
#include "parser/lang/ast.h"
#include "parser/lang/c_type.h"
#include "parser/syntax/filter.h"

struct exprs {
	struct expr **items;
	uint32_t n;
};

struct names {
	struct exprs values;
	const char **items;
	struct span *spans;
	uint32_t n, n_spans;
};

struct texts {
	struct attach_text *items;
	uint32_t n;
};

struct body {
	struct block block;
	bool is_angle;
	struct span open_span;
};

/* Parameters of a macro or fn. */
struct fn_params {
	struct expr **items;
	const struct type_name **types;
	uint32_t n, n_types;
};

struct parse;
}

%code {
#include "parser/base/limits.h"
#include "parser/lang/ast_entries.h"
#include "parser/lang/ast_value.h"
#include "parser/syntax/columns.h"
#include "parser/syntax/foreign_syntax.h"
#include "parser/syntax/param_form.h"

struct parse {
	struct arena *arena;
	struct diags *diags;
	struct program *program;
	struct filter filter;
	struct expr *value; /* parse_value() */
	bool is_too_deep;   /* reported once */
};

#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
	do {                                                                                       \
		if (n)                                                                             \
			(current) = span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n));                 \
		else                                                                               \
			(current) = (struct span){YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end};     \
	} while (0)

static int yylex(YYSTYPE *value, struct span *loc, struct parse *p)
{
	bool resume;
	const struct token *t = &p->filter.tokens[filter_next(&p->filter, &resume)];

	*loc = t->span;
	if (resume)
		return TOK_RESUME;
	if (t->kind == TOK_INT)
		value->integer = t->integer;
	else
		value->text = t->text;
	return t->kind;
}

static void too_deep(struct parse *p, struct span s)
{
	if (!p->is_too_deep) {
		diag_error(p->diags, s, "limit-nesting",
			   "this expression is nested too deeply: more than %d levels of operators",
			   LIMIT_NESTING);
		diag_hint(p->diags, "assign a part of it to a variable: $part = …;");
	}
	p->is_too_deep = true;
}

/* Bison's own errors: with nesting bounded by the filter, only a full stack. */
static void yyerror(struct span *loc, struct parse *p, const char *msg)
{
	(void)msg;
	too_deep(p, *loc);
}

static struct probe *make_probe(struct parse *p, struct span s, struct texts texts,
				struct expr *predicate, struct body body)
{
	struct probe *probe = arena_new_of(p->arena, struct probe);

	*probe = (struct probe){
		.span = s,
		.texts = texts.items,
		.n_texts = texts.n,
		.predicate = predicate,
		.body = body.block,
		.is_angle = body.is_angle,
		.open_span = body.open_span,
	};
	return probe;
}

static struct texts add_text(struct parse *p, struct texts list, struct span s, const char *text)
{
	struct attach_text item = {text, s};

	arena_push(p->arena, list.items, list.n, item);
	return list;
}

static struct block add_stmt(struct parse *p, struct block list, struct stmt *s)
{
	arena_push(p->arena, list.items, list.n, s);
	return list;
}

static struct exprs add_arg(struct parse *p, struct exprs list, struct expr *arg)
{
	arena_push(p->arena, list.items, list.n, arg);
	return list;
}

static struct exprs put_first(struct parse *p, struct expr *first, struct exprs rest)
{
	struct exprs list = add_arg(p, (struct exprs){0}, first);

	for (uint32_t i = 0; i < rest.n; i++)
		arena_push(p->arena, list.items, list.n, rest.items[i]);
	return list;
}

static struct names add_name(struct parse *p, struct names list, struct span s, const char *name,
			     struct expr *value)
{
	list.values = add_arg(p, list.values, value);
	arena_push(p->arena, list.items, list.n, name);
	arena_push(p->arena, list.spans, list.n_spans, s);
	return list;
}

static struct expr *checked(struct parse *p, struct expr *e);

/* A call; its arguments may have names. */
static struct expr *call_of(struct parse *p, struct span s, struct span name_span, const char *name,
			    struct names args)
{
	struct expr *call = ast_call(p->arena, s, name_span, name, args.values.items, args.n);

	columns_name(p->arena, p->diags, call, args.items, args.spans);
	return checked(p, call);
}

static struct type_name *make_type(struct parse *p, struct span s, const char *tag, const char *name)
{
	struct type_name *t = arena_new_of(p->arena, struct type_name);

	if (*tag && strcmp(tag, "struct") && strcmp(tag, "union") && strcmp(tag, "enum"))
		diag_error(p->diags, (struct span){s.start, s.start + (uint32_t)strlen(tag)}, "syntax",
			   "'%s' belongs before the probes, not in a block", tag);
	t->span = s;
	t->name = *tag ? arena_printf(p->arena, "%s %s", tag, name) : name;
	return t;
}

static struct type_name *make_type_of(struct parse *p, struct span s, struct expr *e)
{
	struct type_name *t = make_type(p, s, "", NULL);

	t->of = e;
	return t;
}

static struct type_name *add_suffix(struct parse *p, struct type_name *t, struct span s,
				    bool is_pointer, uint64_t n)
{
	t->span = s;
	if (t->n_suffixes == LIMIT_TYPE_SUFFIXES) {
		diag_error(p->diags, s, "limit-type", "a type can have at most %d '*' and '[]'",
			   LIMIT_TYPE_SUFFIXES);
		return t;
	}
	t->suffixes[t->n_suffixes].is_pointer = is_pointer;
	t->suffixes[t->n_suffixes++].n = n;
	return t;
}

/* The type e*, as an argument; `star`: where the '*' is. */
static struct expr *pointer_type_arg(struct parse *p, struct expr *e, struct span star,
				     struct span s)
{
	struct type_name *t = make_type(p, s, "", e->kind == EX_NAME ? e->name.name : "");

	if (e->kind == EX_TYPE)
		*t = *e->named;
	else if (e->kind != EX_NAME)
		diag_error(p->diags, star, "syntax", "expected a value after '*'");
	return ast_type(p->arena, s, add_suffix(p, t, s, true, 0));
}

/* The last statement of a block, without ';': an expression can be the block's value. */
static struct stmt *note_tail(struct stmt *s)
{
	if (s->kind == ST_EXPR)
		s->is_tail = true;
	return s;
}

/* `e`, or 0 when it exceeds the limit of height. */
static struct expr *checked(struct parse *p, struct expr *e)
{
	if (e->height <= LIMIT_NESTING)
		return e;
	too_deep(p, e->span);
	return ast_int(p->arena, e->span, 0);
}

/* The members, from the left, of `of`. The span of each begins with its name. */
static struct expr *member_of(struct parse *p, struct expr *of, struct names names)
{
	for (uint32_t i = 0; i < names.n; i++)
		of = checked(p, ast_field(p->arena, names.spans[i], of, names.spans[i], names.items[i]));
	return of;
}

static struct expr *unary(struct parse *p, struct span s, enum op op, struct expr *x)
{
	return checked(p, ast_unary(p->arena, s, op, x));
}

static struct expr *binary(struct parse *p, struct span s, enum op op, struct expr *l, struct expr *r)
{
	return checked(p, ast_binary(p->arena, s, op, l, r));
}

/* `t` NULL: c ?: o */
static struct expr *ternary(struct parse *p, struct span s, struct expr *c, struct expr *t,
			    struct expr *o)
{
	return checked(p, AST_EXPR(p->arena, s, EX_TERNARY, .ternary = {c, t, o}));
}

/* A block without statements is its value. */
static struct expr *block_value(struct parse *p, struct span s, struct block body, struct expr *value)
{
	return checked(p, ast_value_block(p->arena, s, body, value));
}

static struct expr *last_value(struct parse *p, struct span s, struct block body)
{
	struct expr *value = ast_take_value(p->arena, &body);

	return value ? block_value(p, s, body, checked(p, value)) : NULL;
}

/* `end` is the block's '}'. */
static struct expr *need_value(struct parse *p, struct span end, struct expr *value)
{
	if (value)
		return value;
	if (p->filter.tokens[p->filter.current].is_quiet)
		return ast_int(p->arena, end, 0);
	diag_error(p->diags, end, "syntax",
		   "a block used as a value must end with an expression without ';'");
	diag_hint(p->diags, "write { …; VALUE }; a map needs no {}: it begins empty");
	return ast_int(p->arena, end, 0);
}

/* ---- root items ---- */

static void begin_config(struct parse *p, struct span s)
{
	if (p->program->has_config)
		diag_error(p->diags, s, "duplicate-config", "a script can have only one config block");
	else if (p->program->n_probes || p->program->n_functions)
		diag_error(p->diags, s, "root-order",
			   "'config' must come before probes and functions");
	p->program->has_config = true;
}

static void add_import(struct parse *p, struct span s, const char *text)
{
	struct root_text item = {s, s.end, text, p->program->source, false};

	arena_push(p->arena, p->program->imports, p->program->n_imports, item);
	if (p->program->n_probes || p->program->n_functions)
		diag_error(p->diags, s, "root-order",
			   "imports must come before probes and functions");
}

/* An import in a block counts for the whole script. */
static struct stmt *import_here(struct parse *p, struct span whole, struct span s, const char *text)
{
	struct root_text item = {s, s.end, text, p->program->source, true};

	arena_push(p->arena, p->program->imports, p->program->n_imports, item);
	return AST_STMT(p->arena, whole, ST_BLOCK);
}

static void add_c_item(struct parse *p, struct span s, struct token_text text)
{
	struct root_text item = {s, s.start + text.len, text.text, p->program->source, false};

	if (foreign_is_comment(text.text)) {
		diag_error(p->diags, s, "syntax", "this is not a comment");
		diag_hint(p->diags, "comments begin with //");
	} else if (p->program->n_probes || p->program->n_functions)
		diag_error(p->diags, s, "root-order", "%s must appear before probes and functions",
			   *text.text == '#' ? "preprocessor lines" : "C definitions");
	else
		arena_push(p->arena, p->program->c_items, p->program->n_c_items, item);
}

static struct fn_params add_param(struct parse *p, struct fn_params list, struct expr *e,
				  const struct type_name *type)
{
	arena_push(p->arena, list.items, list.n, e);
	if (type)
		arena_push(p->arena, list.types, list.n_types, type);
	return list;
}

static void add_function(struct parse *p, struct function f, struct fn_params params)
{
	struct function *copy = arena_new_of(p->arena, struct function);

	f.params = params.items;
	f.n_params = params.n;
	f.types = params.types;
	f.n_types = params.n_types;
	*copy = f;
	arena_push(p->arena, p->program->functions, p->program->n_functions, copy);
}
}

%define api.pure full
%define api.location.type {struct span}
%define api.token.prefix {TOK_}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {struct parse *p}

%union {
	uint64_t integer;
	struct token_text text;
	struct exprs exprs;
	struct names names;
	struct type_name *type;
	struct stmt *stmt;
	struct block block;
	struct body body;
	struct texts texts;
	struct probe *probe;
	struct expr *expr;
	enum op op;
	struct setting setting;
	struct fn_params params;
	struct param_form form;
}

%token <text> ATTACH NAME VAR MAP STRING RESERVED PARAM MEMBER PARAM_ITEM
%token <integer> INT
%token <text> IF "if" ELSE "else" RETURN "return" LET "let" WHILE "while" FOR "for"
%token <text> BREAK "break" CONTINUE "continue" UNROLL "unroll" IF_VALUE
%token <text> TRUE "true" FALSE "false"
%token LPAREN "(" RPAREN ")" LSQUARE "[" RSQUARE "]" LBRACE "{" RBRACE "}"
%token ANGLE_OPEN ANGLE_CLOSE PRED_OPEN PRED_CLOSE RESUME
%token CAST_OPEN RECORD_OPEN VALUE_OPEN TYPE_OPEN DISCARD VALUE_ONLY
%token <text> SIZEOF "sizeof" OFFSETOF "offsetof" TYPEOF "typeof" COMPTIME "comptime"
%token <text> CONFIG IMPORT "import" MACRO FN ROOT_LET C_ITEM
%token COMMA "," SEMI ";" QUESTION "?" COLON ":" DOT "." ARROW "->" RANGE ".."
%token SET "=" ADD_SET "+=" SUB_SET "-=" MUL_SET "*=" DIV_SET "/=" MOD_SET "%="
%token SHL_SET "<<=" SHR_SET ">>=" AND_SET "&=" OR_SET "|=" XOR_SET "^="
%token INC "++" DEC "--" NOT "!" BNOT "~"
%token LOR "||" LAND "&&" OR "|" XOR "^" AND "&" EQ "==" NE "!="
%token LT "<" LE "<=" GT ">" GE ">=" SHL "<<" SHR ">>"
%token ADD "+" SUB "-" MUL "*" DIV "/" MOD "%"

%right "?" ":"
%left "||"
%left "&&"
%left "|"
%left "^"
%left "&"
%left "==" "!="
%left "<" "<=" ">" ">="
%left "<<" ">>"
%left "+" "-"
%left "*" "/" "%"
%precedence PREFIX
%precedence KEYLESS
%precedence "." "->" "[" MEMBER

%type <texts> head texts
%type <expr> predicate param_default expr call_arg place value if_value block_value
%type <probe> probe
%type <body> body
%type <block> block stmts list else
%type <stmt> compound if simple loop
%type <exprs> args items type_arg
%type <names> names member call_args
%type <type> type
%type <text> field call_name
%type <op> set
%type <setting> setting setting_value
%type <params> macro_params fn_params
%type <form> param_form param_words
%type <expr> macro_param

%%

program
	: %empty
	| program probe				{ arena_push(p->arena, p->program->probes, p->program->n_probes, $2); }
	| program item
	| program param_item
	| program error RESUME			{ yyerrok; }
	| program VALUE_ONLY predicate		{ p->value = $3; }
	;

/* Root items; filter.c finds where each ends. */
item
	: config "=" "{" settings "}"
	| "import" STRING ";"			{ add_import(p, @2, $2.text); }
	| C_ITEM				{ add_c_item(p, @1, $1); }
	| ROOT_LET MAP "=" NAME "(" INT ")" ";"	{ arena_push(p->arena, p->program->map_decls, p->program->n_map_decls, ((struct map_decl){$2.text, @2, @4, $4.text, $6})); }
	| MACRO NAME "(" macro_params ")" block	{ add_function(p, (struct function){.is_macro = true, .span = @$, .name_span = @2, .name = $2.text, .body = $6}, $4); }
	| MACRO NAME "(" ")" block		{ add_function(p, (struct function){.is_macro = true, .span = @$, .name_span = @2, .name = $2.text, .body = $5}, (struct fn_params){0}); }
	| FN NAME "(" fn_params ")" ":" type block { add_function(p, (struct function){.span = @$, .name_span = @2, .name = $2.text, .result = $7, .body = $8}, $4); }
	| FN NAME "(" ")" ":" type block	{ add_function(p, (struct function){.span = @$, .name_span = @2, .name = $2.text, .result = $6, .body = $7}, (struct fn_params){0}); }
	;

config
	: CONFIG				{ begin_config(p, @1); }
	;

settings
	: setting_list
	| setting_list setting			{ arena_push(p->arena, p->program->settings, p->program->n_settings, $2); }
	;

setting_list
	: %empty
	| setting_list ";"
	| setting_list setting ";"		{ arena_push(p->arena, p->program->settings, p->program->n_settings, $2); }
	| setting_list error RESUME		{ yyerrok; }
	;

setting
	: NAME "=" setting_value		{ $$ = $3; $$.key = $1.text; $$.key_span = @1; }
	;

setting_value
	: INT					{ $$ = (struct setting){.span = @1, .integer = $1}; }
	| STRING				{ $$ = (struct setting){.span = @1, .text = $1.text}; }
	| NAME					{ $$ = (struct setting){.span = @1, .text = $1.text}; }
	| "true"				{ $$ = (struct setting){.span = @1, .text = "true"}; }
	| "false"				{ $$ = (struct setting){.span = @1, .text = "false"}; }
	;

macro_params
	: macro_param				{ $$ = add_param(p, (struct fn_params){0}, $1, NULL); }
	| macro_params "," macro_param		{ $$ = add_param(p, $1, $3, NULL); }
	;

macro_param
	: VAR					{ $$ = ast_var(p->arena, @1, $1.text); }
	| MAP					{ $$ = ast_map(p->arena, @1, $1.text, NULL, 0); }
	| NAME					{ $$ = ast_name(p->arena, @1, $1.text); }
	;

fn_params
	: VAR ":" type				{ $$ = add_param(p, (struct fn_params){0}, ast_var(p->arena, @1, $1.text), $3); }
	| fn_params "," VAR ":" type		{ $$ = add_param(p, $1, ast_var(p->arena, @3, $3.text), $5); }
	;

probe
	: head predicate body			{ $$ = make_probe(p, @$, $1, $2, $3); }
	;

/* A named parameter of the command line: param.h. */
param_item
	: PARAM_ITEM VAR ":" param_form param_default STRING ";" {
		arena_push(p->arena, p->program->items, p->program->n_items, ((struct param_item){.span = @$, .name_span = @2, .is_option = $1.text[0] == 'o', .name = $2.text, .form = $4, .other = $5, .doc = $6.text})); }
	;

param_form
	: param_words
	| NAME param_words			{ $$ = param_form_list(p->diags, @1, $1.text, $2); }
	;

param_words
	: NAME					{ $$ = param_form_add(p->arena, (struct param_form){0}, $1.text); }
	| param_words "|" NAME			{ $$ = param_form_add(p->arena, $1, $3.text); }
	;

param_default
	: %empty				{ $$ = NULL; }
	| "=" NAME				{ $$ = ast_name(p->arena, @2, $2.text); }
	| "=" INT				{ $$ = ast_int(p->arena, @2, $2); }
	| "=" TRUE				{ $$ = ast_bool(p->arena, @2, true); }
	| "=" FALSE				{ $$ = ast_bool(p->arena, @2, false); }
	| "=" STRING				{ $$ = ast_string(p->arena, @2, $2.text, $2.len); }
	;

head
	: texts
	| texts ","
	;

texts
	: ATTACH				{ $$ = add_text(p, (struct texts){0}, @1, $1.text); }
	| texts "," ATTACH			{ $$ = add_text(p, $1, @3, $3.text); }
	;

predicate
	: %empty				{ $$ = NULL; }
	| PRED_OPEN expr PRED_CLOSE		{ $$ = $2; }
	| PRED_OPEN error RESUME PRED_CLOSE	{ $$ = NULL; yyerrok; }
	;

body
	: "{" stmts "}"				{ $$ = (struct body){$2, false, @1}; }
	| ANGLE_OPEN stmts ANGLE_CLOSE		{ $$ = (struct body){$2, true, @1}; }
	;

block
	: "{" stmts "}"				{ $$ = $2; }
	;

/* The last statement needs no ';'. */
stmts
	: list
	| list simple				{ $$ = add_stmt(p, $1, note_tail($2)); }
	;

list
	: %empty				{ $$ = (struct block){0}; }
	| list ";"
	| list simple ";"			{ $$ = add_stmt(p, $1, $2); }
	| list compound				{ $$ = add_stmt(p, $1, $2); }
	| list error RESUME			{ $$ = $1; yyerrok; }
	;

compound
	: if
	| block					{ $$ = AST_STMT(p->arena, @$, ST_BLOCK, .block = $1); }
	| loop
	;

loop
	: "while" expr block			{ $$ = AST_STMT(p->arena, @$, ST_WHILE, .loop = {.cond = $2, .body = $3}); }
	| "unroll" expr block			{ $$ = AST_STMT(p->arena, @$, ST_UNROLL, .loop = {.count = $2, .body = $3}); }
	| "for" "(" VAR ":" MAP ")" block	{ $$ = ast_stmt_for_map(p->arena, @$, ast_var(p->arena, @3, $3.text), ast_map(p->arena, @5, $5.text, NULL, 0), $7); }
	| "for" VAR ":" MAP block		{ $$ = ast_stmt_for_map(p->arena, @$, ast_var(p->arena, @2, $2.text), ast_map(p->arena, @4, $4.text, NULL, 0), $5); }
	| "for" "(" VAR "," VAR ":" MAP ")" block { $$ = ast_stmt_for_entries(p->arena, @$, ast_var(p->arena, @3, $3.text), ast_var(p->arena, @5, $5.text), ast_map(p->arena, @7, $7.text, NULL, 0), $9); }
	| "for" VAR "," VAR ":" MAP block	{ $$ = ast_stmt_for_entries(p->arena, @$, ast_var(p->arena, @2, $2.text), ast_var(p->arena, @4, $4.text), ast_map(p->arena, @6, $6.text, NULL, 0), $7); }
	| "for" "(" VAR ":" expr ".." expr ")" block { $$ = AST_STMT(p->arena, @$, ST_FOR, .loop = {.var = ast_var(p->arena, @3, $3.text), .from = $5, .to = $7, .body = $9}); }
	| "for" VAR ":" expr ".." expr block	{ $$ = AST_STMT(p->arena, @$, ST_FOR, .loop = {.var = ast_var(p->arena, @2, $2.text), .from = $4, .to = $6, .body = $7}); }
	;

if
	: "if" expr block else			{ $$ = AST_STMT(p->arena, @$, ST_IF, .branch = {.cond = $2, .then = $3, .otherwise = $4}); }
	;

else
	: %empty				{ $$ = (struct block){0}; }
	| "else" block				{ $$ = $2; }
	| "else" if				{ $$ = add_stmt(p, (struct block){0}, $2); }
	;

simple
	: expr					{ $$ = AST_STMT(p->arena, @$, ST_EXPR, .expr = $1); }
	| place set expr			{ $$ = AST_STMT(p->arena, @$, ST_ASSIGN, .assign = {.target = $1, .op = $2, .value = $3}); }
	| DISCARD "=" expr			{ $$ = AST_STMT(p->arena, @$, ST_EXPR, .expr = $3, .is_discard = true); }
	| "return"				{ $$ = AST_STMT(p->arena, @$, ST_RETURN); }
	| "return" expr				{ $$ = AST_STMT(p->arena, @$, ST_RETURN, .expr = $2); }
	| "break"				{ $$ = AST_STMT(p->arena, @$, ST_BREAK); }
	| "continue"				{ $$ = AST_STMT(p->arena, @$, ST_CONTINUE); }
	| "import" STRING			{ $$ = import_here(p, @$, @2, $2.text); }
	| "let" VAR				{ $$ = ast_stmt_let(p->arena, @$, ast_var(p->arena, @2, $2.text), NULL, NULL); }
	| "let" VAR "=" expr			{ $$ = ast_stmt_let(p->arena, @$, ast_var(p->arena, @2, $2.text), NULL, $4); }
	| "let" VAR ":" type			{ $$ = ast_stmt_let(p->arena, @$, ast_var(p->arena, @2, $2.text), $4, NULL); }
	| "let" VAR ":" type "=" expr		{ $$ = ast_stmt_let(p->arena, @$, ast_var(p->arena, @2, $2.text), $4, $6); }
	;

type
	: NAME					{ $$ = make_type(p, @$, "", $1.text); }
	| RESERVED NAME				{ $$ = make_type(p, @$, $1.text, $2.text); }
	| "typeof" "(" expr ")"			{ $$ = make_type_of(p, @$, $3); }
	| "typeof" TYPE_OPEN type ")"		{ $$ = $3; }
	| type "*"				{ $$ = add_suffix(p, $1, @$, true, 0); }
	| type "[" INT "]"			{ $$ = add_suffix(p, $1, @$, false, $3); }
	| type "[" "]"				{ $$ = add_suffix(p, $1, @$, false, 0); }
	;

set
	: "="					{ $$ = OP_NONE; }
	| "+="					{ $$ = OP_ADD; }
	| "-="					{ $$ = OP_SUB; }
	| "*="					{ $$ = OP_MUL; }
	| "/="					{ $$ = OP_DIV; }
	| "%="					{ $$ = OP_MOD; }
	| "<<="					{ $$ = OP_SHL; }
	| ">>="					{ $$ = OP_SHR; }
	| "&="					{ $$ = OP_BAND; }
	| "|="					{ $$ = OP_BOR; }
	| "^="					{ $$ = OP_BXOR; }
	;

/* Targets of assignments. */
place
	: VAR					{ $$ = ast_var(p->arena, @$, $1.text); }
	| MAP %prec KEYLESS			{ $$ = ast_map(p->arena, @$, $1.text, NULL, 0); }
	| MAP "[" args "]"			{ $$ = checked(p, ast_map(p->arena, @$, $1.text, $3.items, $3.n)); }
	;

args
	: expr					{ $$ = add_arg(p, (struct exprs){0}, $1); }
	| args "," expr				{ $$ = add_arg(p, $1, $3); }
	;

/* NAME* is a type, as an argument of a macro. */
call_args
	: call_arg				{ $$ = add_name(p, (struct names){0}, @1, NULL, $1); }
	| call_name "=" expr			{ $$ = add_name(p, (struct names){0}, @1, $1.text, $3); }
	| call_args "," call_arg		{ $$ = add_name(p, $1, @3, NULL, $3); }
	| call_args "," call_name "=" expr	{ $$ = add_name(p, $1, @3, $3.text, $5); }
	;

call_name
	: NAME
	| STRING
	;

call_arg
	: expr
	| expr "*"				{ $$ = pointer_type_arg(p, $1, @2, @$); }
	;

expr
	: INT					{ $$ = ast_int(p->arena, @$, $1); }
	| "true"				{ $$ = ast_bool(p->arena, @$, true); }
	| "false"				{ $$ = ast_bool(p->arena, @$, false); }
	| STRING				{ $$ = ast_string(p->arena, @$, $1.text, $1.len); }
	| NAME					{ $$ = ast_name(p->arena, @$, $1.text); }
	| RESERVED NAME				{ $$ = ast_type(p->arena, @$, make_type(p, @$, $1.text, $2.text)); }
	| NAME "(" ")"				{ $$ = ast_call(p->arena, @$, @1, $1.text, NULL, 0); }
	| NAME "(" call_args ")"		{ $$ = call_of(p, @$, @1, $1.text, $3); }
	| place
	| NAME type_arg				{ $$ = checked(p, ast_call(p->arena, @$, @1, $1.text, $2.items, $2.n)); }
	| place "++"				{ $$ = checked(p, AST_EXPR(p->arena, @$, EX_INCDEC, .incdec = {.target = $1, .is_increment = true})); }
	| place "--"				{ $$ = checked(p, AST_EXPR(p->arena, @$, EX_INCDEC, .incdec = {.target = $1})); }
	| "++" place				{ $$ = checked(p, AST_EXPR(p->arena, @$, EX_INCDEC, .incdec = {.target = $2, .is_increment = true, .is_prefix = true})); }
	| "--" place				{ $$ = checked(p, AST_EXPR(p->arena, @$, EX_INCDEC, .incdec = {.target = $2, .is_prefix = true})); }
	| PARAM					{ $$ = AST_EXPR(p->arena, @$, EX_PARAM, .param = {.text = $1.text}); }
	| "typeof" "(" expr ")"			{ $$ = ast_type(p->arena, @$, make_type_of(p, @$, $3)); }
	| "typeof" TYPE_OPEN type ")"		{ $$ = ast_type(p->arena, @$, $3); }
	| "comptime" expr %prec PREFIX		{ $$ = unary(p, @$, OP_COMPTIME, $2); }
	| "sizeof" "(" expr ")"			{ $$ = unary(p, @$, OP_SIZEOF, $3); }
	| "sizeof" TYPE_OPEN type ")"		{ $$ = unary(p, @$, OP_SIZEOF, ast_cast(p->arena, @3, $3, ast_int(p->arena, @3, 0))); }
	| "(" expr ")"				{ $$ = $2; }
	| "(" ")"				{ $$ = AST_EXPR(p->arena, @$, EX_TUPLE); }
	| "(" items ")"				{ $$ = checked(p, AST_EXPR(p->arena, @$, EX_TUPLE, .list = {.items = $2.items, .n = $2.n})); }
	| RECORD_OPEN names ")"			{ $$ = checked(p, ast_record(p->arena, @$, $2.values.items, $2.items, $2.spans, $2.n)); }
	| RECORD_OPEN names "," ")"		{ $$ = checked(p, ast_record(p->arena, @$, $2.values.items, $2.items, $2.spans, $2.n)); }
	| if_value
	| VALUE_OPEN value "}"			{ $$ = need_value(p, @3, $2); }
	| CAST_OPEN type ")" expr %prec PREFIX	{ $$ = checked(p, ast_cast(p->arena, @$, $2, $4)); }
	| expr MEMBER				{ $$ = checked(p, ast_field(p->arena, @$, $1, @2, $2.text)); }
	| expr "[" expr "]"			{ $$ = checked(p, AST_EXPR(p->arena, @$, EX_INDEX, .index = {.object = $1, .at = $3})); }
	| "offsetof" "(" expr "," member ")"	{ $$ = unary(p, @$, OP_OFFSETOF, member_of(p, $3, $5)); }
	| "offsetof" TYPE_OPEN type "," member ")" { $$ = unary(p, @$, OP_OFFSETOF, member_of(p, ast_cast(p->arena, @3, $3, ast_int(p->arena, @3, 0)), $5)); }
	| "*" expr %prec PREFIX			{ $$ = unary(p, @$, OP_DEREF, $2); }
	| "&" expr %prec PREFIX			{ $$ = unary(p, @$, OP_ADDRESS, $2); }
	| expr "." field			{ $$ = checked(p, ast_field(p->arena, @$, $1, @3, $3.text)); }
	| expr "->" field			{ $$ = checked(p, ast_field(p->arena, @$, $1, @3, $3.text)); }
	| "-" expr %prec PREFIX			{ $$ = unary(p, @$, OP_NEG, $2); }
	| "!" expr %prec PREFIX			{ $$ = unary(p, @$, OP_NOT, $2); }
	| "~" expr %prec PREFIX			{ $$ = unary(p, @$, OP_BNOT, $2); }
	| expr "+" expr				{ $$ = binary(p, @$, OP_ADD, $1, $3); }
	| expr "-" expr				{ $$ = binary(p, @$, OP_SUB, $1, $3); }
	| expr "*" expr				{ $$ = binary(p, @$, OP_MUL, $1, $3); }
	| expr "/" expr				{ $$ = binary(p, @$, OP_DIV, $1, $3); }
	| expr "%" expr				{ $$ = binary(p, @$, OP_MOD, $1, $3); }
	| expr "<<" expr			{ $$ = binary(p, @$, OP_SHL, $1, $3); }
	| expr ">>" expr			{ $$ = binary(p, @$, OP_SHR, $1, $3); }
	| expr "&" expr				{ $$ = binary(p, @$, OP_BAND, $1, $3); }
	| expr "|" expr				{ $$ = binary(p, @$, OP_BOR, $1, $3); }
	| expr "^" expr				{ $$ = binary(p, @$, OP_BXOR, $1, $3); }
	| expr "&&" expr			{ $$ = binary(p, @$, OP_LAND, $1, $3); }
	| expr "||" expr			{ $$ = binary(p, @$, OP_LOR, $1, $3); }
	| expr "==" expr			{ $$ = binary(p, @$, OP_EQ, $1, $3); }
	| expr "!=" expr			{ $$ = binary(p, @$, OP_NE, $1, $3); }
	| expr "<" expr				{ $$ = binary(p, @$, OP_LT, $1, $3); }
	| expr "<=" expr			{ $$ = binary(p, @$, OP_LE, $1, $3); }
	| expr ">" expr				{ $$ = binary(p, @$, OP_GT, $1, $3); }
	| expr ">=" expr			{ $$ = binary(p, @$, OP_GE, $1, $3); }
	| expr "?" expr ":" expr		{ $$ = ternary(p, @$, $1, $3, $5); }
	| expr "?" ":" expr %prec "?"		{ $$ = ternary(p, @$, $1, NULL, $4); }
	;

type_arg
	: TYPE_OPEN type ")"			{ $$ = add_arg(p, (struct exprs){0}, ast_type(p->arena, @2, $2)); }
	;

/* Two or more items, or one with a comma. */
items
	: expr ","				{ $$ = add_arg(p, (struct exprs){0}, $1); }
	| expr "," args				{ $$ = put_first(p, $1, $3); }
	| expr "," args ","			{ $$ = put_first(p, $1, $3); }
	;

names
	: field "=" expr			{ $$ = add_name(p, (struct names){0}, @1, $1.text, $3); }
	| names "," field "=" expr		{ $$ = add_name(p, $1, @3, $3.text, $5); }
	;

/* Statements, then the value, which has no ';'. It may be that of an if or a block. */
value
	: list expr				{ $$ = block_value(p, @$, $1, $2); }
	| list					{ $$ = last_value(p, @$, $1); }
	;

block_value
	: "{" value "}"				{ $$ = need_value(p, @3, $2); }
	;

if_value
	: IF_VALUE expr block_value "else" block_value { $$ = ternary(p, @$, $2, $3, $5); }
	| IF_VALUE expr block_value "else" if_value { $$ = ternary(p, @$, $2, $3, $5); }
	;

/* The second argument of offsetof: a.b.c */
member
	: field					{ $$ = add_name(p, (struct names){0}, @1, $1.text, ast_int(p->arena, @1, 0)); }
	| member "." field			{ $$ = add_name(p, $1, @3, $3.text, ast_int(p->arena, @3, 0)); }
	;

/* Any word can name a field, also a keyword. */
field
	: NAME
	| RESERVED
	| "if"
	| "else"
	| "return"
	| "let"
	| "while"
	| "for"
	| "break"
	| "continue"
	| "unroll"
	| "true"
	| "false"
	| "sizeof"
	| "typeof"
	| "comptime"
	| "offsetof"
	| "import"
	;

%%

static int yyreport_syntax_error(const yypcontext_t *ctx, struct parse *p)
{
	yysymbol_kind_t symbols[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, symbols, YYNTOKENS);
	int kinds[YYNTOKENS];
	const int first = YYTRANSLATE(TOK_ATTACH); /* symbol and token numbers run in parallel from here */

	if (n < 0)
		n = 0;
	for (int i = 0; i < n; i++)
		kinds[i] = (int)symbols[i] < first ? TOK_YYEOF : TOK_ATTACH + (int)symbols[i] - first;
	syntax_error(&p->filter, kinds, n);
	filter_recover(&p->filter);
	return 0;
}

struct program *parse_file(struct arena *a, const struct source *source, struct diags *d)
{
	struct parse p = {.arena = a, .diags = d};

	p.program = arena_new_of(a, struct program);
	p.program->c_types = c_types_new(a);
	p.program->source = source;
	filter_open(&p.filter, a, source, d);
	yyparse(&p);
	return p.program;
}

struct program *parse(struct arena *a, const struct source *source, struct diags *d)
{
	struct program *p = parse_file(a, source, d);

	if (p->n_probes || p->n_imports)
		return p;
	if (!d->n_errors) {
		diag_error(d, SPAN_NONE, "empty-script", "the script has no probe");
		diag_hint(d, "a probe is an attach point and a block: BEGIN { printf(\"hello\\n\"); }");
	}
	return NULL;
}

struct expr *parse_value(struct arena *a, const struct source *source, struct span span,
			 const struct value_names *names, struct diags *d)
{
	struct parse p = {.arena = a, .diags = d};

	p.program = arena_new_of(a, struct program);
	p.program->source = source;
	filter_open_value(&p.filter, a, source, span, names, d);
	yyparse(&p);
	return p.value;
}
