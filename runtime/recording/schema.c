/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of a recording: see schema.h.
 */
#include "runtime/recording/schema.h"
#include "parser/base/find.h"
#include <string.h>

const struct recording_row recording_tables[] = {
#define STATEMENT(name, columns, end) \
	(sizeof(columns) > 1 ? "CREATE TABLE " name " (" columns end : NULL)
#define RECORDING_TABLE(id, name, n, columns, since_3, since_4, end)                 \
	[REC_##id] = {name,                                                          \
		      n,                                                             \
		      {STATEMENT(name, columns, end), STATEMENT(name, columns, end), \
		       STATEMENT(name, columns since_3, end),                        \
		       STATEMENT(name, columns since_3 since_4, end)}},
#include "runtime/recording/tables.def"
};
_Static_assert(sizeof(recording_tables) / sizeof(*recording_tables) == REC_COUNT,
	       "one for each table");

const char *const recording_views[] = {
	/* the rows of each map when it was printed last */
	"CREATE VIEW maps AS SELECT p.map, r.row, r.keys, r.value FROM prints p "
	"JOIN map_rows r ON r.print = p.seq "
	"WHERE p.seq = (SELECT max(seq) FROM prints q WHERE q.map = p.map)",
	NULL,
};

const char *const recording_spans[VIEW_SPAN_KINDS] = {
	[VIEW_SPAN_USER] = "user",	 [VIEW_SPAN_LIBRARY] = "library",
	[VIEW_SPAN_KERNEL] = "kernel",	 [VIEW_SPAN_SYSCALL] = "syscall",
	[VIEW_SPAN_OFF_CPU] = "off-cpu", [VIEW_SPAN_ON_CPU] = "on-cpu",
};
_Static_assert(VIEW_SPAN_KINDS == 6, "a name for each, also in docs/recordings.md");

uint32_t recording_find(const char *const *names, uint32_t n, const char *word)
{
	const char *const *name = FIND(names, n, *item && strcmp(*item, word) == 0);

	return name ? (uint32_t)(name - names) : n;
}
