/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up the addresses of a few kernel symbols. A BPF program of stores and calls of
 * bpf_kallsyms_lookup_name() is generated, run once, and leaves the addresses in its context. Where
 * the kernel refuses it, /proc/kallsyms is scanned for these names.
 */
#include "runtime/kernel/ksym_names.h"
#include "runtime/symbols/kallsyms.h"
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
	size_t n, capacity;
};

static void emit(struct program *p, struct bpf_insn insn)
{
	p->insns[p->n++] = insn;
}

static void emit_move(struct program *p, uint8_t to, uint8_t from, int32_t add)
{
	emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_X,
				  .dst_reg = to,
				  .src_reg = from});
	if (add)
		emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K,
					  .dst_reg = to,
					  .imm = add});
}

static void emit_set(struct program *p, uint8_t to, int32_t value)
{
	emit(p,
	     (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .imm = value});
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
		emit(p, (struct bpf_insn){.code = BPF_ST | BPF_MEM | BPF_W,
					  .dst_reg = BPF_REG_10,
					  .off = at,
					  .imm = word});
	}
	emit(p, (struct bpf_insn){.code = BPF_ST | BPF_MEM | BPF_DW,
				  .dst_reg = BPF_REG_10,
				  .off = -8});
	emit_move(p, BPF_REG_1, BPF_REG_10, start);
	emit_set(p, BPF_REG_2, (int32_t)strlen(name) + 1);
	emit_set(p, BPF_REG_3, 0);
	emit_move(p, BPF_REG_4, BPF_REG_10, -8);
	emit(p,
	     (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_kallsyms_lookup_name});
	emit(p,
	     (struct bpf_insn){.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2});
	emit(p, (struct bpf_insn){.code = BPF_JMP | BPF_JEQ | BPF_K,
				  .dst_reg = BPF_REG_0,
				  .off = 1,
				  .imm = -ENOENT});
	emit_move(p, BPF_REG_7, BPF_REG_0, 0);
	emit(p, (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_DW,
				  .dst_reg = BPF_REG_1,
				  .src_reg = BPF_REG_10,
				  .off = -8});
	emit(p, (struct bpf_insn){.code = BPF_STX | BPF_MEM | BPF_DW,
				  .dst_reg = BPF_REG_6,
				  .src_reg = BPF_REG_1,
				  .off = (int16_t)(8 * i)});
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
	struct program p = {.capacity = 8 + n * (LOOKUP_NAME_MAX / 4 + 20)};
	uint64_t context[LOOKUP_BATCH] = {0};
	int err;

	p.insns = calloc(p.capacity, sizeof(*p.insns));
	if (!p.insns)
		return -ENOMEM;
	emit_move(&p, BPF_REG_6, BPF_REG_1, 0);
	emit_set(&p, BPF_REG_7, 0);
	for (size_t i = 0; i < n; i++)
		if (*names[i] && strlen(names[i]) < LOOKUP_NAME_MAX)
			emit_lookup(&p, names[i], i);
	emit_move(&p, BPF_REG_0, BPF_REG_7, 0);
	emit(&p, (struct bpf_insn){.code = BPF_JMP | BPF_EXIT});
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
