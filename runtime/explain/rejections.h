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
	const char *says;     /* what it does here; "": its text says so */
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
	bool is_long;	      /* its log would have a million lines: only the end is wanted */
	bool is_unprivileged; /* root may do it: load it without CAP_PERFMON */
	struct rejected_code wrong, right;
};

extern const struct rejection rejections[];
extern const uint32_t n_rejections;

/* NULL: there is none of that name. */
const struct rejection *rejection_find(const char *name);

/* What the kernel said of a program. */
struct rejection_verdict {
	int err;   /* 0: it was loaded */
	char *log; /* the verifier's, to be freed; NULL without memory */
};
/* Load one of its two programs, and unload it. 0, or -errno if the kernel was not asked. */
int rejection_load(const struct rejection *r, bool repaired, struct rejection_verdict *out);
