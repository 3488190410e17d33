/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library "names": from addresses of processes, of the kernel and of files to names and source
 * lines, and from names to addresses and arguments. What more the tracer needs is in the headers
 * that include this one. Link sonde_names; runtime/symbols/README.md says how to use it.
 */
#pragma once
#include "parser/base/prototype.h"
#include <stddef.h>

struct arena;
struct dwarf_types;
struct usyms;

/* ---- addresses of processes (usym.c) ------------------------------------------------------- */

struct usym {
	const char *name;   /* NULL if there is none */
	uint64_t offset;    /* bytes from the symbol's start */
	const char *module; /* path of the mapped file, "[vdso]", or NULL if nothing is mapped */
	uint64_t module_offset; /* the address in the file, as linked */
	const char *build_id;	/* of the file, in hexadecimal; or NULL */
	bool may_be_listed;	/* generated code that has no name yet, but may get one */
};

/* An address of a process. */
struct uaddress {
	uint32_t tgid, exec_id;
	uint64_t ip;
	/* CLOCK_MONOTONIC; 0: unknown, so only addresses whose mapping was never replaced have
	 * names */
	uint64_t time_ns;
};

struct srcframe {
	/* the function that was inlined; NULL: it is the function that has a symbol */
	const char *function;
	const char *file; /* path, as the compiler wrote it; NULL: not known */
	uint32_t line;
};

enum { SRCFRAMES_MAX = 32 };

/* An object that knows no process yet. NULL: no memory. */
struct usyms *usyms_new(void);
void usyms_free(struct usyms *u);

/* Read /proc/PID/maps now. Returns 0 or -errno (-ESRCH, -ENOENT: the process has ended). */
int usyms_note_process(struct usyms *u, uint32_t tgid);
/* A stack of (tgid, exec_id) was first seen at time_ns (CLOCK_MONOTONIC): bind exec_id to the
 * mappings of that time. Reads /proc if the process is not known yet. */
void usyms_note_stack(struct usyms *u, uint32_t tgid, uint32_t exec_id, uint64_t time_ns);
/* Find the name of an address. Returns false if nothing is known about it; *out is all zeros in
 * this case. The strings live until usyms_names_begin() (usym.h). */
bool usyms_find(struct usyms *u, const struct uaddress *a, struct usym *out);
/* The source lines of an address and the functions that are inlined there, innermost first; the
 * last one is the function that usyms_find() names. Returns their number, at most SRCFRAMES_MAX; 0:
 * not known. The strings live until usyms_names_begin() (usym.h). */
size_t usyms_lines(struct usyms *u, const struct uaddress *a, struct srcframe *out);

/* ---- addresses of the kernel (ksym.c) ------------------------------------------------------ */

struct ksyms;

/* An object that has read nothing yet. NULL: no memory. */
struct ksyms *ksyms_new(void);
void ksyms_free(struct ksyms *k);
/* The name and the offset of the function that contains `ip`; module is NULL for the kernel itself.
 * Returns false if kallsyms hides addresses (kptr_restrict) or no symbol contains `ip`. */
bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module);
/* The build ID of the running kernel, in hexadecimal; NULL: not known. Lives as long as `k`. */
const char *ksyms_build_id(struct ksyms *k);

/* ---- functions of a file (elfsym.c) -------------------------------------------------------- */

struct elfsym;

/* Open a file. NULL with *err: -ENOENT, -ENOEXEC (not an ELF file that can be read), or another
 * -errno. */
struct elfsym *elfsym_open(const char *path, int *err);
void elfsym_close(struct elfsym *e);
/* Find the function that contains `vaddr` (as linked). *name lives until elfsym_close(). The first
 * call builds the index. Of several aliases, a global one is preferred to a local one, then fewer
 * leading underscores, then the shorter name (cbrt, not cbrtf32x), then alphabetical order. Names
 * of C++ and Rust are demangled. */
bool elfsym_by_address(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset);
/* Find the function `name`: its address, file offset and size. The default version of a versioned
 * name is preferred, then a global symbol. Returns 0, -ESRCH, or another -errno. */
int elfsym_by_name(struct elfsym *e, const char *name, uint64_t *vaddr, uint64_t *file_offset,
		   uint64_t *size);

/* ---- their arguments and lines, from debug information (dwarf_types.c, srcline.c) ------------ */

/* Open the debug information of the file behind fd. Takes ownership of fd: it is closed with the
 * debug information, or at once on failure. NULL with *err:
 * -ENODATA (no debug information), -ENOSYS (no libdw), -ENOMEM. */
struct dwarf_types *dwarf_types_open(int fd, int *err);
void dwarf_types_close(struct dwarf_types *t);
/* Makes the type of a value, which is described by `die` (a Dwarf_Die), in `a`. NULL: it cannot be
 * read. */
typedef const struct type *dwarf_make_type_fn(struct dwarf_types *t, const void *die,
					      const char *path, struct arena *a);

/* From now on, prototypes have the types of values that are not numbers or addresses. `path` is
 * passed on. */
void dwarf_types_make(struct dwarf_types *t, dwarf_make_type_fn *make, const char *path);
/* Find the function that begins at `address` (as linked); it is allocated in `a`. Returns 0,
 * -ESRCH, -ENOLINK (its description is in a .dwo or .dwp file that is missing or cannot be read),
 * -ENOPKG (in a .dwp file, for which libdw is too old), or -ENOMEM. */
int dwarf_types_find(struct dwarf_types *t, uint64_t address, struct arena *a,
		     const struct typed_function **out);
/* Call fn with each variable that can be named at the instruction at `address`, the innermost
 * first; of several with one name, the first counts. What fn gets is valid during the call, its
 * strings and types as long as `a`. Errors as dwarf_types_find. */
int dwarf_types_locals(struct dwarf_types *t, uint64_t address, struct arena *a, user_local_fn *fn,
		       void *ctx);
/* Called with the address at which code of the line begins, in the order of the tables. */
typedef void srcline_fn(uint64_t address, void *ctx);

/* Call fn with each address at which code of the place begins. Returns 0, -ENOENT (no such source
 * file), -ESRCH (the line has no code; *near is the next line that has some, 0: none), -ERANGE (the
 * line has code, but none at that column; *near is the nearest column), -ENODATA (no debug
 * information), -ENOSYS (no libdw). */
int srcline_each(int fd, const struct source_place *place, srcline_fn *fn, void *ctx,
		 uint32_t *near);
