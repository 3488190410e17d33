/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of BPF programs: the rows of prog_kinds.def.
 */
#pragma once
#include <stdint.h>

enum plan_prog_kind {
#define PROG_KIND(id, ...) PP_##id,
#include "parser/lang/prog_kinds.def"
#undef PROG_KIND
	PP_KIND_COUNT,
};

/* A row of prog_kinds.def. */
struct prog_row {
	const char *name;
	const char *section;
	uint32_t tracer_frames;
};

extern const struct prog_row prog_rows[PP_KIND_COUNT];
