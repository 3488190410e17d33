/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User addresses to names, also of processes that have ended: mappings are noted while a process
 * lives (from /proc/PID/maps, and from the kernel's mmap, exec and fork records), symbol tables are
 * mapped and read once a file, when the first address in it is asked for.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct usyms;

struct usym {
	const char *name;   /* demangling comes later; NULL when there is none */
	uint64_t offset;    /* bytes from the symbol's start */
	const char *module; /* the mapped file's path, "[vdso]", or NULL when nothing is mapped */
	uint64_t module_offset; /* address in the file's own terms (virtual address as linked) */
};

struct usyms *usyms_new(void);
void usyms_free(struct usyms *u);

/* Read /proc/PID/maps now. 0 or -errno (-ESRCH, -ENOENT: gone). */
int usyms_note_process(struct usyms *u, uint32_t tgid);
/* Note every process there is (system-wide tracing, done after attach). */
void usyms_note_all(struct usyms *u);
/* A stack of (tgid, exec_id) was first seen at time_ns (CLOCK_MONOTONIC): binds exec_id to the
 * mappings in force then, reading /proc when the process is not known yet. */
void usyms_note_stack(struct usyms *u, uint32_t tgid, uint32_t exec_id, uint64_t time_ns);
/* No stack of this process, which has ended, will be asked for any more. */
void usyms_forget_stacks(struct usyms *u, uint32_t tgid);

/* Follow mappings as they appear: per-CPU perf events (mmap2, comm/exec, task), for `pid` and what
 * it forks, or for all processes with pid -1. 0 or -errno. To be called before a -c command
 * runs. */
int usyms_track(struct usyms *u, int pid);
/* The descriptor to poll for reading, which belongs to u; -1 if nothing is followed. */
int usyms_track_fd(const struct usyms *u);
/* Read all records there are. Returns how many records the kernel had to drop since the last
 * call. */
uint64_t usyms_track_drain(struct usyms *u);

/* Name of address `ip` in (tgid, exec_id). False when nothing at all is known of it; *out then
 * holds NULLs. Strings live as long as u. */
bool usyms_find(struct usyms *u, uint32_t tgid, uint32_t exec_id, uint64_t ip, struct usym *out);
