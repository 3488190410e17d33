/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The tables by which user stacks are unwound without frame pointers. User space compiles them
 * from .eh_frame (runtime/unwind/) and stores them in maps; unwind.bpf.c walks by them.
 *
 * All tables are in one store: an array of maps of chunks, each of which is one element of
 * UNWIND_CHUNK_WORDS words of 32 bits. A word's address is its chunk's number * UNWIND_CHUNK_WORDS
 * plus its index in the chunk. Address 0 means none. No piece or array crosses the end of a chunk.
 *
 *   piece   the rows of up to 64 K words for a part of a file's code. First one word for each block
 *           of UNWIND_BLOCK_BYTES of code (struct unwind_block's bits), then the rows.
 *   ranges  a sorted array of struct unwind_range without overlap: what a process has mapped, or
 *           the parts of a file.
 *
 * Tables in use are never changed: user space writes a new copy, then publishes it in the hash of
 * spaces or files, and reuses the old words after all programs that may read them have ended.
 */
#pragma once
#include "bpf_helpers/shared.h"

enum {
	UNWIND_CHUNK_BITS = 16,
	UNWIND_CHUNK_WORDS = 1 << UNWIND_CHUNK_BITS, /* 256 KiB */
	UNWIND_CHUNKS = 2048,			     /* 512 MiB of tables */
	UNWIND_RULES = 1 << 14,			     /* 4,994 in 1,109 libraries of Debian 12 */
	UNWIND_RULES_OF_FILE = 2048,		     /* new ones; 882 at most in these libraries */
	UNWIND_BLOCK_BITS = 8,
	UNWIND_BLOCK_BYTES = 1 << UNWIND_BLOCK_BITS,
	UNWIND_RANGES = 4096, /* max. in one array */
	UNWIND_RANGE_WORDS = 8,
	UNWIND_SPACES = 16384, /* processes with tables */
	UNWIND_FILES = 16384,
};

/*
 * How to compute the canonical frame address (CFA) of a frame: the value of sp in the caller after
 * the return (DWARF 5, section 6.4).
 *
 * sp is rsp on x86-64, fp is rbp there and x29 on arm64. The return address is in the word below
 * the CFA on x86-64; on arm64 it is in x30, or where that was saved, which the rule says as it does
 * of rbx on x86-64: these two are the extra register.
 */
enum unwind_cfa {
	UNWIND_NO_RULE, /* no row covers the address: try the frame pointer */
	UNWIND_END,	/* the outermost frame: its return address is undefined */
	UNWIND_SP,	/* sp + offset */
	UNWIND_FP,	/* fp + offset */
	/* x86-64: rsp + 8, or + 16 from instruction `offset` of a PLT entry (16 bytes) on */
	UNWIND_PLT,
	UNWIND_FP_DEREF, /* a word near fp (UNWIND_DEREF): a realigned stack */
	UNWIND_SP_DEREF, /* a word above sp (UNWIND_DEREF): assembly of OpenSSL, libgcrypt */
	/* A signal frame: the registers are above sp. The interrupted sp is at sp + cfa_offset, ip
	 * `saved` bytes above that, fp at sp + fp_offset (in bytes), and the extra register
	 * UNWIND_SIGNAL_EXTRA bytes above that. */
	UNWIND_SIGNAL,
	UNWIND_SP_RA_RDI, /* rsp + offset; the return address is in rdi; i386: ecx (vfork) */
	UNWIND_UNSUPPORTED,
	/* UNWIND_SP and UNWIND_FP of a function that interprets a program, whose frames take the
	 * place of its own (unwind_run.bpf.c) */
	UNWIND_RUN_SP,
	UNWIND_RUN_FP,
	/* Go's functions that switch to another stack. The CFA need not lie above sp. On arm64 the
	 * offset is UNWIND_GO_AT, with the size of the frame. */
	UNWIND_SWITCH_FP,     /* rbp + 16, and the caller's rbp is at rbp */
	UNWIND_GO_C,	      /* asmcgocall() up to Go 1.20 */
	UNWIND_GO_SYSTEM,     /* systemstack() up to Go 1.20; offset: UNWIND_GO_AT */
	UNWIND_REGISTER = 16, /* + DWARF number of a register (0 to 30; of i386, that of x86-64):
			       * that register + offset; in the innermost frame, where all
			       * registers are known; rbx also in other frames */
	UNWIND_RBX = UNWIND_REGISTER + 3,
	UNWIND_CFA_COUNT = UNWIND_REGISTER + 31,
};

enum { UNWIND_SIGNAL_EXTRA = 8 }; /* on x86-64, i386 and arm64 */

/* Added to an enum unwind_cfa: the rule was made from instructions, and may be wrong. The walk uses
 * it only if the return address follows a call instruction. */
#define UNWIND_GUESS 0x80

/* cfa_offset of UNWIND_*_DEREF: the CFA is the word at register + AT, plus ADD. */
#define UNWIND_DEREF(at, add) ((int32_t)((uint32_t)(add) << 16 | (uint16_t)(at)))
#define UNWIND_DEREF_AT(offset) ((int16_t)(offset))
#define UNWIND_DEREF_ADD(offset) ((int16_t)((offset) >> 16))

/* cfa_offset of UNWIND_GO_SYSTEM: the offset, from the thread pointer, of the pointer to the
 * goroutine, and the offset of the current goroutine in the struct of the thread (m.curg). On
 * arm64, the size of the frame takes the place of the first one. */
#define UNWIND_GO_AT(tls, curg) UNWIND_DEREF(tls, curg)
#define UNWIND_GO_TLS(offset) UNWIND_DEREF_AT(offset)
#define UNWIND_GO_CURG(offset) UNWIND_DEREF_ADD(offset)

/* Where the caller's fp is stored. */
enum unwind_fp {
	UNWIND_FP_SAME,
	UNWIND_FP_AT_CFA,  /* the word at CFA + fp_offset */
	UNWIND_FP_AT_FP,   /* the word at fp + fp_offset: a realigned stack */
	UNWIND_FP_UNKNOWN, /* not recoverable: a caller that needs it ends the walk */
};

/* Where the caller's extra register is stored: one of these, or UNWIND_EXTRA_AT(offset), the word
 * at CFA + offset. rbx is needed because a few functions of ld.so have a CFA that is rbx + an
 * offset (_dl_runtime_resolve_*). x30, also called the link register, has the return address. */
enum unwind_extra {
	UNWIND_EXTRA_SAME,
	UNWIND_EXTRA_UNKNOWN,
	/* the smallest offset that a rule can hold; offsets are multiples of 8 */
	UNWIND_EXTRA_FIRST = -16,
	UNWIND_EXTRA_LAST = -63 * 8,
	/* arm64, in place of the last one: the word after the one at CFA + fp_offset. The two are
	 * mostly saved in one place, which may be far below the CFA. */
	UNWIND_EXTRA_AFTER_FP = 63,
};

#define UNWIND_EXTRA_AT(offset) (-(offset) / 8)
#define UNWIND_EXTRA_OFFSET(extra) (-8 * (int64_t)(extra))

/* enum unwind_fp and enum unwind_extra in a byte. */
#define UNWIND_SAVED(fp, extra) ((uint8_t)((fp) | (extra) << 2))
#define UNWIND_SAVED_FP(saved) ((saved) & 3)
#define UNWIND_SAVED_EXTRA(saved) ((saved) >> 2)

struct unwind_rule {
	uint8_t cfa;	   /* enum unwind_cfa, perhaps with UNWIND_GUESS */
	uint8_t saved;	   /* UNWIND_SAVED */
	int16_t fp_offset; /* in bytes; on arm64 in words of 8 bytes */
	int32_t cfa_offset;
};

/* The word of a block: the index in the piece of its first row, and the number of rows - 1 (a block
 * has 1 to 256). The first row's code offset is 0. */
#define UNWIND_BLOCK_FIRST(word) ((word) & 0xffff)
#define UNWIND_BLOCK_ROWS(word) (((word) >> 16 & 0xff) + 1)

/* A row: the offset, in its block, of the first byte of code that it covers, and the index of its
 * rule. Rows are sorted; the last row whose offset is not above the address applies. */
#define UNWIND_ROW(offset, rule) ((uint32_t)(offset) << 16 | (rule))
#define UNWIND_ROW_OFFSET(row) ((row) >> 16)
#define UNWIND_ROW_RULE(row) ((row) & 0xffff)

enum unwind_range_flags {
	/* code without rows (a file without .eh_frame, JIT code): use the frame pointer */
	UNWIND_RANGE_NO_TABLE = 1,
	UNWIND_RANGE_ANONYMOUS = 2, /* not mapped from a file: JIT code */
	/* the kernel's own mapping: nothing else is ever mapped there */
	UNWIND_RANGE_FIXED = 4,
	/* a heap of HotSpot's code: `origin` is the word address of a struct unwind_hotspot */
	UNWIND_RANGE_HOTSPOT = 8,
	/* 3 bits: see UNWIND_VARIABLE_OF */
	UNWIND_RANGE_VARIABLE_BIT = 4,
	/* from this bit on: the number of the runtime to which the file belongs; 0: none */
	UNWIND_RANGE_RUNTIME_BIT = 8,
};

/* The number of the heap, of a range with UNWIND_RANGE_HOTSPOT. */
#define UNWIND_RANGE_HEAP_BIT 12

#define UNWIND_RUNTIME_OF(flags) ((flags) >> UNWIND_RANGE_RUNTIME_BIT & 15)

/* ... and in the next 20 bits, the distance from `origin` to a variable of that runtime, in units;
 * the words of 4 bytes that are left over are in other bits. */
#define UNWIND_VARIABLE_BITS 20
#define UNWIND_VARIABLE_UNIT 32
#define UNWIND_VARIABLE_OF(flags)                                                       \
	((uint64_t)((flags) >> (UNWIND_RANGE_RUNTIME_BIT + 4)) * UNWIND_VARIABLE_UNIT + \
	 4 * ((flags) >> UNWIND_RANGE_VARIABLE_BIT & (UNWIND_VARIABLE_UNIT / 4 - 1)))

/* ... or, of CPython before 3.11, where in its C frame the function has the address of its frame's
 * variables: bytes below the CFA. */
#define UNWIND_SLOT_MOST 4096
#define UNWIND_SLOT_OF(flags) ((uint64_t)((flags) >> (UNWIND_RANGE_RUNTIME_BIT + 4)) * 8)

/* Executable addresses of a process with the piece that covers them. In the array of a file,
 * offsets in the file take the place of addresses. */
struct unwind_range {
	uint64_t start, end;
	uint64_t origin; /* address of the piece's first block */
	uint32_t piece;	 /* word address; 0: none */
	uint32_t flags;
};

#define UNWIND_ANY_EXEC 0xffffffffu /* the space is that of the process's present program */

#define UNWIND_ASKED_NOW(ns) ((uint32_t)((ns) >> 30) + 1)

/* Value of the hash of spaces: what process `tgid` (the key, 32 bits) has mapped. */
struct unwind_space {
	uint32_t exec_id; /* execve count of the process at that time */
	uint32_t ranges;  /* word address; 0: not read yet */
	uint32_t n_ranges;
	/* the time at which a program last asked user space to read the mappings, as
	 * UNWIND_ASKED_NOW(CLOCK_MONOTONIC in ns); 0: none has asked since they were read */
	uint32_t asked;
	uint32_t generation; /* differs for each set of ranges that is published; not 0 */
	uint32_t v8;	     /* word address of a struct unwind_v8; 0: none */
	uint64_t read_ns;    /* CLOCK_MONOTONIC, just before the mappings were read */
};

/* The hash of files: how a program that sees a mapping for the first time finds the pieces. */
struct unwind_file_key {
	uint64_t device; /* s_dev of the super block, as the kernel keeps it */
	uint64_t inode;
};

/* The vDSO's inode, for programs whose words have that many bytes. Its device is 0, which no file
 * has. */
#define UNWIND_VDSO_INODE(word) (word)

struct unwind_file {
	uint32_t ranges, n_ranges;
	uint32_t v8; /* word address of a struct unwind_v8; 0: none */
};

/* How the frames of an interpreter are found in its memory: rows of runtimes.def, by number.
 * Offsets are in bytes. */
struct unwind_layout {
	uint16_t thread_id; /* in the state of a thread: its pthread_self() */
	/* its innermost C frame (struct _PyCFrame) or frame; Perl: its innermost JMPENV */
	uint16_t thread_frame;
	uint16_t code_bytes; /* in a code object: the instructions, or its end */
	uint8_t has_cframe, cframe_frame, cframe_previous;
	uint8_t frame_bytes;			      /* that are read of a frame */
	uint8_t frame_code, frame_previous, frame_at; /* frame_at: the instruction */
	uint8_t frame_end;
	uint16_t end;	       /* the last frame of a run has this value at offset frame_end */
	uint16_t frame_locals; /* before 3.11: its variables; 0: at_shift is not used */
	uint8_t at_shift;      /* frame_at has a number of instructions, not of bytes */
	uint8_t has_shim;      /* it stands for the C function, and is on the C stack */
	uint8_t code_version;  /* 0: the hash of the name is used */
	uint8_t code_line, code_file, code_name, code_lines;
	uint8_t lines;			/* enum unwind_lines: the form of the table of lines */
	uint8_t text_ascii, text_other; /* the characters of a string */
	uint8_t kind;			/* enum unwind_run_kind */
	/* from 3.13 on: where the table that _PyRuntime begins with has the offsets of threads,
	 * frames and code objects */
	uint16_t table[3];
	/* PHP: executor_globals: its size, the innermost frame, the instruction before an
	 * exception; a function: its instructions (their number is 8 bytes before), its file */
	uint16_t globals_bytes, globals_frame, globals_opline;
	uint16_t function_opcodes, function_file;
};

enum { UNWIND_NO_END = 0x100 }; /* no byte has this value */

/* Forms of CPython's tables of lines: from 3.11 on, of 3.10, of older versions. */
enum unwind_lines { UNWIND_LOCATIONS, UNWIND_LINE_DELTAS, UNWIND_LNOTAB };

enum unwind_run_kind {
	UNWIND_CPYTHON,
	UNWIND_PHP,
	UNWIND_PERL,
	UNWIND_JAVA,
	UNWIND_JAVASCRIPT,
	UNWIND_NO_RUNS,
};

enum {
	UNWIND_LAYOUTS = 16,
	/* what a program reads of a code object, for all versions */
	UNWIND_CODE_AT = 40,
	UNWIND_CODE_BYTES = 104,
	UNWIND_CODE_TEXT = 127,	 /* bytes of a text that are sent */
	UNWIND_CODE_TABLE = 511, /* and of a table of lines */
	UNWIND_CODES = 1 << 17,	 /* functions of interpreters that can be told apart */
};

/* Which user stack the program of waiting.bpf.c reads. Set before the object is loaded. */
struct sonde_waiting {
	uint32_t probe;		/* index in plan->probes */
	uint32_t offset;	/* of the hash of the stack, in the state of its spans */
	uint32_t limit;		/* frames; 0: all */
	uint32_t is_of_runtime; /* only functions of interpreters are wanted */
};

/* Why a walk ended. */
enum unwind_end {
	UNWIND_GOES_ON, /* it did not end */
	UNWIND_COMPLETE,
#define UNWIND_CUT(id, ...) UNWIND_##id,
#include "bpf_helpers/unwind_ends.def"
	UNWIND_END_COUNT,
};
