/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up the addresses of a few kernel symbols. A BPF program of stores and calls of
 * bpf_kallsyms_lookup_name() is generated, run once, and leaves the addresses in its context. Where
 * the kernel refuses it, /proc/kallsyms is scanned for these names.
 */
#include "runtime/kernel/ksym_names.h"
#include "runtime/bpf/bpf_insn.h"
#include "runtime/symbols/kallsyms.h"
#include "runtime/symbols/ksym_query.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOOKUP_BATCH = 64,
	LOOKUP_NAME_MAX = 256, /* with its NUL, on the program's stack */
};

/* ---- from the kernel ---- */

struct program {
	struct bpf_insn *insns;
	size_t n;
};

static void emit(struct program *p, struct bpf_insn insn)
{
	p->insns[p->n++] = insn;
}

/* ctx->addresses[i] = the address of name. r6 holds ctx, r7 an error other than ENOENT. */
static void emit_lookup(struct program *p, const char *name, size_t i)
{
	int16_t start = (int16_t)(-8 - (int)((strlen(name) + 8) & ~7ul));
	char words[LOOKUP_NAME_MAX + 8] = "";

	strcpy(words, name);
	for (int16_t at = start; at < -8; at += 4) {
		int32_t word;

		memcpy(&word, words + (at - start), 4);
		emit(p, INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, at, word));
	}
	emit(p, INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0));
	emit(p, INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0));
	emit(p, INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, start));
	emit(p, INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, (int32_t)strlen(name) + 1));
	emit(p, INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, 0));
	emit(p, INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_4, BPF_REG_10, 0, 0));
	emit(p, INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_4, 0, 0, -8));
	emit(p, INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_kallsyms_lookup_name));
	emit(p, INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0));
	emit(p, INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 1, -ENOENT));
	emit(p, INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_7, BPF_REG_0, 0, 0));
	emit(p, INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_10, -8, 0));
	emit(p, INSN(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_6, BPF_REG_1, (int16_t)(8 * i), 0));
}

/* Run it: the kernel copies the context back. 0 or -errno, of a call or of the program. */
static int run_program(const struct program *p, uint64_t *context, size_t n)
{
	LIBBPF_OPTS(bpf_prog_load_opts, load, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = context,
		    .ctx_size_in = (uint32_t)(n * sizeof(*context)));
	/* the helper is not GPL-only */
	int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "sonde_ksyms", "Apache-2.0", p->insns, p->n,
			       &load);
	int err = fd < 0 ? fd : bpf_prog_test_run_opts(fd, &run);

	if (fd >= 0)
		close(fd);
	return err ? err : (int)run.retval;
}

/* At most LOOKUP_BATCH names in one run. Names too long for the stack get address 0. */
static int ask_kernel(const char *const *names, uint64_t *addresses, size_t n)
{
	struct program p = {0};
	uint64_t context[LOOKUP_BATCH] = {0};
	int err;

	p.insns = calloc(8 + n * (LOOKUP_NAME_MAX / 4 + 20), sizeof(*p.insns));
	if (!p.insns)
		return -ENOMEM;
	emit(&p, INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0));
	emit(&p, INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_7, 0, 0, 0));
	for (size_t i = 0; i < n; i++)
		if (*names[i] && strlen(names[i]) < LOOKUP_NAME_MAX)
			emit_lookup(&p, names[i], i);
	emit(&p, INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_0, BPF_REG_7, 0, 0));
	emit(&p, INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	err = run_program(&p, context, n);
	free(p.insns);
	if (!err)
		memcpy(addresses, context, n * sizeof(*context));
	return err;
}

/* ---- from kallsyms ---- */

struct name_scan {
	const char *const *names;
	uint64_t *addresses;
	size_t n, n_missing;
	bool is_hidden;
};

static int match_line(void *ctx, const struct kallsym *l)
{
	struct name_scan *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		if (s->addresses[i] || strcmp(s->names[i], l->name) != 0)
			continue;
		s->addresses[i] = l->address;
		s->is_hidden |= !l->address && kallsym_is_text(l->type);
		s->n_missing -= l->address != 0;
	}
	return !s->n_missing || s->is_hidden;
}

static int scan_names(const char *const *names, uint64_t *addresses, size_t n)
{
	struct name_scan s = {.names = names, .addresses = addresses, .n = n, .n_missing = n};
	int err;

	memset(addresses, 0, n * sizeof(*addresses));
	err = n ? kallsyms_each(match_line, &s) : 0;
	if (err < 0)
		return err;
	return s.is_hidden ? -EPERM : 0;
}

int ksyms_addresses(const char *const *names, uint64_t *addresses, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i += LOOKUP_BATCH) {
		size_t part = n - i < LOOKUP_BATCH ? n - i : LOOKUP_BATCH;

		err = ask_kernel(names + i, addresses + i, part);
	}
	return err ? scan_names(names, addresses, n) : 0;
}

/* ---- sizes ---- */

uint64_t ksyms_size(uint64_t address)
{
	struct ksym_query *q = address ? ksym_query_new() : NULL;
	uint64_t size = q ? ksym_query_size(q, address) : 0;

	ksym_query_free(q);
	return size < 4096 ? size : 4096;
}
