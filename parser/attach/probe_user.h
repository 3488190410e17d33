/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the parse hook of uprobe and uretprobe. Private to probe_user*.c and, for
 * names and libraries, exclude.c and listings.
 */
#pragma once
#include "parser/base/nearest.h"
#include "parser/attach/probe_parse.h"

/* The state of resolving one attach point on user functions. */
struct user_matching {
	const struct probe_reader *r;
	struct attach_point *p;
	const char *path;    /* of the current file, resolved once it is open */
	const char *pattern; /* the function's name as written, or a pattern */
	const char *word;    /* a word that a matching mangled name must contain; may be "" */
	bool is_pattern, has_parameters, has_arguments; /* parts that the pattern has */
	bool is_exact;	   /* the pattern is taken as a name, although it has a '*' */
	bool is_demangled; /* cpp:, rust: a symbol of exactly that name is not enough */
	uint64_t offset;   /* of SYMBOL+OFFSET */
	uint32_t column;   /* of PATH@FILE:LINE:COLUMN; 0: any */
	struct nearest nearest;
	uint32_t n_offered;
	uint32_t n_left_out;	/* matches at which a return probe is not possible */
	const char *left_out;	/* the names of some of them */
	uint32_t n_assembler;	/* matches of Go's assembler, likewise */
	bool is_thrown_through; /* exceptions can pass through all functions, also of C */
	struct user_switch
		switches; /* why stacks are switched; its function is NULL if they are not */
	uint32_t n_address_users; /* matches that use their return address, and are left out */
	uint32_t n_sizeless;	  /* matches that are left out because their size is not known */
	uint32_t n_files;	  /* ELF files that a path pattern matched */
	int status;		  /* -1: an error was reported */
};

/* probe_user_name.c: set the requested name or pattern, which is not copied. */
void user_name_query(struct user_matching *m, const char *pattern);
/* Names of C++ and Rust contain '*', as in "f(int*)". If the pattern may be such a name, set *name
 * to the same query for exactly that name. */
bool user_name_exact(const struct user_matching *pattern, struct user_matching *name);
/* A pattern that is also the symbol of a function means that function alone: drop all others. */
void user_name_keep_exact(struct attach_target *t, uint32_t *n, const char *name);
/* True if the file has a symbol of that name, although the name reads like an address, SYMBOL+OFF
 * or alternatives. */
bool user_name_is_odd(const struct user_matching *m, const char *path, const char *name);
/* True if several files can match; false if a file has exactly that name. */
bool user_path_is_pattern(const struct user_matching *m, const char *path);
/* The ':' of PATH:FUNCTION, outside quotes; NULL if there is none, as in "ns::f". */
const char *user_path_end(const char *text);
/* The FUNCTION of "cpp:FUNCTION" or "rust:FUNCTION", else all of it. */
const char *user_after_language(const char *function);
/* True if the symbol or its demangled name matches m->pattern. */
bool user_name_matches(const struct user_matching *m, const char *symbol);
/* The function's name as people write it: demangled, with parameters; in the reader's arena. */
const char *user_name(const struct probe_reader *r, const char *symbol);
/* GCC moves rarely executed parts of functions elsewhere: no function begins there. */
bool user_is_cold_part(const char *symbol);
/* Remember the symbol if it is the nearest name so far. */
void user_name_offer(struct user_matching *m, const char *symbol);

/* probe_user_target.c: add a target of the attach point, the function's start, `offset` bytes after
 * it, or its exits. */
int user_add_function(struct user_matching *m, const struct user_symbol *f, uint64_t offset);
/* How f is passed its arguments. */
enum user_abi user_abi(const struct user_matching *m, const struct user_symbol *f);
/* Find out whether the traced program can throw exceptions; called before functions of a library
 * are added. */
void user_find_throwers(struct user_matching *m);
/* Warn that some of the functions that match can have no return probe. */
void user_warn_left_out(const struct user_matching *m);
/* Report that none of them can have one. Returns -1. */
int user_none_returns(const struct user_matching *m);

/* probe_user_library.c. Append the paths of the libraries of a program. 0, or the -errno of the
 * program. */
int user_libraries(const struct probe_reader *r, const char *program, const char ***paths,
		   uint32_t *n);
/* All functions that match in the libraries of a program whose names match.
 * 0, -1 (reported), or below -1 the -errno of the program. */
int user_match_libraries(struct user_matching *m, const char *program, const char *pattern);

/* probe_user.c */
/* Add all functions of one file that match. 0, -1 (reported), or below -1 the -errno of the file.
 */
int user_match_file(struct user_matching *m, const char *path);
/* Report that the file cannot be probed. Returns -1. */
int user_no_binary(const struct user_matching *m, const char *path, int err);

/* Hint what to probe instead of a file that is no program. */
void user_hint_no_program(const struct probe_reader *r, const char *path);
/* Hint what to write for a name without a '/' that is neither a program's nor a library's; -1. */
int user_hint_bare_name(const struct user_matching *m, const char *name);
/* The pattern with the nearest words of the current file's functions in place of its own, such as
 * `*request*` for `*reqest*`; NULL. */
const char *user_near_pattern(const struct user_matching *m);
/* probe_user_near.c: suggest a file with a similar name in the same directory. */
void user_hint_file(const struct probe_reader *r, const char *path);
/* Suggest the library of the program that has the function; false if none has. */
bool user_hint_library(struct user_matching *m, const char *program);
/* The nearest name among the file's variables, or NULL. */
const char *user_near_variable(struct kernel *k, struct arena *a, const char *path,
			       const char *name);

/* probe_user_split.c: the number of functions or places that the point is on. */
uint32_t user_n_functions(const struct attach_point *p);

/* probe_user_place.c: PATH:0xADDRESS, PATH@LIBRARY, PATH@FILE:LINE[:COLUMN]; 0 or
 * -1. */
int user_at_address(struct user_matching *m, const char *path, const char *text);
const char *user_library_path(struct user_matching *m, const char *program, const char *library);
int user_at_line(struct user_matching *m, const char *path, const char *source, const char *line);
/* Check that an instruction of f begins at the offset; 0 or -1. */
int user_check_offset(struct user_matching *m, const struct user_symbol *f, uint64_t offset);
