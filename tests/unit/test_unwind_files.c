/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of files of this machine, compared with libdw's reading of the same call frame
 * information: at the first and the last byte of each row and in its middle, both must give the
 * same CFA, return address and rbp, computed with made-up registers and memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/elf/elfsym.h"
#include "runtime/unwind/rules.h"
#include "runtime/output/out.h"
#include "runtime/unwind/table.h"
#include "tests/unit/unwind_lookup.h"

enum { STACK = 16 };

/* DWARF numbers of registers. On arm64 the return address is in x30, the extra register. vfork()
 * has it in another one. i386 has no extra register in rules. */
struct numbers {
	uint64_t extra, fp, sp, ip, vfork, word;
};

static const struct numbers of_x86 = {3, 6, 7, 16, 5, 8}, of_arm64 = {30, 29, 31, 30, 0, 8},
			    of_i386 = {3, 5, 4, 8, 1, 4};
static const struct numbers *numbers = &of_x86;

/* The DWARF number of a register that has this number in rules. */
static uint64_t dwarf_number(uint64_t number)
{
	static const uint8_t i386[] = {0, 2, 1, 3, 6, 7, 5, 4};

	return numbers == &of_i386 ? i386[number & 7] : number;
}

static bool has_link(void)
{
	return numbers == &of_arm64;
}

/* What a walk computes for a frame. */
struct caller {
	bool has_cfa, has_ip, has_fp, has_extra;
	uint64_t cfa, ip, fp, extra;
};

/* What became of the addresses of a file. */
struct counts {
	unsigned long checked, equal;
	unsigned long alignment;   /* libdw has nothing; the row of the function before covers it */
	unsigned long guessed;	   /* libdw has nothing; our row is made from instructions */
	unsigned long unsupported; /* libdw has rules that ours cannot say */
	unsigned long fp_unknown, extra_unknown;
	unsigned long corrected; /* ld.so: a CFA below what a PLT has pushed */
	unsigned long plt;	 /* of arm64: libdw has nothing, the rows are known */
	unsigned long different;
};

/* ---- made-up registers and memory ---- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static uint64_t made_up(uint64_t x)
{
	return mix(x) & (numbers->word == 4 ? 0x7ffffff8 : 0x7ffffffffff8);
}

static uint64_t register_value(uint64_t number, uint64_t ip)
{
	return number == numbers->ip && !has_link() ? ip : made_up(number + 99);
}

static uint64_t word_at(uint64_t address)
{
	return made_up(address);
}

/* ---- the rule of a table ---- */

/* The return address, where calls leave it in a register. */
static uint64_t link_of(const struct unwind_rule *r, uint64_t cfa, uint64_t ip)
{
	int extra = UNWIND_SAVED_EXTRA(r->saved);

	assert_int_not_equal(extra, UNWIND_EXTRA_UNKNOWN);
	if (extra == UNWIND_EXTRA_AFTER_FP)
		return word_at(cfa + (uint64_t)(8 * (int64_t)r->fp_offset) + 8);
	return extra ? word_at(cfa + (uint64_t)UNWIND_EXTRA_OFFSET(extra))
		     : register_value(numbers->extra, ip);
}

/* The return address, fp and the extra register of the caller, by the CFA. */
static void find_saved(const struct unwind_rule *r, uint64_t ip, struct caller *c)
{
	uint64_t fp = register_value(numbers->fp, ip);
	uint64_t fp_offset = (uint64_t)((has_link() ? 8 : 1) * (int64_t)r->fp_offset);
	int extra = UNWIND_SAVED_EXTRA(r->saved);

	c->ip = has_link()		     ? link_of(r, c->cfa, ip)
		: r->cfa == UNWIND_SP_RA_RDI ? register_value(numbers->vfork, ip)
					     : word_at(c->cfa - numbers->word);
	switch (UNWIND_SAVED_FP(r->saved)) {
	case UNWIND_FP_SAME: c->fp = fp; break;
	case UNWIND_FP_AT_CFA: c->fp = word_at(c->cfa + fp_offset); break;
	case UNWIND_FP_AT_FP: c->fp = word_at(fp + fp_offset); break;
	default: c->has_fp = false;
	}
	if (has_link()) {
		c->extra = c->ip;
		return;
	}
	c->has_extra = extra != UNWIND_EXTRA_UNKNOWN;
	c->extra = extra ? word_at(c->cfa + (uint64_t)UNWIND_EXTRA_OFFSET(extra))
			 : register_value(numbers->extra, ip);
}

