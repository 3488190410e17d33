/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BTF as C text: parameters and results of functions, members, whole definitions. Types are indexed
 * once (1 ms for vmlinux), names of functions at the first lookup.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct btf_raw;
struct btf_text;

/* For the section *b, which must outlive it. NULL: a broken section, or out of memory. */
struct btf_text *btf_text_new(const struct btf_raw *b);
/* For a module's section, which continues `base`; both must outlive it. */
struct btf_text *btf_text_new_split(const struct btf_raw *b, const struct btf_text *base);
void btf_text_free(struct btf_text *t);

/* Id of the function `name`, 0 when the section has none. */
uint32_t btf_text_function(struct btf_text *t, const char *name);
/* Id of the first type with that name and BTF kind, 0 when there is none. Scans all types. */
uint32_t btf_text_type(struct btf_text *t, const char *name, uint32_t kind);
/* Call fn for each named type of this kind; structs without members are left out. */
void btf_text_each(struct btf_text *t, uint32_t kind, void (*fn)(const char *name, void *ctx),
		   void *ctx);

/* The parameters of function `id` from number `first` on, one a line: "    struct sock * sk". With
 * `numbered` they are called arg0, arg1, … */
void btf_text_params(const struct btf_text *t, uint32_t id, uint32_t first, bool numbered,
		     FILE *out);
/* The result of function `id`: "    int retval" or "    void". */
void btf_text_result(const struct btf_text *t, uint32_t id, FILE *out);
/* The members of struct `id` from number `first` on, as parameters are printed. */
void btf_text_members(const struct btf_text *t, uint32_t id, uint32_t first, FILE *out);
/* The definition of a struct, union or enum: "struct NAME { …\n};\n". */
void btf_text_definition(const struct btf_text *t, uint32_t id, FILE *out);
