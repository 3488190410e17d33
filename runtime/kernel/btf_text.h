/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BTF as C text: parameters and results of functions, members, whole definitions. Types are indexed
 * once (1 ms for vmlinux), names of functions when the first is asked for.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct btf_raw;
struct btf_text;

/* Of the section *b, which must outlive it. NULL: a broken section, or out of memory. */
struct btf_text *btf_text_new(const struct btf_raw *b);
/* Of a module's section, which goes on where `base` ends; that must outlive it, too. */
struct btf_text *btf_text_new_split(const struct btf_raw *b, const struct btf_text *base);
void btf_text_free(struct btf_text *t);

/* Id of the function `name`, 0 when the section has none. */
uint32_t btf_text_function(struct btf_text *t, const char *name);
/* Id of the first type with that name and BTF kind, 0 when there is none: each asks all types. */
uint32_t btf_text_type(struct btf_text *t, const char *name, uint32_t kind);
/* Call fn for each type of this kind that has a name (and, a struct, members). */
void btf_text_each(struct btf_text *t, uint32_t kind, void (*fn)(const char *name, void *ctx),
		   void *ctx);

/* "    struct sock * sk", a parameter of function `id` a line, from number `first` on; `numbered`:
 * arg0, arg1 in place of their names. */
void btf_text_params(const struct btf_text *t, uint32_t id, uint32_t first, bool numbered,
		     FILE *out);
/* "    int retval"; or "    void". */
void btf_text_result(const struct btf_text *t, uint32_t id, FILE *out);
/* Like parameters: the members of struct `id` from number `first` on. */
void btf_text_members(const struct btf_text *t, uint32_t id, uint32_t first, FILE *out);
/* "struct NAME { …\n};\n": of a struct, union or enum. */
void btf_text_definition(const struct btf_text *t, uint32_t id, FILE *out);
