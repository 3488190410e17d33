/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions the front end may ask about the running kernel and the files on this machine.
 * runtime/kernel/kernel.c answers from tracefs, BTF and ELF files, runtime/kernel/facts_file.c from
 * a text file; the unit tests answer from a fake, so that parsing and checking need no root, no
 * kernel, no LLVM. All answers live as long as the struct kernel. Errors are -errno.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parser/lang/capability.h"

/* What an address is of. */
struct tp_pointee {
	uint32_t levels; /* stars; 0: it is no address */
	uint32_t size;	 /* behind all of them, of a number; 0: of anything else */
	bool is_signed;
	const char *text; /* "struct file" */
};

/* One field of a tracepoint's record, from its tracefs format file. */
struct tp_field {
	const char *name;
	const char *type_text; /* "const char *", "char[16]", as the file spells it */
	uint32_t offset, size; /* bytes in the record */
	uint32_t elem_size;    /* bytes of an element of an array, 0 when it is none */
	bool is_signed;
	bool is_data_loc;     /* __data_loc / __rel_loc: a handle, not the data */
	bool is_char_array;   /* char name[N] in the record itself */
	const char *declared; /* of user functions: type and name as C declares them; or NULL */
	struct tp_pointee to; /* of functions */
};

enum { TP_COMMON_BYTES = 8 }; /* of common_* fields, with which every record begins */

struct tp_format {
	const char *category, *event;
	uint32_t id;		 /* for perf_event_open */
	struct tp_field *fields; /* common_* fields left out */
	uint32_t n_fields;
	bool is_unchecked; /* the kernel's formats could not be read: every field may exist */
};

/* A function in an ELF file. */
struct user_symbol {
	const char *path; /* resolved: absolute, the file really opened */
	const char *symbol;
	uint64_t address; /* virtual address in the file */
	uint64_t offset;  /* file offset: what a uprobe is attached to */
	uint64_t size;	  /* bytes, 0 when the file does not say */
	bool is_ifunc;	  /* an IFUNC: it picks what callers of that name reach */
	bool is_entry;	  /* where the program begins: nothing calls it, it never returns */
};

/* What BTF describes by its parameters. */
enum typed_kind {
	TYPED_FUNCTION,	  /* of the kernel or a module */
	TYPED_TRACEPOINT, /* a raw tracepoint: what it hands to its probes */
};

/* A parameter's offset when it cannot be told. */
#define TYPED_NO_PLACE UINT32_MAX

/* A function as BTF describes it, or what a raw tracepoint hands on; a user function as debug
 * information does, whose words are the registers for integers and behind them the stack, as arg0,
 * arg1, … are numbered. */
struct typed_function {
	const char *name, *module; /* the kernel itself is "vmlinux" */
	uint32_t btf_id;	   /* in the module's BTF */
	uint32_t prog_id;	   /* of a loaded BPF program's functions: whose; else 0 */
	struct tp_field *params;   /* by the words a program gets; size 0: no number, no address */
	uint32_t n_params;
	struct tp_field result; /* size 0: none, or no number and no address */
	const char *unplaced; /* user functions: why no place of some parameter is known; or NULL */
};

/* A variable in an ELF file. */
struct user_object {
	const char *path; /* resolved: absolute, the file really opened */
	uint64_t address; /* virtual address in the file */
	uint64_t size;	  /* bytes, 0 when the file does not say */
	bool is_movable;  /* the file is loaded at another address in each process */
};

/* What a program of an iterator is given of each object. */
struct iter_field {
	const char *name;
	uint32_t offset, size; /* bytes */
	bool is_signed, is_pointer;
};

struct kernel_iter {
	const char *name; /* "task" */
	struct iter_field *fields;
	uint32_t n_fields;
};

/* A USDT probe at one place of an ELF file: what its note says. */
struct usdt_note {
	const char *path; /* resolved, as above */
	const char *provider, *name;
	const char *args;   /* the operands: usdt_operand.h */
	uint64_t address;   /* virtual address in the file */
	uint64_t offset;    /* file offset: what a uprobe is attached to */
	uint64_t semaphore; /* file offset of the counter of tracers, 0: it has none */
};

