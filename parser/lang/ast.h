/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The abstract syntax tree. parser.y builds it with the ast_* constructors. sema adds types,
 * symbols and resolved attach points, and codegen reads the result; the stages after codegen do not
 * use it. All nodes are in the compile arena. Lists are arrays {items, n_items}.
 */
#pragma once
#include "parser/lang/stack_word.h"
#include "parser/lang/config.h"
#include "parser/lang/param_item.h"
#include "parser/base/limits.h"

struct builtin;
struct attach_point; /* resolved: probe.h */
struct bpf_function;
struct bpf_import;
struct c_types;	 /* c_type.h */
struct tp_field; /* kernel.h */
struct type;

enum op {
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_SHL,
	OP_SHR,
	OP_BAND,
	OP_BOR,
	OP_BXOR,
	OP_LAND,
	OP_LOR,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_NEG,
	OP_NOT,
	OP_BNOT,
	OP_DEREF,
	OP_ADDRESS,
	OP_SIZEOF, /* unary */
	OP_OFFSETOF,
	OP_COMPTIME, /* unary: comptime x */
	OP_NONE,     /* plain assignment */
};

/* What is assigned to a variable or map, of what is known to be a time or not: sema_unit.c. */
struct held {
	bool has_times, has_others;
	bool has_clocks; /* some of the times are points in time, such as nsecs */
};

/* Only nanoseconds are assigned. */
static inline bool held_is_time(const struct held *h)
{
	return h->has_times && !h->has_others;
}

/* A variable ($x): one for each name and scope. */
struct var {
	const char *name;  /* with the $ */
	uint32_t mark;	   /* of the expansion it belongs to; 0: the script */
	struct span first; /* where it was first assigned */
	const struct type *type;
	uint32_t width;	       /* bytes of the widest integer assigned, 0: literals only */
	bool is_declared;      /* `let $x : TYPE`: the type does not widen, values are cast to it */
	bool is_loop;	       /* a loop variable: cannot be assigned to */
	bool is_in_block;      /* of a `let` or `for`: ends with its block */
	bool is_of_branch;     /* assigned in a branch of `if comptime` */
	bool is_hoisted;       /* read after its block: sema_name_hoist.c */
	struct var *joined;    /* the hoisted variable that it is a part of; or NULL */
	const struct map *map; /* a loop variable over this map; or NULL */
	uint32_t id;	       /* index in its probe, for codegen */

	/* sema_usage.c: */
	bool is_read, is_set;
	bool is_early;	   /* it was read where nothing can have set it */
	uint32_t unset;	   /* 1 + the loops around its `let`, while nothing has set it */
	struct span early; /* the first read while it was unset */
	struct span place; /* its name where it is declared or first set */
	struct held held;
};

/* A map: one for each name in a script. */
struct map {
	const char *name;  /* with the @; "@" for the anonymous map */
	struct span first; /* first use, which sets the number of keys */
	uint32_t n_keys;
	const struct type **key_types;
	struct span *key_spans; /* where each key type came from */
	const char **key_names; /* of the first access whose key has a name; or NULL */
	const struct type *value;
	struct span value_span; /* where the value type came from */
	uint32_t width;		/* bytes of the widest integer assigned, 0: literals only */
	struct expr **ones;	/* accesses with one key that may be a tuple of several */
	uint32_t n_ones;
	bool is_one;		     /* some access has one key that is not a tuple */
	const struct map_decl *decl; /* or NULL */
	bool is_assigned;	     /* possibly by an erroneous statement */
	bool is_reached;	     /* by the final round of pass 2, which skips dead branches */
	bool is_read, is_emptied;    /* somewhere; in END: sema_usage.c */
	bool is_dropped;	     /* clear() or delete() names it: sema_usage.c */
	struct held held;
	uint32_t id; /* index in plan->maps, assigned by plan.c */
};

