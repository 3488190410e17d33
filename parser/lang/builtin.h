/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of builtins (variables, functions, aggregations) made of builtins.def, its lookup, and
 * the parser of signatures. codegen/ expands the gen column of the same rows.
 */
#pragma once
#include "parser/lang/probe.h"

struct sema;
struct expr;

enum builtin_id {
#define VAR(id, ...) BI_##id,
#define FN(id, ...) BI_##id,
#define AGG(id, ...) BI_##id,
#include "parser/lang/builtins.def"
	BI_COUNT,
};

enum builtin_kind { BUILTIN_VAR, BUILTIN_FN, BUILTIN_AGG };

/* Contexts (of probes.def) in which a builtin exists. */
enum {
	W_ANY = ~0u >> 1,
	W_STACK = W_ANY & ~(1u << CTX_TEST),
	W_NOTE = 1u << CTX_NOTE,
	W_REGISTERS = 1u << CTX_INTERRUPTED | 1u << CTX_REGS_ENTRY | W_NOTE | 1u << CTX_REGS_RETURN,
	W_ENTRY = 1u << CTX_REGS_ENTRY | W_NOTE | 1u << CTX_TYPED_EVENT, /* arguments by number */
	/* where there is a traced process */
	W_PROCESS = W_REGISTERS | 1u << CTX_TRACEPOINT | 1u << CTX_TYPED_ENTRY |
		    1u << CTX_TYPED_RETURN | 1u << CTX_TYPED_EVENT,
	/* where the verifier knows the types of arguments */
	W_TYPED = 1u << CTX_TYPED_ENTRY | 1u << CTX_TYPED_RETURN | 1u << CTX_TYPED_EVENT,
	W_CALLS = 1u << CTX_REGS_ENTRY | W_NOTE | 1u << CTX_REGS_RETURN, /* registers of calls */
	W_RETURN = 1u << CTX_REGS_RETURN | 1u << CTX_TYPED_RETURN,
	/* where no trap of the tracer hides what the kernel does */
	W_CONTEXT = 1u << CTX_TRACEPOINT | W_TYPED,
	W_FUNCTION = 1u << CTX_REGS_ENTRY | W_NOTE | 1u << CTX_TYPED_ENTRY | W_RETURN,
};

enum builtin_traits {
	TR_TASK = 1,	   /* belongs to a thread, and is the same at both ends of its span */
	TR_CONST = 2,	   /* known at compile time */
	TR_NOW = 4,	   /* read when it is used */
	TR_STACK = 8,	   /* a captured stack */
	TR_START = 16,	   /* stored at the start of a span */
	TR_ACT = 32,	   /* a call made for its effect */
	TR_MAP = 64,	   /* its first argument may name a whole map */
	TR_THREAD = 128,   /* never changes in a thread's life */
	TR_ENTRY = 256,	   /* its argument is evaluated at the event that starts the span */
	TR_END = 512,	   /* known only where a span ends */
	TR_TEXT = 1024,	   /* of a positional parameter, its first argument takes the string */
	TR_HERE = 2048,	   /* of the processor or the process in which the probe fires */
	TR_PLAIN = 4096,   /* cheap, and never counted as a loss: may be computed before the body */
	TR_READER = 8192,  /* in an iterator it would describe the reading thread */
	TR_UNSAFE = 16384, /* changes the system or the traced program: needs --unsafe */
	TR_KEY = 32768,	   /* the arguments behind the map are the key of an entry */
	TR_SETS = 65536,   /* its last argument is a variable that it assigns to */
	TR_TYPE = 131072,  /* its arguments may be types, and are not evaluated */
	TR_KEYWORD = 1 << 18, /* a macro's parameter cannot have its name */
	TR_BYTES =
		1
		<< 19, /* it reads bytes at an address, its first argument: its value, or join() */
	TR_FORMAT = 1 << 20,	/* its first argument is a format, not a value */
	TR_LOOPS = 1 << 21,	/* its code may have a loop, which counts as one of the script's */
	TR_DROPS = 1 << 22,	/* it only removes what its first argument, a map, holds */
	TR_NSECS = 1 << 23,	/* a time in nanoseconds */
	TR_WIDTH = 1 << 24,	/* an integer that is as wide as its first argument */
	TR_ARGS = 1 << 25,	/* an argument of the function, which is in a register */
	TR_REGISTERS = 1 << 26, /* reads any register, such as the instruction pointer */
	TR_INSIDE = 1 << 27,	/* needs the time of the spans that were inside */
	TR_CUT = 1 << 28,	/* the body also runs for spans whose start was not seen */
	TR_LONG = 1 << 29,	/* its code takes the verifier thousands of steps */
	TR_COLUMNS = 1 << 30,	/* its arguments have names: columns of a table */
	TR_CLOCK = 1u << 31,	/* a point in time */
	TR_ARGN = TR_NOW | TR_PLAIN | TR_ARGS | TR_KEYWORD,
	/* In an interrupt these describe what was interrupted, in the interval thread sonde
	 * itself. */
	TR_INTERRUPTED = TR_TASK | TR_STACK | TR_END | TR_HERE,
};