typedef void (*kernel_name_fn)(const char *name, void *ctx);
/* Strings are valid during the call. */
typedef void (*user_function_fn)(const struct user_symbol *f, void *ctx);
/* A place in a function: bytes behind its start. */
typedef void (*user_place_fn)(uint64_t offset, void *ctx);
typedef void (*typed_function_fn)(const struct typed_function *f, void *ctx);
typedef void (*usdt_note_fn)(const struct usdt_note *note, void *ctx);

struct kernel {
	/* Set when formats could not be read (-errno): some attach point is unchecked, so the
	 * script can be checked but not be compiled. */
	int unchecked;
	/* What the command line says of user functions: the process of -p (0: none), the program of
	 * -c (NULL: none), and whether --unsafe allows any place in a file. */
	uint32_t pid;
	const char *program;
	bool any_place;
	/* The format of tracepoint category:event. 0, -ENOENT (no such event), -EACCES/-EPERM (not
	 * allowed to read tracefs), other -errno. */
	int (*tracepoint)(struct kernel *k, const char *category, const char *event,
			  const struct tp_format **out);
	/* Call fn for every "category:event" (of one category when it is not NULL): suggestions. */
	int (*each_tracepoint)(struct kernel *k, const char *category, kernel_name_fn fn,
			       void *ctx);
	/* True when a raw tracepoint `name` with BTF types exists (typedef btf_trace_NAME). */
	bool (*has_raw_tracepoint)(struct kernel *k, const char *name);
	/* Resolve PATH (absolute, relative, or the bare name of a program or library) and SYMBOL.
	 * In every question a path is one as the process -p sees it. 0, -ENOENT (no such file),
	 * -ENOEXEC (not an ELF file), -ESRCH (no such symbol; out->path is set). */
	int (*user_symbol)(struct kernel *k, const char *path, const char *symbol,
			   struct user_symbol *out);
	/* Call fn for every function of an ELF file, under each of its names: patterns,
	 * suggestions. Errors as user_symbol. */
	int (*each_user_function)(struct kernel *k, const char *path, user_function_fn fn,
				  void *ctx);
	/* Resolve PATH and the variable NAME. Errors as user_symbol. */
	int (*user_object)(struct kernel *k, const char *path, const char *name,
			   struct user_object *out);
	/* The questions below may be NULL: nothing is known then. */
	/* Call fn for every variable's name of an ELF file. Errors as user_symbol. */
	int (*each_user_object)(struct kernel *k, const char *path, kernel_name_fn fn, void *ctx);
	/* Is `offset` behind the start of the kernel's function in it? 0, -ERANGE (it has *size
	 * bytes), other -errno when that cannot be told. */
	int (*kernel_offset)(struct kernel *k, const char *name, uint64_t offset, uint64_t *size);
	/* Call fn with each file whose path the pattern matches (pattern.h; '*' does not match
	 * '/'). 0 or -errno. */
	int (*each_user_file)(struct kernel *k, const char *pattern, kernel_name_fn fn, void *ctx);
	/* *out: the path of library `name` (libc, libc.so.6) as program PATH loads it. 0, -ESRCH
	 * (it loads no such; fn was called with each that it does), or as user_symbol. */
	int (*user_library)(struct kernel *k, const char *path, const char *name, const char **out,
			    kernel_name_fn fn, void *ctx);
	/* The function that holds `address` of the file; out->address is where it begins. 0, -ESRCH
	 * (none; out->path and out->offset are set, the latter is that of the address), -EFAULT
	 * (the file has no such address), or as user_symbol. */
	int (*user_function_at)(struct kernel *k, const char *path, uint64_t address,
				struct user_symbol *out);
	/* Does an instruction of f begin `offset` bytes behind its start? 0, -EINVAL (it is in the
	 * middle of the one that begins at *before), -ENOSYS (that cannot be told). */
	int (*user_instruction)(struct kernel *k, const struct user_symbol *f, uint64_t offset,
				uint64_t *before);
	/* Call fn with the place of each instruction that returns from f. 0, 1 (it can also be left
	 * by a jump to another function), -ENOSYS, -EINVAL (f is not instructions alone). */
	int (*each_user_return)(struct kernel *k, const struct user_symbol *f, user_place_fn fn,
				void *ctx);
	/* Does the Go compiler's runtime manage the stacks of this program? */
	bool (*user_is_go)(struct kernel *k, const char *path);
	/* May exceptions of C++ or panics of Rust leave functions of this file? */
	bool (*user_unwinds)(struct kernel *k, const char *path);
	/* Call fn with each place where code of a source line begins: the symbol is the function,
	 * its address and offset are the place's. 0, -ENOENT (no such file among the sources),
	 * -ESRCH (the line has no code; *near_line has, 0 if none), -ENODATA (no
	 * debug information), -ENOSYS (no library to read it), or as user_symbol. */
	int (*each_user_line)(struct kernel *k, const char *path, const char *source, uint32_t line,
			      user_function_fn fn, void *ctx, uint32_t *near_line);
	/* What debug information says of the function that begins `offset` bytes into the file. 0,
	 * -ESRCH (nothing of this one), -ENODATA (there is none), -ENOSYS (no library to read it),
	 * or as user_symbol. */
	int (*user_typed)(struct kernel *k, const char *path, uint64_t offset,
			  const struct typed_function **out);
	/* A C++ or Rust symbol as people write it, with or without the parameters' types; false for
	 * any other and one that does not fit. */
	bool (*demangle)(struct kernel *k, const char *symbol, bool with_parameters, char *out,
			 size_t size);
	/* Call fn for every USDT probe of an ELF file, once a place. Errors as user_symbol. */
	int (*each_usdt)(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx);
	/* Call fn for every file whose code process k->pid runs, or, when that is 0, any process:
	 * absolute paths, each once. 0 or -errno. */
	int (*each_mapped_file)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* 0 when the kernel function `name` exists, -ENOENT, -EPERM when that cannot be told. */
	int (*kernel_function)(struct kernel *k, const char *name);
	/* Call fn for every kernel function that can be probed; those of modules are
	 * "name [module]". 0 or -errno when the kernel does not tell. */
	int (*each_kernel_function)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* What BTF says of `name`; `module` NULL: the kernel itself, or else the one module that
	 * has it. 0, -ENOENT (no such name), -ESRCH (no such module), -ENOTUNIQ (several modules
	 * have it), other -errno when there is no BTF. */
	int (*typed)(struct kernel *k, enum typed_kind kind, const char *module, const char *name,
		     const struct typed_function **out);
	/* Call fn for the name of each that BTF describes, of one module; NULL: of the kernel
	 * itself and all modules, those of modules as "name [module]". */
	int (*each_typed)(struct kernel *k, enum typed_kind kind, const char *module,
			  kernel_name_fn fn, void *ctx);
	/* Call fn for every function of the BPF programs that are loaded now and have BTF. */
	int (*each_bpf_function)(struct kernel *k, typed_function_fn fn, void *ctx);
	/* The iterator `name`. 0, -ENOENT (there is none), other -errno when there is no BTF. */
	int (*iterator)(struct kernel *k, const char *name, const struct kernel_iter **out);
	/* Call fn for every iterator's name. */
	int (*each_iterator)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* Has it the capability? The answer is cached. Callers use kernel_capability(),
	 * kernel_has() or kernel_lacks(). */
	enum capability_state (*capability)(struct kernel *k, enum capability_id id);
	/* Possible CPUs: a per-CPU map has a value for each. */
	uint32_t (*n_cpus)(struct kernel *k);
	/* Release all answers; NULL when there is nothing to release (fakes). */
	void (*close)(struct kernel *k);
};

static inline enum capability_state kernel_capability(struct kernel *k, enum capability_id id)
{
	return id == CAP_NONE ? CAPABILITY_YES : k->capability(k, id);
}

/* The kernel is known to have it: the test before using it. */
static inline bool kernel_has(struct kernel *k, enum capability_id id)
{
	return kernel_capability(k, id) == CAPABILITY_YES;
}

/* The kernel is known not to have it: the test before an error. */
static inline bool kernel_lacks(struct kernel *k, enum capability_id id)
{
	return kernel_capability(k, id) == CAPABILITY_NO;
}