static struct caller by_rule(const struct unwind_rule *r, uint64_t ip)
{
	uint64_t sp = register_value(numbers->sp, ip), fp = register_value(numbers->fp, ip);
	uint64_t offset = (uint64_t)(int64_t)r->cfa_offset;
	struct caller c = {.has_cfa = true, .has_ip = true, .has_fp = true, .has_extra = true};

	switch (r->cfa) {
	case UNWIND_SP:
	case UNWIND_RUN_SP:
	case UNWIND_SP_RA_RDI: c.cfa = sp + offset; break;
	case UNWIND_FP:
	case UNWIND_RUN_FP: c.cfa = fp + offset; break;
	case UNWIND_PLT:
		c.cfa = sp + numbers->word + ((ip & 15) >= offset ? numbers->word : 0);
		break;
	case UNWIND_FP_DEREF:
	case UNWIND_SP_DEREF:
		c.cfa = word_at((r->cfa == UNWIND_FP_DEREF ? fp : sp) +
				(uint64_t)UNWIND_DEREF_AT(r->cfa_offset)) +
			(uint64_t)UNWIND_DEREF_ADD(r->cfa_offset);
		break;
	case UNWIND_SIGNAL:
		c.cfa = word_at(sp + offset);
		c.ip = word_at(sp + offset + r->saved);
		c.fp = word_at(sp + (uint64_t)(int64_t)r->fp_offset);
		c.extra = word_at(sp + (uint64_t)(int64_t)r->fp_offset + UNWIND_SIGNAL_EXTRA);
		return c;
	case UNWIND_END: c.has_cfa = c.has_ip = c.has_fp = c.has_extra = false; return c;
	default:
		assert_in_range(r->cfa, UNWIND_REGISTER, UNWIND_REGISTER + 30);
		c.cfa = register_value(dwarf_number(r->cfa - UNWIND_REGISTER), ip) + offset;
	}
	find_saved(r, ip, &c);
	return c;
}

/* ---- libdw's expressions ---- */

/* Evaluate to *out. False if there is an operation that is not known here. */
static bool evaluate(const Dwarf_Op *ops, size_t n, uint64_t ip, uint64_t cfa, uint64_t *out)
{
	uint64_t stack[STACK] = {0};
	bool is_value = false;
	size_t top = 1; /* stack[0] is unused */

	for (size_t i = 0; i < n; i++) {
		const Dwarf_Op *o = &ops[i];
		uint64_t b = stack[top - 1];

		if (top < 2 && o->atom <= DW_OP_deref)
			return false;
		assert_in_range(top, 1, STACK - 1);
		if (o->atom >= DW_OP_breg0 && o->atom <= DW_OP_breg31) {
			stack[top++] = register_value(o->atom - DW_OP_breg0, ip) + o->number;
			continue;
		}
		if (o->atom >= DW_OP_reg0 && o->atom <= DW_OP_reg31) {
			*out = register_value(o->atom - DW_OP_reg0, ip);
			return true;
		}
		if (o->atom >= DW_OP_lit0 && o->atom <= DW_OP_lit31) {
			stack[top++] = o->atom - DW_OP_lit0;
			continue;
		}
		switch (o->atom) {
		case DW_OP_bregx: stack[top++] = register_value(o->number, ip) + o->number2; break;
		case DW_OP_regx: *out = register_value(o->number, ip); return true;
		case DW_OP_call_frame_cfa: stack[top++] = cfa; break;
		case DW_OP_consts:
		case DW_OP_const1u:
		case DW_OP_const2u:
		case DW_OP_constu: stack[top++] = o->number; break;
		case DW_OP_deref: stack[top - 1] = word_at(b); break;
		case DW_OP_plus_uconst: stack[top - 1] = b + o->number; break;
		case DW_OP_plus: stack[--top - 1] += b; break;
		case DW_OP_and: stack[--top - 1] &= b; break;
		case DW_OP_shl: stack[--top - 1] <<= b; break;
		case DW_OP_ge: top--, stack[top - 1] = (int64_t)stack[top - 1] >= (int64_t)b; break;
		case DW_OP_stack_value: is_value = true; break;
		default: return false;
		}
		if (top < 1)
			return false;
	}
	*out = is_value ? stack[top - 1] : word_at(stack[top - 1]);
	return true;
}

