/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file for the symbol reader, which must not trust anything in it. */
#include "tests/fuzz/fuzz.h"
#include "runtime/elf/elfsym.h"
#include "runtime/elf/go_abi.h"

static void count(const char *name, void *ctx)
{
	uint64_t *n = ctx;

	while (*name)
		*n += (unsigned char)*name++;
}

static void count_function(const char *name, uint64_t vaddr, uint64_t file_offset, uint64_t size,
			   void *ctx)
{
	uint64_t *n = ctx;

	count(name, ctx);
	*n += vaddr + file_offset + size;
}

static void count_usdt(const struct elfsym_usdt *u, void *ctx)
{
	count(u->provider, ctx);
	count(u->name, ctx);
	count(u->args, ctx);
}

static void count_needed(enum elfsym_needed kind, const char *text, void *ctx)
{
	(void)kind;
	count(text, ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t n = 0, address, offset, length;
	struct elfsym *e;
	struct go_file go;
	const char *name;
	int err;

	/* the second open starts with an address: each builds its own index */
	for (int turn = 0; turn < 2; turn++) {
		e = elfsym_open_fd(fuzz_file(data, size), "/proc/self/fuzz", &err);
		if (!e)
			return 0;
		for (uint64_t at = 0; turn && at < 0x5000; at += 0x3f1) {
			if (elfsym_by_address(e, at, &name, &offset) ||
			    elfsym_plt_at(e, at, &name, &offset))
				count(name, &n);
			n += elfsym_frame_range(e, at, &address, &length);
		}
		elfsym_each_function(e, count_function, &n);
		if (!elfsym_by_name(e, "main", &address, &offset, &length))
			elfsym_file_to_vaddr(e, offset, &address);
		elfsym_by_name(e, "handle", &address, &offset, &length);
		elfsym_file_to_vaddr(e, n, &address);
		elfsym_each_usdt(e, count_usdt, &n);
		elfsym_object(e, "table", &address, &length);
		elfsym_each_needed(e, count_needed, &n);
		go_file_read(e, &go);
		elfsym_unwinds(e);
		elfsym_bytes(e);
		elfsym_close(e);
	}
	return 0;
}
