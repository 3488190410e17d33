/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of one ELF file (32 or 64 bits, little-endian): functions by address and by name, lists
 * of them, and variables by name. If the file has no .symtab, that of a separate debug file is used
 * (build ID, .gnu_debuglink), or of .gnu_debugdata. The file stays open and is read as needed; it
 * is not mapped, so if it is truncated, names are missing, but there is no SIGBUS.
 */
#pragma once
#include "runtime/elf/names.h"

/* The same for an open descriptor, of which this function takes ownership: it is closed by
 * elfsym_close(), or at once on failure. The debug file is searched for relative to `path`. */
struct elfsym *elfsym_open_fd(int fd, const char *path, int *err);
/* vdso.c: a copy of the vDSO of programs whose words have 8 bytes or (x86) 4. Returns a descriptor
 * that the caller closes, or -errno. */
int elfsym_open_vdso(unsigned word);

/* Find the variable that contains `vaddr`; aliases are chosen as by elfsym_by_address(). */
bool elfsym_object_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset);
/* Is the symbol an IFUNC, that is, a function that selects the one to be called? */
bool elfsym_is_ifunc(struct elfsym *e, const char *name);
/* Called with a function: its name (valid during the call), address, file offset and size in
 * bytes. */
typedef void elfsym_function_fn(const char *name, uint64_t vaddr, uint64_t file_offset,
				uint64_t size, void *ctx);
/* Call fn with each function of .symtab, or of .dynsym if there is no .symtab, in the order of the
 * string table. A function with several names is reported under each name, one with several
 * versions once for each version. Returns 0 or -errno. */
int elfsym_each_function(struct elfsym *e, elfsym_function_fn *fn, void *ctx);
/* A location of a USDT probe; the strings are valid during the call. */
struct elfsym_usdt {
	const char *provider, *name, *args;
	uint64_t vaddr, file_offset;
	uint64_t semaphore; /* file offset; 0: none */
};
typedef void elfsym_usdt_fn(const struct elfsym_usdt *u, void *ctx);
/* elfsym_usdt.c: call fn with each USDT note of the file. Returns 0 or -errno. */
int elfsym_each_usdt(struct elfsym *e, elfsym_usdt_fn *fn, void *ctx);
/* Find the variable `name`, or another symbol with an address: its address, and its size in bytes
 * (0: not known). Preferences are those for functions. Returns 0, -ESRCH, or another -errno. */
int elfsym_object(struct elfsym *e, const char *name, uint64_t *vaddr, uint64_t *size);
/* Call fn with each symbol that elfsym_object() finds. The file offset is 0 if the symbol has no
 * bytes in the file. 0 or -errno. */
int elfsym_each_object(struct elfsym *e, elfsym_function_fn *fn, void *ctx);
/* Is the file position-independent (ET_DYN)? */
bool elfsym_is_movable(const struct elfsym *e);
/* Is this the entry point of a program, which has no caller to return to? */
bool elfsym_is_entry(const struct elfsym *e, uint64_t vaddr);
/* elfsym_plt.c: name an address that has no symbol if it is in a stub of the procedure linkage
 * table: "memcpy@plt". Call it after elfsym_by_address(). *name lives as long as e. */
bool elfsym_plt_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset);
bool elfsym_file_to_vaddr(struct elfsym *e, uint64_t file_offset, uint64_t *vaddr);

/* Like elfsym_by_address(), with the start and the size of the function. */
bool elfsym_function_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *start,
			uint64_t *size);
bool elfsym_vaddr_to_file(const struct elfsym *e, uint64_t vaddr, uint64_t *file_offset);

/* elfsym_code.c */

/* e_machine of the file. */
uint16_t elfsym_machine(const struct elfsym *e);
/* Find the range of code whose call frame information (one entry of .eh_frame) contains vaddr, by
 * the sorted table of .eh_frame_hdr. The compiler makes an entry for each function, and one for its
 * .cold part. */
bool elfsym_frame_range(const struct elfsym *e, uint64_t vaddr, uint64_t *start, uint64_t *size);
/* The descriptor of the file. */
int elfsym_fd(const struct elfsym *e);
/* elfsym_debug.c: open the file that has the debug information of the file at `path`: this file or
 * a separate one. Returns a descriptor that the caller closes, or -ENODATA. */
int elfsym_open_dwarf(struct elfsym *e, const char *path);
/* Search these folders for separate debug files first: "DIR:DIR", which is appended to the lists of
 * earlier calls. Returns 0, or -1 with errno. */
int elfsym_debug_folders(const char *list);
/* Read up to n bytes at `offset` of the file. Returns their number. */
size_t elfsym_read(const struct elfsym *e, uint64_t offset, void *out, size_t n);
/* Call fn (unless NULL) with each executable segment of the file. Returns the sum of their
 * sizes. */
size_t elfsym_each_code(const struct elfsym *e,
			void (*fn)(uint64_t offset, uint64_t size, void *ctx), void *ctx);
/* Read up to n bytes of the first section with that name. Returns their number, 0 if there is no
 * such section. Reads the section headers at each call. */
size_t elfsym_read_section(const struct elfsym *e, const char *name, void *out, size_t n);
/* Was the file made by the Go compiler? Reads the section headers at each call. */
bool elfsym_is_go(const struct elfsym *e);
/* May C++ exceptions or Rust panics unwind through its functions? */
bool elfsym_unwinds(struct elfsym *e);
/* elfsym_switch.c: the function by which its code switches stacks (stack_switch.def), or NULL.
 * *copies: the stacks are copied to the same addresses. */
const char *elfsym_switches(struct elfsym *e, bool *copies);
enum elfsym_needed {
	ELFSYM_NEEDED,
	ELFSYM_INTERPRETER,
	ELFSYM_RPATH,
	ELFSYM_RUNPATH,
	ELFSYM_SONAME,
	ELFSYM_OTHER,
};
typedef void elfsym_needed_fn(enum elfsym_needed kind, const char *text, void *ctx);
/* Call fn with each library the file needs (DT_NEEDED), each of its search paths, its name as a
 * library, and the path of its dynamic linker. */
void elfsym_each_needed(const struct elfsym *e, elfsym_needed_fn *fn, void *ctx);

/* Bytes of memory used by the index and by the names that were returned. */
size_t elfsym_bytes(const struct elfsym *e);

/* Sort stably by the upper 32 bits (a radix sort, which needs a second array). Returns 0 or
 * -ENOMEM. */
int elfsym_sort_keys(uint64_t *keys, size_t n);

/* build_id.c */

enum { BUILD_ID_BYTES = 64 }; /* a longer one is cut */

/* Read the build ID of the file behind fd. Returns its length; 0: there is none. */
size_t build_id_read(int fd, unsigned char out[BUILD_ID_BYTES]);
/* The same of the bytes of notes. */
size_t build_id_in_notes(const char *notes, size_t n, unsigned char out[BUILD_ID_BYTES]);
/* Write a build ID in hexadecimal. */
enum { BUILD_ID_TEXT = 2 * BUILD_ID_BYTES + 1 };
void build_id_print(const unsigned char *id, size_t n, char out[BUILD_ID_TEXT]);
/* That of an open file, in hexadecimal; NULL: there is none. Lives as long as `e`. */
const char *elfsym_build_id(struct elfsym *e);
