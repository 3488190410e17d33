/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the interpreter.
 *
 * Addresses in BPF programs are not addresses of this process. The upper 16 bits tell what an
 * address refers to (INTERP_TAG_*), the next 16 bits are the number of a region, the lower 32 bits
 * an offset in it. So a region can be moved, and an address outside of all regions is detected.
 */
#pragma once
#include "runtime/interp/interp.h"
#include "runtime/base/vec.h"
#include <linux/bpf.h>
#include <pthread.h>

struct btf;

enum {
	INTERP_MAX_DEPTH = 64, /* nested calls, callbacks included */
	INTERP_FRAME_BYTES = 512,
	INTERP_CONTEXT_BYTES = 128,
	INTERP_REGISTER_BYTES = 512,
	INTERP_NAME = 64,
};

/* The most instructions of one run: some seconds. */
#define INTERP_BUDGET (1ull << 30)

#define INTERP_TAG_MEMORY 0x5e01ull /* a byte of a region */
#define INTERP_TAG_MAP 0x5e02ull    /* a map, by its number */
#define INTERP_TAG_CODE 0x5e03ull   /* an instruction, by its number */

enum {
	REGION_STACK,
	REGION_CONTEXT,
	REGION_TASK,
	REGION_REGISTERS, /* of a system call */
	REGION_MAPS,
};

struct region {
	uint8_t *at;
	uint64_t bytes;
	bool is_constant;
	/* 1 for each byte that has a value; NULL: all bytes have one */
	const uint8_t *known;
};

struct interp_map {
	char name[INTERP_NAME];
	enum bpf_map_type type;
	uint32_t key_size, value_size, max_entries;
	uint32_t stride;  /* distance between the values of two CPUs, or of two elements */
	uint32_t n_parts; /* number of values of an element: 1, or one for each CPU */
	uint32_t region;
	int fd;
	/* For hash maps: elements have numbers; those with the same hash value are in a list. */
	uint8_t *keys;
	uint32_t *heads, *next; /* number of an element + 1; 0: the end of the list */
	uint64_t *used;		/* when the element was last written; 0: it is free */
	uint32_t n_heads, capacity, n_elements, first_free;
	uint64_t writes;
};

/* A function and the index of its first instruction. */
struct code_symbol {
	char name[INTERP_NAME];
	uint32_t at;
};

struct code_line {
	uint32_t at; /* instruction */
	uint32_t line, column;
};

/* Known facts about a thread. */
struct thread_facts {
	uint32_t pid, tgid, uid, gid;
	char comm[16];
	uint32_t state, exit_state, cpu;
	uint64_t cgroup;
	bool is_on_cpu;
	bool has_user, has_state, has_cgroup; /* these are known */
};

/* A field in the thread's memory, and which property of the thread it holds. */
struct thread_slot {
	uint32_t at, bytes;
	uint8_t field; /* enum field of task.c */
};

struct slots {
	VEC(struct thread_slot);
};

struct interp {
	struct bpf_insn *insns;
	uint32_t n_insns;
	struct code_symbol *symbols;
	uint32_t n_symbols;
	struct code_line *lines;
	uint32_t n_lines;
	struct region *regions;
	uint32_t n_regions;
	struct interp_map *maps;
	uint32_t n_maps;
	uint32_t n_cpus, cpu;
	uint32_t depth;
	struct thread_facts current; /* the thread that runs */
	uint64_t left;		     /* instructions that this run may still execute */
	uint64_t random;
	uint32_t pc;
	/* With recorded events: their clocks, the current event, and the region and the thread that
	 * it replaces. */
	const struct recorded_events *recorded;
	/* NULL: a program runs on behalf of the tracer */
	const struct recorded_event *event;
	const struct recorded_event **called; /* of each thread: the last event with strings */
	const struct recorded_edge *visit;    /* the thread that a program visits; or NULL */
	uint64_t now;
	struct region context;
	enum interp_context context_kind;
	uint64_t cookie;
	/* of a raw tracepoint, or struct pt_regs */
	uint8_t arguments[INTERP_REGISTER_BYTES], arguments_known[INTERP_REGISTER_BYTES];
	uint32_t tracer_frames, n_callbacks;
	uint32_t other_tid;
	struct slots slots;	/* the fields of the thread's memory */
	struct slots registers; /* fields of struct pt_regs */
	struct thread_facts own, parent;
	char fault[200];
	struct interp_fault last;
	pthread_mutex_t lock; /* one thread runs intervals, another reads the maps */
};

/* ---- memory.c: regions -------------------------------------------------------------------- */

static inline uint64_t interp_address(uint32_t region, uint64_t offset)
{
	return INTERP_TAG_MEMORY << 48 | (uint64_t)region << 32 | offset;
}

/* The n bytes at an address; NULL if they are not all in one region, or cannot be written. */
void *interp_bytes(struct interp *p, uint64_t address, uint64_t n, bool is_write);
/* The same; if it returns NULL, the run ends with a fault. */
void *interp_need(struct interp *p, uint64_t address, uint64_t n, bool is_write);
/* Copy memory at an address of the script, as the kernel's bpf_probe_read_*() do. Returns 0 or
 * -EFAULT. */