/* The caller's register. False if it is undefined, or not known. */
static bool find_register(Dwarf_Frame *frame, int number, uint64_t ip, uint64_t cfa, uint64_t *out)
{
	Dwarf_Op memory[3], *ops = NULL;
	size_t n = 0;

	if (dwarf_frame_register(frame, number, memory, &ops, &n))
		return false;
	*out = register_value((uint64_t)number, ip);
	if (!n)
		return !ops; /* the same value */
	return evaluate(ops, n, ip, cfa, out);
}

static struct caller by_libdw(Dwarf_Frame *frame, uint64_t ip)
{
	struct caller c = {0};
	bool is_signal = false;
	Dwarf_Op *ops;
	uint64_t sp;
	size_t n;

	c.has_ip = true;
	if (!dwarf_frame_cfa(frame, &ops, &n) && n) {
		/* a CFA's expression gives a value */
		Dwarf_Op with_end[64];

		assert_in_range(n, 1, 63);
		memcpy(with_end, ops, n * sizeof(*ops));
		with_end[n] = (Dwarf_Op){.atom = DW_OP_stack_value};
		c.has_cfa = evaluate(with_end, n + 1, ip, 0, &c.cfa);
	}
	c.has_ip = find_register(frame, (int)numbers->ip, ip, c.cfa, &c.ip);
	c.has_fp = find_register(frame, (int)numbers->fp, ip, c.cfa, &c.fp);
	/* libdw says that rbx is undefined where a file says nothing */
	c.has_extra = find_register(frame, (int)numbers->extra, ip, c.cfa, &c.extra);
	if (!c.has_extra)
		c.extra = register_value(numbers->extra, ip);
	c.has_extra &= numbers != &of_i386; /* ours has it in signal frames only */
	/* ours has one number for both; in a signal frame it is sp */
	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	if (!find_register(frame, (int)numbers->sp, ip, c.cfa, &sp))
		c.has_cfa = false;
	else if (is_signal)
		c.cfa = sp;
	else if (sp != c.cfa)
		c.has_cfa = false;
	return c;
}

/* ---- comparison ---- */

/* Code at the entry point that is outermost, also where the file says nothing about it. */
enum { ENTRY_BYTES = 48 };

/* _init and _fini, of which the file says nothing: sub $8, %rsp, after endbr64 or not; add $8,
 * %rsp; ret. */
struct assembly {
	uint64_t start, body, end; /* addresses; 0: there is none */
};

struct compared {
	const char *name;
	struct assembly assembly[2], plt;
	struct unwind_rules rules;
	struct unwind_table table;
	Dwarf_CFI *cfi;
	uint64_t entry;
	struct counts counts;
};

static void report(struct compared *f, uint64_t address, const char *what)
{
	const struct unwind_rule *r = unwind_table_rule(&f->table, &f->rules, address);

	f->counts.different++;
	if (f->counts.different <= 10)
		print_message("%s: %#lx: %s; cfa %u%+d fp %d%+d\n", f->name, address, what, r->cfa,
			      r->cfa_offset, UNWIND_SAVED_FP(r->saved), r->fp_offset);
}

