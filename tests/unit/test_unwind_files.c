/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of files of this machine, compared with libdw's reading of the same call frame
 * information: at the first and the last byte of each row and in its middle, both must give the
 * same CFA, return address and rbp, computed with made-up registers and memory.
 */
#define _GNU_SOURCE
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

enum { RBX = 3, RBP = 6, RSP = 7, IP = 16, N_REGISTERS = 17, STACK = 16 };

/* What a walk computes for a frame. */
struct caller {
	bool has_cfa, has_ip, has_rbp, has_rbx;
	uint64_t cfa, ip, rbp, rbx;
};

/* What became of the addresses of a file. */
struct counts {
	unsigned long checked, equal;
	unsigned long alignment;   /* libdw has nothing; the row of the function before covers it */
	unsigned long guessed;	   /* libdw has nothing; our row is made from instructions */
	unsigned long unsupported; /* libdw has rules that ours cannot say */
	unsigned long rbp_unknown, rbx_unknown;
	unsigned long different;
};

/* ---- made-up registers and memory ---- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static uint64_t register_value(uint64_t number, uint64_t ip)
{
	return number == IP ? ip : (mix(number + 99) & 0x7ffffffffff8);
}

static uint64_t word_at(uint64_t address)
{
	return mix(address) & 0x7ffffffffff8;
}

/* ---- the rule of a table ---- */

static struct caller by_rule(const struct unwind_rule *r, uint64_t ip)
{
	uint64_t rsp = register_value(RSP, ip), rbp = register_value(RBP, ip);
	int rbx = UNWIND_SAVED_RBX(r->saved);
	uint64_t offset = (uint64_t)(int64_t)r->cfa_offset;
	uint64_t rbp_offset = (uint64_t)(int64_t)r->rbp_offset;
	struct caller c = {.has_cfa = true, .has_ip = true, .has_rbp = true, .has_rbx = true};

