/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of one ELF file (32 or 64 bits, little-endian): functions from address to name, from
 * name to address, all names; variables by name. Falls back on separate debug files (build ID,
 * .gnu_debuglink) when the file itself has no .symtab. The file stays open and is read as needed;
 * nothing of it is mapped, so a file that is cut short meanwhile costs names, never a SIGBUS.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfsym;

/* NULL with *err: -ENOENT, -ENOEXEC (not an ELF file sonde can read), or another -errno. */
struct elfsym *elfsym_open(const char *path, int *err);
/* The same of an open descriptor, which elfsym_close closes (also closed when this fails); `path`
 * says where to look for its debug file. */
struct elfsym *elfsym_open_fd(int fd, const char *path, int *err);
void elfsym_close(struct elfsym *e);

/* The function that holds `vaddr` (as linked); *name lives until elfsym_close. The first call
 * builds the index. Among aliases: global before local, then fewer leading underscores, then the
 * shorter name (cbrt, not cbrtf32x), then the alphabet. Names of C++ and Rust are demangled. */
bool elfsym_by_address(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset);
/* Address, place in the file and size of the function `name`; the default version of a versioned
 * name, a global one before a local one. 0, -ESRCH, or -errno. */
int elfsym_by_name(struct elfsym *e, const char *name, uint64_t *vaddr, uint64_t *file_offset,
		   uint64_t *size);
/* Does the symbol stand for a function that picks the one to be called (an IFUNC)? */
bool elfsym_is_ifunc(struct elfsym *e, const char *name);
/* Gets a function: its name (valid during the call), address, place in the file, size in bytes. */
typedef void elfsym_function_fn(const char *name, uint64_t vaddr, uint64_t file_offset,
				uint64_t size, void *ctx);
/* Each function of the file, by the order of names in the string table; of .symtab if there is
 * one, else .dynsym. Those with several names come under each, those with several versions once a
 * version. 0 or -errno. */
int elfsym_each_function(struct elfsym *e, elfsym_function_fn *fn, void *ctx);
/* A place of a USDT probe; texts are valid during the call. */
struct elfsym_usdt {
	const char *provider, *name, *args;
	uint64_t vaddr, file_offset;
	uint64_t semaphore; /* file offset, 0: none */
};
typedef void elfsym_usdt_fn(const struct elfsym_usdt *u, void *ctx);
/* Each USDT note of the file (elfsym_usdt.c). 0 or -errno. */
int elfsym_each_usdt(struct elfsym *e, elfsym_usdt_fn *fn, void *ctx);
/* Address of a variable, or whatever else is called so, and its size in bytes (0: the file does not
 * say); preferred as functions are. 0, -ESRCH, or -errno. */
int elfsym_object(struct elfsym *e, const char *name, uint64_t *vaddr, uint64_t *size);
/* Each of what elfsym_object finds; the offset is 0 of what has no bytes in the file. 0, -errno. */
int elfsym_each_object(struct elfsym *e, elfsym_function_fn *fn, void *ctx);
/* Is the file loaded at another address in each process? */
bool elfsym_is_movable(const struct elfsym *e);
/* Does a program begin there? It has no caller to return to. */
bool elfsym_is_entry(const struct elfsym *e, uint64_t vaddr);
bool elfsym_file_to_vaddr(struct elfsym *e, uint64_t file_offset, uint64_t *vaddr);

/* The function that holds vaddr: as above, and where it begins and how long it is. */
bool elfsym_function_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *start,
			uint64_t *size);
bool elfsym_vaddr_to_file(const struct elfsym *e, uint64_t vaddr, uint64_t *file_offset);

/* elfsym_code.c: e_machine; the file's descriptor, or its debug file's (-1: it has none). */
uint16_t elfsym_machine(const struct elfsym *e);
int elfsym_fd(const struct elfsym *e, bool of_debug_file);
/* As many bytes at `offset` of the file as there are, at most n. */
size_t elfsym_read(const struct elfsym *e, uint64_t offset, void *out, size_t n);
/* Call fn (when not NULL) with each executable part of the file; all their bytes. */
size_t elfsym_each_code(const struct elfsym *e,
			void (*fn)(uint64_t offset, uint64_t size, void *ctx), void *ctx);
/* Did the Go compiler make it? By its sections; read anew at each call. */
bool elfsym_is_go(const struct elfsym *e);
/* May exceptions of C++ or panics of Rust leave its functions? By sections and what it needs. */
bool elfsym_unwinds(struct elfsym *e);
enum elfsym_needed { ELFSYM_NEEDED, ELFSYM_RPATH, ELFSYM_RUNPATH, ELFSYM_OTHER };
typedef void elfsym_needed_fn(enum elfsym_needed kind, const char *text, void *ctx);
/* The libraries it needs and where to look for them, as the file says it. */
void elfsym_each_needed(const struct elfsym *e, elfsym_needed_fn *fn, void *ctx);

/* Memory the index and the names given out take. */
size_t elfsym_bytes(const struct elfsym *e);

/* Stable sort by the upper 32 bits (radix, takes a second array while it works). 0 or -ENOMEM. */
int elfsym_sort_keys(uint64_t *keys, size_t n);
