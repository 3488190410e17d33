/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that the kernel reports about loaded programs and maps.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct session;

/* Numbers that the verifier has counted, from the end of its log. */
struct verifier_counts {
	/* instructions that it followed, each counted on every path */
	uint64_t processed;
	/* states that it kept, to recognize paths that need not be followed */
	uint64_t states, peak_states, states_per_insn;
	uint64_t microseconds;
	const char *stack; /* "8+16": bytes of stack of the program and its functions */
	bool is_known;
};
/* Read the counts. `stack` points to the arena. */
void verifier_counts_read(struct arena *a, const char *log, struct verifier_counts *c);

struct loaded_program {
	uint32_t prog;		 /* index in the plan */
	const char *name, *type; /* as the kernel spells the type */
	uint32_t n_insns;	 /* number of instructions as loaded */
	/* size after the verifier, and after the JIT compiler */
	uint32_t translated_bytes, machine_bytes;
	uint64_t memory;	    /* bytes; 0: unknown */
	uint64_t runs, nanoseconds; /* counted while statistics were on */
	struct verifier_counts counts;
};
struct loaded_map {
	const char *name, *type;
	uint32_t key_bytes, value_bytes, max_entries;
	bool is_of_threads; /* an entry belongs to a thread: there is no number that is the most */
	uint64_t memory;    /* 0: unknown, or not created */
};
struct loaded {
	struct loaded_program *programs;
	uint32_t n_programs;
	struct loaded_map *maps;
	uint32_t n_maps;
};

/* Read the facts about everything that the session has loaded. */
void loaded_read(struct arena *a, const struct session *s, struct loaded *out);
/* The same for the maps of an object that is not loaded, without their memory. Returns 0 or
 * -errno. */
int loaded_read_object(struct arena *a, const void *elf, size_t len, struct loaded *out);

/* May this process measure? To count the time of programs takes CAP_SYS_ADMIN. */
bool loaded_can_measure(void);
/* Attach the programs for `ns`, and set `runs` and `nanoseconds` of each. Returns 0 or -errno;
 * attaching reports its own errors. */
int loaded_measure(struct arena *a, struct session *s, uint64_t ns, struct loaded *out);
