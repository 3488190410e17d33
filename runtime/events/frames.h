/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of a stored stack, with names and, if wanted, source lines. Used by stacks.c.
 */
#pragma once
#include "runtime/view/view.h"

struct session;

/* The frames of `st` without names, in *out, for the caller to free(). With SHOWS_LINE in `shows`
 * (enum stack_shows), source lines, and one for each inlined function, too. 0 or -ENOMEM. */
int frames_make(struct session *s, const struct sonde_stack *st, uint32_t shows,
		struct view_frame **out, uint32_t *n);
/* Name the frames that have no name; with SHOWS_FILE by their files. True if one has none yet, but
 * may get one later. */
bool frames_name(struct session *s, const struct sonde_stack *st, uint32_t shows,
		 struct view_frame *frames, uint32_t n);
