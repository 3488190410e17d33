/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unwind table of an ELF file: see table.h. Finds the code and the sections of call frame
 * information; without section headers, .eh_frame through the program header of .eh_frame_hdr. The
 * file is read, never mapped, so it is safe if another process truncates it in the meantime.
 */
#include "runtime/unwind/table.h"
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/assembly.h"
#include "runtime/unwind/cfi.h"
#include "runtime/unwind/gaps.h"
#include "runtime/unwind/go.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/reader.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/runtimes.h"

enum {
	SEGMENTS_MAX = 256,
	CFI_MAX_BYTES = 128 << 20, /* libLLVM has 6 MB */
	CFI_FIRST_BYTES = 1 << 16, /* first read of an .eh_frame of unknown size */
	CFI_INFLATED_RATIO = 32,
};

/* A file while its table is made. */
struct source {
	struct elf_file f;
	struct cfi cfi;
	struct go_table go;
	struct gaps gaps;
	struct unwind_run_code runs;
	uint8_t *eh_frame, *debug_frame, *gopclntab;
};

/* ---- headers ------------------------------------------------------------------------------- */

static int read_segments(struct elf_file *f, struct unwind_table *out)
{
	GElf_Phdr h;

	out->segments = calloc(SEGMENTS_MAX, sizeof(*out->segments));
	if (!out->segments)
		return -ENOMEM;
	for (size_t i = 0; elfsym_header(f, i, &h); i++) {
		if (h.p_type != PT_LOAD || !(h.p_flags & PF_X) || h.p_offset >= f->size)
			continue;
		if (h.p_filesz > f->size - h.p_offset)
			h.p_filesz = f->size - h.p_offset;
		if (!h.p_filesz || h.p_vaddr > INT64_MAX - h.p_filesz)
			continue;
		if (out->n_segments == SEGMENTS_MAX)
			return -EFBIG;
		out->segments[out->n_segments++] =
			(struct unwind_segment){h.p_vaddr, h.p_offset, h.p_filesz};
	}
	if (out->n_segments)
		qsort(out->segments, out->n_segments, sizeof(*out->segments), vec_compare_u64);
	return 0;
}

static const struct section *find_gopclntab(const struct elf_file *f)
{
	return elfsym_section(f, ".gopclntab") ?: elfsym_section(f, ".data.rel.ro.gopclntab");
}

/* ---- sections ------------------------------------------------------------------------------ */

/* Read `n` bytes of the file, or fewer at its end, into a new buffer. Returns 0 or -errno. */
static int read_bytes(const struct elf_file *f, uint64_t offset, uint64_t n, uint8_t **out,
		      size_t *n_out)
{
	if (offset >= f->size)
		n = 0;
	else if (n > f->size - offset)
		n = f->size - offset;
	if (n > CFI_MAX_BYTES)
		return -EFBIG;
	*out = malloc(n + 1);
	if (!*out)
		return -ENOMEM;
	*n_out = elfsym_read_at(f->fd, *out, n, offset);
	return 0;
}

/* The contents of a compressed section, which live as long as the file is open. A section that
 * libelf cannot decompress, or that claims to be too large, is empty. */
static void inflate_section(const struct elf_file *f, const struct section *section,
			    struct cfi_section *out)
{
	Elf_Scn *scn = elf_getscn(f->elf, (size_t)(section - f->sections));
	const Elf_Data *data;
	GElf_Chdr h;

	if (section->size > CFI_MAX_BYTES || !gelf_getchdr(scn, &h) || h.ch_size > CFI_MAX_BYTES ||
	    h.ch_size / CFI_INFLATED_RATIO > section->size || elf_compress(scn, 0, 0) != 1)
		return;
	data = elf_getdata(scn, NULL);
	if (data) {
		out->bytes = data->d_buf;
		out->n = data->d_size;
	}
}

static int add_section(struct source *s, const struct section *section, bool is_debug,
		       uint8_t **bytes)
{
	struct cfi_section cfi = {.address = section->address, .is_debug = is_debug};
	int err = 0;

	if (section->flags & SHF_COMPRESSED) {
		inflate_section(&s->f, section, &cfi);
	} else {
		err = read_bytes(&s->f, section->offset, section->size, bytes, &cfi.n);
		cfi.bytes = *bytes;
	}
	return err ? err : cfi_add_section(&s->cfi, &cfi);
}

