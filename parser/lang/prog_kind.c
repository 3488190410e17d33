/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kinds of programs, and what follows from a row: see plan.h.
 */
#include "parser/base/arena.h"
#include "parser/plan/plan.h"
#include <string.h>

const struct prog_row prog_rows[PP_KIND_COUNT] = {
#define PROG_KIND(id, name_, section_, frames_) \
	[PP_##id] = {.name = name_, .section = section_, .tracer_frames = frames_},
#include "parser/lang/prog_kinds.def"
#undef PROG_KIND
};

static const char *part_of(const struct plan_prog *g, char what)
{
	switch (what) {
	case 'e': return g->event;
	case 'c': return g->category;
	case 'f': return g->function;
	default: return g->targets[0].path;
	}
}

const char *plan_section(struct arena *a, const struct plan_prog *g)
{
	const char *section = "";

	for (const char *c = prog_rows[g->kind].section; *c;) {
		size_t n = strcspn(c, "%");
		bool has_part = c[n] == '%';

		section = arena_printf(a, "%s%.*s%s", section, (int)n, c,
				       has_part ? part_of(g, c[n + 1]) : "");
		c += n + (has_part ? 2 : 0);
	}
	return section;
}
