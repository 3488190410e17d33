/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds stubs of the procedure linkage table: see elfsym.h. They have no symbols. Each stub jumps
 * to an address that it reads from a slot, and the relocation of that slot has the function's name.
 * The reads are searched for in the sections .plt*, so the layout of the stubs does not matter. The
 * table of stubs is made when an address without a symbol is looked up for the
 * first time.
 */
#include "runtime/elf/demangle.h"
#include "runtime/elf/elfsym_impl.h"

enum {
	RELOCATIONS_MAX = 1 << 20,
	SECTION_MAX_BYTES = 16 << 20,
	BLOCK_RELOCATIONS = 512,
};

/* What differs between machines. `find`: is a slot read by the code at `at` of `n` bytes, whose
 * start is at `address`? Sets *slot to the address of the slot and *start to the place of the
 * stub. */
struct machine {
	uint16_t id;
	uint32_t jump_slot, glob_dat; /* types of relocations */
	uint8_t stub_bytes, step;
	bool (*find)(const unsigned char *code, size_t at, size_t n, uint64_t address,
		     uint64_t *slot, size_t *start);
};

/* Where a relocation puts the address of a function. */
struct slot {
	uint64_t address;
	uint32_t symbol;
};

struct slots {
	VEC(struct slot);
};

static int read_relocations(const struct elf_file *f, const struct machine *m,
			    const struct section *s, struct slots *out)
{
	Elf64_Rela block[BLOCK_RELOCATIONS];
	uint64_t at = 0;
	size_t got;

	while (at < s->size && out->n < RELOCATIONS_MAX) {
		size_t want = s->size - at < sizeof(block) ? s->size - at : sizeof(block);

		got = elfsym_read_at(f->fd, block, want, s->offset + at);
		for (size_t i = 0; i < got / sizeof(block[0]); i++) {
			uint32_t type = ELF64_R_TYPE(block[i].r_info);
			struct slot slot = {block[i].r_offset, ELF64_R_SYM(block[i].r_info)};

			if ((type == m->jump_slot || type == m->glob_dat) && vec_push(out, slot))
				return -ENOMEM;
		}
		if (got < want)
			break;
		at += got;
	}
	return 0;
}

/* The start of the stub whose jump is at `jump`: an endbr64, and a prefix, may come before it. */
static size_t stub_start(const unsigned char *code, size_t jump)
{
	static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};

	if (jump && code[jump - 1] == 0xf2)
		jump--;
	if (jump >= sizeof(endbr) && !memcmp(code + jump - sizeof(endbr), endbr, sizeof(endbr)))
		jump -= sizeof(endbr);
	return jump;
}

