/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that read the events of a recording. An event is a value that was printed
 * (cli/recordings/record_events.c): a tuple of these parts.
 */
#pragma once
#include "runtime/recording/raw_events.h"
#include "runtime/recording/recording.h"

enum raw_part {
	PART_POINT, /* the attach point; or a word, RAW_BACK or RAW_ON */
	PART_TIME,
	PART_CPU,
	PART_THREAD, /* a tuple: see raw_threads.c */
	PART_KSTACK,
	PART_USTACK,
	PART_WORDS, /* fields of the thread's struct (recorded_task.h), then 0; or 0 */
	PART_ARGS,  /* of a tracepoint, or the values of a call (RECORDED_SP …); behind it the
		    * strings that these point to */
	PART_STRINGS,
	PART_LENGTH = PART_ARGS, /* of a time on or off the CPU */
	PART_OPEN,		 /* it had not ended */
	PART_CUT,		 /* it had begun before the recording */
	PART_SPAN_END,
};

/* A number by which something that was interned is found. */
struct raw_number {
	uint64_t key;
	uint32_t index; /* 0: the entry is free */
};
HASH_TABLE(raw_numbers, struct raw_number);

/* The end of a time on or off the CPU. */
struct raw_span {
	uint64_t time, length;
	uint32_t thread, cpu, kstack, ustack;
	const uint64_t *words;
	uint64_t seq;
	bool is_on_cpu, is_open, is_cut;
};

struct raw_reader {
	struct recording *rec;
	struct kernel *kernel;
	struct recorded_events *out;
	const struct tp_format **formats; /* of each point */
	struct raw_span *spans;
	uint32_t n_spans;
	struct raw_numbers threads, tids, stacks, frames;
};

/* ---- raw_events.c ------------------------------------------------------------------------- */

/* Take an event: [[point, time, …]]. False if it is not valid. */
bool raw_take_event(struct raw_reader *r, struct arena *a, const json_t *list, uint64_t seq);
/* All events have been taken: make those of switches, and bring all into their order. */
void raw_order(struct raw_reader *r);

/* ---- raw_record.c ------------------------------------------------------------------------- */

/* A string, also one that was cut, or is not UTF-8. *n: its bytes. NULL: it is none. */
const char *raw_string(struct arena *a, const json_t *j, uint32_t *n);
/* Make the record of an event again from its fields. */
void raw_make_record(struct arena *a, const struct tp_format *f, const json_t *args,
		     struct recorded_event *e, uint32_t tid);
/* Add the string at an address. False if it is not valid. */
bool raw_add_string(struct raw_reader *r, uint64_t address, const json_t *j,
		    struct recorded_event *e);
/* Make the context of a raw tracepoint: its arguments, behind which there is a 0. */
bool raw_make_words(struct arena *a, const json_t *args, struct recorded_event *e);
/* The strings of its arguments. False if they are not valid. */
bool raw_take_strings(struct raw_reader *r, const struct tp_format *f, const json_t *tuple,
		      struct recorded_event *e);

/* ---- raw_threads.c ------------------------------------------------------------------------ */

/* The index of the thread that a tuple describes. False if it is not valid. */
bool raw_thread(struct raw_reader *r, struct arena *a, const json_t *tuple, uint32_t *index);
/* The index of the stack with that number. */
bool raw_stack(struct raw_reader *r, const json_t *number, uint32_t *index);
void raw_threads_begin(struct raw_reader *r);
void raw_threads_end(struct raw_reader *r);

/* ---- raw_calls.c -------------------------------------------------------------------------- */

/* Give entries of functions the times at which their calls began. Events are in their order before
 * and after. */
void raw_calls(struct raw_reader *r);

/* ---- raw_switches.c ----------------------------------------------------------------------- */

/* Make events of the times on and off the CPU. Events are in their order before and after. */
void raw_switches(struct raw_reader *r);
/* Bring the events into their order. */
void raw_sort(struct recorded_events *out);
