/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * How functions of JavaScript are found in the memory of a process with V8 (unwind_run_v8.bpf.c).
 * User space reads these values from the variables v8dbg_* of the process's own file
 * (runtime/unwind/v8.c), and puts them into the store, among the words of unwind tables.
 */
#pragma once
#include "bpf_helpers/shared.h"

enum {
	V8_FRAME = 64,	/* bytes read below rbp */
	V8_OBJECT = 64, /* and of an object */
	V8_SCRIPT = 80,
	V8_TEXT = 32, /* of a string */
	/* what all versions have, which user space checks: a pointer to an object has the tag, and
	 * an integer (Smi) is in the upper half of a word whose lower half is 0 */
	V8_TAG = 1,
	V8_TAG_MASK = 3,
	/* kinds of strings, in their type */
	V8_KIND_MASK = 7,
	V8_SEQUENTIAL = 0,
	V8_CONS = 1,	 /* two strings, of which the second is empty after it was flattened */
	V8_EXTERNAL = 2, /* not on the heap */
	V8_SLICED = 3,	 /* a part of another one */
	V8_THIN = 5,	 /* stands for another one */
	V8_ONE_BYTE = 8, /* else two bytes for each character */
	V8_NO_STRING = 128,
	/* texts of a function that are sent: pieces of its name, and of its file */
	V8_NAME_PIECES = 4,
	V8_PIECES = 6,
	V8_SLOTS = 8,	/* a power of two */
	V8_PIECE = 128, /* bytes; one less is used */
};

/* Offsets are in bytes, in objects; those of the frame are from rbp - V8_FRAME. */
struct unwind_v8 {
	uint16_t runtime; /* the row of runtimes.def; 0: the file has no V8 */
	uint16_t frame_function, frame_context;
	uint16_t function_shared; /* in JSFunction */
	uint16_t shared_name, shared_script;
	uint16_t script_name, script_id;
	/* ScopeInfo: the number of variables that other functions see, the first of them; where the
	 * function begins in its file (0: that is after the function's name) */
	uint16_t scope_count, scope_first, scope_start;
	uint16_t map_type;
	uint16_t text_length, text_chars; /* in strings */
	uint16_t text_next;		  /* the first, the parent or the actual string */
	uint16_t text_more;		  /* the second string, or the offset in the parent */
	uint16_t type_shared, type_scope, type_script;
	uint16_t unused;
};

#define UNWIND_V8_WORDS (sizeof(struct unwind_v8) / 4)

/* In a struct sonde_code_event, in place of name_bytes and what follows: the first V8_PIECES
 * pieces. The numbers of characters of the whole texts are in name.n and file.n. */
struct unwind_v8_texts {
	struct sonde_code_text piece[V8_SLOTS];
	uint8_t bytes[V8_SLOTS][V8_PIECE];
};

#define UNWIND_V8_TEXTS (sizeof(struct unwind_v8_texts) - (V8_SLOTS - V8_PIECES) * V8_PIECE)

_Static_assert(UNWIND_V8_TEXTS <= SONDE_CODE_NAME + SONDE_CODE_FILE + SONDE_CODE_LINES,
	       "the texts fit into the event");
