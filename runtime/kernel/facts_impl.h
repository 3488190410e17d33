/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a facts file holds; private to facts_file.c, which answers from it, and facts_read.c.
 */
#pragma once
#include "parser/lang/kernel.h"

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
};

struct fact {
	enum fact_kind kind;
	union {
		struct tp_format *format;     /* FACT_TRACEPOINT; one block of its own */
		const char *name;	      /* FACT_RAW, FACT_FUNCTION, FACT_GO */
		struct user_symbol symbol;    /* FACT_SYMBOL; FACT_SOURCE */
		struct typed_function *typed; /* FACT_TYPED(_RAW), FACT_ARGUMENTS; two blocks */
		struct kernel_iter iter;      /* FACT_ITERATOR; its fields a block of their own */
		struct usdt_note note;	      /* FACT_USDT */
	};
	const char *other; /* FACT_LOADS: the library; FACT_SOURCE: the source */
	uint32_t line;
};

struct facts {
	struct kernel k; /* first: a struct kernel * is a struct facts * */
	char *text;	 /* the file; names point into it */
	struct fact *facts;
	uint32_t n_facts, room;
	enum capability_state capabilities[CAP_COUNT];
	uint32_t n_cpus;
};

void facts_free_typed(struct typed_function *f);
/* Read k->text, the file `path`, line by line. 0 or -1, said. */
int facts_read(struct facts *k, const char *path);
