/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of user addresses, also of processes that have ended: mappings are recorded while a process
 * lives (from /proc/PID/maps and from the kernel's mmap, exec and fork records). The symbol table
 * of a file is read once, when the first address in it is named. names.h has the functions to begin
 * with.
 */
#pragma once
#include "runtime/elf/names.h"
#include "runtime/symbols/maptrack.h"

/* Sizes of what is kept in memory. */
struct usyms_stats {
	size_t n_processes, n_files, names_bytes;
	/* number of processes that were dropped although stacks refer to them, so far */
	uint64_t n_evicted;
};

/* Read the mappings of all processes, for system-wide tracing; call it after attaching. */
void usyms_note_all(struct usyms *u);
/* Call it when no stack of this ended process will be named any more. */
void usyms_release_stacks(struct usyms *u, uint32_t tgid);

/* Follow mappings as they appear (perf events on all CPUs), for `pid` and its descendants, or for
 * all processes if pid is -1. Call it before the command of -c runs. Returns 0 or -errno. */
int usyms_track(struct usyms *u, int pid);
/* Report the records that are followed to fn. */
void usyms_observe(struct usyms *u, maptrack_fn *fn, void *ctx);
/* The descriptor to poll for reading, owned by u; -1 if nothing is followed. */
int usyms_track_fd(const struct usyms *u);
/* Apply all records until now. Returns how many were lost since the last call. */
uint64_t usyms_track_drain(struct usyms *u);

/* Find the name of the variable of a program or library that contains an address. Only mappings of
 * code are recorded; the data of a file is looked for after its code and before it. Returns false
 * if there is none. The strings live as long as those of usyms_find(). */
bool usyms_find_variable(struct usyms *u, const struct uaddress *a, struct usym *out);
/* Set out->name to the build ID, in hexadecimal, of the file that is mapped at the address, and
 * out->offset to the offset in the file. Returns false if there is none. The name lives until names
 * are collected, see below. */
bool usyms_file(struct usyms *u, const struct uaddress *a, struct usym *out);
/* The strings that were returned are interned. To free those that are no longer needed, call begin;
 * then retain for each string that is still needed (it returns the new copy; NULL for NULL, or if
 * there is no memory); then end. The old strings are valid until end is called. */
void usyms_names_begin(struct usyms *u);
const char *usyms_names_retain(struct usyms *u, const char *text);
void usyms_names_end(struct usyms *u);

/* Set *out to the present sizes. */
void usyms_stats(const struct usyms *u, struct usyms_stats *out);
