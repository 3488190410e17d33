/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a facts file. Private to facts_file.c, which answers from them, facts_read.c and
 * facts_types.c, which read them, and the unit tests, whose kernel is such facts.
 */
#pragma once
#include "parser/lang/kernel.h"

enum fact_kind {
	FACT_NONE, /* a line that is no fact of its own */
	FACT_TRACEPOINT,
	FACT_RAW,
	FACT_SYMBOL,
	FACT_FUNCTION,
	FACT_GO,
	FACT_LOADS,
	FACT_SOURCE,
	FACT_ARGUMENTS,
	FACT_TYPED,
	FACT_TYPED_RAW,
	FACT_ITERATOR,
	FACT_USDT,
	FACT_OBJECT,
	FACT_MAPPED,
	FACT_ALIAS,
	FACT_ADDRESS,
	FACT_CGROUP,
	FACT_KFUNC,
	FACT_VERSION,
	FACT_RECORDED,
	FACT_LOCAL,
};

/* Where the return probes of a recorded function were. */
enum fact_exits {
	EXITS_NONE,  /* behind the call */
	EXITS_ALL,   /* on the instructions by which it is left */
	EXITS_JUMPS, /* likewise, one of which is a jump to another function */
};

struct fact {
	enum fact_kind kind;
	const char *name; /* the first word of the line: a path, a category, a module, … */
	union {
		const struct tp_format *format; /* FACT_TRACEPOINT */
		struct user_symbol symbol;    /* FACT_SYMBOL, _OBJECT, _SOURCE, _ADDRESS, _CGROUP */
		struct typed_function *typed; /* FACT_TYPED(_RAW), FACT_ARGUMENTS */
		struct kernel_iter iter;      /* FACT_ITERATOR */
		struct usdt_note note;	      /* FACT_USDT */
		struct user_local local;      /* FACT_LOCAL */
	};
	/* FACT_LOADS: the library; FACT_SOURCE: the source; FACT_GO: the version; FACT_ALIAS */
	const char *other;
	uint32_t line, column; /* column 0: none is given */
	uint64_t offset;       /* FACT_LOCAL */
	enum fact_exits exits; /* FACT_SYMBOL */
};

struct facts {
	struct kernel k;     /* first: a struct kernel * is a struct facts * */
	char *text;	     /* the file; names point into it; from malloc */
	struct arena *arena; /* all but text */
	struct fact *facts;
	uint32_t n_facts, n_cpus;
	enum capability_state capabilities[CAP_COUNT];
	/* Types of C: facts_types.c */
	struct c_types *c_types;
	struct type_layout *layout; /* the struct, and the enum, that lines follow of */
	struct type_enum *enumeration;
};

enum { FACT_WORDS_MAX = 16 };

/* The current line and the rest of the file. */
struct facts_reader {
	struct facts *k;
	const char *path;
	char *rest;
	uint32_t line_number;
	char *words[FACT_WORDS_MAX + 1]; /* one more than any line takes; then NULL */
	uint32_t n_words;
	const char *wrong; /* set by a line's reader, if more is wrong than its form */
};

/* An empty set of facts, and the hooks that answer from it. */
void facts_init(struct facts *k);
/* Read k->text line by line; `path` is its name in messages. 0, or -1 after a message. */
int facts_read(struct facts *k, const char *path);
/* Free what facts_read() allocated, and k->text. */
void facts_free(struct facts *k);

/* The next fact of that kind after f, or the first if f is NULL, about that name unless it is NULL.
 * NULL: there is none. */
const struct fact *facts_next(const struct kernel *kernel, const struct fact *f,
			      enum fact_kind kind, const char *name);

/* ---- facts_types.c: readers of lines; false if the line is wrong */
bool facts_read_struct(struct facts_reader *r, struct fact *f);
bool facts_read_member(struct facts_reader *r, struct fact *f);
bool facts_read_enum(struct facts_reader *r, struct fact *f);
bool facts_read_value(struct facts_reader *r, struct fact *f);
bool facts_read_typedef(struct facts_reader *r, struct fact *f);
/* The type that a word means: "int32", "struct.sock*", "string[16]", "uint64[4]"; NULL: none. */
const struct type *facts_type(struct facts *k, const char *word);
bool facts_read_local(struct facts_reader *r, struct fact *f);
/* Hooks of struct kernel. */
int facts_each_local(struct kernel *k, const char *path, uint64_t offset, user_local_fn *fn,
		     void *ctx);
int facts_c_type(struct kernel *kernel, enum c_kind kind, const char *name,
		 const struct type **out);
int facts_c_constant(struct kernel *kernel, const char *name, const struct type **type,
		     int64_t *value);
int facts_each_c_type(struct kernel *kernel, enum c_kind kind, kernel_name_fn fn, void *ctx);
int facts_typed(struct kernel *k, enum typed_kind kind, const char *module, const char *name,
		const struct typed_function **out);
int facts_each_typed(struct kernel *k, enum typed_kind kind, const char *module, kernel_name_fn fn,
		     void *ctx);
int facts_each_bpf_function(struct kernel *k, typed_function_fn fn, void *ctx);
