/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines and inlined functions: see srcframe.h.
 *
 * The functions that are inlined at an address are found on the way from the function's DIE down to
 * the innermost DIE that holds the address. The line of the innermost frame comes from the line
 * table; the line of each other frame is where it calls the next inner one.
 *
 * libdw reads the debug sections into memory when it opens a file, and decodes the line table of a
 * unit into about 100 bytes for a byte of its program. The sizes of both are limited; so is the
 * time that a file takes.
 */
#include "runtime/dwarf/srcframe_impl.h"
#include "runtime/base/clock.h"
#include "runtime/elf/demangle.h"
#include <dwarf.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 256,
	DIES_MAX = 1 << 20, /* DIEs of one function */
	LINE_BYTES_UNIT = 4 << 20,
	LINE_BYTES_FILE = 16 << 20,
};
#define FILE_MAX_BYTES (1ll << 30)
#define CALL_NS 5000000000ull  /* time of one lookup */
#define FILE_NS 20000000000ull /* time of all lookups in a file */

/* ---- opening ---- */

static void release_units(struct srcframes *s)
{
	for (size_t i = 0; i < s->units.n; i++)
		vec_free(&s->units.items[i].functions);
	vec_free(&s->units);
	vec_free(&s->ranges);
	s->is_read = false;
	s->line_bytes = 0;
	libdw_close(&s->dw, s->dwarf);
	s->dwarf = NULL;
}

struct srcframes *srcframes_open(int fd, int *err)
{
	struct srcframes *s = calloc(1, sizeof(*s));
	struct stat st;

	*err = s ? 0 : -ENOMEM;
	if (!*err && fstat(fd, &st))
		*err = -errno;
	if (!*err && st.st_size > FILE_MAX_BYTES)
		*err = -EFBIG;
	if (!*err)
		*err = libdw_open(&s->dw, fd, &s->dwarf);
	if (*err) {
		free(s);
		close(fd);
		return NULL;
	}
	s->fd = fd;
	s->file_bytes = (uint64_t)st.st_size;
	return s;
}

void srcframes_close(struct srcframes *s)
{
	if (!s)
		return;
	release_units(s);
	close(s->fd);
	free(s);
}

bool srcframes_is_slow(const struct srcframes *s)
{
	return s->is_slow;
}

size_t srcframes_bytes(const struct srcframes *s)
{
	return s->file_bytes + 12 * s->line_bytes;
}

/* ---- lines ---- */

/* The bytes of the unit's line program; UINT64_MAX if that cannot be told. */
static uint64_t line_program_bytes(const struct srcframes *s, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	Dwarf_Word at;

	if (!s->dw.dwarf_attr(unit, DW_AT_stmt_list, &a) || s->dw.dwarf_formudata(&a, &at))
		return UINT64_MAX;
	return libdw_line_program_bytes(&s->dw, s->dwarf, at);
}

/* May the line table of the unit be decoded? If all decoded tables together are too large, they are
 * freed first. */
static bool may_decode(struct srcframes *s, struct src_unit **u, Dwarf_Die *unit, uint64_t vaddr)
{
	uint64_t bytes = (*u)->has_lines ? 0 : line_program_bytes(s, unit);
	Dwarf_Off at = (*u)->at;

	if (bytes > LINE_BYTES_UNIT)
		return false;
	if (s->line_bytes + bytes > LINE_BYTES_FILE) {
		release_units(s);
		if (libdw_open(&s->dw, s->fd, &s->dwarf))
			return false;
		*u = src_unit_at(s, vaddr);
		if (!*u || (*u)->at != at || !s->dw.dwarf_offdie(s->dwarf, at, unit))
			return false;
	}
	s->line_bytes += bytes;
	(*u)->has_lines = true;
	return true;
}

static void find_line(const struct srcframes *s, Dwarf_Die *unit, uint64_t vaddr,
		      struct srcframe *out)
{
	Dwarf_Line *row = s->dw.dwarf_getsrc_die(unit, vaddr);
	int line = 0;

	if (!row || s->dw.dwarf_lineno(row, &line) || line <= 0)
		return;
	out->file = s->dw.dwarf_linesrc(row, NULL, NULL);
	out->line = (uint32_t)line;
}

/* ---- inlined functions ---- */