/* ---- .eh_frame without section headers ------------------------------------------------------ */

/* Find the address of .eh_frame, which .eh_frame_hdr holds. */
static bool find_eh_frame(struct elf_file *f, uint64_t *address)
{
	uint8_t bytes[12], encoding;
	struct reader r;
	GElf_Phdr h;

	for (size_t i = 0; elfsym_header(f, i, &h); i++) {
		if (h.p_type != PT_GNU_EH_FRAME)
			continue;
		r = (struct reader){bytes, bytes, false};
		r.end += elfsym_read_at(f->fd, bytes, sizeof(bytes), h.p_offset);
		if (reader_u8(&r) != 1)
			return false;
		encoding = reader_u8(&r);
		reader_u16(&r); /* encodings of the search table */
		*address = reader_pointer(&r, encoding, f->is_64 ? 8 : 4);
		if ((encoding & POINTER_BASE) == DW_EH_PE_pcrel)
			*address += h.p_vaddr + 4;
		else if (encoding & POINTER_BASE)
			return false;
		return !r.failed && !(encoding & DW_EH_PE_indirect);
	}
	return false;
}

/* The offset of the length 0 that ends the section; or of the first record that is not complete
 * within the bytes. */
static uint64_t find_end(const uint8_t *bytes, size_t n)
{
	uint64_t at = 0, length, head;
	uint32_t word;

	while (at + sizeof(word) <= n) {
		memcpy(&word, bytes + at, sizeof(word));
		length = word;
		head = sizeof(word);
		if (word == UINT32_MAX) {
			head += sizeof(length);
			if (at + head > n)
				return n;
			memcpy(&length, bytes + at + sizeof(word), sizeof(length));
		}
		if (!length)
			return at;
		if (length > CFI_MAX_BYTES)
			break; /* invalid: the decoder stops there, too */
		at += head + length;
	}
	return at;
}

/* Add .eh_frame, which ends with a length of 0: read more and more until that is found. */
static int add_eh_frame(struct source *s)
{
	uint64_t address, offset, most, want = CFI_FIRST_BYTES, end;
	struct cfi_section cfi = {0};
	int err;

	if (!find_eh_frame(&s->f, &address) || !elfsym_find_offset(&s->f, address, &offset, &most))
		return 0;
	for (;;) {
		want = want < most ? want : most;
		free(s->eh_frame);
		s->eh_frame = NULL;
		err = read_bytes(&s->f, offset, want, &s->eh_frame, &cfi.n);
		if (err)
			return err;
		end = find_end(s->eh_frame, cfi.n);
		if (end + sizeof(uint32_t) <= cfi.n || cfi.n < want || want == most)
			break;
		want *= 4;
	}
	if (end < cfi.n)
		cfi.n = end;
	cfi.bytes = s->eh_frame;
	cfi.address = address;
	return cfi_add_section(&s->cfi, &cfi);
}

/* ---- Go ------------------------------------------------------------------------------------ */

static size_t read_code(void *file, uint64_t address, uint8_t *out, size_t n)
{
	return elfsym_read_address(file, address, out, n);
}

/* The value that a relocation stores at an address, in a file linked to start at 0; 0: not
 * known. */
static int find_relative(const struct elf_file *f, uint32_t type, uint64_t address, uint64_t *out)
{
	const struct section *s = elfsym_section(f, ".rela.dyn");
	uint8_t *bytes = NULL;
	const Elf64_Rela *r;
	size_t n = 0;
	int err = s ? read_bytes(f, s->offset, s->size, &bytes, &n) : 0;

	*out = 0;
	r = (const void *)bytes;
	for (size_t i = 0; i < n / sizeof(*r) && !*out; i++)
		if (r[i].r_offset == address && ELF64_R_TYPE(r[i].r_info) == type)
			*out = (uint64_t)r[i].r_addend;
	free(bytes);
	return err;
}

/* In position-independent files that the C linker has linked, the table is somewhere in
 * .data.rel.ro, and the address of the code in it is a relocation. */
static int add_linked_go(struct source *s)
{
	const struct section *data = elfsym_section(&s->f, ".data.rel.ro");
	size_t n, at = 0;
	uint64_t text;
	int err;

	if (!data)
		return 0;
	err = read_bytes(&s->f, data->offset, data->size, &s->gopclntab, &n);
	if (err)
		return err;
	while (at < n && !go_is_table(s->gopclntab + at, n - at))
		at += 8;
	if (at >= n)
		return 0;
	err = find_relative(&s->f, s->cfi.machine->relative, data->address + at + GO_TEXT_AT,
			    &text);
	return err ? err : go_add_functions(&s->cfi, &s->go, s->gopclntab + at, n - at, text, text);
}

