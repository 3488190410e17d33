/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations in programs other than functions by name: addresses, offsets, lines of the source, and
 * functions in the libraries that a program loads.
 */
#include "parser/base/text.h"
#include "parser/attach/probe_user.h"
#include <stdlib.h>

static unsigned long long ull(uint64_t v)
{
	return v;
}

/* ---- offsets and addresses ----------------------------------------------------------------- */

/* A breakpoint in the middle of an instruction corrupts it, so the start of one must be known. */
static int check_instruction(struct user_matching *m, const struct user_symbol *f, uint64_t offset)
{
	struct kernel *k = m->r->kernel;
	struct diags *d = m->r->diags;
	const char *name = user_name(m->r, f->symbol);
	uint64_t before = 0;
	int err = k->user_instruction ? k->user_instruction(k, f, offset, &before) : 0;

	if (!err)
		return 0;
	if (err == -EINVAL) {
		diag_error(
			d, m->p->span, "bad-offset",
			"%s+%llu is in the middle of an instruction: a probe there would break it",
			name, ull(offset));
		return diag_hint(d, "that instruction begins at %s+%llu", name, ull(before));
	}
	diag_error(d, m->p->span, "bad-offset",
		   "cannot tell whether an instruction begins at %s+%llu: %s", name, ull(offset),
		   err == -ENOSYS	? "the library libZydis is not installed"
		   : err == -EOPNOTSUPP ? "it is not code for x86 or arm64"
					: strerror(-err));
	return diag_hint(d, "--unsafe probes it anyway; a wrong offset breaks the program");
}

int user_check_offset(struct user_matching *m, const struct user_symbol *f, uint64_t offset)
{
	struct diags *d = m->r->diags;

	if (m->r->kernel->any_place)
		return 0;
	if (f->size && offset >= f->size) {
		diag_error(d, m->p->span, "bad-offset",
			   "%s+%llu is not in the function, which has %llu bytes",
			   user_name(m->r, f->symbol), ull(offset), ull(f->size));
		return diag_hint(d, "the offset is that of an instruction in the function");
	}
	return check_instruction(m, f, offset);
}

static int read_address(struct user_matching *m, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	if (*end || errno) {
		diag_error(m->r->diags, m->p->span, "bad-offset", "'%s' is not an address", text);
		return diag_hint(m->r->diags,
				 "write PATH:0x1234, an address as `nm PATH` prints it");
	}
	return 0;
}

static int no_function_at(struct user_matching *m, const char *path, uint64_t address)
{
	struct diags *d = m->r->diags;

	diag_error(d, m->p->span, "bad-offset", "no function of %s is at address 0x%llx", path,
		   ull(address));
	return diag_hint(d, "addresses are those in the file, as `nm` prints them; --unsafe probes "
			    "any, a wrong one breaks the program");
}

/* With --unsafe: an address outside all functions. */
static int add_bare_place(struct user_matching *m, const char *path, uint64_t address,
			  uint64_t offset)
{
	struct arena *a = m->r->arena;
	struct user_symbol f = {.path = path, .symbol = "", .address = address};
	struct attach_target t = {.path = path, .offset = offset, .abi = user_abi(m, &f)};

	m->p->user.abi = t.abi;
	t.function = t.symbol = arena_printf(a, "0x%llx", ull(address));
	arena_push(a, m->p->targets, m->p->n_targets, t);
	m->p->function = t.function;
	m->p->name = arena_printf(a, "%s:%s:%s", probe_rows[m->p->id].name, path, t.function);
	return 0;
}

int user_at_address(struct user_matching *m, const char *path, const char *text)
{
	struct kernel *k = m->r->kernel;
	struct user_symbol f = {0};
	uint64_t address, offset;
	int err;

	if (read_address(m, text, &address))
		return -1;
	err = k->user_function_at ? k->user_function_at(k, path, address, &f) : -ENOSYS;
	if (err == -ESRCH && k->any_place)
		return add_bare_place(m, f.path, address, f.offset);
	if (err == -ESRCH || err == -EFAULT)
		return no_function_at(m, path, address);
	if (err)
		return user_no_binary(m, path, err);
	offset = address - f.address;
	if (probe_is_return(m->p) && offset) {
		diag_error(
			m->r->diags, m->p->span, "bad-offset",
			"0x%llx is inside of %s: a return probe takes the address of the function's first instruction",
			ull(address), user_name(m->r, f.symbol));
		return diag_hint(m->r->diags, "it begins at 0x%llx", ull(f.address));
	}
	if (offset && user_check_offset(m, &f, offset))
		return -1;
	if (user_add_function(m, &f, offset))
		return -1;
	m->p->function = m->p->targets[0].function;
	m->p->name = arena_printf(m->r->arena, "%s:%s:0x%llx", probe_rows[m->p->id].name, f.path,
				  ull(address));
	return 0;
}

/* ---- libraries of a program ---------------------------------------------------------------- */