enum expr_kind {
	EX_INT,	    /* .integer */
	EX_STRING,  /* .string */
	EX_NAME,    /* .name: a builtin without parentheses */
	EX_VAR,	    /* .var */
	EX_MAP,	    /* .map */
	EX_CALL,    /* .call */
	EX_UNARY,   /* .unary: OP_NEG …; OP_SIZEOF and OP_OFFSETOF become an EX_INT in pass 2 */
	EX_BINARY,  /* .binary */
	EX_TERNARY, /* .ternary */
	EX_FIELD,   /* .field: object.name (and object->name) */
	EX_INCDEC,  /* .incdec: ++x x++ --x x-- on a variable or map */
	EX_PARAM,   /* .param: $1, $#; sema_name.c replaces it by a literal */
	EX_CAST,    /* .cast */
	EX_TUPLE,   /* .list: (a, b) */
	EX_RECORD,  /* .list: (x = a, y = b) */
	EX_INDEX,   /* .index: object[at] of anything but a map */
	EX_BLOCK,   /* .block: { …; value } */
	EX_TYPE,    /* .named: typeof(…), as an argument */
};

enum { UADDR_PAGE = 4096 };
/* call.known of uaddr(): the symbol's address in the file; what added to the file offset of code
 * gives its address in the file, or UADDR_FIXED if the file is not moved when it is loaded. */
#define UADDR_FIXED UINT64_MAX

/* A type as written: a name or typeof(value), then '*' and '[N]' from left to right. */
struct type_name {
	struct span span;
	const char *name; /* NULL: typeof(of) */
	struct expr *of;
	const struct type *type; /* of typeof(of), once it is final: sema_compound.c */
	struct {
		bool is_pointer;
		uint64_t n; /* elements of an array */
	} suffixes[LIMIT_TYPE_SUFFIXES];
	uint32_t n_suffixes;
};

struct block {
	struct stmt **items;
	uint32_t n;
};

struct expr {
	enum expr_kind kind;
	struct span span;
	uint32_t height;	 /* of its subtree, at most LIMIT_NESTING: parser.y */
	bool is_parameter;	 /* its value is from the command line, or computed from one */
	const struct type *type; /* set by sema_type.c */
	union {
		struct {
			uint64_t value;
			bool is_bool;		 /* true, false */
			const struct type *type; /* of an enum's constant; or NULL */
		} integer;
		struct {
			const char *text; /* escapes resolved; may hold NUL */
			uint32_t len;
		} string;
		struct {
			const char *name;
			const struct builtin *builtin; /* sema_name.c */
			uint32_t limit;		       /* of kstack(n), ustack(n); else 0 */
			enum stack_form form;	       /* of kstack(perf), …; else 0 */
			enum stack_walk walk;	       /* of ustack(dwarf), …; else 0 */
			uint32_t word;	 /* of pid(init), …: its index in the signature; else 0 */
			bool is_unknown; /* in a branch of `if comptime`: an error if it is taken */
			bool is_address; /* of retval: its address is meant */
		} name;
		struct {
			const char *name; /* with the $ */
			uint32_t mark;	  /* of the expansion it belongs to; 0: the script */
			struct var *var;  /* sema_name.c */
		} var;
		struct {
			const char *name; /* with the @ */
			struct expr **keys;
			uint32_t n_keys;
			struct map *map; /* sema_name.c */
			bool is_whole;	 /* in a for: the map itself, not an entry */
			bool is_spread;	 /* its single key is a tuple of all keys: sema_type.c */
		} map;
		struct {
			const char *name;
			struct span name_span;
			struct expr **args;
			uint32_t n_args;
			const char **names; /* of the arguments of row(): NULL has none */
			const struct builtin *builtin;	     /* sema_name.c */
			bool is_unknown;		     /* as of a name */
			const struct bpf_function *imported; /* `builtin` is NULL then */
			uint64_t known[2];		     /* what a check hook has looked up */
			/* Index in plan->events or -1 (plan.c); for entry() in probe->entries. */
			int32_t event;
		} call;
		struct {
			enum op op;
			struct expr *operand;
		} unary;
		struct {
			enum op op;
			struct expr *left, *right;
		} binary;
		struct {
			struct expr *cond, *then, *otherwise; /* then NULL: `cond ?: otherwise` */
		} ternary;
		struct {
			struct expr *object;
			const char *name;
			struct span name_span;
			/* args.FIELD: the field of each attach point: sema_args.c */
			const struct tp_field **fields;
			bool is_address; /* of args.FIELD: its address is meant */
		} field;
		struct {
			struct expr *target;
			bool is_increment, is_prefix;
		} incdec;
		struct {
			const char *text; /* with the $ */
		} param;
		struct {
			const struct type_name *to;
			struct expr *operand;
		} cast;
		struct {
			struct expr **items;
			const char **names; /* EX_RECORD */
			struct span *name_spans;
			uint32_t n;
		} list;
		struct {
			struct expr *object, *at;
		} index;
		struct {
			struct block body;
			struct expr *value; /* NULL: none, of a macro without a value */
		} block;
		const struct type_name *named;
	};
};

