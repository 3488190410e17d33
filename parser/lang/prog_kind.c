/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of program kinds.
 */
#include "parser/lang/prog_kind.h"

const struct prog_row prog_rows[PP_KIND_COUNT] = {
#define PROG_KIND(id, name_, section_, frames_) \
	[PP_##id] = {.name = name_, .section = section_, .tracer_frames = frames_},
#include "parser/lang/prog_kinds.def"
#undef PROG_KIND
};
