/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What debug information and BTF say of functions: parameters, results, and how arguments are
 * passed. The libraries of the runtime read it (runtime/dwarf, runtime/btf, runtime/elf); the front
 * end gets it through parser/lang/kernel.h.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct type;

/* The type that an address points to. */
struct tp_pointee {
	uint32_t levels; /* of indirection; 0: not an address */
	uint32_t size;	 /* of the number pointed to; 0: not a number */
	bool is_signed;
	const char *text; /* "struct file" */
};

/* Where an argument or a result is that is not a number or an address: `type` says what it is. */
enum value_place {
	PLACE_NUMBER,  /* it is one; or where it is is not known */
	PLACE_WORDS,   /* consecutive words, the first at `offset` */
	PLACE_ADDRESS, /* in memory: the word at `offset` is its address */
	PLACE_FLOATS,  /* in registers for floating-point numbers, at least partly */
	PLACE_LOST,    /* a result in memory whose address is known at the entry only */
	PLACE_PARTS,   /* each of its `parts` in a word, the first at `offset` */
};

/* A number or an address in a value, which is in a register of its own. */
struct value_part {
	uint32_t at, size; /* bytes of the value */
};

/* One field of a tracepoint's record, from its tracefs format file. */
struct tp_field {
	const char *name;
	const char *type_text; /* "const char *", "char[16]", as the file spells it */
	uint32_t offset, size; /* bytes in the record */
	uint32_t elem_size;    /* of an array: bytes of an element; else 0 */
	bool is_signed;
	bool is_data_loc;	/* __data_loc / __rel_loc: a handle, not the data */
	bool is_char_array;	/* char name[N] in the record itself */
	const char *declared;	/* of user functions: type and name as C declares them; or NULL */
	bool is_enum;		/* of user functions */
	bool is_float;		/* of user functions: in a register that argN does not count */
	struct tp_pointee to;	/* of functions */
	enum value_place place; /* of user functions */
	/* Of functions: the type in BTF or debug information; NULL: not known, or none that
	 * scripts can read. Pointers in it are in no address space. */
	const struct type *type;
	const struct value_part *parts; /* PLACE_PARTS; and of all results of Go */
	uint32_t n_parts;
};

/* How a function in an ELF file is passed its arguments. */
enum user_abi {
	USER_ABI_C,	     /* as the platform defines it: C, C++, Rust */
	USER_ABI_GO,	     /* in Go's registers; another one holds the goroutine */
	USER_ABI_GO_STACK,   /* on the stack: Go's assembler, and all of Go before 1.17 */
	USER_ABI_GO_UNKNOWN, /* the version of Go is not known */
	USER_ABI_COUNT,
};

/* The suffix of functions of Go's assembler, which the linker appends. */
#define GO_ASSEMBLER_SUFFIX ".abi0"

/* The two kinds of prototypes in BTF. */
enum typed_kind {
	TYPED_FUNCTION,	  /* of the kernel or a module */
	TYPED_TRACEPOINT, /* a raw tracepoint: the arguments of its probes */
};

/* The offset of a parameter whose location is unknown. */
#define TYPED_NO_PLACE UINT32_MAX

/* The prototype of a kernel function or raw tracepoint from BTF, or of a user function from debug
 * information. The words of a user function are the registers for integers and then the stack, as
 * arg0, arg1, … are numbered. */
struct typed_function {
	const char *name, *module; /* the kernel itself is "vmlinux" */
	uint32_t btf_id;	   /* in the module's BTF */
	uint32_t prog_id;	   /* of a loaded BPF program's function: the program; else 0 */
	struct tp_field *params;   /* by words; size 0: neither a number nor an address */
	uint32_t n_params;
	struct tp_field result; /* size 0: none, or neither a number nor an address */
	/* Go, if there are several: all of them; `result` has only their types as text */
	struct tp_field *results;
	uint32_t n_results;
	const char *unplaced; /* user functions: why a location is unknown; or NULL */
};

/* A step of a computation with a stack: where a variable is, or its value. */
enum local_step {
	LOCAL_REGISTER, /* push the value of a register (its DWARF number) plus `number` */
	LOCAL_NUMBER,	/* push `number` */
	LOCAL_CFA,	/* push the canonical frame address, which a register plus a number is */
	LOCAL_READ,	/* replace an address by the word there */
	LOCAL_NEG,
	LOCAL_NOT,
	LOCAL_ADD, /* from here on: of two values */
	LOCAL_SUB,
	LOCAL_MUL,
	LOCAL_AND,
	LOCAL_OR,
	LOCAL_XOR,
	LOCAL_SHL,
	LOCAL_SHR,
};

struct local_op {
	enum local_step step;
	uint32_t reg;
	int64_t number;
};

enum local_state {
	LOCAL_HERE,
	LOCAL_GONE,	 /* optimised away at this instruction */
	LOCAL_TOO_EARLY, /* the function has not made its frame yet */
	/* only what a register held at the function's entry tells it: ops[0], unless it is a
	 * parameter of the function */
	LOCAL_AT_ENTRY,
	LOCAL_IN_PIECES, /* in several registers */
	LOCAL_IS_STATIC, /* at an address of the program */
	LOCAL_UNKNOWN,	 /* its location is described in a way that is not supported */
};

enum { LOCAL_OPS = 16 };

/* A variable of a user function at an instruction. */
struct user_local {
	const char *name, *type_text;
	const struct type *type; /* NULL: it cannot be read */
	enum local_state state;
	bool is_value; /* `ops` compute the value; else its address */
	struct local_op ops[LOCAL_OPS];
	uint32_t n_ops;
};

typedef void user_local_fn(const struct user_local *l, void *ctx);

/* A field that an iterator passes to its program. */
struct iter_field {
	const char *name;
	uint32_t offset, size; /* bytes */
	bool is_signed, is_pointer;
	const char *to; /* of a pointer: "struct file"; or NULL */
};

struct kernel_iter {
	const char *name; /* "task" */
	struct iter_field *fields;
	uint32_t n_fields;
};

/* A location in the source of a program. */
struct source_place {
	const char *file;      /* a path, or its last components */
	uint32_t line, column; /* column 0: any */
};

typedef void (*kernel_name_fn)(const char *name, void *ctx);