/* jmp *distance(%rip): ff 25, and the distance. */
static bool find_on_x86(const unsigned char *code, size_t at, size_t n, uint64_t address,
			uint64_t *slot, size_t *start)
{
	enum { JUMP_BYTES = 6 };
	int32_t distance;

	if (at + JUMP_BYTES > n || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*slot = address + at + JUMP_BYTES + (uint64_t)(int64_t)distance;
	*start = stub_start(code, at);
	return true;
}

/* adrp x16, page; ldr x17, [x16, distance]. A bti may come before. */
static bool find_on_arm64(const unsigned char *code, size_t at, size_t n, uint64_t address,
			  uint64_t *slot, size_t *start)
{
	static const unsigned char bti[] = {0x5f, 0x24, 0x03, 0xd5};
	uint32_t adrp, ldr;
	int32_t pages;

	if (at + 8 > n)
		return false;
	memcpy(&adrp, code + at, sizeof(adrp));
	memcpy(&ldr, code + at + 4, sizeof(ldr));
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	/* 19 bits and a sign, then the lowest two */
	pages = (int32_t)((adrp & 0xffffe0) << 8) >> 11 | (int32_t)(adrp >> 29 & 3);
	*slot = ((address + at) & ~4095ull) + (uint64_t)((int64_t)pages * 4096) +
		(ldr >> 10 & 0xfff) * 8;
	*start = at >= 4 && memcmp(code + at - 4, bti, sizeof(bti)) == 0 ? at - 4 : at;
	return true;
}

static const struct machine machines[] = {
	{EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, 16, 1, find_on_x86},
	{EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, 24, 4, find_on_arm64},
};

static int find_stubs(struct elfsym *e, const struct machine *m, const unsigned char *code,
		      size_t n, uint64_t address, const struct slots *slots)
{
	for (size_t i = 0; i < n; i += m->step) {
		struct slot wanted = {0};
		const struct slot *slot;
		size_t start;

		if (!m->find(code, i, n, address, &wanted.address, &start))
			continue;
		slot = bsearch(&wanted, slots->items, slots->n, sizeof(wanted), vec_compare_u64);
		if (slot && slot->symbol &&
		    vec_push(&e->stubs, (struct stub){address + start, slot->symbol, NULL}))
			return -ENOMEM;
	}
	return 0;
}

static int read_stubs(struct elfsym *e, const struct elf_file *f, const struct machine *m,
		      const struct section *s, const struct slots *slots)
{
	unsigned char *code = s->size <= SECTION_MAX_BYTES ? malloc(s->size + 1) : NULL;
	int err;

	if (!code)
		return -ENOMEM;
	err = find_stubs(e, m, code, elfsym_read_at(f->fd, code, s->size, s->offset), s->address,
			 slots);
	free(code);
	return err;
}

static bool is_plt(const struct elf_file *f, const struct section *s)
{
	static const char *const names[] = {".plt", ".plt.got", ".plt.sec"};

	return s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR &&
	       FIND_ROW(names, elfsym_section_is(f, s, *item));
}

static void read_all(struct elfsym *e)
{
	const struct machine *m = NULL;
	struct slots slots = {0};
	struct elf_file f;
	int err = 0;

	e->has_stubs = true;
	if (!elfsym_read_file(&f, e->fd) && f.is_64)
		m = FIND_ROW(machines, item->id == f.machine);
	if (!m)
		f.n_sections = 0;
	else
		e->stub_bytes = m->stub_bytes;
	for (uint32_t i = 0; i < f.n_sections && !err; i++)
		if (f.sections[i].type == SHT_RELA && f.sections[i].link < f.n_sections &&
		    f.sections[f.sections[i].link].type == SHT_DYNSYM)
			err = read_relocations(&f, m, &f.sections[i], &slots);
	vec_sort(&slots);
	for (uint32_t i = 0; i < f.n_sections && slots.n && !err; i++)
		if (is_plt(&f, &f.sections[i]))
			err = read_stubs(e, &f, m, &f.sections[i], &slots);
	vec_sort(&e->stubs);
	vec_free(&slots);
	elfsym_close_file(&f);
}

/* Append "@plt" to the symbol in `scratch`, which holds two names. */
static const char *add_suffix(char *scratch)
{
	static const char suffix[] = "@plt";
	char *other = scratch + NAME_MAX_BYTES;
	char *name = demangle(scratch, true, other, NAME_MAX_BYTES) ? other : scratch;
	size_t n = strlen(name);

	if (n + sizeof(suffix) > NAME_MAX_BYTES)
		n = NAME_MAX_BYTES - sizeof(suffix);
	memcpy(name + n, suffix, sizeof(suffix));
	return name;
}

/* "name@plt"; NULL if the symbol has no name. */
static const char *read_stub_name(struct elfsym *e, const struct stub *stub)
{
	const struct table *t = &e->tables[TABLE_DYNAMIC];
	char scratch[SCRATCH_BYTES];
	struct symbol s;

	return elfsym_read_symbol(t, stub->symbol, &s) && elfsym_read_name(t, s.name, scratch)
		       ? string_set_intern(&e->names, add_suffix(scratch))
		       : NULL;
}

bool elfsym_plt_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset)
{
	struct stub *stub;
	size_t low;

	if (!e->has_stubs)
		read_all(e);
	low = vec_bound(&e->stubs, item->start <= vaddr);
	if (!low || vaddr - e->stubs.items[low - 1].start >= e->stub_bytes)
		return false;
	stub = &e->stubs.items[low - 1];
	stub->name = stub->name ?: read_stub_name(e, stub);
	*offset = vaddr - stub->start;
	*name = stub->name;
	return *name;
}
