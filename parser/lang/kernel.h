/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface through which the front end queries the running kernel and the files of this
 * machine. runtime/kernel/kernel.c answers from tracefs, BTF and ELF files,
 * runtime/kernel/facts_file.c from a text file, so that parsing and checking need no root and no
 * kernel. All answers live as long as the struct kernel. Errors are -errno.
 */
#pragma once
#include "parser/base/prototype.h"
#include "parser/lang/c_type.h"
#include "parser/lang/trace_scope.h"

struct bpf_import;

enum { TP_COMMON_BYTES = 8 }; /* the common_* fields at the start of every record */

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
	uint64_t size;	  /* bytes, 0 if unknown */
	bool is_ifunc;	  /* an IFUNC resolver: it chooses the function that is called */
	bool is_entry;	  /* the entry point: nothing calls it, it never returns */
};

/* How a program switches stacks in the middle of calls. */
struct user_switch {
	const char *function, *file; /* its function for that, and the file that uses it */
	bool copies; /* stacks are copied to the same addresses: a stack pointer names no call */
};

/* A variable in an ELF file. */
struct user_object {
	const char *path; /* resolved: absolute, the file really opened */
	uint64_t address; /* virtual address in the file */
	uint64_t size;	  /* bytes, 0 if unknown */
	bool is_movable;  /* the load address differs between processes */
};

/* One location of a USDT probe in an ELF file, from its note. */
struct usdt_note {
	const char *path; /* resolved, as above */
	const char *provider, *name;
	const char *args;   /* the operands: usdt_operand.h */
	uint64_t address;   /* virtual address in the file */
	uint64_t offset;    /* file offset: what a uprobe is attached to */
	uint64_t semaphore; /* file offset of the semaphore, 0: none */
};

/* The strings are valid during the call only. */
typedef void (*user_function_fn)(const struct user_symbol *f, void *ctx);

/* An instruction by which a function of a program is left. */
struct user_exit {
	uint64_t offset; /* in the function, bytes */
	/* A jump to another function (a tail call), whose name is `to`, or NULL if it is not known.
	 * The name is valid during the call only. */
	bool is_jump;
	const char *to;
	/* 0: the jump is always taken; else the condition code of x86 plus 1. */
	uint8_t condition;
};

typedef void (*user_exit_fn)(const struct user_exit *x, void *ctx);

/* What else is known of a function's exits. */
struct user_exits {
	uint64_t
		unclear; /* of the instruction of which it is not known whether it is one: offset */
	/* It jumps back to its first instruction, and calls nothing: a loop, whose rounds pass a
	 * probe at the function's entry. */
	bool is_loop;
	/* It calls nothing and ends in returns only, and its instructions compute with integers in
	 * registers: nothing can leave it but its returns. */
	bool is_closed;
};

typedef void (*typed_function_fn)(const struct typed_function *f, void *ctx);
typedef void (*usdt_note_fn)(const struct usdt_note *note, void *ctx);

