/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpreters in files: see runtimes.h.
 *
 * CPython is known by symbols that it exports, stripped or not: the program may have any name, and
 * many embed it. The version comes from the variable Py_Version. In the row of that version, the
 * size of code objects must be that which PyCode_Type states, and from 3.13 on, most offsets must
 * be those in the table that _PyRuntime begins with. Each walk checks that it has found the state
 * of its thread.
 *
 * Before 3.11, there is no Py_Version: the sizes of code objects and of frames tell the row, and
 * the function must compute the address of a frame's variables as the row says. It does so once,
 * before it runs the first instruction of Python, and GCC keeps that address in a slot of the C
 * frame (fastlocals): this tells which frame of Python it runs.
 */
#include "runtime/unwind/runtimes.h"
#include "runtime/base/vec.h"
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/cfi.h"
#include "runtime/unwind/reader.h"
#include <unistd.h>

static const struct unwind_layout layouts[] = {
#define RUNTIME(id, name, version, ...) [UNWIND_##id] = {__VA_ARGS__},
#include "bpf_helpers/runtimes.def"
};

static const uint32_t versions[] = {
#define RUNTIME(id, name, version, ...) [UNWIND_##id] = version,
#include "bpf_helpers/runtimes.def"
};

enum {
	CODE_MOST = 1 << 20, /* bytes of the function; 3.13 has 60 KB */
	JUMPS_LEAST = 8,     /* from the function to its part; 307 in Debian's 3.11 */
	TYPE_SIZE = 32,	     /* tp_basicsize in struct _typeobject */
	SLOT_WITHIN = 1024,  /* bytes of the function in which it stores that address first */
	SLOT_SOON = 64,	     /* ... so soon after it has computed it */
	DWARF_RSP = 7,
};

enum unwind_runtime unwind_runtime_row(uint32_t kind, uint32_t version,
				       const struct unwind_layout **out)
{
	for (uint32_t i = 1; i < UNWIND_RUNTIME_COUNT; i++) {
		*out = &layouts[i];
		if (versions[i] == version && layouts[i].kind == kind)
			return (enum unwind_runtime)i;
	}
	return UNWIND_NO_RUNTIME;
}

/* ---- the version ---------------------------------------------------------------------------- */

static uint64_t read_word(const struct elf_file *f, uint64_t address)
{
	uint64_t word = 0;

	return elfsym_read_address(f, address, &word, sizeof(word)) == sizeof(word) ? word : 0;
}

/* The table that _PyRuntime begins with, from 3.13 on: does it agree with the row? */
static bool agrees_with_table(const struct elf_file *f, uint64_t runtime,
			      const struct unwind_layout *l)
{
	uint64_t thread = runtime + l->table[0], frame = runtime + l->table[1],
		 code = runtime + l->table[2];
	const struct {
		uint64_t at, offset;
	} rows[] = {
		{thread + 32, l->thread_frame}, {thread + 40, l->thread_id},
		{frame + 8, l->frame_previous}, {frame + 16, l->frame_code},
		{frame + 24, l->frame_at},	{frame + 40, l->frame_end},
		{code + 8, l->code_file},	{code + 24, l->code_name},
		{code + 32, l->code_lines},	{code + 40, l->code_line},
	};
	char cookie[8] = {0};
	bool agrees;

	elfsym_read_address(f, runtime, cookie, sizeof(cookie));
	/* the third word: are there threads without a global lock? */
	agrees = !memcmp(cookie, "xdebugpy", sizeof(cookie)) && !read_word(f, runtime + 16);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		agrees &= read_word(f, rows[i].at) == rows[i].offset;
	return agrees;
}

static enum unwind_runtime find_older(const struct elf_file *f, struct elfsym *e, uint64_t type)
{
	uint64_t frame_type, size, n_code = read_word(f, type + TYPE_SIZE), n_frame;

	if (elfsym_object(e, "PyFrame_Type", &frame_type, &size))
		return UNWIND_NO_RUNTIME;
	n_frame = read_word(f, frame_type + TYPE_SIZE);
	for (uint32_t i = 1; i < UNWIND_RUNTIME_COUNT; i++)
		if (layouts[i].frame_locals && layouts[i].code_bytes == n_code &&
		    layouts[i].frame_locals + 8u == n_frame) /* one variable is part of it */
			return (enum unwind_runtime)i;
	return UNWIND_NO_RUNTIME;
}

static enum unwind_runtime find_version(const struct elf_file *f, struct elfsym *e)
{
	uint64_t at, size, runtime, type;
	const struct unwind_layout *l;
	enum unwind_runtime found;

