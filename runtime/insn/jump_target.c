/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an indirect jump leads: see jump_target.h.
 */
#include "runtime/insn/jump_target.h"
#include <elf.h>

/* The address of a memory operand without its index. 0: not known. */
static uint64_t base_of(const struct jump_regs *r, const struct insn_memory *m, uint64_t address)
{
	const struct jump_target *base = m->base == INSN_NO_REG ? NULL : &r->reg[m->base];

	if (m->is_relative)
		return (m->is_page ? address & ~4095ull : address) + (uint64_t)m->disp;
	if (!base)
		return (uint64_t)m->disp;
	return base->value == JUMP_VALUE_ADDRESS ? base->address + (uint64_t)m->disp : 0;
}

/* Is x a known address, and y a computed index to it? */
static bool is_array(const struct jump_target *x, const struct jump_target *y)
{
	return x->value == JUMP_VALUE_ADDRESS && y->value == JUMP_VALUE_UNCLEAR;
}

/* The value that is read from memory. An element of an array of addresses has an index that is
 * scaled by the size of an address, in this instruction or before. Without a scaled index the value
 * is another pointer, such as that to a virtual member function in an unknown table. */
static struct jump_target loaded(const struct jump_regs *r, uint16_t machine,
				 const struct insn_memory *m, uint64_t address)
{
	const struct jump_target *base = m->base == INSN_NO_REG ? NULL : &r->reg[m->base];
	const struct jump_target *index = m->index == INSN_NO_REG ? NULL : &r->reg[m->index];

	if (index && m->scale == (machine == EM_386 ? 4 : 8))
		return (struct jump_target){JUMP_VALUE_ELEMENT, base_of(r, m, address)};
	if (index && base && m->scale == 1 && (is_array(base, index) || is_array(index, base)))
		return (struct jump_target){JUMP_VALUE_ELEMENT,
					    (is_array(base, index) ? base : index)->address +
						    (uint64_t)m->disp};
	return (struct jump_target){JUMP_VALUE_POINTER, 0};
}

static struct jump_target address_of(const struct jump_regs *r, const struct insn_memory *m,
				     uint64_t address)
{
	uint64_t base = base_of(r, m, address);

	if (m->index != INSN_NO_REG)
		return (struct jump_target){m->scale == 1 && m->base != INSN_NO_REG
						    ? JUMP_VALUE_SUM
						    : JUMP_VALUE_UNCLEAR,
					    0};
	return (struct jump_target){base ? JUMP_VALUE_ADDRESS : JUMP_VALUE_POINTER, base};
}

struct jump_target jump_regs_target(const struct jump_regs *r, uint16_t machine,
				    const struct insn_effect *e, uint64_t address)
{
	switch (e->value) {
	case VALUE_REG:
		return e->from == INSN_NO_REG ? (struct jump_target){JUMP_VALUE_UNCLEAR, 0}
					      : r->reg[e->from];
	case VALUE_LOAD: return loaded(r, machine, &e->memory, address);
	case VALUE_ADDRESS: return address_of(r, &e->memory, address);
	case VALUE_SUM: return (struct jump_target){JUMP_VALUE_SUM, 0};
	case VALUE_RESULT: return (struct jump_target){JUMP_VALUE_UNCLEAR, 0};
	case VALUE_OTHER: break;
	}
	return (struct jump_target){JUMP_VALUE_POINTER, 0};
}

void jump_regs_step(struct jump_regs *r, uint16_t machine, const struct insn_effect *e,
		    uint64_t address, bool is_call)
{
	uint32_t writes = is_call ? insn_clobbered(machine) : e->writes;
	struct jump_target t = jump_regs_target(r, machine, e, address);

	for (int i = 0; i < INSN_REGS; i++)
		if (writes >> i & 1)
			r->reg[i] = i == e->reg && !is_call
					    ? t
					    : (struct jump_target){JUMP_VALUE_POINTER, 0};
}
