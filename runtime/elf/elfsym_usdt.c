/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT probes of an ELF file: see elfsym.h.
 *
 * A probe is a nop in the code and a note in section .note.stapsdt, which holds three addresses
 * (the nop, the link-time address of section .stapsdt.base, the semaphore or 0) and three strings.
 * If the sections have been moved since (prelink), all addresses moved by as much as .stapsdt.base.
 * Nothing in the file is trusted: offsets, counts and strings are checked where they are read.
 */
#include "runtime/elf/elfsym_impl.h"

enum {
	NOTES_MAX_BYTES = 64 << 20, /* per section */
	NOTE_USDT = 3,
};

static const char owner[] = "stapsdt";

struct notes {
	struct elfsym *e;
	const struct elf_file *f;
	uint64_t base; /* current address of .stapsdt.base, 0: none */
	elfsym_usdt_fn *fn;
	void *ctx;
};

static uint64_t read_word(const char *at, bool is_64)
{
	uint64_t word = 0;

	memcpy(&word, at, is_64 ? 8 : 4);
	return word;
}

/* The string at *at; *at is moved to its end. NULL if the string has no end. */
static const char *read_string(const char **at, const char *end)
{
	const char *s = *at, *nul = s < end ? memchr(s, '\0', (size_t)(end - s)) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? s : NULL;
}

static void read_note(const struct notes *n, const char *desc, size_t size)
{
	bool is_64 = n->f->is_64;
	size_t word = is_64 ? 8 : 4;
	const char *at = desc + 3 * word, *end = desc + size;
	struct elfsym_usdt u = {0};
	uint64_t moved, semaphore;

	if (size < 3 * word)
		return;
	moved = n->base ? n->base - read_word(desc + word, is_64) : 0;
	u.vaddr = read_word(desc, is_64) + moved;
	semaphore = read_word(desc + 2 * word, is_64);
	u.provider = read_string(&at, end);
	u.name = read_string(&at, end);
	u.args = read_string(&at, end);
	if (!u.provider || !u.name || !*u.provider || !*u.name)
		return;
	if (!u.args) /* the first version of notes had no arguments */
		u.args = "";
	if (!is_64)
		u.vaddr = (uint32_t)u.vaddr;
	if (!elfsym_to_file(n->e, u.vaddr, true, &u.file_offset))
		return;
	if (semaphore && !is_64)
		semaphore = (uint32_t)(semaphore + moved);
	else if (semaphore)
		semaphore += moved;
	if (semaphore && !elfsym_to_file(n->e, semaphore, false, &u.semaphore))
		return; /* a probe that cannot be enabled */
	n->fn(&u, n->ctx);
}

static void read_notes(const struct notes *n, const struct section *s)
{
	uint64_t left = s->offset < n->f->size ? n->f->size - s->offset : 0;
	size_t size = s->size < left ? s->size : left, at = 0, name, desc;
	Elf_Data *data;
	GElf_Nhdr h;

	if (!size || size > NOTES_MAX_BYTES)
		return;
	data = elf_getdata_rawchunk(n->f->elf, (int64_t)s->offset, size, ELF_T_NHDR);
	while (data && (at = gelf_getnote(data, at, &h, &name, &desc)) > 0) {
		const char *raw = data->d_buf;

		if (h.n_type == NOTE_USDT && h.n_namesz == sizeof(owner) &&
		    memcmp(raw + name, owner, sizeof(owner)) == 0)
			read_note(n, raw + desc, h.n_descsz);
	}
}

int elfsym_each_usdt(struct elfsym *e, elfsym_usdt_fn *fn, void *ctx)
{
	struct elf_file f;
	struct notes n = {.e = e, .f = &f, .fn = fn, .ctx = ctx};
	const struct section *base, *notes;
	int err = elfsym_read_file(&f, e->fd);

	if (!err) {
		base = elfsym_section(&f, ".stapsdt.base");
		n.base = base ? base->address : 0;
		notes = elfsym_section(&f, ".note.stapsdt");
		if (notes)
			read_notes(&n, notes);
	}
	elfsym_close_file(&f);
	return err;
}