	switch (r->cfa) {
	case UNWIND_RSP:
	case UNWIND_RSP_RA_RDI: c.cfa = rsp + offset; break;
	case UNWIND_RBP: c.cfa = rbp + offset; break;
	case UNWIND_PLT: c.cfa = rsp + 8 + ((ip & 15) >= offset ? 8 : 0); break;
	case UNWIND_RBP_DEREF:
	case UNWIND_RSP_DEREF:
		c.cfa = word_at((r->cfa == UNWIND_RBP_DEREF ? rbp : rsp) +
				(uint64_t)UNWIND_DEREF_AT(r->cfa_offset)) +
			(uint64_t)UNWIND_DEREF_ADD(r->cfa_offset);
		break;
	case UNWIND_SIGNAL:
		c.cfa = word_at(rsp + 160);
		c.ip = word_at(rsp + 168);
		c.rbp = word_at(rsp + 120);
		c.rbx = word_at(rsp + 128);
		return c;
	case UNWIND_END: c.has_cfa = c.has_ip = c.has_rbp = c.has_rbx = false; return c;
	default:
		assert_in_range(r->cfa, UNWIND_REGISTER, UNWIND_REGISTER + 15);
		c.cfa = register_value(r->cfa - UNWIND_REGISTER, ip) + offset;
	}
	c.ip = r->cfa == UNWIND_RSP_RA_RDI ? register_value(5, ip) : word_at(c.cfa - 8);
	switch (UNWIND_SAVED_RBP(r->saved)) {
	case UNWIND_RBP_SAME: c.rbp = rbp; break;
	case UNWIND_RBP_AT_CFA: c.rbp = word_at(c.cfa + rbp_offset); break;
	case UNWIND_RBP_AT_RBP: c.rbp = word_at(rbp + rbp_offset); break;
	default: c.has_rbp = false;
	}
	c.has_rbx = rbx != UNWIND_RBX_UNKNOWN;
	c.rbx = rbx ? word_at(c.cfa + (uint64_t)UNWIND_RBX_OFFSET(rbx)) : register_value(RBX, ip);
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
	Dwarf_Op *ops;
	uint64_t rsp;
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
	c.has_ip = find_register(frame, IP, ip, c.cfa, &c.ip);
	c.has_rbp = find_register(frame, RBP, ip, c.cfa, &c.rbp);
	/* libdw says that rbx is undefined where a file says nothing */
	c.has_rbx = find_register(frame, RBX, ip, c.cfa, &c.rbx);
	if (!c.has_rbx)
		c.rbx = register_value(RBX, ip);
	/* ours has one number for both */
	if (!find_register(frame, RSP, ip, c.cfa, &rsp) || rsp != c.cfa)
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
	struct assembly assembly[2];
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
		print_message("%s: %#lx: %s; cfa %u%+d rbp %d%+d\n", f->name, address, what, r->cfa,
			      r->cfa_offset, UNWIND_SAVED_RBP(r->saved), r->rbp_offset);
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
	if (ours.has_ip != theirs.has_ip || (ours.has_ip && ours.ip != theirs.ip))
		report(f, address, "the return addresses differ");
	else if (ours.has_ip && (!theirs.has_cfa || ours.cfa != theirs.cfa))
		report(f, address, "the CFAs differ");
	else if (ours.has_ip && ours.has_rbp && (!theirs.has_rbp || ours.rbp != theirs.rbp))
		report(f, address, "the values of rbp differ");
	else if (ours.has_ip && ours.has_rbx && ours.rbx != theirs.rbx)
		report(f, address, "the values of rbx differ");
	else if (ours.has_ip && !ours.has_rbp && theirs.has_rbp)
		f->counts.rbp_unknown++;
	else if (ours.has_ip && !ours.has_rbx && theirs.has_rbx)
		f->counts.rbx_unknown++;
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
		const Elf64_Shdr *h = elf64_getshdr(section);
		const char *name = elf_strptr(elf, names, h->sh_name);
		const uint8_t *code = elf_rawdata(section, NULL)->d_buf;
		size_t at = code && *code == 0xf3 ? 4 : 0;

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

static void compare(struct compared *f, uint64_t address)
{
	int32_t cfa = assembly_cfa(f, address);
	const struct unwind_rule *r = unwind_table_rule(&f->table, &f->rules, address);
	Dwarf_Frame *frame = NULL;

	f->counts.checked++;
	if (!dwarf_cfi_addrframe(f->cfi, address, &frame))
		compare_frames(f, address, r, frame);
	else if (cfa ? r->cfa == UNWIND_RSP && r->cfa_offset == cfa : r->cfa == UNWIND_NO_RULE)
		f->counts.equal++;
	else if (r->cfa == UNWIND_END && address - f->entry < ENTRY_BYTES)
		f->counts.equal++;
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
	Elf *elf;

	elf_version(EV_CURRENT);
	assert_int_equal(unwind_table_read(fd, &f.rules, &f.table), 0);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	f.cfi = dwarf_getcfi_elf(elf);
	assert_non_null(f.cfi);
	f.entry = elf64_getehdr(elf)->e_entry;
	find_assembly(&f, elf);
	assert_true(f.table.n_rows > 0);
	for (uint32_t i = 0; i < f.table.n_pieces; i++) {
		assert_true(!i || f.table.pieces[i - 1].end <= f.table.pieces[i].start);
		compare_piece(&f, &f.table.pieces[i]);
	}
	print_message("%-24s %8lu rows, %7lu addresses, %lu different; %lu of alignment, "
		      "%lu guessed, %lu unsupported, %lu without rbp, %lu without rbx\n",
		      name, f.table.n_rows, n->checked, n->different, n->alignment, n->guessed,
		      n->unsupported, n->rbp_unknown, n->rbx_unknown);
	assert_int_equal(n->different, 0);
	assert_int_equal(f.table.n_refused, 0);
	assert_true(n->equal > (n->checked - n->guessed) / 2);
	assert_true(n->unsupported * 100 < n->checked);
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
}

/* The rows of Go's functions against the CFA in Go's .debug_frame. */
static void compare_go(const char *name, int fd)
{
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct compared f = {.name = name, .cfi = dwarf_getcfi(dwarf)};

	assert_int_equal(unwind_table_read(fd, &f.rules, &f.table), 0);
	assert_true(f.table.is_go && f.cfi);
	for (uint32_t i = 0; i < f.table.n_segments; i++) {
		const struct unwind_segment *s = &f.table.segments[i];

		for (uint64_t at = s->address; at < s->address + s->bytes; at++) {
			const struct unwind_rule *r = unwind_table_rule(&f.table, &f.rules, at);
			Dwarf_Frame *frame = NULL;

			f.counts.checked++;
			if (r->cfa == UNWIND_RSP && !dwarf_cfi_addrframe(f.cfi, at, &frame)) {
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

/* The vDSO, from memory. */
static void test_vdso(void **state)
{
	struct unwind_rules rules = {0};
	struct unwind_table table;
	int fd = elfsym_open_vdso();

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(unwind_table_read(fd, &rules, &table), 0);
	assert_true(table.n_rows > 0);
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	compare_file("vdso", fd);
	close(fd);
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