int interp_copy(struct interp *p, void *to, uint64_t from, uint64_t n, bool is_user);
/* Copy a string with its NUL, at most n bytes. Returns its length, or -EFAULT. */
int64_t interp_copy_string(struct interp *p, char *to, uint64_t from, uint64_t n, bool is_user);
/* End the run with a fault, whose message this is. Returns -EFAULT. */
int interp_end(struct interp *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- image.c: the object ------------------------------------------------------------------ */

/* Read instructions, symbols and lines of the object, and relocate them. Returns 0 or -errno. */
int interp_read_image(struct interp *p, const void *elf, size_t len);
void interp_free_image(struct interp *p);
/* The line of an instruction. */
const struct code_line *interp_line_of(const struct interp *p, uint32_t at);

/* ---- maps.c ------------------------------------------------------------------------------- */

/* Create the maps, with the sizes that `object` has for them. Returns 0 or -errno. */
int interp_open_maps(struct interp *p, const struct bpf_object *object);
void interp_close_maps(struct interp *p);
/* The map that the argument `handle` of a helper stands for; NULL after a fault. */
struct interp_map *interp_map_of(struct interp *p, uint64_t handle);
struct interp_map *interp_map_find(const struct interp *p, const char *name);
/* The number of the element with that key, or -ENOENT. */
int64_t interp_map_lookup(const struct interp_map *m, const void *key);
/* The address of the value of an element; for a per-CPU map that of `cpu`. */
uint64_t interp_map_value(const struct interp_map *m, uint32_t element, uint32_t cpu);
/* Write the value of `cpu`, or, if `cpu` < 0, those of all CPUs. Returns 0 or -errno. */
int interp_map_update(struct interp *p, struct interp_map *m, const void *key, const void *value,
		      uint64_t flags, int cpu);
int interp_map_delete(struct interp_map *m, const void *key);
/* The first used element from `element` on; -1: none. */
int64_t interp_map_next(const struct interp_map *m, uint32_t element);
bool interp_map_is_hash(const struct interp_map *m);

/* ---- task.c: the thread that runs --------------------------------------------------------- */

enum {
	TASK_BYTES = 1 << 18,
	/* after the fields of a real task_struct, which do not exist here */
	TASK_FIRST = 16384,
	TASK_KINDS = 28,       /* most declarations of struct task_struct in bpf_helpers */
	TASK_KIND_BYTES = 256, /* bytes for each declaration; they follow each other */
	TASK_COMM = 16,
};
/* Threads that programs can reach: the current one, and the other one of a switch or the one that
 * an iterator visits. */
enum interp_place { PLACE_CURRENT, PLACE_OTHER };
/* Lay out the struct of the thread by the declarations in the object's BTF; NULL: it has none.
 * Returns 0 or -errno. */
int interp_make_task(struct interp *p, const struct btf *btf);
/* The offset, in bytes from the thread's address, of the part for a type of the object's BTF; 0 for
 * structs other than task_struct. */
uint32_t task_kind_offset(const struct btf *btf, uint32_t type);
/* Write the known facts of a thread, its parent and its leader. NULL: nothing is known; without a
 * leader, the thread is its own. */
void interp_set_thread(struct interp *p, enum interp_place place, const struct thread_facts *t,
		       const struct thread_facts *parent, const struct thread_facts *leader);
/* The address of a thread. */
uint64_t interp_thread(enum interp_place place);
/* The address to which return probes make a process return. What leads to it from the thread's `mm`
 * is memory in which each word is that address. */
uint64_t interp_return_trampoline(void);
/* The id of the thread at an address; NULL: there is no such thread, or it is the idle one. */
const uint32_t *interp_thread_number(const struct interp *p, uint64_t address);

/* ---- recorded.c -------------------------------------------------------------------------- */

/* The index of the event's thread in `called`. */
uint32_t interp_thread_index(const struct interp *p);
/* What a register of a system call holds, by the register's name; 0: it has no value. */
int interp_register_field(const char *name);

/* Write a word of the context. */
void interp_put_word(struct interp *p, uint32_t at, bool is_known, uint64_t value);

/* ---- recorded_calls.c -------------------------------------------------------------------- */

/* Write the context of a function's event. */
void interp_put_call(struct interp *p, enum interp_context kind);
/* Copy words of the stack at a function's entry, as many as are known. -ENOENT: none is. */
int interp_copy_stack(const struct interp *p, void *to, uint64_t from, uint64_t n);

/* ---- exec.c, helpers.c -------------------------------------------------------------------- */

/* Run the function that begins at an instruction. Returns 0, or -EFAULT after a fault. */
int interp_call(struct interp *p, uint32_t at, const uint64_t args[5], uint64_t *result);
/* Call a helper by its number BPF_FUNC_*. Returns 0, or -EFAULT after a fault. */
int interp_helper(struct interp *p, uint32_t id, const uint64_t args[5], uint64_t *result);
/* The helpers of vm_helpers.def. Each gets the registers r1 to r5 and sets *result, which becomes
 * r0. Returns 0, or -EFAULT after a fault that ends the run. */
typedef int interp_helper_fn(struct interp *p, const uint64_t r[5], uint64_t *result);
#define HELPER(name) interp_helper_fn help_##name;
#include "runtime/interp/vm_helpers.def"
#undef HELPER
uint64_t interp_alu(const struct bpf_insn *insn, uint64_t a, uint64_t b, bool *is_valid);
bool interp_compare(uint8_t op, uint64_t a, uint64_t b, bool is_32, bool *is_valid);
int interp_atomic(struct interp *p, const struct bpf_insn *insn, uint64_t regs[11]);
