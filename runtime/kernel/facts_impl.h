/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts of a facts file. Private to facts_file.c, which answers from them, facts_read.c and the
 * unit tests, whose kernel is such facts.
 */
#pragma once
#include "parser/lang/kernel.h"
#include "runtime/base/vec.h"

enum fact_kind {
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
	FACT_ADDRESS,
	FACT_CGROUP,
	FACT_KFUNC,
	FACT_VERSION,
	FACT_RECORDED,
};

/* Where the return probes of a recorded function were. */
enum fact_exits {
	EXITS_NONE,  /* behind the call */
	EXITS_ALL,   /* on the instructions by which it is left */
	EXITS_JUMPS, /* likewise, one of which is a jump to another function */
};

struct fact {
	enum fact_kind kind;
	union {
		struct tp_format *format;     /* FACT_TRACEPOINT; allocated */
		const char *name;	      /* FACT_RAW, FACT_FUNCTION, FACT_GO */
		struct user_symbol symbol;    /* FACT_SYMBOL; FACT_SOURCE, _ADDRESS, _CGROUP */
		struct typed_function *typed; /* FACT_TYPED(_RAW), FACT_ARGUMENTS; allocated */
		struct kernel_iter iter;      /* FACT_ITERATOR; fields allocated */
		struct usdt_note note;	      /* FACT_USDT */
	};
	/* FACT_LOADS: the library; FACT_SOURCE: the source; FACT_GO: the version */
	const char *other;
	uint32_t line, column; /* column 0: none is given */
	enum fact_exits exits; /* FACT_SYMBOL */
};

/* Another name of a file: a link to it. */
struct fact_alias {
	const char *path, *name;
};

struct facts {
	struct kernel k; /* first: a struct kernel * is a struct facts * */
	char *text;	 /* the file; names point into it; from malloc */
	VEC(struct fact) facts;
	VEC(struct fact_alias) aliases;
	enum capability_state capabilities[CAP_COUNT];
	uint32_t n_cpus;
	/* Types of C: facts_types.c */
	struct arena *arena; /* NULL: there are none */
	struct c_types *c_types;
	struct type_layout *layout; /* the struct, and the enum, that lines follow of */
	struct type_enum *enumeration;
};

/* An empty set of facts, and the hooks that answer from it. */
void facts_init(struct facts *k);
/* Read k->text line by line; `path` is its name in messages. 0, or -1 after a message. */
int facts_read(struct facts *k, const char *path);
/* Free what facts_read() allocated, and k->text. */
void facts_free(struct facts *k);
void facts_free_typed(struct typed_function *f);
/* facts_symbols.c: the text of a file, from malloc. 0, or -1 after a message. */
int facts_read_text(const char *path, char **out);
/* Hooks of struct kernel, there too. */
int facts_kernel_symbol(struct kernel *k, const char *name, uint64_t *address);
int facts_kernel_function(struct kernel *k, const char *name);
int facts_cgroup_id(struct kernel *k, const char *path, uint64_t *id);
bool facts_kfunc_allowed(struct kernel *k, const char *name, const char *section);
uint32_t facts_version(struct kernel *k);
bool facts_is_recorded(struct kernel *k, const char *probe);
int facts_each_recorded(struct kernel *k, kernel_name_fn fn, void *ctx);
/* Does `written` mean the file at `path`? In a recording also by the end of the path, and by the
 * name of a library. */
bool facts_is_file(const struct facts *k, const char *path, const char *written);
bool facts_user_unwinds(struct kernel *k, const char *path);
int facts_each_user_exit(struct kernel *k, const struct user_symbol *f, user_exit_fn fn, void *ctx,
			 struct user_exits *out);
int facts_each_user_file(struct kernel *k, const char *pattern, kernel_name_fn fn, void *ctx);

/* ---- facts_types.c */
/* Read a line about a type of C; *wrong: what is wrong with it, or NULL. False: it is another. */
bool facts_read_type(struct facts *k, char **words, uint32_t n, const char **wrong);
/* facts_symbols.c: the same for "alias". */
bool facts_read_alias(struct facts *k, char **words, uint32_t n, const char **wrong);
/* The type that a word means: "int32", "struct.sock*", "string[16]", "uint64[4]"; NULL: none. */
const struct type *facts_type(struct facts *k, const char *word);
int facts_c_type(struct kernel *kernel, enum c_kind kind, const char *name,
		 const struct type **out);
int facts_c_constant(struct kernel *kernel, const char *name, const struct type **type,
		     int64_t *value);
int facts_iterator(struct kernel *kernel, const char *name, const struct kernel_iter **out);
int facts_each_iterator(struct kernel *kernel, kernel_name_fn fn, void *ctx);
int facts_each_c_type(struct kernel *kernel, enum c_kind kind, kernel_name_fn fn, void *ctx);