static int add_go(struct source *s)
{
	const struct section *section = find_gopclntab(&s->f);
	const struct section *text = elfsym_section(&s->f, ".text");
	size_t n;
	int err;

	s->go.read_code = read_code;
	s->go.file = &s->f;
	if (!section)
		return add_linked_go(s);
	if (!text || section->flags & SHF_COMPRESSED)
		return 0;
	err = read_bytes(&s->f, section->offset, section->size, &s->gopclntab, &n);
	return err ? err
		   : go_add_functions(&s->cfi, &s->go, s->gopclntab, n, text->address, s->f.entry);
}

/* ---- tables -------------------------------------------------------------------------------- */

static int add_sections(struct source *s, const struct unwind_table *t)
{
	const struct section *eh_frame = elfsym_section(&s->f, ".eh_frame"), *debug_frame;
	int err = eh_frame ? add_section(s, eh_frame, false, &s->eh_frame) : add_eh_frame(s);

	if (err)
		return err;
	if (t->is_go) /* Go's .debug_frame does not say where rbp is */
		return add_go(s);
	debug_frame = elfsym_section(&s->f, ".debug_frame");
	return debug_frame ? add_section(s, debug_frame, true, &s->debug_frame) : 0;
}

static int pack_rows(struct source *s, struct unwind_rules *rules, struct unwind_table *t)
{
	struct pack pack;
	int err = pack_begin(&pack);

	if (!err)
		err = cfi_pack_rows(&s->cfi, rules, &pack);
	if (!err)
		err = pack_end(&pack, pack.address, t);
	pack_free(&pack);
	t->n_refused = s->cfi.n_refused;
	t->is_partial = rules->n_refused || s->gaps.lacks_decoder;
	return err;
}

static int make_table(struct source *s, int fd, struct unwind_rules *rules, struct unwind_table *t)
{
	int err = elfsym_read_file(&s->f, fd);

	s->cfi.machine = err ? NULL : unwind_machine_of(s->f.machine);
	if (!err && (!s->cfi.machine || s->cfi.machine->word != (s->f.is_64 ? 8 : 4) ||
		     (s->f.kind != ET_EXEC && s->f.kind != ET_DYN)))
		err = -ENOEXEC;
	if (!err)
		err = read_segments(&s->f, t);
	if (err || !t->n_segments)
		return err;
	t->is_go = find_gopclntab(&s->f) || elfsym_section(&s->f, ".go.buildinfo");
	s->cfi.segments = t->segments;
	s->cfi.n_segments = t->n_segments;
	err = add_sections(s, t);
	if (!err)
		err = unwind_runtime_find(&s->f, &s->cfi, &s->runs);
	if (!err && s->f.machine == EM_X86_64 && s->f.is_64)
		err = unwind_runtime_find_v8(&s->f, &t->v8, &t->v8_unknown);
	s->cfi.runs = &s->runs;
	t->runtime = s->runs.runtime;
	t->runtime_variable = s->runs.variable;
	if (!err && !t->is_go) {
		gaps_begin(&s->gaps, &s->f, s->cfi.machine);
		s->cfi.gaps = &s->gaps;
		err = assembly_add(&s->cfi, &s->f);
	}
	return err ? err : pack_rows(s, rules, t);
}

int unwind_table_read(int fd, struct unwind_rules *rules, struct unwind_table *out)
{
	struct source s = {0};
	int err;

	*out = (struct unwind_table){0};
	unwind_rules_begin_file(rules);
	err = make_table(&s, fd, rules, out);
	free(s.eh_frame);
	free(s.debug_frame);
	free(s.gopclntab);
	cfi_free(&s.cfi);
	gaps_free(&s.gaps);
	elfsym_close_file(&s.f);
	if (err)
		unwind_table_free(out);
	return err;
}

void unwind_table_free(struct unwind_table *t)
{
	for (uint32_t i = 0; i < t->n_pieces; i++)
		free(t->pieces[i].words);
	free(t->pieces);
	free(t->segments);
	*t = (struct unwind_table){0};
}
