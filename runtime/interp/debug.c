/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads .BTF.ext: which line of the script an instruction comes from, and which instructions read a
 * field of a kernel struct. The interpreter has one such struct, task_struct. The files of
 * bpf_helpers declare it several times, each with only the fields that the file reads. Each
 * declaration has its own part of the thread's memory, in which fields have the offsets of that
 * declaration (task.c).
 */
#include "runtime/interp/interp_impl.h"
#include "runtime/interp/task_kinds.h"
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t length, func_at, func_len, line_at, line_len, core_at, core_len;
};

struct line {
	uint32_t at, file, text, line_column;
};

struct core {
	uint32_t at, type, access, kind;
};

struct info {
	struct interp *p;
	const struct btf *btf;
	const uint8_t *bytes, *end;
	int err;
};

static const struct code_section *section_named(const struct interp *p, const char *name)
{
	for (uint32_t i = 0; name && i < p->n_sections; i++)
		if (strcmp(p->sections[i].name, name) == 0)
			return &p->sections[i];
	return NULL;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* Add a line. Lines of bpf_helpers are left out, since they are not lines of the script. */
static void add_line(struct info *f, const struct code_section *code, const void *record)
{
	struct line l;
	const char *file;

	memcpy(&l, record, sizeof(l));
	file = btf__name_by_offset(f->btf, l.file);
	if (!file || ends_with(file, ".c") || !(l.line_column >> 10))
		return;
	f->p->lines[f->p->n_lines++] =
		(struct code_line){.at = code->first + l.at / (uint32_t)sizeof(struct bpf_insn),
				   .line = l.line_column >> 10,
				   .column = l.line_column & 0x3ff};
}

/* Move a field to the part of the thread's memory that its declaration has. */
static void move_field(struct info *f, const struct code_section *code, const void *record)
{
	struct core c;
	struct bpf_insn *insn;
	uint32_t by, at;

	memcpy(&c, record, sizeof(c));
	at = c.at / (uint32_t)sizeof(*insn);
	if (at >= code->n || c.kind != 0 /* BPF_CORE_FIELD_BYTE_OFFSET */)
		return;
	by = task_kind_offset(f->btf, c.type);
	insn = &f->p->insns[code->first + at];
	if (BPF_CLASS(insn->code) == BPF_LDX || BPF_CLASS(insn->code) == BPF_STX)
		insn->off = (int16_t)(insn->off + (int16_t)by);
	else
		insn->imm += (int32_t)by;
}

typedef void record_fn(struct info *f, const struct code_section *code, const void *record);

/* Call fn for each record of a table: of lines, or of relocations. A table has the size of a
 * record, then for each section its name, the number of records, and the records. */
static void each_record(struct info *f, uint32_t at, uint32_t len, size_t least, record_fn *fn)
{
	const uint8_t *b = f->bytes + at, *end = b + len;
	uint32_t size, head[2];

	if (len < sizeof(size) || end > f->end)
		return;
	memcpy(&size, b, sizeof(size));
	b += sizeof(size);
	while (size >= least && end - b > (ptrdiff_t)sizeof(head)) {
		const struct code_section *code;

		memcpy(head, b, sizeof(head));
		b += sizeof(head);
		code = section_named(f->p, btf__name_by_offset(f->btf, head[0]));
		for (uint32_t i = 0; i < head[1] && end - b >= (ptrdiff_t)size; i++, b += size)
			if (code)
				fn(f, code, b);
	}
}

static int by_instruction(const void *a, const void *b)
{
	const struct code_line *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

int interp_read_debug(struct interp *p, const void *btf, size_t btf_len, const void *ext,
		      size_t ext_len)
{
	struct header h;
	struct info f = {.p = p, .bytes = ext, .end = (const uint8_t *)ext + ext_len};
	struct btf *types;

	if (ext_len < sizeof(h))
		return 0;
	memcpy(&h, ext, sizeof(h));
	if (h.length > ext_len || (uint64_t)h.line_at + h.line_len + h.length > ext_len ||
	    (uint64_t)h.core_at + h.core_len + h.length > ext_len)
		return -EINVAL;
	types = btf__new(btf, (uint32_t)btf_len);
	p->lines = calloc(h.line_len / sizeof(struct line) + 1, sizeof(*p->lines));
	if (types && p->lines) {
		f.btf = types;
		each_record(&f, h.length + h.line_at, h.line_len, sizeof(struct line), add_line);
		each_record(&f, h.length + h.core_at, h.core_len, sizeof(struct core), move_field);
		qsort(p->lines, p->n_lines, sizeof(*p->lines), by_instruction);
	}
	btf__free(types);
	return types && p->lines ? 0 : -ENOMEM;
}

const struct code_line *interp_line_of(const struct interp *p, uint32_t at)
{
	const struct code_line *found = NULL;

	for (uint32_t i = 0; i < p->n_lines && p->lines[i].at <= at; i++)
		found = &p->lines[i];
	return found;
}