static void compare_frames(struct compared *f, uint64_t address, const struct unwind_rule *r,
			   Dwarf_Frame *frame)
{
	struct caller theirs = by_libdw(frame, address), ours;

	if (r->cfa == UNWIND_NO_RULE) {
		report(f, address, "has no rule");
		return;
	}
	if (r->cfa == UNWIND_UNSUPPORTED) {
		f->counts.unsupported++;
		return;
	}
	ours = by_rule(r, address);
	if (has_link() && ours.has_ip && ours.cfa == theirs.cfa + 16 && ours.ip == theirs.ip) {
		f->counts.corrected++;
		return;
	}
	if (ours.has_ip != theirs.has_ip || (ours.has_ip && ours.ip != theirs.ip))
		report(f, address, "the return addresses differ");
	else if (ours.has_ip && (!theirs.has_cfa || ours.cfa != theirs.cfa))
		report(f, address, "the CFAs differ");
	else if (ours.has_ip && ours.has_fp && (!theirs.has_fp || ours.fp != theirs.fp))
		report(f, address, "the values of fp differ");
	else if (ours.has_ip && ours.has_extra && ours.extra != theirs.extra)
		report(f, address, "the values of the extra register differ");
	else if (ours.has_ip && !ours.has_fp && theirs.has_fp)
		f->counts.fp_unknown++;
	else if (ours.has_ip && !ours.has_extra && theirs.has_extra)
		f->counts.extra_unknown++;
	else
		f->counts.equal++;
}

static void find_assembly(struct compared *f, Elf *elf)
{
	struct assembly *a = f->assembly;
	Elf_Scn *section = NULL;
	size_t names;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section)) && a < f->assembly + 2) {
		GElf_Shdr copy, *h = gelf_getshdr(section, &copy);
		const char *name = elf_strptr(elf, names, h->sh_name);
		const uint8_t *code = elf_rawdata(section, NULL)->d_buf;
		size_t at = code && *code == 0xf3 ? 4 : 0;

		if (has_link() && strcmp(name, ".plt") == 0)
			f->plt = (struct assembly){h->sh_addr, h->sh_addr + 32,
						   h->sh_addr + h->sh_size};
		if ((strcmp(name, ".init") != 0 && strcmp(name, ".fini") != 0) ||
		    memcmp(code + at, "\x48\x83\xec\x08", 4) != 0)
			continue;
		*a++ = (struct assembly){h->sh_addr, h->sh_addr + at + 4, h->sh_addr + h->sh_size};
	}
}

/* The offset from rsp of the CFA at an address in _init or _fini; 0: it is not there. */
static int32_t assembly_cfa(const struct compared *f, uint64_t address)
{
	for (int i = 0; i < 2; i++) {
		const struct assembly *a = &f->assembly[i];

		if (address >= a->start && address < a->end)
			return address < a->body || address == a->end - 1 ? 8 : 16;
	}
	return 0;
}

/* PLTs of arm64: sp is the CFA, but after the first instruction, or bti c and that one. */
static bool is_plt_rule(const struct compared *f, uint64_t address, const struct unwind_rule *r)
{
	return address >= f->plt.start && address < f->plt.end && r->cfa == UNWIND_SP &&
	       (r->cfa_offset == 0 || (r->cfa_offset == 16 && address < f->plt.body));
}

static void compare(struct compared *f, uint64_t address)
{
	int32_t cfa = assembly_cfa(f, address);
	const struct unwind_rule *r = unwind_table_rule(&f->table, &f->rules, address);
	Dwarf_Frame *frame = NULL;

	f->counts.checked++;
	if (!dwarf_cfi_addrframe(f->cfi, address, &frame))
		compare_frames(f, address, r, frame);
	else if (cfa ? r->cfa == UNWIND_SP && r->cfa_offset == cfa : r->cfa == UNWIND_NO_RULE)
		f->counts.equal++;
	else if (r->cfa == UNWIND_END && address - f->entry < ENTRY_BYTES)
		f->counts.equal++;
	else if (is_plt_rule(f, address, r))
		f->counts.plt++;
	else if (address % 16 && unwind_table_rule(&f->table, &f->rules, address - 1) == r)
		f->counts.alignment++;
	else if (r->cfa & UNWIND_GUESS || r->cfa == UNWIND_SIGNAL || r->cfa == UNWIND_END)
		f->counts.guessed++;
	else
		report(f, address, "libdw has nothing");
	free(frame);
}

