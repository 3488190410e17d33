/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs that the kernel's verifier refuses, each with the reason and the repaired program.
 */
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rejected_insn {
	struct bpf_insn insn; /* BPF_PSEUDO_MAP_FD: imm is an enum rejected_map */
	const char *says;     /* what the instruction does here; "": its text is clear */
};

enum rejected_map { REJECTED_HASH, REJECTED_RING, REJECTED_MAP_COUNT };

struct rejected_code {
	const struct rejected_insn *insns;
	uint32_t n;
};

struct rejection {
	const char *name;  /* "null-lookup" */
	const char *title; /* what the program does wrong */
	const char *why, *repair;
	enum bpf_prog_type type;
	const char *type_name; /* "raw tracepoint" */
	const char *license;
	bool is_long;	      /* its log would have a million lines: only the end is requested */
	bool is_unprivileged; /* root may do this, so it is loaded without CAP_PERFMON */
	struct rejected_code wrong, right;
};

extern const struct rejection rejections[];
extern const uint32_t n_rejections;

/* Find a row by its name. NULL: there is none. */
const struct rejection *rejection_find(const char *name);

/* The kernel's verdict on a program. */
struct rejection_verdict {
	int err;   /* 0: the kernel has loaded it */
	char *log; /* the verifier's log, which the caller frees; NULL: no memory */
};
/* Load one of the two programs of a row, and unload it. Returns 0, or -errno if the kernel was not
 * asked. */
int rejection_load(const struct rejection *r, bool repaired, struct rejection_verdict *out);
