/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * How the frames of HotSpot, the virtual machine of Java, are found in the memory of a process
 * (unwind_run_hotspot.bpf.c). User space reads these offsets from the tables of the process's own
 * libjvm (runtime/unwind/hotspot.c), and puts them into the store, among the words of unwind
 * tables.
 */
#pragma once
#include "bpf_helpers/shared.h"

enum {
	HOTSPOT_HEAPS = 4,
	HOTSPOT_BLOCK = 352,	   /* bytes read of a block */
	HOTSPOT_CONST_METHOD = 64, /* bytes read of a struct ConstMethod */
};

/* Parts of compiled code that user space reads, to find the methods that were inlined. */
enum hotspot_part {
	HOTSPOT_CODE,	  /* the instructions */
	HOTSPOT_METADATA, /* addresses of methods and classes */
	HOTSPOT_SCOPES,	  /* a stream of descriptions of scopes */
	HOTSPOT_SCOPES_END,
	HOTSPOT_PLACES, /* a struct PcDesc for each instruction that has a scope */
	HOTSPOT_PLACES_END,
	HOTSPOT_PARTS,
};

/* A part is at the address that the block has at `pointer`, or at the CodeBlob if that is 0, plus
 * the number of 4 bytes that the block has at `add`, if that is not 0. */
struct hotspot_part_at {
	uint16_t pointer, add;
};

/* A part of HotSpot's code cache. It consists of segments, and blocks of them. `segments` has a
 * byte for each segment: how far the start of its block is, or a part of that; 255: it is free. */
struct hotspot_heap {
	uint64_t low, end, segments;
};

/* Offsets are in bytes; those in a block include the block's header. */
struct unwind_hotspot {
	struct hotspot_heap heaps[HOTSPOT_HEAPS]; /* sorted */
	uint16_t n_heaps, segment_bits;
	uint16_t runtime; /* the row of runtimes.def */
	/* in a block: its length in segments, whether it is in use (a byte); of its CodeBlob: its
	 * name, the size of frames in words; of an nmethod: the method, the number of the
	 * compilation */
	uint16_t length, used, name, frame_size, method, compile_id;
	uint16_t const_method;		  /* in Method */
	uint16_t constants, name_index;	  /* in ConstMethod */
	uint16_t pool_bytes, pool_holder; /* of ConstantPool: its size, the class */
	uint16_t class_name, class_constants;
	uint16_t symbol_length, symbol_body;
	uint16_t blob; /* of the CodeBlob, in its block */
	/* all 0: inlined methods are not known */
	uint16_t place_bytes, place_pc, place_scope; /* of a struct PcDesc, in it */
	struct hotspot_part_at parts[HOTSPOT_PARTS];
	uint16_t unused[2];
};

#define UNWIND_HOTSPOT_WORDS (sizeof(struct unwind_hotspot) / 4)