enum stmt_kind {
	ST_EXPR,     /* .expr */
	ST_ASSIGN,   /* .assign */
	ST_IF,	     /* .branch */
	ST_BLOCK,    /* .block: { … } as a statement */
	ST_CALLED,   /* .block: a fn's body where it is called; `return` leaves it */
	ST_RETURN,   /* .expr: the value, or NULL */
	ST_LET,	     /* .let */
	ST_WHILE,    /* .loop: cond, body */
	ST_FOR,	     /* .loop: var over `over` (a map), or from `from` up to below `to` */
	ST_UNROLL,   /* .loop: count, body */
	ST_BREAK,    /* no arm */
	ST_CONTINUE, /* no arm */
};

struct stmt {
	enum stmt_kind kind;
	struct span span;
	union {
		struct {
			struct expr *expr; /* ST_EXPR, ST_RETURN */
			bool is_discard;   /* `_ = expr` */
			bool is_tail;	   /* the last of its block, without ';' */
		};
		struct {
			struct expr *target; /* EX_VAR or EX_MAP */
			enum op op;	     /* OP_NONE, or of a compound assignment */
			struct expr *value;
		} assign;
		struct {
			struct expr *cond;
			struct block then, otherwise; /* otherwise.n 0 when there is none */
		} branch;
		struct block block;
		struct {
			struct expr *var;	      /* EX_VAR */
			const struct type_name *type; /* or NULL */
			struct expr *value;	      /* or NULL */
			/* Of a call: the fn whose parameter this is; or NULL. */
			const struct function *param_of;
		} let;
		struct {
			struct expr *cond;	/* ST_WHILE */
			struct expr *var;	/* ST_FOR: EX_VAR */
			struct expr *over;	/* ST_FOR: EX_MAP without keys, or NULL */
			struct expr *from, *to; /* ST_FOR over a range */
			struct expr *count;	/* ST_UNROLL */
			struct block body;
			/* sema_name.c */
			struct stmt *around; /* the enclosing loop, or NULL */
			bool is_counted;     /* counts its iterations for LIMIT_ROUNDS */
			bool has_counted;    /* contains such loops */
		} loop;
	};
};

/* One attach point of a probe's head as written; probe.c parses it. */
struct attach_text {
	const char *text;
	struct span span;
};

struct probe {
	struct span span; /* head and block */
	struct attach_text *texts;
	uint32_t n_texts;
	struct expr *predicate; /* or NULL */
	struct block body;
	bool is_angle;	       /* written < … > */
	struct span open_span; /* its { or < */

	/* sema: */
	struct attach_point *points;
	uint32_t n_points;
	struct var **vars;
	uint32_t n_vars;
	bool has_loops;	       /* loop bodies are separate functions: sema_check.c */
	bool has_counted;      /* nested loops, which share LIMIT_ROUNDS: sema_name.c */
	bool is_start;	       /* it is the `start` of another probe */
	bool is_left_out;      /* `/comptime x/` is false: dropped by sema_types */
	bool is_unused_fn;     /* made to check a fn that is never called: dropped by sema_run */
	struct probe *start;   /* made for entry(): the events that start this probe's spans */
	struct expr **entries; /* its calls of entry(); their call.event is the index here */
	uint32_t n_entries;
	bool is_timed;	   /* it reads how long its spans are */
	bool is_open_only; /* of what spans have, it names `open` only: its span may be a slice */
	/* Probes that end spans: the conjuncts of the predicate that have the same value at the
	 * start and the end of a span. They are tested at the start only. */
	struct expr **start_conds;
	uint32_t n_start_conds;
	uint32_t max_depth; /* the predicate is false for deeper calls; 0: it does not say so */
};

