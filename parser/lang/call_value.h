/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `call`: what a program keeps of the arguments and the result of a call of one function, by its
 * debug information (struct sonde_call of bpf_helpers/shared.h).
 */
#pragma once
#include "parser/lang/probe.h"

struct call_layout {
	uint32_t n_words; /* of arguments */
	uint32_t n_texts; /* of them */
	uint64_t texts;	  /* where they are; and the result's: SONDE_CALL_RESULT_BIT */
};

/* Of a function that is passed arguments by `abi`. f NULL: nothing is known of it. */
struct call_layout call_layout_of(const struct typed_function *f, enum user_abi abi);
/* The words of a parameter or result; 0: it is not in words that a program reads. */
uint32_t call_words(const struct tp_field *f);