/* The first address from `at` on that does not belong to the row there, as far as `end`. */
static uint64_t row_end(const struct unwind_piece *p, uint64_t at)
{
	uint64_t block = (at - p->start) >> UNWIND_BLOCK_BITS, n, end;
	uint32_t word = p->words[block];

	end = p->start + (block + 1) * UNWIND_BLOCK_BYTES;
	n = UNWIND_BLOCK_ROWS(word);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = p->start + block * UNWIND_BLOCK_BYTES +
			       UNWIND_ROW_OFFSET(p->words[UNWIND_BLOCK_FIRST(word) + i]);

		if (row > at) {
			end = row;
			break;
		}
	}
	return end < p->end ? end : p->end;
}

static void compare_piece(struct compared *f, const struct unwind_piece *p)
{
	uint64_t before = 0;

	assert_int_equal(p->start % UNWIND_BLOCK_BYTES, 0);
	assert_in_range(p->n_words, 2, UNWIND_CHUNK_WORDS);
	assert_true(p->start < p->end);
	for (uint64_t at = p->start, end; at < p->end; at = end) {
		end = row_end(p, at);
		assert_true(end > at);
		compare(f, at);
		if (end - at > 2)
			compare(f, at + (end - at) / 2);
		if (end - at > 1)
			compare(f, end - 1);
		assert_true(at >= before);
		before = end;
	}
	compare(f, p->end);
}

static void compare_file(const char *name, int fd)
{
	struct compared f = {.name = name};
	struct counts *n = &f.counts;
	GElf_Ehdr head;
	Elf *elf;

	elf_version(EV_CURRENT);
	assert_int_equal(unwind_table_read(fd, &f.rules, &f.table), 0);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	f.cfi = dwarf_getcfi_elf(elf);
	assert_non_null(f.cfi);
	assert_non_null(gelf_getehdr(elf, &head));
	f.entry = head.e_entry;
	numbers = head.e_machine == EM_AARCH64 ? &of_arm64
		  : head.e_machine == EM_386   ? &of_i386
					       : &of_x86;
	find_assembly(&f, elf);
	assert_true(f.table.n_rows > 0);
	for (uint32_t i = 0; i < f.table.n_pieces; i++) {
		assert_true(!i || f.table.pieces[i - 1].end <= f.table.pieces[i].start);
		compare_piece(&f, &f.table.pieces[i]);
	}
	print_message(
		"%-24s %8lu rows, %7lu addresses, %lu different; %lu of alignment, "
		"%lu guessed, %lu unsupported, %lu without fp, %lu without the extra register\n",
		name, f.table.n_rows, n->checked, n->different, n->alignment, n->guessed,
		n->unsupported, n->fp_unknown, n->extra_unknown);
	assert_int_equal(n->different, 0);
	assert_int_equal(f.table.n_refused, 0);
	assert_true(n->equal > (n->checked - n->guessed - n->alignment) / 2);
	assert_true(n->unsupported * 100 < n->checked);
	assert_in_range(n->corrected, 0, 60);
	dwarf_cfi_end(f.cfi);
	elf_end(elf);
	unwind_table_free(&f.table);
	unwind_rules_free(&f.rules);
}

/* Files of Debian; those that are not installed are left out. */
static void test_files(void **state)
{
	static const char *const paths[] = {
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/aarch64-linux-gnu/libc.so.6",
		"/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
		"/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
		"/usr/lib/aarch64-linux-gnu/libcrypto.so.3",
		"/lib32/libc.so.6",
		"/lib32/ld-linux.so.2",
		"/usr/bin/bash",
		"/usr/bin/redis-server",
		"/usr/sbin/nginx",
		"/usr/bin/python3",
		"/proc/self/exe",
	};
	unsigned n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		compare_file(strrchr(paths[i], '/') + 1, fd);
		close(fd);
		n++;
	}
	assert_true(n > 0);
}