	if (elfsym_object(e, "_PyRuntime", &runtime, &size) ||
	    elfsym_object(e, "PyCode_Type", &type, &size))
		return UNWIND_NO_RUNTIME;
	if (elfsym_object(e, "Py_Version", &at, &size))
		return find_older(f, e, type);
	found = unwind_runtime_row(UNWIND_CPYTHON, (uint32_t)read_word(f, at) >> 16, &l);
	if (found && read_word(f, type + TYPE_SIZE) == l->code_bytes &&
	    (!l->table[0] || agrees_with_table(f, runtime, l)))
		return found;
	return UNWIND_NO_RUNTIME;
}

/* ---- where it keeps its frame, before 3.11 -------------------------------------------------- */

struct slot {
	int64_t disp;	/* from rsp */
	size_t after;	/* the first instruction that sets it: offset of its end; 0: none */
	bool is_reused; /* something else is stored there, too */
};

static int reg_of(const uint8_t *insn)
{
	return (insn[2] >> 3 & 7) | (insn[0] & 4) << 1;
}

/* The length of an instruction that stores a register of 64 bits at rsp + *disp; 0: it is another
 * one. */
static size_t store_at_sp(const uint8_t *insn, int64_t *disp)
{
	int32_t far;

	if ((insn[0] & 0xfb) != 0x48 || insn[1] != 0x89 || insn[3] != 0x24)
		return 0;
	memcpy(&far, insn + 4, sizeof(far));
	*disp = insn[2] >> 6 == 1 ? (int8_t)insn[4] : far;
	return (insn[2] & 0xc7) == 0x44 ? 5 : (insn[2] & 0xc7) == 0x84 ? 8 : 0;
}

/* Find the slot in which the function stores the address of a frame's variables, soon after `lea`
 * has computed it. A path of its own, such as one for debuggers, may do the same again. */
static struct slot scan(const uint8_t *code, size_t n, uint32_t locals)
{
	size_t length, computed = 0;
	struct slot s = {0};
	int64_t disp;
	int reg = -1;

	for (size_t i = 0; i + 8 <= n && (s.after || i < SLOT_WITHIN); i++) {
		uint32_t offset;
		bool is_address;

		memcpy(&offset, code + i + 3, sizeof(offset));
		if ((code[i] & 0xf8) == 0x48 && code[i + 1] == 0x8d && code[i + 2] >> 6 == 2 &&
		    (code[i + 2] & 7) != 4 && offset == locals) {
			reg = reg_of(code + i);
			computed = i;
		}
		length = store_at_sp(code + i, &disp);
		is_address = length && reg == reg_of(code + i) && i - computed < SLOT_SOON;
		if (is_address && !s.after)
			s = (struct slot){disp, i + length, false};
		else if (length && s.after && disp == s.disp && !is_address)
			s.is_reused = true;
	}
	return s;
}

/* Set the slot and `from`; a function that keeps the address elsewhere is no interpreter here. */
static void find_slot(const struct cfi *c, const uint8_t *code, size_t n,
		      struct unwind_run_code *out)
{
	uint64_t start = out->parts[0].start;
	struct slot s = scan(code, n, layouts[out->runtime].frame_locals);
	struct cfi_state state = {0};

	out->from = start + s.after;
	for (size_t i = 0; s.after && i < c->fdes.n; i++) {
		const struct cfi_fde *fde = &c->fdes.items[i];
		const struct cfi_cie *cie = fde->cie == CFI_GO ? NULL : &c->cies.items[fde->cie];

		if (cie && c->segments[0].address + fde->start == start &&
		    cfi_state_at(cie, cie->section.bytes + fde->program, fde->n_program, start,
				 out->from, &state))
			break;
	}
	if (state.cfa == CFI_CFA_REGISTER && state.number == DWARF_RSP && !s.is_reused)
		out->variable = (uint64_t)(state.offset - s.disp);
	if (!out->variable || out->variable % 8 || out->variable >= UNWIND_SLOT_MOST)
		out->runtime = UNWIND_NO_RUNTIME;
}

/* ---- its code ------------------------------------------------------------------------------- */

/* A function that begins with a frame, which no function does: it may be a part of another one. */
struct part {
	uint64_t start, end;
	uint32_t n_jumps; /* into it */
};

struct part_list {
	VEC(struct part);
};

/* Do the instructions set the CFA before they advance to another address? */
static bool begins_with_frame(const struct cfi *c, const struct cfi_fde *fde)
{
	const uint8_t *at = c->cies.items[fde->cie].section.bytes + fde->program;
	struct reader r = {at, at + fde->n_program, false};

	while (!r.failed && reader_left(&r)) {
		uint8_t op = reader_u8(&r);

		if (op == 0x0c || op == 0x0d || op == 0x0e) /* DW_CFA_def_cfa… */
			return true;
		if (op >> 6 != 2) /* DW_CFA_offset */
			return false;
		reader_uleb(&r);
	}
	return false;
}

