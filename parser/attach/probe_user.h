/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the parse hook of uprobe and uretprobe share. Private to probe_user*.c and, for
 * names and libraries, exclude.c and listings.
 */
#pragma once
#include "parser/base/diag.h"
#include "parser/base/nearest.h"
#include "parser/base/pattern.h"
#include "parser/attach/probe_parse.h"

/* The resolving of one attach point on functions of programs. */
struct user_matching {
	const struct probe_reader *r;
	struct attach_point *p;
	const char *path;    /* of the file at hand, resolved once it was opened */
	const char *pattern; /* the function's name as written, or a pattern */
	const char *word;    /* what a mangled name that matches must have in it; "" */
	bool is_pattern, has_parameters, has_arguments; /* what of a name the pattern has */
	bool is_demangled; /* cpp:, rust: a symbol of that very name is not all */
	uint64_t offset;   /* of SYMBOL+OFFSET */
	struct nearest nearest;
	uint32_t n_offered;
	uint32_t n_left_out; /* that match and have no place for a return probe */
	uint32_t n_files;    /* of a path pattern: that are ELF files */
	int status;	     /* -1: an error was said already */
};

/* probe_user_name.c: what is asked for, a name or pattern that stays where it is. */
void user_name_query(struct user_matching *m, const char *pattern);
/* The ':' of PATH:FUNCTION, outside of quotes; "ns::f" has none: NULL. */
const char *user_path_end(const char *text);
/* The function of "cpp:FUNCTION" or "rust:FUNCTION", or all of it. */
const char *user_behind_language(const char *function);
/* Does the symbol, or what it demangles to, match m->pattern? */
bool user_name_matches(const struct user_matching *m, const char *symbol);
/* The function as people know it: demangled, with parameters; in the reader's arena. */
const char *user_name(const struct probe_reader *r, const char *symbol);
/* Keep the nearest of the names of the file's functions. */
void user_name_offer(struct user_matching *m, const char *symbol);

/* probe_user_target.c: add a target of the attach point, the function's start, `offset` bytes after
 * it, or its returns. */
int user_add_function(struct user_matching *m, const struct user_symbol *f, uint64_t offset);
/* Warn that some of the functions that match can have no return probe. */
void user_warn_left_out(const struct user_matching *m);
/* None of them can; -1. */
int user_none_returns(const struct user_matching *m);

/* probe_user.c */
/* The file cannot be probed; -1. */
int user_no_binary(const struct user_matching *m, const char *path, int err);

/* probe_user_near.c: the file that is not there, by the names of those beside it. */
void user_hint_file(const struct probe_reader *r, const char *path);
/* The program has no such function: does a library that it loads? */
bool user_hint_library(struct user_matching *m, const char *program);
/* The nearest of the file's variables; NULL: none is near. */
const char *user_near_variable(const struct probe_reader *r, const char *path, const char *name);

/* probe_user_place.c: PATH:0xADDRESS, PATH@LIBRARY, PATH@FILE:LINE; 0 or -1. */
int user_at_address(struct user_matching *m, const char *path, const char *text);
const char *user_library_path(struct user_matching *m, const char *program, const char *library);
int user_at_line(struct user_matching *m, const char *path, const char *source, const char *line);
/* Is m->offset where an instruction of f begins? */
int user_check_offset(struct user_matching *m, const struct user_symbol *f, uint64_t offset);
