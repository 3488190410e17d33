/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free elements for new keys where no memory can be allocated. The kernel keeps a few free elements
 * of a hash on each CPU and refills the list when it runs low, but only after the interrupt or NMI
 * that took them. A new map has 4 on each CPU, or 1 when they are large. So a program adds and
 * deletes one on each CPU before tracing begins, after which there are about 50 (10 of 1 KiB).
 * Failures are ignored: they only leave fewer free elements.
 */
#include "runtime/load/precreate.h"
#include "runtime/bpf/bpf_insn.h"
#include <bpf/bpf.h>
#include <unistd.h>

enum { MAPS = 32, INSNS_A_MAP = 16 }; /* per program; the kernel allows 64 maps */

struct code {
	struct bpf_insn insns[MAPS * INSNS_A_MAP + 2];
	size_t n;
};

/* A 64-bit load, two instructions: of a map, or of the address of a map value. */
#define LOAD(reg, what, fd) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, (reg), (what), 0, (fd)), INSN(0, 0, 0, 0, 0)

static void add_and_delete(struct code *c, int map, int zeros)
{
	const struct bpf_insn insns[] = {
		LOAD(BPF_REG_1, BPF_PSEUDO_MAP_FD, map),
		LOAD(BPF_REG_2, BPF_PSEUDO_MAP_VALUE, zeros),
		LOAD(BPF_REG_3, BPF_PSEUDO_MAP_VALUE, zeros),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0, BPF_NOEXIST),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_update_elem),
		LOAD(BPF_REG_1, BPF_PSEUDO_MAP_FD, map),
		LOAD(BPF_REG_2, BPF_PSEUDO_MAP_VALUE, zeros),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_delete_elem),
	};

	_Static_assert(sizeof(insns) <= INSNS_A_MAP * sizeof(*insns), "the program has space");
	memcpy(&c->insns[c->n], insns, sizeof(insns));
	c->n += sizeof(insns) / sizeof(*insns);
}

static int load_program(const int *maps, uint32_t n, int zeros)
{
	struct code c = {.n = 0};

	for (uint32_t i = 0; i < n; i++)
		add_and_delete(&c, maps[i], zeros);
	c.insns[c.n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	c.insns[c.n++] = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "sonde_warm", "GPL", c.insns, c.n, NULL);
}

static void run_on_each_cpu(int prog, uint32_t n_cpus)
{
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = cpu);

		bpf_prog_test_run_opts(prog, &opts);
	}
}

void map_warmup(const int *maps, uint32_t n, uint32_t bytes, uint32_t n_cpus)
{
	int zeros = n ? bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_zeros", sizeof(uint32_t), bytes,
				       1, NULL)
		      : -1;

	for (uint32_t i = 0; zeros >= 0 && i < n; i += MAPS) {
		int prog = load_program(maps + i, n - i < MAPS ? n - i : MAPS, zeros);

		if (prog >= 0) {
			run_on_each_cpu(prog, n_cpus);
			close(prog);
		}
	}
	if (zeros >= 0)
		close(zeros);
}
