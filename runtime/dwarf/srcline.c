/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF line tables, read with libdw: see names.h.
 */
#include "runtime/elf/names.h"
#include "runtime/dwarf/libdw.h"

struct search {
	struct libdw dw;
	const struct source_place *place;
	uint32_t near_line, near_column;
	bool has_file, has_unit, is_found;
	srcline_fn *fn;
	void *ctx;
};

/* Is `file` the file that the script calls `source`? "src/a.c" means any file ".../src/a.c". */
static bool is_source(const char *file, const char *source)
{
	size_t len = strlen(file), source_len = strlen(source);

	if (len < source_len || strcmp(file + len - source_len, source) != 0)
		return false;
	return len == source_len || file[len - source_len - 1] == '/' || source[0] == '/';
}

static void note_near_line(struct search *s, uint32_t line)
{
	if (line > s->place->line && (!s->near_line || line < s->near_line))
		s->near_line = line;
}

static void note_near_column(struct search *s, uint32_t column)
{
	int64_t wanted = s->place->column;

	if (!s->near_column ||
	    llabs((int64_t)column - wanted) < llabs((int64_t)s->near_column - wanted))
		s->near_column = column;
}

/* Look at one row of a table. `continues`: the row before belongs to the place. Returns whether
 * this row does. */
static bool visit_row(struct search *s, Dwarf_Line *row, bool continues)
{
	const char *file = s->dw.dwarf_linesrc(row, NULL, NULL);
	bool is_statement = false, is_end = false;
	int line, column = 0;
	Dwarf_Addr address;

	if (!file || !is_source(file, s->place->file) || s->dw.dwarf_lineno(row, &line) ||
	    s->dw.dwarf_lineaddr(row, &address) ||
	    s->dw.dwarf_linebeginstatement(row, &is_statement) ||
	    s->dw.dwarf_lineendsequence(row, &is_end))
		return false;
	s->has_file = true;
	if (is_end || line <= 0)
		return false;
	note_near_line(s, (uint32_t)line);
	if ((uint32_t)line != s->place->line)
		return false;
	if (s->place->column && !s->dw.dwarf_linecol(row, &column) && column > 0 && is_statement)
		note_near_column(s, (uint32_t)column);
	if (s->place->column && (uint32_t)column != s->place->column)
		return false;
	if (continues)
		return true;
	if (!is_statement)
		return false;
	s->is_found = true;
	s->fn(address, s->ctx);
	return true;
}

static void visit_unit(struct search *s, Dwarf_Die *unit)
{
	bool continues = false;
	Dwarf_Lines *rows;
	size_t n;

	if (s->dw.dwarf_getsrclines(unit, &rows, &n))
		return;
	s->has_unit = true;
	for (size_t i = 0; i < n; i++)
		continues = visit_row(s, s->dw.dwarf_onesrcline(rows, i), continues);
}

int srcline_each(int fd, const struct source_place *place, srcline_fn *fn, void *ctx,
		 uint32_t *near)
{
	struct search s = {.place = place, .fn = fn, .ctx = ctx};
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;
	Dwarf *d;
	int err = libdw_open(&s.dw, fd, &d);

	if (err)
		return err;
	for (; s.dw.dwarf_nextcu(d, at, &next, &head, NULL, NULL, NULL) == 0; at = next)
		if (s.dw.dwarf_offdie(d, at + head, &unit))
			visit_unit(&s, &unit);
	libdw_close(&s.dw, d);
	*near = s.near_column ? s.near_column : s.near_line;
	if (s.is_found)
		return 0;
	if (s.near_column)
		return -ERANGE;
	return s.has_file ? -ESRCH : s.has_unit ? -ENOENT : -ENODATA;
}