/* Root item `let @m = hash(100);`. */
struct map_decl {
	const char *name; /* with the @ */
	struct span span, kind_span;
	const char *kind;
	uint64_t max_entries;
	bool is_lru; /* the kernel removes old entries when the map is full */
};

/* Root items `macro f(…) { … }` and `fn f($x : T) : T { … }`; parser/expand/ puts their bodies in
 * place of calls. */
struct function {
	bool is_macro;
	bool is_standard; /* a macro of the standard library */
	bool is_of_c;	  /* made of #define NAME(…): its variables are those of the caller */
	bool is_used;	  /* some call was expanded */
	uint32_t n_calls; /* expanded so far */
	struct span span, name_span;
	const char *name;
	struct expr **params;		/* EX_VAR; also EX_MAP and EX_NAME in a macro */
	const struct type_name **types; /* of a fn's parameters */
	uint32_t n_params, n_types;
	const struct type_name *result; /* of a fn */
	struct block body;
};

/* A root item kept as text: a preprocessor line, a definition of C, the name of a file. */
struct root_text {
	struct span span; /* of a definition: its first word */
	uint32_t end;	  /* offset, as in spans */
	const char *text;
	const struct source *source;
	bool is_statement; /* an import in a block */
};

struct program {
	const struct source *source;
	struct config config;	  /* config.c */
	struct setting *settings; /* as written */
	uint32_t n_settings;
	bool has_config;
	struct map_decl *map_decls;
	uint32_t n_map_decls;
	struct function **functions;
	uint32_t n_functions;
	struct root_text *c_items, *imports;
	uint32_t n_c_items, n_imports;
	struct root_text *headers; /* imported: import.c */
	uint32_t n_headers;
	struct bpf_import *bpf_imports; /* of .bpf.c and .bpf.o files: bpf_import.h */
	uint32_t n_bpf_imports;
	struct c_types *c_types;  /* its names of C types, and those of the kernel: c_type.h */
	struct param_item *items; /* in the order of the command line */
	uint32_t n_items;
	struct probe **probes;
	uint32_t n_probes;
	struct map **maps; /* in order of appearance: sema_name.c */
	uint32_t n_maps;
	bool unsafe;			 /* --unsafe */
	const struct setting *overrides; /* of the command line, which override `settings` */
	uint32_t n_overrides;
	const char *const *params;  /* $1, $2, …: from the command line */
	const char *command;	    /* -c; or NULL */
	const char *behind_command; /* the word behind that of -c, or NULL */
	bool is_behind_option;	    /* with an option between them */
	uint32_t n_params;
	uint64_t duration_ns; /* the last word of the command line (param.h); or 0 */
	uint32_t name_bytes;  /* of a string that holds any name of a probe or function */
	uint32_t n_used;      /* the N of the highest $N that the script reads; all with $# */
};

