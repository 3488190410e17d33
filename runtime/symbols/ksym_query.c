/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the kernel for names of kernel addresses: see ksym_query.h.
 */
#include "runtime/symbols/ksym_query.h"
#include "runtime/base/hash.h"
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_BYTES = 1016, FORMAT_BYTES = 8 };

struct exchange {
	uint64_t ip;
	char text[TEXT_BYTES];
};

struct answer {
	uint64_t ip; /* 0: the slot is free */
	char *text;  /* name and module, each ended by a NUL; NULL: no name */
	const char *module;
	uint64_t offset, size;
};

HASH_TABLE(answers, struct answer);

HASH_INTEGER_FUNCTIONS(answers, struct answer, uint64_t, hash_u64, e->ip, e->ip)

struct ksym_query {
	int format_fd, exchange_fd, prog_fd;
	struct exchange *exchange; /* mapped */
	struct answers answers;
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
	if (a->format_fd >= 0 && make_exchange(a) == 0)
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
	for (struct answer *e = answers_next(&a->answers, NULL); e;
	     e = answers_next(&a->answers, e))
		free(e->text);
	hash_free(&a->answers);
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

/* "name+0x10/0x40", "name+0x10/0x40 [module]"; "0x…" for an address without a name. */
static void parse_text(struct answer *to, const char *text)
{
	const char *plus = strchr(text, '+'), *open = strchr(text, '[');
	char *end;

	if (!plus || strncmp(text, "0x", 2) == 0)
		return;
	to->offset = strtoull(plus + 1, &end, 16);
	to->size = *end == '/' ? strtoull(end + 1, NULL, 16) : 0;
	to->text = malloc(strlen(text) + 2);
	if (!to->text)
		return;
	memcpy(to->text, text, (size_t)(plus - text));
	to->text[plus - text] = '\0';
	if (open && open > plus) {
		char *module = to->text + (plus - text) + 1;

		strcpy(module, open + 1);
		module[strcspn(module, " ]")] = '\0'; /* some kernels write "[module build-id]" */
		to->module = module;
	}
}

static bool query(struct ksym_query *a, uint64_t ip, struct answer *to)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	a->exchange->ip = ip;
	a->exchange->text[0] = '\0';
	if (bpf_prog_test_run_opts(a->prog_fd, &opts))
		return false;
	a->exchange->text[TEXT_BYTES - 1] = '\0';
	*to = (struct answer){.ip = ip};
	parse_text(to, a->exchange->text);
	if (!answers_insert(&a->answers, *to))
		return true;
	free(to->text);
	return false;
}

bool ksym_query_find(struct ksym_query *a, uint64_t ip, const char **name, uint64_t *offset,
		     const char **module)
{
	const struct answer *known = answers_find(&a->answers, ip);
	struct answer fresh;

	if (!known) {
		if (!ip || !query(a, ip, &fresh))
			return false;
		known = &fresh;
	}
	*name = known->text;
	*offset = known->offset;
	*module = known->module;
	return known->text != NULL;
}

uint64_t ksym_query_size(struct ksym_query *a, uint64_t ip)
{
	uint64_t offset;
	const char *name, *module;

	return ksym_query_find(a, ip, &name, &offset, &module) ? answers_find(&a->answers, ip)->size
							       : 0;
}

uint32_t ksym_query_count(const struct ksym_query *a)
{
	return (uint32_t)a->answers.n;
}