/* Paths that match the pattern below the folder of the build, which has tests/unit/THIS. */
static size_t find_built(const char *pattern, glob_t *out)
{
	char path[PATH_MAX], folder[PATH_MAX / 2];
	ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	assert_true(n > 0);
	folder[n] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(folder, '/') = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, pattern);
	return glob(path, 0, NULL, out) ? 0 : out->gl_pathc;
}

/* Call fn with the name and a descriptor of each. */
static void each_built(const char *pattern, void (*fn)(const char *name, int fd))
{
	glob_t found = {0};

	if (!find_built(pattern, &found))
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		fn(strrchr(found.gl_pathv[i], '/') + 1, fd);
		close(fd);
	}
	globfree(&found);
}

/* Programs of the live tests: static ones, other compilers, levels of optimization. */
static void test_built_files(void **state)
{
	(void)state;
	each_built("workloads/stacks/*", compare_file);
	each_built("workloads/i386", compare_file);
}

/* The rows of Go's functions against the CFA in Go's .debug_frame. */
static void compare_go(const char *name, int fd)
{
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct compared f = {.name = name, .cfi = dwarf_getcfi(dwarf)};

	numbers = &of_x86;
	assert_int_equal(unwind_table_read(fd, &f.rules, &f.table), 0);
	assert_true(f.table.is_go && f.cfi);
	for (uint32_t i = 0; i < f.table.n_segments; i++) {
		const struct unwind_segment *s = &f.table.segments[i];

		for (uint64_t at = s->address; at < s->address + s->bytes; at++) {
			const struct unwind_rule *r = unwind_table_rule(&f.table, &f.rules, at);
			Dwarf_Frame *frame = NULL;

			f.counts.checked++;
			if (r->cfa == UNWIND_SP && !dwarf_cfi_addrframe(f.cfi, at, &frame)) {
				f.counts.equal++;
				if (by_rule(r, at).cfa != by_libdw(frame, at).cfa)
					report(&f, at, "the CFAs differ");
			}
			free(frame);
		}
	}
	print_message("%-24s %8lu rows, %7lu bytes of code, %lu with a CFA, %lu different\n", name,
		      f.table.n_rows, f.counts.checked, f.counts.equal, f.counts.different);
	assert_int_equal(f.counts.different, 0);
	assert_true(f.counts.equal > f.counts.checked / 2);
	dwarf_end(dwarf);
	unwind_table_free(&f.table);
	unwind_rules_free(&f.rules);
}

static void test_go_files(void **state)
{
	(void)state;
	each_built("workloads/go/calls*", compare_go);
}

/* Files to be compared by hand: UNWIND_FILES=PATH:PATH... */
static void test_named_files(void **state)
{
	const char *list = getenv("UNWIND_FILES");
	char *copy = strdup(list ? list : ""), *rest = copy, *path;

	(void)state;
	while ((path = strsep(&rest, ":"))) {
		int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

		if (fd < 0)
			continue;
		compare_file(strrchr(path, '/') + 1, fd);
		close(fd);
	}
	free(copy);
}

/* The vDSOs of 64-bit and of 32-bit programs. */
static void test_vdso(void **state)
{
	(void)state;
	for (unsigned word = 8; word >= 4; word -= 4) {
		int fd = elfsym_open_vdso(word);

		if (fd < 0)
			skip();
		compare_file(word == 8 ? "vdso" : "vdso32", fd);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),	 cmocka_unit_test(test_built_files),
		cmocka_unit_test(test_go_files), cmocka_unit_test(test_named_files),
		cmocka_unit_test(test_vdso),
	};

#ifndef __x86_64__
	puts("skip: the files of this machine are not for x86-64");
	return 77;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