static void offer_library(const char *path, void *ctx)
{
	struct user_matching *m = ctx;
	const char *name = text_base_name(path), *so = strstr(name, ".so");
	struct arena *a = m->r->arena;

	m->n_offered++;
	nearest_offer(&m->nearest, name);
	/* compare without the suffix, which most people omit, but suggest the whole name */
	if (so && nearest_offer(&m->nearest, arena_strndup(a, name, (size_t)(so - name))))
		m->nearest.best = arena_strdup(a, name);
}

const char *user_library_path(struct user_matching *m, const char *program, const char *library)
{
	struct kernel *k = m->r->kernel;
	const char *path = NULL;
	int err;

	nearest_init(&m->nearest, library);
	m->nearest.arena = m->r->arena;
	err = k->user_library ? k->user_library(k, program, library, &path, offer_library, m)
			      : -ENOSYS;
	if (!err)
		return path;
	if (err != -ESRCH) {
		user_no_binary(m, program, err);
		return NULL;
	}
	diag_error(m->r->diags, m->p->span, "no-library", "%s loads no library '%s'", program,
		   library);
	if (m->nearest.best)
		diag_hint(m->r->diags, "did you mean '%s'?", m->nearest.best);
	else if (!m->n_offered)
		diag_hint(m->r->diags, "it loads none: it is static");
	else
		diag_hint(m->r->diags, "`ldd %s` lists the libraries it loads", program);
	return NULL;
}

/* ---- lines of the source ------------------------------------------------------------------- */

static void add_line_place(const struct user_symbol *f, void *ctx)
{
	struct user_matching *m = ctx;
	struct arena *a = m->r->arena;
	const char *symbol = arena_strdup(a, f->symbol);

	m->p->user.abi = user_abi(m, f);
	arena_push(a, m->p->targets, m->p->n_targets,
		   ((struct attach_target){.function = user_name(m->r, symbol),
					   .symbol = symbol,
					   .path = f->path,
					   .offset = f->offset,
					   .abi = m->p->user.abi}));
}

static int no_line(struct user_matching *m, const char *path, const struct source_place *place,
		   uint32_t near, int err)
{
	const char *source = place->file;
	uint32_t line = place->line;
	struct diags *d = m->r->diags;

	switch (-err) {
	case ENODATA:
		diag_error(d, m->p->span, "no-source",
			   "%s has no debug information: its source lines "
			   "are not known",
			   path);
		return diag_hint(d, "build it with -g, or install its debug symbols");
	case ENOSYS:
		diag_error(d, m->p->span, "no-source",
			   "source lines require the library libdw, which is not installed");
		return diag_hint(d,
				 "install libdw1, or probe the function: uprobe:PROGRAM:FUNCTION");
	case ENOENT:
		diag_error(d, m->p->span, "no-source", "%s has no code from a file '%s'", path,
			   source);
		return diag_hint(
			d, "write the file's path as the compiler got it, or its last components");
	case ESRCH:
		diag_error(d, m->p->span, "no-source", "line %u of %s has no code", line, source);
		return near ? diag_hint(d, "line %u has", near) : -1;
	case ERANGE:
		diag_error(d, m->p->span, "no-source", "line %u of %s has no code at column %u",
			   line, source, place->column);
		return diag_hint(d, "column %u has", near);
	case EFBIG:
	case EPROTONOSUPPORT:
		diag_error(
			d, m->p->span, "no-source",
			err == -EFBIG
				? "the debug information of %s claims to be many times larger than the file"
				: "the debug information of %s is compressed by zstd, which libdw cannot read here",
			path);
		return diag_hint(d, "decompress it: objcopy --decompress-debug-sections");
	case EFAULT:
		diag_error(d, m->p->span, "no-source",
			   "line %u of %s is at an address where %s has no function", line, source,
			   path);
		return diag_hint(d, "the file is damaged, or its debug information is that of "
				    "another build");
	default: return user_no_binary(m, path, err);
	}
}

int user_at_line(struct user_matching *m, const char *path, const char *source, const char *text)
{
	struct kernel *k = m->r->kernel;
	struct source_place place = {.file = source,
				     .line = (uint32_t)strtoul(text, NULL, 10),
				     .column = m->column};
	struct attach_point *p = m->p;
	uint32_t near = 0;
	int err;

	if (pattern_is(path)) {
		diag_error(m->r->diags, p->span, "no-pattern",
			   "a source line belongs to one file: '%s' is a pattern", path);
		return diag_hint(m->r->diags, "write PATH@%s:%s, a probe for each file", source,
				 text);
	}
	if (probe_is_return(p)) {
		diag_error(m->r->diags, p->span, "bad-offset",
			   "uretprobe requires a function: a source line does not return");
		return diag_hint(m->r->diags, "write uprobe:%s@%s:%s", path, source, text);
	}
	err = k->each_user_line ? k->each_user_line(k, path, &place, add_line_place, m, &near)
				: -ENOSYS;
	if (err)
		return no_line(m, path, &place, near, err);
	p->user.is_at_line = true;
	p->function = p->targets[0].function;
	p->name = arena_printf(m->r->arena, "uprobe:%s@%s:%u", path, source, place.line);
	if (place.column)
		p->name = arena_printf(m->r->arena, "%s:%u", p->name, place.column);
	if (p->n_targets > 1)
		p->pattern = p->name;
	return 0;
}
