/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of elfsym, shared by elfsym*.c: elfsym.c opens a file, elfsym_file.c reads headers,
 * elfsym_debug.c and elfsym_mini.c find symbols outside of .symtab, elfsym_symbol.c reads symbol
 * tables, elfsym_index.c looks functions and variables up by address, elfsym_name.c by name,
 * elfsym_usdt.c reads USDT notes, elfsym_plt.c finds stubs, elfsym_switch.c functions that switch
 * stacks, elfsym_code.c answers the rest.
 */
#pragma once
#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <time.h>
#include "runtime/base/hash.h"
#include "runtime/base/string_set.h"
#include "runtime/base/vec.h"
#include "runtime/elf/elfsym.h"

enum {
	NAME_MAX_BYTES = 64 * 1024,
	SCRATCH_BYTES = 2 * NAME_MAX_BYTES, /* for two names */
	FUNCTIONS_MAX = 4 * 1024 * 1024,
};

enum table_id { TABLE_FULL, TABLE_DYNAMIC, TABLE_COUNT };

struct section {
	uint32_t name, type, link;
	uint64_t flags, address, offset, size;
};

struct segment {
	uint64_t vaddr, offset, size;
	bool is_executable;
};

struct range {
	uint64_t start, end;
};

/* The headers of a file, while it is opened. */
struct elf_file {
	int fd;
	Elf *elf;
	bool is_64;
	uint16_t machine, kind; /* e_machine, e_type */
	uint64_t size, entry;
	struct timespec modified;
	struct section *sections;
	uint32_t n_sections;
	size_t names_section; /* 0: none */
};

struct table {
	int fd;
	bool is_64;
	uint32_t n;
	uint64_t offset;
	uint64_t strings, strings_size;
	uint64_t versions; /* file offset of .gnu.version, 0: none */
};

struct symbol {
	uint64_t value, size;
	uint32_t name;
	uint16_t section;
	uint8_t info;
};

/* A function that was looked up. */
struct resolved {
	const char *name;
	uint64_t start, end;
	uint32_t group; /* index of its first alias, plus 1; 0: free slot */
};

HASH_TABLE(resolved_cache, struct resolved);

/* A stub of the procedure linkage table: elfsym_plt.c. */
struct stub {
	uint64_t start;
	uint32_t symbol;  /* in .dynsym */
	const char *name; /* once it was asked for */
};

/* A variable. */
struct object {
	uint64_t start, end;
	uint32_t table, symbol;
};

/* Keys to be sorted by their upper 32 bits. */
struct key_list {
	VEC(uint64_t);
};

struct elfsym {
	int fd, debug_fd;
	uint16_t machine;
	bool is_movable;
	uint64_t size, entry; /* size of the file in bytes; entry point of a program */
	struct timespec modified;
	VEC(struct segment) segments;
	VEC(struct range) text;
	uint64_t frames; /* address of .eh_frame_hdr; 0: none */
	struct table tables[TABLE_COUNT];
	bool is_indexed;
	uint64_t base;
	struct key_list index; /* see elfsym_index.c */
	struct resolved_cache cache;
	struct string_set names; /* those that were returned, demangled */
	bool has_objects;
	VEC(struct object) objects; /* sorted */
	bool has_stubs;
	uint8_t stub_bytes;	/* at most */
	VEC(struct stub) stubs; /* sorted */
	bool has_build_id;	/* it was looked for */
	char build_id[BUILD_ID_TEXT];
};

/* elfsym_file.c */

/* Read up to n bytes; fewer at the end of the file, none after an error. Returns how many were
 * read. */
size_t elfsym_read_at(int fd, void *buffer, size_t n, uint64_t offset);
/* Open a file, or a copy of a member of an archive, for reading. Returns a descriptor or -errno. */
int elfsym_open_regular(const char *path);
/* Read the headers of the file behind fd. Call elfsym_close_file() afterwards, also after an error,
 * when it has no sections. 0, -ENOEXEC, -EISDIR, or another -errno. */
int elfsym_read_file(struct elf_file *f, int fd);
/* Free the headers; the descriptor stays open. */
void elfsym_close_file(struct elf_file *f);
/* Program header number i. Returns false after the last one. */
bool elfsym_header(const struct elf_file *f, size_t i, GElf_Phdr *out);
/* Find the file offset of an address as linked, and how many bytes from there on are in the file.
 * Returns false if the address is in no segment. */
bool elfsym_find_offset(const struct elf_file *f, uint64_t address, uint64_t *offset, uint64_t *n);
/* Read up to n bytes at an address as linked. Returns how many were read. */
size_t elfsym_read_address(const struct elf_file *f, uint64_t address, void *out, size_t n);
/* The first section called `name` that has bytes in the file, or NULL. */
const struct section *elfsym_section(const struct elf_file *f, const char *name);
/* Is the section called `name`? */
bool elfsym_section_is(const struct elf_file *f, const struct section *s, const char *name);
/* The symbol table of section type `type`, limited to what the file contains. */
void elfsym_pick_table(const struct elf_file *f, uint32_t type, struct table *out);

/* elfsym_debug.c: f is the file at `path`. If it has a separate debug file, use the .symtab of
 * that. */
void elfsym_find_debug_file(struct elfsym *e, const struct elf_file *f, const char *path);

/* elfsym_mini.c: if f has a section .gnu_debugdata, use the .symtab of the compressed file in
 * it. */
void elfsym_find_mini_symbols(struct elfsym *e, const struct elf_file *f);

/* Use the .symtab of the file behind fd (unless negative), of which this function takes
 * ownership. */
void elfsym_use_table(struct elfsym *e, int fd);

/* elfsym_code.c: the file offset of an address in a segment; is_code: an executable one. */
bool elfsym_to_file(const struct elfsym *e, uint64_t vaddr, bool is_code, uint64_t *file_offset);

/* elfsym_symbol.c */

enum symbol_kind {
	SYMBOL_FUNCTION,
	SYMBOL_OBJECT, /* a variable, or anything with an address */
	SYMBOL_NAMED,  /* anything with a name, also an import */
};
/* Call fn for each symbol of that kind until it returns an error, which is then returned. */
int elfsym_each_symbol(const struct elfsym *e, enum table_id id, enum symbol_kind kind,
		       int (*fn)(void *ctx, uint32_t i, const struct symbol *s), void *ctx);
/* Read symbol number i. */
bool elfsym_read_symbol(const struct table *t, uint32_t i, struct symbol *out);
/* Read the string at offset `at`, without its version, into buffer (NAME_MAX_BYTES). False if it is
 * empty or has no end. */
bool elfsym_read_name(const struct table *t, uint32_t at, char *buffer);
/* elfsym_name.c: call fn with each block of the string table: `n` bytes at offset `at`, the last
 * `overlap` of which are repeated in the next block. The end of the table is followed by zeros. */
int elfsym_each_string_block(const struct table *t, size_t overlap,
			     int (*fn)(void *ctx, const char *bytes, size_t n, uint64_t at),
			     void *ctx);
/* elfsym_index.c: is the alias (name a, symbol s) preferred to (name b, symbol best)? See
 * elfsym_by_address(). */
bool elfsym_is_better(const char *a, const struct symbol *s, const char *b,
		      const struct symbol *best);
/* The executable section that contains vaddr, or NULL. */
const struct range *elfsym_text_range(const struct elfsym *e, uint64_t vaddr);