/* New nodes, which hold the designated initializers of their arm; an expression gets its height. */
struct expr *ast_new_expr(struct arena *a, struct expr e);
struct stmt *ast_new_stmt(struct arena *a, struct stmt st);
#define AST_EXPR(a, at, k, ...) \
	ast_new_expr((a), (struct expr){.kind = (k), .span = (at), ##__VA_ARGS__})
#define AST_STMT(a, at, k, ...) \
	ast_new_stmt((a), (struct stmt){.kind = (k), .span = (at), ##__VA_ARGS__})
/* The same for kinds that several files make. */
uint32_t ast_height_over(struct expr *e); /* one more than that of the highest child */
struct expr *ast_int(struct arena *a, struct span s, uint64_t value);
/* Turn the node into a literal: a number, a bool (&type_bool), or a constant of an enum's type. */
void ast_become_int(struct expr *e, uint64_t value, const struct type *type);
struct expr *ast_bool(struct arena *a, struct span s, bool value);
struct expr *ast_string(struct arena *a, struct span s, const char *text, uint32_t len);
struct expr *ast_name(struct arena *a, struct span s, const char *name);
struct expr *ast_var(struct arena *a, struct span s, const char *name);
struct expr *ast_map(struct arena *a, struct span s, const char *name, struct expr **keys,
		     uint32_t n);
struct expr *ast_call(struct arena *a, struct span s, struct span name_span, const char *name,
		      struct expr **args, uint32_t n);
struct expr *ast_unary(struct arena *a, struct span s, enum op op, struct expr *operand);
struct expr *ast_binary(struct arena *a, struct span s, enum op op, struct expr *l, struct expr *r);
struct expr *ast_field(struct arena *a, struct span s, struct expr *object, struct span name_span,
		       const char *name);
struct expr *ast_cast(struct arena *a, struct span s, const struct type_name *to,
		      struct expr *operand);
struct expr *ast_record(struct arena *a, struct span s, struct expr **items, const char **names,
			struct span *name_spans, uint32_t n);
struct stmt *ast_stmt_let(struct arena *a, struct span s, struct expr *var,
			  const struct type_name *type, struct expr *value);
struct stmt *ast_stmt_for_map(struct arena *a, struct span s, struct expr *var, struct expr *map,
			      struct block body);
struct expr *ast_type(struct arena *a, struct span s, const struct type_name *named);
/* Is it one of the members of offsetof's second argument? The parser writes offsetof(T, a.b) as
 * OP_OFFSETOF of the members a.b of T. */
bool ast_is_offset_member(const struct expr *e);
/* Is it `void`, without '*'? */
bool ast_is_void(const struct type_name *t);
/* The row of builtins.def that a name or a call refers to; NULL if there is none. */
const struct builtin *ast_builtin(const struct expr *e);
typedef void expr_visit(struct expr *e, void *ctx);
typedef void block_visit(struct block *b, void *ctx);
typedef void slot_visit(struct expr **slot, void *ctx);
/* Call `visit` for where `e` holds each sub-expression, without those of its type and block. */
void ast_each_slot(struct expr *e, slot_visit *visit, void *ctx);
/* The same for the expressions that are directly in a statement. */
void ast_each_head_slot(struct stmt *st, slot_visit *visit, void *ctx);
/* Call `visit` for each direct sub-expression of `e` (keys, arguments, operands). */
void ast_each_child(struct expr *e, expr_visit *visit, void *ctx);
/* The same for each expression of the statements of `b` and of nested blocks. */
void ast_each_in_block(struct block *b, expr_visit *visit, void *ctx);
/* The same for a probe's predicate, if it has one, and body. */
void ast_each_in_probe(const struct probe *p, expr_visit *visit, void *ctx);
/* For passes that visit each statement: the expressions that are directly in it; the blocks that
 * are; the children of an expression, whose block is entered in place of its expressions. */
void ast_each_head(struct stmt *st, expr_visit *visit, void *ctx);
void ast_each_block(struct stmt *st, block_visit *enter, void *ctx);
void ast_each_below(struct expr *e, expr_visit *visit, block_visit *enter, void *ctx);
/* The name of a value: that of a variable, a member, a function, or the only thing it is made from.
 * NULL: it has none. */
const char *ast_value_name(const struct expr *e);
/* The operator's spelling: "+", "&&", … */
const char *op_str(enum op op);
/* Parse the source. Returns the tree, or NULL if not even a list of probes could be built. Errors
 * are in `d`: check d->n_errors, since the parser continues after an error. */
struct program *parse(struct arena *a, const struct source *source, struct diags *d);
/* Names that are values: `(name) * 2` is no cast. */
struct value_names {
	bool (*has)(const struct value_names *names, const char *name);
};
/* Parse `span` of the source as an expression: the value of a macro of C. NULL after an error. */
struct expr *parse_value(struct arena *a, const struct source *source, struct span span,
			 const struct value_names *names, struct diags *d);
/* Parse an imported file. It may have no probes. */
struct program *parse_file(struct arena *a, const struct source *source, struct diags *d);