static int list_parts(const struct cfi *c, struct part_list *out)
{
	int err = 0;

	for (size_t i = 0; i < c->fdes.n && !err; i++) {
		const struct cfi_fde *fde = &c->fdes.items[i];
		struct part p = {.start = c->segments[0].address + fde->start};

		p.end = p.start + fde->bytes;
		if (fde->cie != CFI_GO && begins_with_frame(c, fde))
			err = vec_push(out, p);
	}
	vec_sort(out);
	return err;
}

static void count_jump(struct part_list *parts, uint64_t target)
{
	size_t i = vec_bound(parts, item->start <= target);

	if (i && target < parts->items[i - 1].end)
		parts->items[i - 1].n_jumps++;
}

/* Relative jumps, conditional or not, in `code`, which is at `address`. Bytes that only look like
 * one are few. */
static void count_jumps(struct part_list *parts, const uint8_t *code, size_t n, uint64_t address)
{
	int32_t distance;

	for (size_t i = 0; i + 6 <= n; i++) {
		size_t at = code[i] == 0xe9			       ? i + 1
			    : code[i] == 0x0f && code[i + 1] >> 4 == 8 ? i + 2
								       : 0;

		if (!at)
			continue;
		memcpy(&distance, code + at, sizeof(distance));
		count_jump(parts, address + at + sizeof(distance) + (uint64_t)(int64_t)distance);
	}
}

void unwind_run_code_add(struct unwind_run_code *out, uint64_t start, uint64_t end)
{
	if (out->n_parts == UNWIND_RUN_PARTS)
		return;
	out->parts[out->n_parts].start = start;
	out->parts[out->n_parts++].end = end;
}

/* Compilers move code that is seldom executed away from its function, and such a part has no symbol
 * in a stripped file. */
static int find_parts(const struct elf_file *f, const struct cfi *c, struct unwind_run_code *out)
{
	uint64_t start = out->parts[0].start, n = out->parts[0].end - start;
	struct part_list parts = {0};
	uint8_t *code = n < CODE_MOST ? malloc(n + 1) : NULL;
	int err = n < CODE_MOST && !code ? -ENOMEM : list_parts(c, &parts);

	if (err || !code || elfsym_read_address(f, start, code, n) != n)
		n = 0;
	count_jumps(&parts, code, n, start);
	if (layouts[out->runtime].frame_locals)
		find_slot(c, code, n, out);
	for (size_t i = 0; i < parts.n && !err; i++)
		if (parts.items[i].n_jumps >= JUMPS_LEAST)
			unwind_run_code_add(out, parts.items[i].start, parts.items[i].end);
	if (!out->runtime)
		out->n_parts = 0; /* its rows have no marks */
	free(code);
	vec_free(&parts);
	return err;
}

int unwind_runtime_symbols(const struct elf_file *f, struct elfsym **out)
{
	int err = 0, fd = dup(f->fd);

	*out = fd < 0 ? NULL : elfsym_open_fd(fd, "", &err);
	return err == -ENOMEM ? err : 0;
}

static int find_python(const struct elf_file *f, struct unwind_run_code *out)
{
	uint64_t at, offset, size = 0;
	struct elfsym *e;
	int err = unwind_runtime_symbols(f, &e);

	if (!e)
		return err;
	if (!elfsym_by_name(e, "_PyEval_EvalFrameDefault", &at, &offset, &size) && size)
		out->runtime = find_version(f, e);
	elfsym_close(e);
	if (out->runtime)
		unwind_run_code_add(out, at, at + size);
	return 0;
}

int unwind_runtime_find(const struct elf_file *f, const struct cfi *c, struct unwind_run_code *out)
{
	int err;

	*out = (struct unwind_run_code){0};
	if (f->machine != EM_X86_64 || !f->is_64)
		return 0;
	err = unwind_runtime_may_export(f, "_PyEval_EvalFrameDefault")
		      ? find_python(f, out)
		      : unwind_runtime_find_php(f, out);
	if (!err && !out->runtime)
		err = unwind_runtime_find_perl(f, out);
	return err || !out->runtime ? err : find_parts(f, c, out);
}

bool unwind_run_code_has(const struct unwind_run_code *r, uint64_t address)
{
	for (uint32_t i = 0; i < r->n_parts; i++)
		if (address - r->parts[i].start < r->parts[i].end - r->parts[i].start)
			return true;
	return false;
}
