/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds LLVM's IR as lines, without the parts that only LLVM reads. An instruction ends with "!dbg
 * !N", where N is a DILocation, whose scope names a file: the script is the one whose text is in
 * the module. Inlined instructions get the location of the call.
 */
#include "parser/base/text.h"
#include "cli/explain/explain.h"
#include "parser/base/arena.h"
#include "runtime/kernel/helper_name.h"

enum { NODES_MOST = 1 << 20, INLINED_MOST = 64 };

struct node {
	uint32_t line, column, scope, file, inlined_at;
	bool is_location, is_script;
};

struct nodes {
	struct node *items;
	size_t n;
};

/* The number after a word of the line; 0: the word is not there. */
static uint32_t number_behind(const struct text_line *l, const char *word)
{
	const char *found = memmem(l->at, l->len, word, strlen(word));

	return found ? (uint32_t)strtoul(found + strlen(word), NULL, 10) : 0;
}

static bool has(const struct text_line *l, const char *word)
{
	return memmem(l->at, l->len, word, strlen(word));
}

/* Read the metadata nodes, such as "!7 = !DILocation(line: 3, column: 2, scope: !5, inlinedAt:
 * !6)". */
static void read_nodes(struct arena *a, const char *ir, size_t len, struct nodes *nodes)
{
	const char *at = ir, *end = ir + len;
	struct text_line l;
	unsigned long most = 0;

	while (text_next_line(&at, end, &l))
		if (text_line_begins(&l, "!") && l.len > 1 && strtoul(l.at + 1, NULL, 10) > most)
			most = strtoul(l.at + 1, NULL, 10);
	nodes->n = most < NODES_MOST ? most + 1 : 0;
	nodes->items = arena_alloc(a, (nodes->n + 1) * sizeof(*nodes->items));
	memset(nodes->items, 0, nodes->n * sizeof(*nodes->items));
	for (at = ir; text_next_line(&at, end, &l);) {
		size_t i = text_line_begins(&l, "!") ? strtoul(l.at + 1, NULL, 10) : 0;

		if (!text_line_begins(&l, "!") || i >= nodes->n)
			continue;
		nodes->items[i] = (struct node){
			.line = number_behind(&l, "line: "),
			.column = number_behind(&l, "column: "),
			.scope = number_behind(&l, "scope: !"),
			.file = number_behind(&l, "file: !"),
			.inlined_at = number_behind(&l, "inlinedAt: !"),
			.is_location = has(&l, "!DILocation("),
			.is_script = has(&l, "!DIFile(") && has(&l, ", source: \""),
		};
	}
}

/* The location in the script, of the call if the instruction was inlined; NULL: none. */
static const struct node *location_of(const struct nodes *nodes, const struct text_line *l)
{
	uint32_t at = number_behind(l, "!dbg !");
	const struct node *n;

	for (int i = 0; i < INLINED_MOST && at < nodes->n && nodes->items[at].inlined_at; i++)
		at = nodes->items[at].inlined_at;
	n = at < nodes->n ? &nodes->items[at] : NULL;
	if (!n || !n->is_location || n->scope >= nodes->n)
		return NULL;
	n = &nodes->items[n->scope];
	return n->file < nodes->n && nodes->items[n->file].is_script ? &nodes->items[at] : NULL;
}

/* The length of the line without attributes, as in "#1", and metadata. */
static size_t shown(const struct text_line *l)
{
	const char *cut = memmem(l->at, l->len, ", !", 3);
	size_t n = cut ? (size_t)(cut - l->at) : l->len;

	if (!cut && text_line_begins(l, "define ") && (cut = memmem(l->at, l->len, " !dbg", 5)))
		n = (size_t)(cut - l->at);
	while (n > 2 && l->at[n - 1] >= '0' && l->at[n - 1] <= '9' && l->at[n - 2] == '#')
		n -= 3;
	return n;
}

/* The helper that the line calls. A helper is called by its number: "call i64 inttoptr (i64 1 to
 * ptr)(…". NULL: no such call. */
static const char *helper_of(const struct text_line *l)
{
	uint32_t number = number_behind(l, " inttoptr (i64 ");

	return has(l, "call ") && has(l, " to ptr)(") ? helper_name(number) : NULL;
}

static void add_line(struct script_lines *t, const struct text_line *l, const struct node *at)
{
	const char *helper = helper_of(l);
	bool is_head = text_line_begins(l, "define ");

	script_lines_add_at(t, at ? at->line : 0, at ? at->column : 0,
			    arena_printf(t->arena, "%.*s%s%s%s", (int)shown(l), l->at,
					 is_head ? " {" : "", helper ? " ; bpf_" : "",
					 helper ? helper : ""));
}

void ir_lines_add(struct script_lines *t, const char *ir, size_t len)
{
	const char *at = ir, *end = ir + len;
	struct nodes nodes;
	const struct node *place = NULL;
	struct text_line l;
	bool is_inside = false;

	read_nodes(t->arena, ir, len, &nodes);
	while (text_next_line(&at, end, &l)) {
		if (text_line_begins(&l, "define ")) {
			if (t->lines.n)
				script_lines_add(t, 0, "%s", "");
			is_inside = true;
			place = NULL;
		}
		if (!is_inside)
			continue;
		if (text_line_begins(&l, "}"))
			is_inside = false;
		if (text_line_begins(&l, "  "))
			place = location_of(&nodes, &l) ?: place;
		add_line(t, &l, text_line_begins(&l, "  ") ? place : NULL);
	}
}
