/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions the front end may ask about the running kernel and the files on this machine.
 * runtime/kernel.c answers from tracefs, BTF and ELF files, runtime/facts_file.c from a text file;
 * the unit tests answer from a fake, so that parsing and checking need no root, no kernel, no LLVM.
 * All answers live as long as the struct kernel. Errors are -errno.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* One field of a tracepoint's record, from its tracefs format file. */
struct tp_field {
	const char *name;
	const char *type_text;	/* "const char *", "char[16]", as the file spells it */
	uint32_t offset, size;	/* bytes in the record */
	uint32_t elem_size;	/* bytes of an element of an array, 0 when it is none */
	bool is_signed;
	bool is_data_loc;	/* __data_loc / __rel_loc: a handle, not the data */
	bool is_char_array;	/* char name[N] in the record itself */
};

struct tp_format {
	const char *category, *event;
	uint32_t id;		/* for perf_event_open */
	struct tp_field *fields; /* common_* fields left out */
	uint32_t n_fields;
	bool is_unchecked;	/* the kernel's formats could not be read: every field may exist */
};

/* A function in an ELF file. */
struct user_symbol {
	const char *path;	/* resolved: absolute, the file really opened */
	const char *symbol;
	uint64_t address;	/* virtual address in the file */
	uint64_t offset;	/* file offset: what a uprobe is attached to */
	uint64_t size;		/* bytes, 0 when the file does not say */
	bool is_entry;		/* where the program begins: nothing calls it, it never returns */
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

enum kernel_feature {
	KF_BTF,			/* /sys/kernel/btf/vmlinux */
	KF_KPROBE,		/* the kprobe PMU */
	KF_UPROBE,		/* the uprobe PMU */
	KF_UPROBE_MULTI,	/* uprobe_multi links, 6.6 */
	KF_KPROBE_MULTI,	/* kprobe_multi links, 5.18, with CONFIG_FPROBE */
	KF_COUNT,
};

typedef void (*kernel_name_fn)(const char *name, void *ctx);
/* Strings are valid during the call. */
typedef void (*user_function_fn)(const struct user_symbol *f, void *ctx);
typedef void (*usdt_note_fn)(const struct usdt_note *note, void *ctx);

struct kernel {
	/* Set when formats could not be read (-errno): some attach point is unchecked, so the
	 * script can be checked but not be compiled. */
	int unchecked;
	/* What the command line says: the process of -p (0: none). */
	uint32_t pid;
	/* The format of tracepoint category:event. 0, -ENOENT (no such event), -EACCES/-EPERM (not
	 * allowed to read tracefs), other -errno. */
	int (*tracepoint)(struct kernel *k, const char *category, const char *event,
			  const struct tp_format **out);
	/* Call fn for every "category:event" (of one category when it is not NULL): suggestions. */
	int (*each_tracepoint)(struct kernel *k, const char *category, kernel_name_fn fn,
			       void *ctx);
	/* True when a raw tracepoint `name` with BTF types exists (typedef btf_trace_NAME). */
	bool (*has_raw_tracepoint)(struct kernel *k, const char *name);
	/* Resolve PATH (absolute, relative, or a bare name looked up in $PATH) and SYMBOL. 0,
	 * -ENOENT (no such file), -ENOEXEC (not an ELF file), -ESRCH (no such symbol; out->path
	 * is set). */
	int (*user_symbol)(struct kernel *k, const char *path, const char *symbol,
			   struct user_symbol *out);
	/* Call fn for every function of an ELF file, under each of its names: patterns,
	 * suggestions. Errors as user_symbol. */
	int (*each_user_function)(struct kernel *k, const char *path, user_function_fn fn,
				  void *ctx);
	/* The function that holds `address` of the file; out->address is where it begins. 0, -ESRCH
	 * (none), or as user_symbol. */
	int (*user_function_at)(struct kernel *k, const char *path, uint64_t address,
				struct user_symbol *out);
	/* Call fn for every USDT probe of an ELF file, once a place. Errors as user_symbol. */
	int (*each_usdt)(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx);
	/* Address in the file of a variable or function. 0, -ESRCH, or as user_symbol. */
	int (*user_object)(struct kernel *k, const char *path, const char *name, uint64_t *out);
	/* Call fn for every file whose code process k->pid runs, or, when that is 0, any process:
	 * absolute paths, each once. 0 or -errno. */
	int (*each_mapped_file)(struct kernel *k, kernel_name_fn fn, void *ctx);
	/* 0 when the kernel function `name` exists, -ENOENT, -EPERM when that cannot be told. */
	int (*kernel_function)(struct kernel *k, const char *name);
	/* Call fn for every kernel function that can be probed; those of modules are
	 * "name [module]". 0 or -errno when the kernel does not tell. */
	int (*each_kernel_function)(struct kernel *k, kernel_name_fn fn, void *ctx);
	bool (*has_feature)(struct kernel *k, enum kernel_feature f);
	/* Possible CPUs: a per-CPU map has a value for each. */
	uint32_t (*n_cpus)(struct kernel *k);
	/* Release all answers; NULL when there is nothing to release (fakes). */
	void (*close)(struct kernel *k);
};
