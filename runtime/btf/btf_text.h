/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BTF as C text: parameters and results of functions, members, whole definitions.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct btf_types;

/* The parameters of function `id` from number `first` on, one a line: "    struct sock * sk". With
 * `numbered` they are called arg0, arg1, … */
void btf_text_params(const struct btf_types *t, uint32_t id, uint32_t first, bool numbered,
		     FILE *out);
/* The result of function `id`: "    int retval" or "    void". */
void btf_text_result(const struct btf_types *t, uint32_t id, FILE *out);
/* The members of struct `id` from number `first` on, as parameters are printed. */
void btf_text_members(const struct btf_types *t, uint32_t id, uint32_t first, FILE *out);
/* The definition of a struct, union or enum: "struct NAME { …\n};\n". */
void btf_text_definition(const struct btf_types *t, uint32_t id, FILE *out);