/* The trait that a builtin has from a helper of the kernel that it calls. */
enum {
#define HELPER(name, unsafe, purpose) CALLS_##name = (unsafe),
#include "parser/lang/kernel_helpers.def"
#undef HELPER
};

/* What the plan must provide: members of struct plan_needs. TR_TASK implies `task`. */
enum builtin_needs {
	NEEDS_CGROUP = 1,
	NEEDS_CPUS = 2,
	NEEDS_KSTACK = 4,
	NEEDS_USTACK = 8,
	NEEDS_EXIT = 16,
	NEEDS_PIDS = 32, /* when it has an argument */
	NEEDS_PATHS = 64,
	NEEDS_PACKETS = 128,
	NEEDS_REASON = 256,
	NEEDS_CONTEXT = 512,
};

/* The words of `pid` and `tid`, in the order of their signatures. */
enum number_word { NUMBER_CURRENT_NS, NUMBER_INIT };

enum { SIGNATURE_MAX_PARAMS = 4, SIGNATURE_WORDS = 40 };

enum param_kind { PARAM_ANY, PARAM_INT, PARAM_STRING, PARAM_MAP, PARAM_WORD };

struct param {
	enum param_kind kind;
	bool is_const, is_optional;
	bool is_signed; /* a literal may be negative */
	char name[16];
	char words[SIGNATURE_WORDS]; /* PARAM_WORD: "boot|monotonic", the first is the default */
};

/* A parsed signature. */
struct signature {
	const struct type *result; /* NULL: the check hook finds it ("any") */
	struct param params[SIGNATURE_MAX_PARAMS];
	uint32_t n_params;
	bool has_rest; /* "..." */
};

typedef const struct type *check_fn(struct sema *s, struct expr *e);

struct builtin {
	enum builtin_id id;
	enum builtin_kind kind;
	const char *name;
	const char *signature;
	uint32_t where;
	uint32_t traits; /* enum builtin_traits */
	uint32_t needs;	 /* enum builtin_needs */
	uint32_t arg;	 /* argN: N */
	enum agg_kind agg;
	/* Type of the expression, or &type_error after a report. */
	check_fn *check;
	const char *doc;
	const char *example; /* a program; or words for the command line, which begin with '-' */
};

extern const struct builtin builtins[BI_COUNT];

/* The check column, in parser/sema/. */
#define VAR(id, sig, where, traits, needs, check, ...) check_fn check;
#define FN(id, sig, where, traits, needs, event, check, ...) check_fn check;
#define AGG(id, sig, agg, check, ...) check_fn check;
#include "parser/lang/builtins.def"

/* Does it exist in probes of this type? */
static inline bool builtin_exists_in(const struct builtin *b, enum probe_id id)
{
	return b->where >> probe_rows[id].context & 1;
}

/* The row of `name`, which may begin with "__builtin_", or NULL. */
const struct builtin *builtin_find(const char *name);
/* The call in the row's example, such as "lhist(args.ret, 0, 2000, 200)"; NULL: there is none. */
const char *builtin_example_call(struct arena *a, const struct builtin *b);
/* The function of an aggregation. */
const struct builtin *builtin_of_agg(enum agg_kind agg);
/* Index of `word` in the words of a PARAM_WORD, or -1. */
int builtin_word(const struct param *p, const char *word);
/* Parse a row's signature. False if it is malformed; test_builtin.c parses all. */
bool builtin_signature(const struct builtin *b, struct signature *out);
