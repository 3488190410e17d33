/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of prog_kinds.def as an array.
 */
#include "parser/lang/prog_kind.h"

const struct prog_row prog_rows[] = {
#define PROG_KIND(id, name_, section_, frames_, gen, attach, capability_, session_, traits_) \
	[PP_##id] = {.name = name_,                                                          \
		     .section = section_,                                                    \
		     .tracer_frames = frames_,                                               \
		     .capability = CAP_##capability_,                                        \
		     .session = PP_##session_,                                               \
		     .traits = traits_},
#include "parser/lang/prog_kinds.def"
};

_Static_assert(sizeof(prog_rows) / sizeof(*prog_rows) == PP_KIND_COUNT, "one row for each kind");
