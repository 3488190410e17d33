/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interpreter of the BPF programs that codegen makes, for scripts that ask the kernel nothing:
 * it runs BEGIN, END, intervals, tests and benchmarks without root. It runs the same object as the
 * kernel does, with maps of its own. Each access to memory is checked, and the number of
 * instructions is limited (docs/internals/interpreter.md).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_object;
struct interp;
struct recorded_edge;
struct recorded_event;
struct recorded_events;

/* Read an object whose maps have their final sizes. NULL with errno. */
struct interp *interp_open(const struct bpf_object *object, const void *elf, size_t len);
void interp_close(struct interp *p);

/* The descriptor of the file that holds a map; -1: there is no such map. Arrays can be mapped into
 * memory. */
int interp_map_fd(const struct interp *p, const char *name);

/* Run a program. Any thread may call this. Returns 0, -ENOENT (no such program), or -EFAULT when
 * the program was ended: interp_fault() says why. */
int interp_run(struct interp *p, const char *program, uint32_t *result);

/* From now on, programs see the clocks of a recording, which begin at its start. */
void interp_use_events(struct interp *p, const struct recorded_events *all);
/* Set the time, CLOCK_BOOTTIME, for programs that run on behalf of the tracer. */
void interp_set_time(struct interp *p, uint64_t ns);
/* Set the event: its time, and its thread as the current one. If the event is a thread
 * that comes back (RECORDED_BACK), the current thread is the idle one, and the event's thread is
 * the other one of the switch. */
void interp_set_event(struct interp *p, const struct recorded_event *e);
/* The context of programs at that event. `tracer_frames` is the number of frames of a kernel stack
 * that belong to the program. */
enum interp_context {
	INTERP_RECORD,	      /* the tracepoint's record */
	INTERP_SWITCH,	      /* the arguments of the raw tracepoint sched_switch */
	INTERP_SYSCALL_ENTER, /* ... of sys_enter */
	INTERP_SYSCALL_EXIT,
	INTERP_CALL,   /* the registers at the entry of a function */
	INTERP_RETURN, /* ... after its return */
	INTERP_EXIT,   /* ... at the instruction by which it is left */
	INTERP_VALUES, /* the values of a static probe, as words */
};
void interp_set_context(struct interp *p, enum interp_context kind, uint32_t tracer_frames);
/* What bpf_get_attach_cookie() returns: which of its functions the program runs at. */
void interp_set_cookie(struct interp *p, uint64_t cookie);
/* Set the thread that the program of an iterator visits, with its time; it may be on a CPU or
 * not. */
void interp_set_visit(struct interp *p, const struct recorded_edge *edge);
/* A thread has ended: drop its task storage. */
void interp_evict_thread(struct interp *p, uint32_t tid);

/* Why the last program was ended. `line` and `column` are the place in the script; 0: not known. */
struct interp_fault {
	const char *text;
	uint32_t line, column;
};
/* The fault of the last run. */
struct interp_fault interp_fault(const struct interp *p);
