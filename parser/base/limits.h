/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every limit that a script can exceed. Each has a message (tag "limit-…") and a golden test. All
 * recursion and allocation in the front end is bounded by one of them.
 */
#pragma once

enum {
	LIMIT_SCRIPT_BYTES = 16 << 20, /* a script's text */
	LIMIT_NESTING = 100,	       /* parentheses, blocks, operators within each other */
	LIMIT_ERRORS = 20,	       /* diagnostics printed for one script */
	LIMIT_STRING = 200,	       /* bytes of a string literal used as a value, NUL included */
	LIMIT_STR = 200,	       /* bytes of str() when nothing else is said, NUL included */
	LIMIT_STR_REQUESTED = 1024,    /* the same at most */
	LIMIT_FRAMES = 127,	       /* of a stack (bpf_helpers/shared.h) */
	LIMIT_PROBES = 1024,	       /* attach points in a script */
	LIMIT_TARGETS = 100000,	       /* functions that one attach point matches */
	LIMIT_TYPED = 256,	       /* the same of fentry, fexit: a program each */
	LIMIT_FORMATS = 256,	       /* ways in which an attach point has its USDT arguments */
	LIMIT_MAPS = 256, /* maps in a script: the epoch table's size (bpf_helpers/shared.h) */
	LIMIT_KEY_BYTES = 4000,	  /* a map's key */
	LIMIT_EVENT_BYTES = 4096, /* one printf record */
	LIMIT_SPAN_BYTES = 60000, /* the state of a thread's spans: task storage has 64 KiB */
	LIMIT_CALL_ARGS = 128,	  /* arguments of a call, keys of a map */
	LIMIT_WIDTH = 4096,	  /* of what printf prints, and its precision */
	LIMIT_TYPE_SUFFIXES = 8,  /* '*' and '[N]' behind a type's name */
	LIMIT_TUPLE_BYTES = 4000, /* a tuple or record: printed, it is a record */
	LIMIT_ARRAY_BYTES = 256,  /* an array: compared word by word */
	/* Longer values are in scratch memory (codegen/gen_scratch.c), not on the BPF stack. */
	LIMIT_ON_STACK = 64,	  /* a value */
	LIMIT_KEY_ON_STACK = 128, /* a map's key, which soon goes again */
	LIMIT_BODY = 2000,	  /* calls, maps and builtins in a probe */
	LIMIT_LOOPS = 7,	  /* within each other: each is a call, the kernel has 8 frames */
	LIMIT_UNROLL = 100,	  /* copies of an unroll's body */
	LIMIT_UNROLLED = 4096,	  /* of unrolls in unrolls: the kernel follows 8192 branches */
	LIMIT_LOOP = 1 << 20,	  /* rounds of a loop: what is beyond is cut and counted */
	LIMIT_ROUNDS = 1 << 23,	  /* of a run's loops that stand in loops, together; the same */
	LIMIT_MAP_KEYS = 1 << 17, /* entries of a keyed map when nothing else is said */
};