/* The name of a function; `buffer` is for a name that has to be demangled. */
static const char *function_name(struct srcframes *s, Dwarf_Die *die, char *buffer, size_t size)
{
	Dwarf_Attribute a;
	const char *mangled = NULL;

	if (s->dw.dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
	    s->dw.dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		mangled = s->dw.dwarf_formstring(&a);
	if (mangled && demangle_shown(mangled, buffer, size))
		return buffer;
	if (mangled && !demangle_is_shown())
		return mangled;
	if (!s->dw.dwarf_attr_integrate(die, DW_AT_name, &a))
		return NULL;
	return s->dw.dwarf_formstring(&a);
}

struct walk {
	struct srcframes *s;
	uint64_t vaddr;
	uint32_t n_dies;
	Dwarf_Die inlined[SRCFRAMES_MAX]; /* the outermost first */
	size_t n;
};

static bool is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* Go down one level from a function's DIE. A block without addresses may contain blocks that have
 * some. */
static bool descend(struct walk *w, Dwarf_Die *parent, Dwarf_Die *next)
{
	const struct libdw *dw = &w->s->dw;
	int more = dw->dwarf_child(parent, next);

	for (; more == 0; more = dw->dwarf_siblingof(next, next)) {
		if (w->n_dies++ == DIES_MAX || (w->n_dies % 1024 == 0 && src_is_late(w->s)))
			return false;
		if (is_scope(dw->dwarf_tag(next)) && dw->dwarf_haspc(next, w->vaddr) > 0)
			return true;
	}
	return false;
}

static void find_inlined(struct walk *w, Dwarf_Die *function)
{
	Dwarf_Die here = *function, next;

	for (int depth = 0; depth < DEPTH_MAX && descend(w, &here, &next); depth++) {
		here = next;
		if (w->s->dw.dwarf_tag(&here) != DW_TAG_inlined_subroutine)
			continue;
		if (w->n == SRCFRAMES_MAX - 1)
			return;
		w->inlined[w->n++] = here;
	}
}

static uint64_t number(const struct libdw *dw, Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	return dw->dwarf_attr(die, attribute, &a) && !dw->dwarf_formudata(&a, &value) ? value : 0;
}

/* Find the place where the inlined function is called. */
static void find_call(const struct srcframes *s, Dwarf_Die *unit, Dwarf_Die *inlined,
		      struct srcframe *out)
{
	uint64_t line = number(&s->dw, inlined, DW_AT_call_line);
	Dwarf_Files *files;
	size_t n;

	if (!line || line > UINT32_MAX || s->dw.dwarf_getsrcfiles(unit, &files, &n))
		return;
	out->file =
		s->dw.dwarf_filesrc(files, number(&s->dw, inlined, DW_AT_call_file), NULL, NULL);
	out->line = (uint32_t)line;
}

static size_t frames_at(struct srcframes *s, uint64_t vaddr, struct srcframe out[SRCFRAMES_MAX])
{
	struct src_unit *u = src_unit_at(s, vaddr);
	struct walk w = {.s = s, .vaddr = vaddr};
	Dwarf_Die unit, function;

	if (!u || !s->dw.dwarf_offdie(s->dwarf, u->at, &unit) || !may_decode(s, &u, &unit, vaddr))
		return 0;
	if (src_function_at(s, u, vaddr, &function))
		find_inlined(&w, &function);
	memset(out, 0, SRCFRAMES_MAX * sizeof(*out));
	find_line(s, &unit, vaddr, &out[0]);
	for (size_t i = 0; i < w.n; i++) {
		Dwarf_Die *inlined = &w.inlined[w.n - 1 - i];

		out[i].function = function_name(s, inlined, s->names[i], sizeof(s->names[i]));
		if (!out[i].function)
			out[i].function = "?";
		find_call(s, &unit, inlined, &out[i + 1]);
	}
	return w.n || out[0].file ? w.n + 1 : 0;
}

size_t srcframes_at(struct srcframes *s, uint64_t vaddr, struct srcframe out[SRCFRAMES_MAX])
{
	uint64_t start_ns = monotonic_ns();
	size_t n;

	if (s->is_slow || !s->dwarf)
		return 0;
	s->deadline_ns = start_ns + CALL_NS;
	n = frames_at(s, vaddr, out);
	s->is_slow = src_is_late(s);
	s->spent_ns += monotonic_ns() - start_ns;
	s->is_slow |= s->spent_ns > FILE_NS;
	return s->is_slow ? 0 : n;
}
