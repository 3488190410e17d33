/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words in the parentheses of kstack and ustack: the rows of stack_words.def.
 */
#pragma once
#include "parser/lang/capability.h"
#include <stdbool.h>
#include <stdint.h>

/* How frames are written. */
enum stack_form {
#define STACK_FORM(id, ...) FORM_##id,
#include "parser/lang/stack_words.def"
	STACK_FORM_COUNT,
};

/* How frames are found. */
enum stack_walk {
	WALK_AUTO,
#define STACK_WALK(id, ...) WALK_##id,
#include "parser/lang/stack_words.def"
	WALK_RUNTIME_FUNC, /* of the builtin: the innermost function of an interpreter */
};

/* With SHOWS_FILE a frame's name is the build ID of its file, and its offset that in the file. */
enum stack_shows {
	SHOWS_NAME = 1,
	SHOWS_ADDRESS = 2,
	SHOWS_LINE = 4,
	SHOWS_FILE = 8,
	SHOWS_OFFSET = 16, /* of interpreters' frames: the line */
};
enum stack_kinds { STACKS_ALL, STACKS_USER, STACKS_USER_FILES };

struct stack_word {
	const char *word;
	bool is_walk;
	enum stack_form form; /* if !is_walk */
	enum stack_walk walk; /* if is_walk */
	enum stack_kinds stacks;
	uint32_t shows; /* enum stack_shows */
	enum capability_id capability;
	const char *doc, *example; /* example: as in struct builtin */
};

/* Forms first, in the order of enum stack_form. */
extern const struct stack_word stack_words[];
extern const uint32_t n_stack_words;

/* Does it take only functions of interpreters? The rows of languages are the last ones. */
static inline bool stack_walk_is_of_runtime(enum stack_walk walk)
{
	return walk >= WALK_python;
}

/* Its word; "" for WALK_AUTO. */
const char *stack_walk_name(enum stack_walk walk);

/* The row of `word`, or NULL. */
const struct stack_word *stack_word_find(const char *word);
/* Why there is no such word, and what to write; NULL: nothing is known of it. */
const char *stack_word_lacks(const char *word);
