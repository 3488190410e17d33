/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `call`: what a program keeps of the arguments and the result of a call of one function, by its
 * debug information (struct sonde_call of bpf_helpers/shared.h).
 */
#pragma once
#include "parser/lang/probe.h"

struct call_layout {
	uint32_t n_results; /* words of the result */
	uint32_t n_words;   /* of arguments */
	uint32_t n_texts;   /* of them */
	uint64_t texts;	    /* where they are; and the result's: SONDE_CALL_RESULT_BIT */
};

/* Of a function that is passed arguments by `abi`. f NULL: nothing is known of it. */
struct call_layout call_layout_of(const struct typed_function *f, enum user_abi abi);
/* The words of a parameter or result; 0: it is not in words that a program reads. */
uint32_t call_words(const struct tp_field *f);

/* The type of a value of `call` with room for `l`. is_known: debug information describes a
 * function. */
struct type call_type(struct call_layout l, bool is_known);

/* The words of results and of arguments, and the texts of arguments, of a value of `call`. */
static inline uint32_t call_results(const struct type *call)
{
	return (uint32_t)call->scale[2] >> 2;
}

static inline uint32_t call_arguments(const struct type *call)
{
	return (uint32_t)call->scale[0];
}

static inline uint32_t call_texts(const struct type *call)
{
	return (uint32_t)call->scale[1];
}

static inline bool call_is_known(const struct type *call)
{
	return call->scale[2] & 1;
}

/* Is a text of a result read? */
static inline bool call_has_text(const struct type *call)
{
	return call->scale[2] & 2;
}

/* Where they are in the value. */
uint32_t call_results_at(void);
uint32_t call_arguments_at(const struct type *call);
uint32_t call_texts_at(const struct type *call);