struct kernel {
	/* -errno when a format could not be read: that attach point is unchecked, and the script
	 * can be checked but not run. */
	int unchecked;
	const struct trace_scope *scope; /* of the command line */
	bool any_place;			 /* --unsafe: any offset in a file may be probed */
	bool return_instructions;	 /* --return-probes ret */
	bool is_thorough; /* --check: questions whose answers take long are asked, too */
	uint64_t denied;  /* --no-feature: a bit for each capability that is not to be used */
	const char *traceable_functions; /* a file of names in place of the kernel's; or NULL */
	/* -I: folders of headers; --include: headers. */
	const char *const *include_dirs, *const *include_files;
	uint32_t n_include_dirs, n_include_files;
	const char *recording;	/* the file that these facts and all events are of; or NULL */
	struct kernel *stock;	/* --facts: tracepoints are this one's; or NULL */
	struct kernel *symbols; /* of the stock kernel; NULL until one is looked up */
	/* The format of tracepoint category:event. 0, -ENOENT (no such event), -EACCES/-EPERM (not
	 * allowed to read tracefs), other -errno. */
	int (*tracepoint)(struct kernel *k, const char *category, const char *event,
			  const struct tp_format **out);
	/* Call fn for every "category:event" (of one category unless that is NULL). */
	int (*each_tracepoint)(struct kernel *k, const char *category, kernel_name_fn fn,
			       void *ctx);
	/* True when a raw tracepoint `name` with BTF types exists (typedef btf_trace_NAME). */
	bool (*has_raw_tracepoint)(struct kernel *k, const char *name);
	/* Resolve PATH (absolute, relative, or the bare name of a program or library) and SYMBOL.
	 * Paths are those that the process of -p sees. 0, -ENOENT (no such file),
	 * -ENOEXEC (not an ELF file), -ESRCH (no such symbol; out->path is set). */
	int (*user_symbol)(struct kernel *k, const char *path, const char *symbol,
			   struct user_symbol *out);
	/* Call fn for every function of an ELF file, once for each of its names. Errors as
	 * user_symbol. */
	int (*each_user_function)(struct kernel *k, const char *path, user_function_fn fn,
				  void *ctx);
	/* Resolve PATH and the variable NAME. Errors as user_symbol. */
	int (*user_object)(struct kernel *k, const char *path, const char *name,
			   struct user_object *out);
	/* The hooks below may be NULL: nothing is known then. */
	/* Call fn for every variable's name of an ELF file. Errors as user_symbol. */
	int (*each_user_object)(struct kernel *k, const char *path, kernel_name_fn fn, void *ctx);
	/* Is `offset` within the kernel function? 0, -ERANGE (it has *size bytes), other -errno if
	 * unknown. */
	int (*kernel_offset)(struct kernel *k, const char *name, uint64_t offset, uint64_t *size);
	/* Call fn with each file whose path the pattern matches (pattern.h; '*' does not match
	 * '/'). 0 or -errno. */
	int (*each_user_file)(struct kernel *k, const char *pattern, kernel_name_fn fn, void *ctx);
	/* *out: the path of library `name` (libc, libc.so.6) as program PATH loads it. 0, -ESRCH
	 * (not loaded; fn was called for each that is), or as user_symbol. */
	int (*user_library)(struct kernel *k, const char *path, const char *name, const char **out,
			    kernel_name_fn fn, void *ctx);
	/* The function that contains `address` of the file; out->address is its start. 0, -ESRCH
	 * (none; out->path is set, and out->offset is that of the address), -EFAULT (the file has
	 * no such address), or as user_symbol. */
	int (*user_function_at)(struct kernel *k, const char *path, uint64_t address,
				struct user_symbol *out);
	/* Does an instruction of f begin at `offset`? 0, -EINVAL (it is inside the one that begins
	 * at *before), -ENOSYS (no library to decode them), -EOPNOTSUPP (they cannot be decoded),
	 * or another error: unknown. */
	int (*user_instruction)(struct kernel *k, const struct user_symbol *f, uint64_t offset,
				uint64_t *before);
	/* Call fn with each instruction by which f is left: returns, and jumps to other functions.
	 * 0, -ENOSYS (no library to decode them), -EOPNOTSUPP (they cannot be decoded), -EINVAL (f
	 * also contains data), -EDOM (it is not known where the jump at out->unclear leads),
	 * -ENOPKG (nor is there the library that could tell). fn is called only if the result is
	 * 0. */
	int (*each_user_exit)(struct kernel *k, const struct user_symbol *f, user_exit_fn fn,
			      void *ctx, struct user_exits *out);
	/* Was the program built by the Go compiler, whose runtime moves stacks? */
	bool (*user_is_go)(struct kernel *k, const char *path);
	/* How f is passed its arguments. A program of Go can contain functions of each kind. */
	enum user_abi (*user_abi)(struct kernel *k, const struct user_symbol *f);
	/* Can C++ exceptions or Rust panics unwind functions of this file? */
	bool (*user_unwinds)(struct kernel *k, const char *path);
	/* Does the program, a library that it needs or, with -p, a file that it has mapped switch
	 * stacks? Of a library (`.so`): any file whose code a process that uses the library runs
	 * now. */
	bool (*user_switches)(struct kernel *k, const char *path, struct user_switch *out);
	/* Call fn for each location where code of a source line begins: with the name of the
	 * function, and the address and offset of the location. 0, -ENOENT (no such source file),
	 * -ESRCH (the line has no code; line *near has, or it is 0), -ERANGE (none at that column;
	 * at column *near), -ENODATA (no debug information), -ENOSYS (no library to read it), or
	 * as user_symbol. */
	int (*each_user_line)(struct kernel *k, const char *path, const struct source_place *place,
			      user_function_fn fn, void *ctx, uint32_t *near);
	/* The prototype in debug information of the function at file offset `offset`. 0, -ESRCH
	 * (not described), -ENOLINK (it is in a .dwo or .dwp file that is missing or cannot be
	 * read), -ENOPKG (in a .dwp file, which libdw cannot read), -ENODATA (no debug
	 * information), -ENOSYS (no library to read it), or as user_symbol. */
	int (*user_typed)(struct kernel *k, const char *path, uint64_t offset,
			  const struct typed_function **out);
	/* Call fn with each variable that can be named at file offset `offset`, the innermost
	 * first. Errors as user_typed. */
	int (*each_user_local)(struct kernel *k, const char *path, uint64_t offset,
			       user_local_fn *fn, void *ctx);
	/* The struct, union, enum or typedef `name` in the debug information of the file: "struct
	 * point" or "point". Errors as user_typed. */
	int (*user_c_type)(struct kernel *k, const char *path, const char *name,
			   const struct type **out);
	/* Demangle a C++ or Rust symbol, with or without the parameters' types; false for any other
	 * symbol and for a name that does not fit. */
	bool (*demangle)(const char *symbol, bool with_parameters, char *out, size_t size);
	/* Call fn for every location of a USDT probe in an ELF file. Errors as user_symbol. */
	int (*each_usdt)(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx);
	/* Call fn for every file whose code the process of -p runs, or, without -p, any process:
	 * absolute paths, each once. 0 or -errno. */
	int (*each_mapped_file)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* 0 when the kernel function `name` exists, -ENOENT, -EPERM (unknown), -ENOTUNIQ (several
	 * have that name; known only if the kernel is_thorough). */
	int (*kernel_function)(struct kernel *k, const char *name);
	/* Call fn for every kernel function that can be probed; those of modules are
	 * "name [module]". 0, or -errno if unknown. */
	int (*each_kernel_function)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* The prototype of `name` in BTF; `module` NULL: in the kernel itself, or else in the one
	 * module that has it. 0, -ENOENT (no such name), -ESRCH (no such module), -ENOTUNIQ
	 * (several modules have it), other -errno when there is no BTF. */
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
	/* The struct, union, enum, typedef or base type of that name in BTF, the kernel's first,
	 * then the modules'. 0, -ENOENT, other -errno when there is no BTF. */
	int (*c_type)(struct kernel *k, enum c_kind kind, const char *name,
		      const struct type **out);
	/* The constant `name` of an enum, and the enum. Errors as c_type. */
	int (*c_constant)(struct kernel *k, const char *name, const struct type **type,
			  int64_t *value);
	/* Call fn for the name of every struct, union, enum or typedef of the kernel itself. */
	int (*each_c_type)(struct kernel *k, enum c_kind kind, kernel_name_fn fn, void *ctx);
	/* What the C preprocessor of this machine makes of `text`, with the #define lines, in `a`;
	 * `dir`: where quoted headers are. NULL: *why says why not. The hook may be NULL: headers
	 * are not read then. */
	const char *(*preprocess_c)(struct kernel *k, struct arena *a, const char *text,
				    const char *dir, const char **why);
	/* Read the object of BPF, or compile the C, at import->path: sets its bytes and functions,
	 * which are in `a`. NULL, or why not. The hook may be NULL: imports do not work then. */
	const char *(*read_bpf)(struct kernel *k, struct arena *a, struct bpf_import *import);
	/* The address of a kernel symbol. 0, -ENOENT, -EPERM (hidden from this user), or another
	 * error. */
	int (*kernel_symbol)(struct kernel *k, const char *name, uint64_t *address);
	/* The ID of the cgroup of a directory. 0, -EINVAL (it is not one of a cgroup file system),
	 * or another error. */
	int (*cgroup_id)(struct kernel *k, const char *path, uint64_t *id);
	/* May programs of the kind of `section` call the kernel function `name`? */
	bool (*kfunc_allowed)(struct kernel *k, const char *name, const char *section);
	/* The state of a capability, cached. Callers use kernel_capability(), kernel_has() or
	 * kernel_lacks(). */
	enum capability_state (*capability)(struct kernel *k, enum capability_id id);
	/* The version of Linux, as LINUX_VERSION_CODE; 0: unknown. The hook may be NULL. */
	uint32_t (*version)(struct kernel *k);
	/* Are there recorded events of the probe, which is no tracepoint: as it is written, or
	 * TYPE:PATH:SYMBOL? The hook may be NULL. */
	bool (*is_recorded)(struct kernel *k, const char *probe);
	/* Call fn for each of these. The hook may be NULL. */
	int (*each_recorded)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* Possible CPUs: a per-CPU map has a value for each. */
	uint32_t (*n_cpus)(struct kernel *k);
	/* Release all answers; may be NULL. */
	void (*close)(struct kernel *k);
};

static inline enum capability_state kernel_capability(struct kernel *k, enum capability_id id)
{
	if (id == CAP_NONE)
		return CAPABILITY_YES;
	return k->denied >> id & 1 ? CAPABILITY_NO : k->capability(k, id);
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
