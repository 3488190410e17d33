/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of elfsym share, and nobody else includes: elfsym_file.c reads headers and finds
 * debug files, elfsym.c has the index and answers by address, elfsym_name.c by name.
 */
#pragma once
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include "runtime/elf/elfsym.h"

enum {
	NAME_MAX_BYTES = 64 * 1024,
	FUNCTIONS_MAX = 4 * 1024 * 1024,
	BUILD_ID_MAX = 64,
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

/* What is read of a file at open, and dropped again before the first lookup. */
struct elf_file {
	int fd;
	bool is_64;
	uint16_t machine, kind; /* e_machine, e_type */
	uint64_t size, entry;
	uint64_t segments_offset, sections_offset;
	uint32_t n_segments, n_sections, names_section;
	struct section *sections;
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

struct resolved {
	const char *name;
	uint64_t start, end;
	uint32_t group; /* place in the index of the first alias, plus 1; 0: free slot */
};

struct name_chunk {
	struct name_chunk *next;
	size_t used, size;
	char bytes[];
};

struct elfsym {
	int fd, debug_fd;
	uint16_t machine;
	bool is_movable;
	uint64_t size, entry; /* bytes of the file; address where a program begins */
	struct timespec modified;
	struct segment *segments;
	size_t n_segments;
	struct range *text;
	size_t n_text;
	struct table tables[TABLE_COUNT];
	bool is_indexed;
	uint64_t base;
	uint64_t *index;
	size_t n_index;
	struct resolved *cache;
	size_t n_cached, n_slots;
	struct name_chunk *names;
	size_t names_bytes;
	char *scratch; /* two names of NAME_MAX_BYTES, touched as far as needed */
};

/* A growing list of (place << 32 | number). */
struct key_list {
	uint64_t *keys;
	size_t n, capacity;
	uint64_t base;
	uint32_t mark;
};

/* elfsym_file.c */

/* As many bytes as there are, at most n. */
size_t elfsym_read_at(int fd, void *buffer, size_t n, uint64_t offset);
/* Descriptor or -errno. */
int elfsym_open_regular(const char *path);
/* The headers of the file behind fd; the caller frees f->sections, also after an error. */
int elfsym_read_file(struct elf_file *f, int fd, struct stat *st);
/* The symbol table of section type `type` in f, clamped to what the file holds. */
void elfsym_pick_table(const struct elf_file *f, uint32_t type, struct table *out);
/* Take .symtab from the debug file that belongs to f, the file at `path`, if there is one. */
void elfsym_find_debug_file(struct elfsym *e, const struct elf_file *f, const char *path);

/* elfsym_mini.c: take .symtab from the packed file in f's section .gnu_debugdata, if it has one. */
void elfsym_find_mini_symbols(struct elfsym *e, const struct elf_file *f);

/* elfsym.c */

enum symbol_kind { SYMBOL_FUNCTION, SYMBOL_OBJECT /* a variable, or whatever has an address */ };
/* Calls fn for each such symbol of the table until it returns an error, which is handed back. */
int elfsym_each_symbol(const struct elfsym *e, enum table_id id, enum symbol_kind kind,
		       int (*fn)(void *ctx, uint32_t i, const struct symbol *s), void *ctx);
int elfsym_add_key(struct key_list *l, uint64_t key);
