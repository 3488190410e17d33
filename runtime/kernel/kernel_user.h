/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers to parser/lang/kernel.h's questions about programs and libraries. Private to
 * kernel*.c.
 */
#pragma once
#include "parser/lang/kernel.h"

struct arena;
struct dwarf_types;
struct elfsym;

/* What is kept between questions: the last file, as asked for, as found, open; and every string
 * handed out. */
struct user_files {
	const char *asked, *path;
	struct elfsym *elf;
	const char *kind_of; /* the path that these are of */
	bool is_go, unwinds;
	struct dwarf_types *types; /* of elf, once asked for */
	int types_err;		   /* not 0: there are none */
	struct arena *arena;	   /* answers about types */
	void *names;		   /* a tsearch tree */
};

/* kernel.c */
struct user_files *kernel_user_files(struct kernel *k);

/* Fill in the members of `k` that are about programs. */
void kernel_user_init(struct kernel *k);
/* Close the file; the names stay. */
void kernel_user_trim(struct user_files *u);
void kernel_user_close(struct user_files *u);
/* Make `path` the file at hand. 0, -ENOENT, -ENOEXEC, other -errno. */
int kernel_user_open(struct kernel *k, const char *path);

/* kernel_code.c: the questions about instructions, lines and types. */
int code_instruction(struct kernel *k, const struct user_symbol *f, uint64_t offset,
		     uint64_t *before);
int code_each_return(struct kernel *k, const struct user_symbol *f, user_place_fn fn, void *ctx);
int code_each_line(struct kernel *k, const char *path, const char *source, uint32_t line,
		   user_function_fn fn, void *ctx, uint32_t *near_line);
int code_function_types(struct kernel *k, const char *path, uint64_t offset,
			const struct typed_function **out);
