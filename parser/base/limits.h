/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that a script can exceed. Each has a message (tag "limit-…") and a golden test, and
 * together they bound recursion and allocation in the front end.
 */
#pragma once

enum {
	LIMIT_SCRIPT_BYTES = 16 << 20, /* a script's text */
	LIMIT_NESTING = 1024,	       /* nesting of parentheses, blocks, operators */
	LIMIT_EXPANDED = 100000,       /* expressions that macros and functions make */
	LIMIT_ERRORS = 20,	       /* diagnostics printed for one script */
	LIMIT_STRING = 200,	       /* bytes of a string literal used as a value, NUL included */
	LIMIT_STR = 200,	       /* default size of str() in bytes, NUL included */
	LIMIT_STR_REQUESTED = 1 << 16, /* maximum size of str() and buf() */
	LIMIT_FRAMES_NAMED = 1024,     /* that a script may ask for */
	LIMIT_FRAMES = 127,	       /* of a stack (bpf_helpers/shared.h) */
	LIMIT_PROBES = 1024,	       /* attach points in a script */
	LIMIT_TARGETS = 100000,	       /* functions that one attach point matches */
	LIMIT_TYPED = 1024,	       /* the same for fentry and fexit, with a program for each */
	LIMIT_FORMATS = 256,	       /* different operand lists of a USDT attach point */
	LIMIT_MAPS = 256, /* maps in a script: the epoch table's size (bpf_helpers/shared.h) */
	LIMIT_KEY_BYTES = 1 << 19,     /* a map's key; the kernel allocates 4 MiB at most */
	LIMIT_EVENT_BYTES = 1 << 19,   /* one printf record */
	LIMIT_SPAN_BYTES = 60000,      /* the state of a thread's spans: task storage has 64 KiB */
	LIMIT_SPAN_BYTES_SMALL = 8064, /* the same of 8 KiB */
	LIMIT_CALL_ARGS = 128,	       /* arguments of a call, keys of a map */
	LIMIT_COLUMN_NAME = 40,	       /* bytes of the name of a column of row() */
	LIMIT_ROW_NAME = 43,	       /* the same with _ns */
	LIMIT_WIDTH = 4096,	       /* width and precision of printf */
	LIMIT_C_TOKENS = 1 << 20,      /* that macros of C expand to */
	LIMIT_C_NESTING = 100,	       /* of macros, #if, parentheses and types of C */
	LIMIT_C_MACROS = 20000,	       /* #define in a script */
	LIMIT_C_MEMBERS = 4096,	       /* of a struct */
	LIMIT_C_BYTES = 1 << 30,       /* of a type of C */
	LIMIT_C_ALIGN = 1 << 16,       /* of a type of C, bytes */
	LIMIT_TYPE_SUFFIXES = 8,       /* '*' and '[N]' after a type's name */
	LIMIT_TUPLE_BYTES = (1 << 19) - 4096, /* a tuple or record: printed, it is a record */
	LIMIT_ARRAY_BYTES = 256,	      /* an array: compared word by word */
	/* Longer values are in scratch memory (codegen/gen_scratch.c), not on the BPF stack. */
	LIMIT_ON_STACK = 64,	  /* a value */
	LIMIT_UADDR_PLACES = 16,  /* locations of a probe that uses uaddr() */
	LIMIT_KEY_ON_STACK = 128, /* a map's key, which is needed only briefly */
	LIMIT_BODY = 2000,	  /* calls, maps and builtins in a probe */
	LIMIT_LOOPS = 7,	  /* nested loops: each is a call, and the kernel allows 8 frames */
	LIMIT_UNROLL = 100,	  /* copies of an unroll's body */
	LIMIT_UNROLLED = 4096,	  /* of nested unrolls: the kernel follows 8192 branches */
	LIMIT_LOOP = 1 << 20,	  /* iterations of a loop; it is then cut, which is counted */
	LIMIT_ROUNDS = 1 << 23,	  /* iterations of all nested loops in a run; likewise */
	LIMIT_MAP_KEYS = 1 << 17, /* default number of entries of a map with keys */
};
