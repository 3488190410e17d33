/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output formats by name.
 */
#pragma once
#include "runtime/output/view.h"

enum out_format {
#define OUT_FORMAT(id, ...) OUT_##id,
#include "runtime/output/formats.def"
#undef OUT_FORMAT
	OUT_FORMAT_COUNT,
};

extern const char *const out_format_names[];
/* The format of that name; OUT_FORMAT_COUNT if there is none. */
enum out_format out_format_find(const char *name);
/* A writer to `f` of the maps of `plan`: see out_text_new(). */
struct out *out_format_new(enum out_format format, FILE *f, const struct plan *plan);
