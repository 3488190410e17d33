/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles ring-buffer records, and prints maps.
 */
#pragma once
#include "parser/base/limits.h"
#include "runtime/base/hash.h"
#include "runtime/session/session.h"

/* Progress of a map through its epochs. */
struct map_progress {
	uint32_t cleared; /* epochs before this one are deleted */
	uint32_t settled; /* no program uses an epoch before this one */
	uint32_t swapped; /* the epoch that began with events_swap, 0: nothing to print */
	bool zeroed;	  /* without keys, and set to 0 by zero() */
	bool had_rows;	  /* when it was printed */
};

/* A goroutine, by the number of its process and the one that records have of it. */
struct goroutine {
	uint64_t key;
	uint32_t tid; /* what it has in place of a thread's number; 0: a free slot */
};

HASH_TABLE(goroutines, struct goroutine);

/* State of handling records. */
struct events {
	struct session *s;
	struct out *out;
	bool exited; /* exit() came: later records are ignored */
	int exit_code;
	bool is_membarrier_refused;   /* reported once */
	bool is_map_unread;	      /* a map could not be read: its output is missing */
	bool no_warnings;	      /* warnf() is not shown */
	bool is_span_alone;	      /* event_span_is_alone() */
	struct span_name *span_names; /* event_span.c; NULL: not made yet */
	struct goroutines goroutines; /* likewise: those that were in a span */
	uint32_t n_errorf;	      /* calls of errorf() */
	uint64_t n_not_run;	      /* commands of system(), after a stop signal */
	bool is_ending;		      /* END has begun: its commands are run */
	uint64_t n_events;	      /* records that calls of the script sent */
	int error;		      /* first failure of a write: -EPIPE ends the run quietly */
	struct map_progress *maps;    /* by map */
	const char *has;	      /* events_print_chosen(); else NULL */
};

/* Show a record: the hooks of event_kinds.def. */
typedef void event_fn(struct events *e, const struct plan_event *ev, const void *record);

int events_init(struct events *e, struct session *s, struct out *out);
void events_free(struct events *e);
/* Note the result of a call of the output: the first failure ends the run. */
void events_note_error(struct events *e, int err);
/* Views of a record's fields. */
void events_views(struct events *e, const struct plan_event *ev, const void *record,
		  struct view views[LIMIT_CALL_ARGS]);
/* Output text as the result of the call `ev`. */
void events_output(struct events *e, const struct plan_event *ev, const char *text, size_t len);
/* Handle one record of the ring. */
void events_record(struct events *e, const void *record, size_t size);
/* dump(): keep what the writer holds back. */
void events_dump(struct events *e);
/* Print every map that has entries, sorted by name. */
void events_print_maps(struct events *e);
/* For --interval: the same without maps that only the script reads. */
void events_print_so_far(struct events *e);

/* Which maps and rows of them to print once more. */
struct map_choice {
	const char *name; /* NULL: all maps */
	const char *has;  /* only rows whose key has this text; NULL: all */
	uint32_t top;	  /* 0: all */
};
/* Print them to e->out. Returns how many maps there are of that name. */
uint32_t events_print_chosen(struct events *e, const struct map_choice *c);

/* Had the map no entries whenever it was printed, although nothing removes any? */
bool events_map_stayed_empty(const struct events *e, uint32_t map);

/* For --interval --reset: end the epoch of every map that is printed, and wait until no program
 * uses it any more.
 * The epoch is printed and deleted by events_print_swapped(), or before a later record of the same
 * map. */
void events_swap(struct events *e);
void events_print_swapped(struct events *e);

/* ---- unfired.c: which probes of a run never fired */
/* Report them, and the maps that stayed empty, as a note of one line; nothing if there are none.
 * After the maps were printed. Whoever runs a bundled script does not know its probes and maps, not
 * all of which are for each run: of these the note is printed only if no probe has fired at all. */
void unfired_report(const struct events *e);
