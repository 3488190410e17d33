/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the running kernel's struct kernel, beside those of kernel_user.h: its hooks about
 * types and symbols, capabilities, and what reads C and objects of BPF.
 */
#pragma once
#include "parser/lang/kernel.h"

struct bpf_elf;
struct bpf_object_types;
struct btf_types;
struct kernel_types;

/* ---- kernel_types.c: functions, iterators and types of C, from the BTF of the running kernel,
 * its modules and loaded BPF programs. */

/* Set these hooks of `k`. */
struct kernel_types *kernel_types_init(struct kernel *k, struct arena *a);
/* In kernel.c: what that returned; and 0 if kernel_btf() is open, or -errno. */
struct kernel_types *kernel_types_of(struct kernel *k);
int kernel_open_btf(struct kernel *k);
/* From now on, no types of modules are found. */
void kernel_types_without_modules(struct kernel_types *t);
/* Free the indexes, not the answers. Must be called before the kernel's section is closed. */
void kernel_types_trim(struct kernel_types *t);

/* ---- kernel_symbols.c: symbols, cgroups and kernel functions. */

/* Set the hooks of struct kernel that this file answers. */
void kernel_symbols_init(struct kernel *k);

/* ---- capability_probe.c: probes for each row of parser/lang/capabilities.def. */

/* Probe for `id`, which is not CAP_NONE, without a cache: callers use kernel_capability(). Loads
 * and attaches nothing that outlives the call. */
enum capability_state capability_probe(struct kernel *k, enum capability_id id);

/* ---- breakpoint_trial.c: a breakpoint on a variable of this process, with a BPF program. */

/* Let a thread store to a variable that is watched by the BPF program `prog`, of type PERF_EVENT.
 * How often that one store was seen, if it ended; more than 1 if it is repeated without end, which
 * is then stopped; -ETIME if neither was seen within a second; -errno, where -ENOSPC is no free
 * debug register. */
int breakpoint_trial(int prog);

/* ---- bpf_object.c: objects of BPF that a script imports: the hook read_bpf. */

/* Read import->path, compiled first if it is C: sets its bytes and functions, allocated in `a`. The
 * functions are hidden, so that the verifier follows them with what their caller passes, as it does
 * static ones. NULL, or why it cannot be read. What its types need is added to *list. */
const char *bpf_object_read(struct kernel *k, struct arena *a, struct bpf_import *import,
			    struct bpf_object_types **list);
/* Release that, before or after the arena. */
void bpf_object_forget(struct bpf_object_types *list);

/* ---- unsafe_use.c: what needs --unsafe in an object of BPF that comes from a file. */

/* The first call of a helper or function of the kernel, or the first map, that can change more than
 * what belongs to the programs, in words: "deep() calls bpf_send_signal() (FILE:5), which …".
 * All code of the object counts, called or not: nothing in the object is trusted. NULL: there is
 * none. The text is allocated in `a`. */
const char *unsafe_use_find(struct arena *a, const struct bpf_elf *elf,
			    const struct btf_types *types);

/* ---- c_preprocessor.c: the C preprocessor of this machine: the hook preprocess_c. */

const char *c_preprocessor_run(struct kernel *k, struct arena *a, const char *text, const char *dir,
			       const char **why);
