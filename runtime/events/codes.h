/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of programs that interpreters run: what BPF programs send of each when it is first seen
 * on a stack (bpf_helpers/unwind_run.bpf.c). Used by frames.c.
 */
#pragma once
#include "runtime/view/view.h"

struct session;

/* A function was seen for the first time. */
void codes_note(struct session *s, const struct sonde_code_event *ev);
/* Is that word of a stack a frame of an interpreter? */
bool codes_has(uint64_t word);
enum { CODES_FRAMES = 64 };
/* Set `out` to its frames, the innermost first: code of Java may have several. Returns their
 * number. */
uint32_t codes_frames(struct session *s, uint64_t word, struct view_frame out[CODES_FRAMES]);
/* Is it one that the interpreter makes for itself, and does not show? */
bool codes_is_hidden(struct session *s, uint64_t word);
void codes_close(struct session *s);
