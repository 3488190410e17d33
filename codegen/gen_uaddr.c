/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of symbols of the probed program: uaddr().
 */
#include "codegen/gen.h"
#include "parser/lang/register.h"

/* The difference between the addresses in the process and those in the file: that of the probed
 * instruction in both. It is a whole number of pages, by which the possible locations of the probe
 * are told apart. */
static LLVMValueRef load_shift(struct gen *g, const struct expr *e)
{
	LLVMValueRef ip = gen_register(g, (uint32_t)register_offset("pc")), shift = NULL;
	uint32_t n;
	const struct attach_target *t = probe_functions(g->probe.point, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = t[i].offset + e->call.known[1];
		LLVMValueRef here = LLVMBuildSub(g->b, ip, gen_u64(g, address), ""), rest;

		if (!shift) {
			shift = here;
			continue;
		}
		rest = gen_masked(g, here, UADDR_PAGE - 1);
		rest = gen_compare(g, LLVMIntEQ, rest, 0);
		shift = LLVMBuildSelect(g->b, rest, here, shift, "");
	}
	return shift;
}

struct value gen_uaddr(struct gen *g, struct expr *e)
{
	LLVMValueRef address = gen_u64(g, e->call.known[0]);

	if (e->call.known[1] != UADDR_FIXED)
		address = LLVMBuildAdd(g->b, address, load_shift(g, e), "");
	return gen_int_value(address, e->type);
}
