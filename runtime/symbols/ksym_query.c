/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel addresses named by the kernel. The program's one map value holds the address and takes the
 * text; it is mapped, so an address costs one bpf(2) call. Answers are kept in a table by address.
 */
#include "runtime/symbols/ksym_query.h"
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_BYTES = 1016, FORMAT_BYTES = 8, FIRST_SLOTS = 1024 };

struct exchange {
	uint64_t ip;
	char text[TEXT_BYTES];
};

struct answer {
	uint64_t ip; /* 0: the slot is free */
	char *text;  /* name and module, each ended by a NUL; NULL: no name */
	const char *module;
	uint64_t offset;
};

struct ksym_query {
	int format_fd, exchange_fd, prog_fd;
	struct exchange *exchange; /* mapped */
	struct answer *answers;	   /* open addressing, a power of two of slots */
	uint32_t n_slots, n;
};

static int make_format(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_format", 4, FORMAT_BYTES, 1, &opts);
	char format[FORMAT_BYTES] = "%pS";
	uint32_t zero = 0;

	if (fd >= 0 && (bpf_map_update_elem(fd, &zero, format, 0) || bpf_map_freeze(fd))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int make_exchange(struct ksym_query *a)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *at;

	a->exchange_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_symbol", 4,
					sizeof(struct exchange), 1, &opts);
	if (a->exchange_fd < 0)
		return -1;
	at = mmap(NULL, sizeof(struct exchange), PROT_READ | PROT_WRITE, MAP_SHARED, a->exchange_fd,
		  0);
	if (at == MAP_FAILED)
		return -1;
	a->exchange = at;
	return 0;
}

/* The two halves of a 64-bit load of an address in a map's value. */
#define LOAD_VALUE(reg, fd, at)             \
	{.code = BPF_LD | BPF_IMM | BPF_DW, \
	 .dst_reg = reg,                    \
	 .src_reg = BPF_PSEUDO_MAP_VALUE,   \
	 .imm = fd},                        \
	{                                   \
		.imm = at                   \
	}
#define SET(reg, value) {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = value}

/* bpf_snprintf(text, sizeof(text), "%pS", &ip, sizeof(ip)) */
static int load_program(const struct ksym_query *a)
{
	const struct bpf_insn insns[] = {
		LOAD_VALUE(BPF_REG_1, a->exchange_fd, (int)sizeof(uint64_t)),
		SET(BPF_REG_2, TEXT_BYTES),
		LOAD_VALUE(BPF_REG_3, a->format_fd, 0),
		LOAD_VALUE(BPF_REG_4, a->exchange_fd, 0),
		SET(BPF_REG_5, (int)sizeof(uint64_t)),
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_snprintf},
		SET(BPF_REG_0, 0),
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);

	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "sonde_symbol", "GPL", insns,
			     sizeof(insns) / sizeof(*insns), &opts);
}

struct ksym_query *ksym_query_new(void)
{
	struct ksym_query *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->exchange_fd = a->prog_fd = -1;
	a->format_fd = make_format();
	a->n_slots = FIRST_SLOTS;
	a->answers = calloc(a->n_slots, sizeof(*a->answers));
	if (a->answers && a->format_fd >= 0 && make_exchange(a) == 0)
		a->prog_fd = load_program(a);
	if (a->prog_fd >= 0)
		return a;
	ksym_query_free(a);
	return NULL;
}

void ksym_query_free(struct ksym_query *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; a->answers && i < a->n_slots; i++)
		free(a->answers[i].text);
	free(a->answers);
	if (a->exchange)
		munmap(a->exchange, sizeof(*a->exchange));
	for (int i = 0; i < 3; i++) {
		int fd = i == 0 ? a->prog_fd : i == 1 ? a->exchange_fd : a->format_fd;

		if (fd >= 0)
			close(fd);
	}
	free(a);
}

/* ---- answers ------------------------------------------------------------------------------- */

static struct answer *slot_of(const struct ksym_query *a, uint64_t ip)
{
	uint32_t i = (uint32_t)((ip * 0x9e3779b97f4a7c15ull) >> 32) & (a->n_slots - 1);

	while (a->answers[i].ip && a->answers[i].ip != ip)
		i = (i + 1) & (a->n_slots - 1);
	return &a->answers[i];
}

static bool grow(struct ksym_query *a)
{
	struct ksym_query bigger = {.n_slots = a->n_slots * 2};

	if (a->n * 4 < a->n_slots * 3)
		return true;
	bigger.answers = calloc(bigger.n_slots, sizeof(*bigger.answers));
	if (!bigger.answers)
		return false;
	for (uint32_t i = 0; i < a->n_slots; i++)
		if (a->answers[i].ip)
			*slot_of(&bigger, a->answers[i].ip) = a->answers[i];
	free(a->answers);
	a->answers = bigger.answers;
	a->n_slots = bigger.n_slots;
	return true;
}

/* "name+0x10/0x40", "name+0x10/0x40 [module]"; an address without a name stays "0x…". */
static void read_text(struct answer *to, const char *text)
{
	const char *plus = strchr(text, '+'), *open = strchr(text, '[');
	char *end;

	if (!plus || strncmp(text, "0x", 2) == 0)
		return;
	to->offset = strtoull(plus + 1, &end, 16);
	to->text = malloc(strlen(text) + 2);
	if (!to->text)
		return;
	memcpy(to->text, text, (size_t)(plus - text));
	to->text[plus - text] = '\0';
	if (open && open > plus) {
		char *module = to->text + (plus - text) + 1;

		strcpy(module, open + 1);
		module[strcspn(module, " ]")] =
			'\0'; /* "[module build-id]" where the kernel is built so */
		to->module = module;
	}
}

static bool ask(struct ksym_query *a, uint64_t ip, struct answer *to)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	a->exchange->ip = ip;
	a->exchange->text[0] = '\0';
	if (bpf_prog_test_run_opts(a->prog_fd, &opts))
		return false;
	a->exchange->text[TEXT_BYTES - 1] = '\0';
	to->ip = ip;
	a->n++;
	read_text(to, a->exchange->text);
	return true;
}

bool ksym_query_find(struct ksym_query *a, uint64_t ip, const char **name, uint64_t *offset,
		     const char **module)
{
	struct answer *to;

	if (!ip || !grow(a))
		return false;
	to = slot_of(a, ip);
	if (!to->ip && !ask(a, ip, to))
		return false;
	*name = to->text;
	*offset = to->offset;
	*module = to->module;
	return to->text != NULL;
}

uint32_t ksym_query_count(const struct ksym_query *a)
{
	return a->n;
}
