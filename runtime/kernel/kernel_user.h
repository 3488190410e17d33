/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of struct kernel about programs and libraries. Private to kernel*.c.
 */
#pragma once
#include "parser/lang/kernel.h"
#include "runtime/base/string_set.h"
#include "runtime/base/vec.h"
#include "runtime/elf/go_abi.h"

struct cfa;
struct cfa_file;
struct dwarf_types;

/* What user_switches() has answered of `program`, "" for any process. */
struct switch_answer {
	const char *program;
	struct user_switch found;
};

/* Kept between calls: the last file (its path as given and as resolved, open), and every string
 * returned. */
struct user_files {
	const char *given, *path;
	struct elfsym *elf;
	const char *go_of, *unwinds_of; /* the paths that `go` and `unwinds` describe */
	struct go_file go;
	bool unwinds;
	struct dwarf_types *types; /* of elf, from the first use on */
	int types_err;		   /* not 0: it has none */
	struct cfa_file *cfa;	   /* likewise */
	int cfa_err;
	VEC(struct switch_answer) switches;
	struct arena *arena; /* for typed functions */
	struct string_set names;
};

/* In kernel.c. */
struct user_files *kernel_user_files(struct kernel *k);

/* Set the hooks of `k` about programs. */
void kernel_user_init(struct kernel *k);
/* Close the file; the names remain valid. */
void kernel_user_trim(struct user_files *u);
void kernel_user_close(struct user_files *u);
/* Open `path` unless it is the last file. 0, -ENOENT, -ENOEXEC, other -errno. */
int kernel_user_open(struct kernel *k, const char *path);

/* In kernel_switch.c. */
bool kernel_user_switches(struct kernel *k, const char *program, struct user_switch *out);

/* In kernel_code.c: the hooks about instructions, lines and types. */
int code_instruction(struct kernel *k, const struct user_symbol *f, uint64_t offset,
		     uint64_t *before);
/* The first `size` bytes of f's code, fewer at the end of the file. To be freed; NULL if it is too
 * long. */
uint8_t *code_read(struct kernel *k, const struct user_symbol *f, uint64_t size, size_t *n);
int code_each_line(struct kernel *k, const char *path, const struct source_place *place,
		   user_function_fn fn, void *ctx, uint32_t *near);
int code_c_type(struct kernel *k, const char *path, const char *name, const struct type **out);
int code_function_types(struct kernel *k, const char *path, uint64_t offset,
			const struct typed_function **out);

int code_each_local(struct kernel *k, const char *path, uint64_t offset, user_local_fn *fn,
		    void *ctx);

/* In kernel_exits.c. */
/* The canonical frame address at an address of the open file. False: it is not a register plus a
 * number, or not known. */
bool code_cfa(struct user_files *u, uint64_t address, struct cfa *out);
int code_each_exit(struct kernel *k, const struct user_symbol *f, user_exit_fn fn, void *ctx,
		   struct user_exits *out);

/* ---- kernel_usdt.c: the hooks about USDT probes */

int usdt_each_note(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx);
int usdt_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx);
/* Call fn with each file whose code a process runs that runs code of a library, too. The library is
 * known by the last part of its path, since the rest may be another one in a container. */
void usdt_each_beside(const char *library, kernel_name_fn fn, void *ctx);
