/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information: an ELF file, or one section. The first byte selects which, and the kind
 * of the section, whose address (or for Go's, offsets in it) follows in four bytes; or it is code
 * without such information, of which the four bytes are starts of functions. Whatever it is, the
 * table that results must be one that a program in the kernel can search.
 */
#include "tests/fuzz/fuzz.h"
#include "runtime/unwind/cfi.h"
#include "runtime/unwind/code_rows.h"
#include "runtime/unwind/go.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"
#include "tests/unit/unwind_lookup.h"
#include <assert.h>
#include <elf.h>
#include <string.h>

enum { SECTION = 1, DEBUG = 2, GO = 4, GO_119 = 8, CODE = 16, ARM64 = 32, I386 = 64, HEAD = 5 };

static void check_table(const struct unwind_table *t, const struct unwind_rules *rules)
{
	unwind_table_check(t, rules);
	for (uint32_t i = 0; i < t->n_pieces; i++) {
		const struct unwind_piece *p = &t->pieces[i];

		assert(unwind_table_rule(t, rules, p->end - 1)->cfa != UNWIND_NO_RULE);
	}
	assert(!t->n_rows == !t->n_pieces);
}

struct input {
	const uint8_t *data;
	size_t size;
};

/* The code of Go's functions is somewhere in the input. */
static size_t read_code(void *file, uint64_t address, uint8_t *out, size_t n)
{
	const struct input *input = file;
	size_t at = address % input->size;

	if (n > input->size - at)
		n = input->size - at;
	memcpy(out, input->data + at, n);
	return n;
}

/* A table of Go's functions, with a header that is right as far as possible. */
static int add_go(struct cfi *c, struct go_table *t, const uint8_t *data, size_t size,
		  uint8_t *copy)
{
	uint64_t header[9] = {0,     size / 32,		0,
			      0x400, 72 + data[1],	0,
			      0,     72 + data[2] * 8u, 72 + data[3] * 8u};

	header[0] = (data[0] & GO_119 ? 0xfffffff0 : 0xfffffff1) | 0x0801ull << 48;
	memcpy(copy, header, sizeof(header));
	memcpy(copy + sizeof(header), data + HEAD, size - HEAD);
	return go_add_functions(c, t, copy, sizeof(header) + size - HEAD, 0x400, 0x400);
}

static int add_code(const uint8_t *data, size_t size, struct unwind_rules *rules, struct pack *pack)
{
	const uint64_t starts[] = {0x400 + data[1], 0x400 + data[1] + data[2]};
	struct code_bytes code = {.machine = unwind_machine_of(data[0] & I386 ? EM_386 : EM_X86_64),
				  .address = 0x400,
				  .bytes = data + HEAD,
				  .n = size - HEAD,
				  .starts = starts,
				  .n_starts = 2};
	int err = code_pack_rows(&code, rules, pack);

	return err ? err : pack_row(pack, code.address + code.n, UNWIND_RULE_NONE);
}

static int read_section(const uint8_t *data, size_t size, struct unwind_rules *rules,
			struct unwind_table *out)
{
	struct unwind_segment segments[] = {{0x400, 0x400, 0x90000}, {0x90400, 0x100400, 0x123}};
	struct cfi c = {.segments = segments,
			.n_segments = 2,
			.machine = unwind_machine_of(data[0] & ARM64  ? EM_AARCH64
						     : data[0] & I386 ? EM_386
								      : EM_X86_64)};
	struct cfi_section section = {.is_debug = data[0] & DEBUG};
	uint8_t *copy = malloc(size + 72);
	struct input input = {data, size};
	struct go_table table = {.read_code = read_code, .file = &input};
	struct pack pack;
	uint32_t address;
	int err;

	memcpy(&address, data + 1, sizeof(address));
	section.address = address;
	section.bytes = data + HEAD;
	section.n = size - HEAD;
	err = pack_begin(&pack);
	if (!err && data[0] & CODE)
		err = add_code(data, size, rules, &pack);
	else if (!err && data[0] & GO)
		err = add_go(&c, &table, data, size, copy);
	else if (!err)
		err = cfi_add_section(&c, &section);
	if (!err)
		err = cfi_pack_rows(&c, rules, &pack);
	if (!err)
		err = pack_end(&pack, pack.address, out);
	pack_free(&pack);
	cfi_free(&c);
	free(copy);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_rules rules = {0};
	struct unwind_table table = {0};
	int fd, err;

	if (size < HEAD)
		return 0;
	if (data[0] & SECTION) {
		err = read_section(data, size, &rules, &table);
	} else {
		fd = fuzz_file(data + 1, size - 1);
		err = unwind_table_read(fd, &rules, &table);
		close(fd);
	}
	if (!err)
		check_table(&table, &rules);
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	return 0;
}
