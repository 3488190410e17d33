/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code without call frame information: see gaps.h.
 */
#include "runtime/unwind/gaps.h"
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/code_rows.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"

enum {
	LEAST_BYTES = 64, /* shorter ones are the alignment of functions */
	/* The sum of a file's gaps, least and most: gcc's crt files alone have about 250 bytes, the
	 * vDSO 400. If call frame information covers most of a file, long gaps are left out: they
	 * are data of OpenSSL, or V8's builtins, which keep frame pointers. */
	LEAST_SUM = 512,
	MOST_SUM = 1 << 16,
	MOST_SHARE = 8, /* ... unless they are 1/8 of the code */
	MOST_BYTES = 4 << 20,
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void gaps_begin(struct gaps *g, struct elf_file *f, const struct unwind_machine *machine)
{
	g->f = f;
	g->machine = machine;
	for (uint32_t i = 0; i < f->n_sections && g->n_sections < GAPS_SECTIONS; i++) {
		const struct section *s = &f->sections[i];

		if (s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR &&
		    s->size <= UINT64_MAX - s->address)
			g->sections[g->n_sections++] = i;
	}
}

int gaps_add(struct gaps *g, uint64_t start, uint64_t end)
{
	if (end - start < LEAST_BYTES)
		return 0;
	for (uint32_t i = 0; i < g->n_sections; i++) {
		const struct section *s = &g->f->sections[g->sections[i]];
		struct gap gap = {start > s->address ? start : s->address, end};

		gap.offset = s->offset + (gap.start - s->address);
		gap.end = least(end, s->address + s->size);
		if (gap.end > gap.start && gap.end - gap.start >= LEAST_BYTES &&
		    vec_push(&g->list, gap))
			return -ENOMEM;
	}
	return 0;
}

static bool is_worth(const struct gaps *g)
{
	uint64_t sum = 0, code = 0;

	for (size_t i = 0; i < g->list.n; i++)
		sum += g->list.items[i].end - g->list.items[i].start;
	for (uint32_t i = 0; i < g->n_sections; i++)
		code += g->f->sections[g->sections[i]].size;
	return sum >= LEAST_SUM && sum <= MOST_BYTES &&
	       (sum <= MOST_SUM || sum >= code / MOST_SHARE);
}

static int add_start(void *ctx, uint32_t i, const struct symbol *s)
{
	struct gaps *g = ctx;
	bool is_function =
		ELF64_ST_TYPE(s->info) == STT_FUNC ||
		(ELF64_ST_TYPE(s->info) == STT_NOTYPE && ELF64_ST_BIND(s->info) == STB_GLOBAL);

	(void)i;
	return is_function ? vec_push(&g->starts, s->value) : 0;
}

int gaps_end(struct gaps *g)
{
	struct elfsym e = {0};
	int err;

	if (!is_worth(g)) {
		g->list.n = 0;
		return 0;
	}
	vec_sort(&g->list);
	for (size_t i = 1; i < g->list.n; i++) /* sections that overlap */
		g->list.items[i - 1].end = least(g->list.items[i - 1].end, g->list.items[i].start);
	elfsym_pick_table(g->f, SHT_SYMTAB, &e.tables[TABLE_FULL]);
	elfsym_pick_table(g->f, SHT_DYNSYM, &e.tables[TABLE_DYNAMIC]);
	err = elfsym_each_symbol(&e, TABLE_FULL, SYMBOL_OBJECT, add_start, g);
	err = err ?: elfsym_each_symbol(&e, TABLE_DYNAMIC, SYMBOL_OBJECT, add_start, g);
	vec_sort(&g->starts);
	return err;
}

static int pack_gap(struct gaps *g, const struct gap *gap, struct unwind_rules *rules,
		    struct pack *out)
{
	size_t first = vec_bound(&g->starts, *item < gap->start);
	size_t end = vec_bound(&g->starts, *item < gap->end);
	size_t n = gap->end - gap->start;
	uint8_t *bytes = malloc(n);
	struct code_bytes code = {.machine = g->machine,
				  .address = gap->start,
				  .bytes = bytes,
				  .starts = first < end ? &g->starts.items[first] : NULL,
				  .n_starts = end - first};
	int err = -ENOMEM;

	if (bytes) {
		code.n = elfsym_read_at(g->f->fd, bytes, n, gap->offset);
		err = g->machine->pack_code(&code, rules, out);
		g->lacks_decoder |= err == -ENOSYS;
		err = err == -ENOSYS ? 0 : err;
	}
	free(bytes);
	return err ? err : pack_row(out, gap->end, UNWIND_RULE_NONE);
}

int gaps_pack(struct gaps *g, uint64_t before, struct unwind_rules *rules, struct pack *out)
{
	int err = 0;

	while (!err && g->n_packed < g->list.n && g->list.items[g->n_packed].start < before)
		err = pack_gap(g, &g->list.items[g->n_packed++], rules, out);
	return err;
}

void gaps_free(struct gaps *g)
{
	vec_free(&g->list);
	vec_free(&g->starts);
}
