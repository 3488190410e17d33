/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of x86 with libZydis: see insn.h, and insn_arm64.c for arm64. The library is loaded with
 * dlopen(), because most scripts do not need it and Debian has no static version.
 */
#include "runtime/insn/insn.h"
#include "runtime/insn/insn_arm64.h"
#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

struct library {
	ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
	ZyanStatus (*decode)(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize,
			     ZydisDecodedInstruction *);
	ZyanStatus (*decode_full)(const ZydisDecoder *, const void *, ZyanUSize,
				  ZydisDecodedInstruction *, ZydisDecodedOperand *);
	ZydisRegister (*enclosing)(ZydisMachineMode, ZydisRegister);
};

static struct library library;

static void open_library(void)
{
	struct library *l = &library;
	void *so = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);

	if (!so)
		/* version 4.1 has the same interface */
		so = dlopen("libZydis.so.4.1", RTLD_NOW | RTLD_LOCAL);
	if (!so)
		return;
	*(void **)&l->init = dlsym(so, "ZydisDecoderInit");
	*(void **)&l->decode = dlsym(so, "ZydisDecoderDecodeInstruction");
	*(void **)&l->decode_full = dlsym(so, "ZydisDecoderDecodeFull");
	*(void **)&l->enclosing = dlsym(so, "ZydisRegisterGetLargestEnclosing");
}

/* Loaded once, by any thread, and never closed. */
static bool has_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	return library.init && library.decode && library.decode_full && library.enclosing;
}

static ZydisMachineMode mode_of(uint16_t machine)
{
	return machine == EM_X86_64 ? ZYDIS_MACHINE_MODE_LONG_64
				    : ZYDIS_MACHINE_MODE_LONG_COMPAT_32;
}

/* A decoded instruction. */
struct decoded {
	uint16_t machine;
	ZydisDecodedInstruction i;
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
};

/* Returns 0, -ENOSYS (no library), -EOPNOTSUPP (another machine), or -EINVAL. */
static int decode(uint16_t machine, const uint8_t *code, size_t n, bool operands, struct decoded *x)
{
	ZydisDecoder d;

	if (machine != EM_X86_64 && machine != EM_386)
		return -EOPNOTSUPP;
	if (!has_library())
		return -ENOSYS;
	x->machine = machine;
	library.init(&d, mode_of(machine),
		     machine == EM_X86_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	return ZYAN_SUCCESS(operands ? library.decode_full(&d, code, n, &x->i, x->o)
				     : library.decode(&d, NULL, code, n, &x->i))
		       ? 0
		       : -EINVAL;
}

/* ---- jumps and returns --------------------------------------------------------------------- */

/* The condition of a jump: opcodes 70 to 7f and 0f 80 to 0f 8f have a condition code; others are
 * jrcxz and loop. */
static int8_t condition_of(const ZydisDecodedInstruction *i)
{
	uint8_t row = i->opcode & 0xf0;

	if (i->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		return CONDITION_NONE;
	return row == 0x70 || row == 0x80 ? (int8_t)((i->opcode & 15) + 1) : CONDITION_COUNTER;
}

static void describe(const ZydisDecodedInstruction *i, struct insn *out)
{
	*out = (struct insn){.length = i->length,
			     .is_stop = i->mnemonic == ZYDIS_MNEMONIC_HLT ||
					i->mnemonic == ZYDIS_MNEMONIC_UD2 ||
					i->mnemonic == ZYDIS_MNEMONIC_INT3,
			     .is_padding = i->mnemonic == ZYDIS_MNEMONIC_NOP ||
					   i->mnemonic == ZYDIS_MNEMONIC_INT3,
			     .is_return = i->meta.category == ZYDIS_CATEGORY_RET,
			     .is_call = i->meta.category == ZYDIS_CATEGORY_CALL};
	if (out->is_call && i->raw.imm[0].is_relative)
		out->target = i->length + i->raw.imm[0].value.s;
	if (i->meta.category != ZYDIS_CATEGORY_UNCOND_BR &&
	    i->meta.category != ZYDIS_CATEGORY_COND_BR)
		return;
	if (i->raw.imm[0].is_relative) {
		out->is_jump = true;
		out->condition = condition_of(i);
		out->target = i->length + i->raw.imm[0].value.s;
		return;
	}
	out->is_indirect = true;
	out->is_notrack = i->attributes & ZYDIS_ATTRIB_HAS_NOTRACK;
}

int insn_decode(uint16_t machine, const uint8_t *code, size_t n, struct insn *out)
{
	struct decoded x;
	int err;

	if (machine == EM_AARCH64)
		return insn_arm64_decode(code, n, out);
	err = decode(machine, code, n, false, &x);
	if (!err)
		describe(&x.i, out);
	return err;
}

bool insn_goes_on(const struct insn *i)
{
	return !i->is_stop && !i->is_return && !i->is_indirect &&
	       !(i->is_jump && i->condition == CONDITION_NONE);
}

bool insn_is_endbr64(const uint8_t *code, size_t n)
{
	static const uint8_t endbr64[INSN_ENDBR_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};

	return n >= sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64));
}

/* ---- registers ----------------------------------------------------------------------------- */

/* Number of the general register that contains r; or INSN_NO_REG. */
static int8_t number_of(const struct decoded *x, ZydisRegister r)
{
	ZydisRegister first = x->machine == EM_X86_64 ? ZYDIS_REGISTER_RAX : ZYDIS_REGISTER_EAX;
	int number = (int)library.enclosing(mode_of(x->machine), r) - (int)first;

	return number >= 0 && number < INSN_X86_REGS ? (int8_t)number : INSN_NO_REG;
}

static struct insn_memory memory_of(const struct decoded *x, const ZydisDecodedOperand *o)
{
	bool is_relative = o->mem.base == ZYDIS_REGISTER_RIP;

	return (struct insn_memory){.base = number_of(x, o->mem.base),
				    .index = number_of(x, o->mem.index),
				    .scale = o->mem.scale,
				    .is_relative = is_relative,
				    .disp = o->mem.disp.value + (is_relative ? x->i.length : 0)};
}

/* Store the value of an operand that is only read. */
static void take_source(const struct decoded *x, const ZydisDecodedOperand *o,
			struct insn_effect *out)
{
	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		out->value = VALUE_REG;
		out->from = number_of(x, o->reg.value);
	} else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		out->value = VALUE_LOAD;
		out->memory = memory_of(x, o);
	} else if (o->type ==
		   /* an address in position-dependent code */
		   ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		out->value = VALUE_ADDRESS;
		out->memory = (struct insn_memory){.base = INSN_NO_REG,
						   .index = INSN_NO_REG,
						   .disp = o->imm.value.s};
	}
}

static void take_value(const struct decoded *x, struct insn_effect *out)
{
	const ZydisDecodedInstruction *i = &x->i;
	const ZydisDecodedOperand *o = x->o;

	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD: take_source(x, &o[1], out); return;
	case ZYDIS_MNEMONIC_LEA:
		out->value = VALUE_ADDRESS;
		out->memory = memory_of(x, &o[1]);
		return;
	case ZYDIS_MNEMONIC_ADD:
		out->value = o[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? VALUE_OTHER : VALUE_SUM;
		return;
	default:
		out->value = i->meta.category == ZYDIS_CATEGORY_BINARY ||
					     i->meta.category == ZYDIS_CATEGORY_SHIFT
				     ? VALUE_RESULT
				     : VALUE_OTHER;
	}
}

static bool is_computation(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_BINARY:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_BITBYTE:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_SSE:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_AVX:
	case ZYDIS_CATEGORY_AVX2: return true;
	default: return i->mnemonic == ZYDIS_MNEMONIC_LEA;
	}
}

/* Does the register belong to the processor's state, such as segment registers and the x87
 * stack? */
static bool is_state(ZydisRegister r)
{
	return !(r >= ZYDIS_REGISTER_AL && r <= ZYDIS_REGISTER_R15) &&
	       !(r >= ZYDIS_REGISTER_XMM0 && r <= ZYDIS_REGISTER_ZMM31) &&
	       !(r >= ZYDIS_REGISTER_FLAGS && r <= ZYDIS_REGISTER_RFLAGS);
}

static bool is_plain(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	const uint64_t more = ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
			      ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_IS_PRIVILEGED;

	if (!is_computation(i) || i->attributes & more)
		return false;
	for (uint8_t k = 0; k < i->operand_count; k++) {
		if (!(o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (o[k].type != ZYDIS_OPERAND_TYPE_REGISTER || is_state(o[k].reg.value))
			return false;
	}
	return true;
}

/* The general registers that an instruction writes. */
static uint16_t writes_of(const struct decoded *x)
{
	const ZydisDecodedOperand *o = x->o;
	uint16_t writes = 0;

	for (uint8_t k = 0; k < x->i.operand_count; k++) {
		int8_t reg = INSN_NO_REG;

		if (o[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			reg = number_of(x, o[k].reg.value);
		if (reg != INSN_NO_REG)
			writes |= (uint16_t)(1u << reg);
	}
	return writes;
}

/* No access to memory, no division, no floating-point exception. */
static bool is_safe(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
	if (i->meta.category == ZYDIS_CATEGORY_NOP || i->meta.category == ZYDIS_CATEGORY_WIDENOP ||
	    i->mnemonic == ZYDIS_MNEMONIC_ENDBR64)
		return true;
	if (!is_plain(i, o) || i->mnemonic == ZYDIS_MNEMONIC_DIV ||
	    i->mnemonic == ZYDIS_MNEMONIC_IDIV)
		return false;
	for (uint8_t k = 0; k < i->operand_count; k++) {
		bool is_vector = o[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
				 o[k].reg.value >= ZYDIS_REGISTER_XMM0 &&
				 o[k].reg.value <= ZYDIS_REGISTER_ZMM31;

		if (is_vector ||
		    (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY && i->mnemonic != ZYDIS_MNEMONIC_LEA))
			return false;
	}
	return true;
}

uint32_t insn_clobbered(uint16_t machine)
{
	return machine == EM_AARCH64 ? INSN_SET(0, 18) | INSN_SET(30, 30) /* x0 to x18, x30 */
				     : INSN_SET(0, INSN_X86_REGS - 1) & ~INSN_PRESERVED;
}

uint32_t insn_stack_pointer(uint16_t machine)
{
	return machine == EM_AARCH64 ? 1u << 31 : 1u << 4;
}

int insn_effect(uint16_t machine, const uint8_t *code, size_t n, struct insn_effect *out)
{
	struct decoded x;
	int err;

	*out = (struct insn_effect){.reg = INSN_NO_REG, .from = INSN_NO_REG};
	if (machine == EM_AARCH64)
		return insn_arm64_effect(code, n, out);
	err = decode(machine, code, n, true, &x);
	if (err)
		return err;
	out->length = x.i.length;
	out->is_plain = is_plain(&x.i, x.o);
	out->is_safe = is_safe(&x.i, x.o);
	out->writes = writes_of(&x);
	if (x.o[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    x.o[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		out->reg = number_of(&x, x.o[0].reg.value);
	if (x.i.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		take_source(&x, &x.o[0], out);
	else if (out->reg != INSN_NO_REG)
		take_value(&x, out);
	return 0;
}

/* ---- the stack ----------------------------------------------------------------------------- */

/* Number of the register that an operand is, if it has the size of an address. */
static int8_t word_register(const struct decoded *x, const ZydisDecodedOperand *o)
{
	if (o->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    o->size != (x->machine == EM_X86_64 ? 64 : 32))
		return INSN_NO_REG;
	return number_of(x, o->reg.value);
}

/* Is the operand a word at a register + a number? Sets *reg and *value to these. */
static bool is_near(const struct decoded *x, const ZydisDecodedOperand *o, int8_t *reg,
		    int32_t *value)
{
	if (o->mem.disp.value != (int32_t)o->mem.disp.value ||
	    o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.index != ZYDIS_REGISTER_NONE ||
	    o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS)
		return false;
	*reg = number_of(x, o->mem.base);
	*value = (int32_t)o->mem.disp.value;
	return *reg != INSN_NO_REG;
}

/* mov: a copy, a load or a store of a word. */
static enum insn_stack_kind take_move(const struct decoded *x, struct insn_stack *out)
{
	const ZydisDecodedOperand *o = x->o;
	int8_t to = word_register(x, &o[0]), from = word_register(x, &o[1]);

	out->reg = to;
	out->from = from;
	if (to != INSN_NO_REG && from != INSN_NO_REG)
		return STACK_SUM;
	if (to != INSN_NO_REG && is_near(x, &o[1], &out->from, &out->value))
		return STACK_LOAD;
	if (from != INSN_NO_REG && is_near(x, &o[0], &out->reg, &out->value))
		return STACK_STORE;
	return STACK_OTHER;
}

static enum insn_stack_kind take_stack(const struct decoded *x, struct insn_stack *out)
{
	const ZydisDecodedInstruction *i = &x->i;
	const ZydisDecodedOperand *o = x->o;
	bool is_word = i->operand_width == (x->machine == EM_X86_64 ? 64 : 32);
	int64_t sum;

	out->reg = word_register(x, &o[0]);
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		out->from = out->reg;
		out->reg = INSN_NO_REG;
		return is_word ? STACK_PUSH : STACK_OTHER;
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_POPFQ: return is_word ? STACK_POP : STACK_OTHER;
	case ZYDIS_MNEMONIC_LEAVE: return is_word ? STACK_LEAVE : STACK_OTHER;
	case ZYDIS_MNEMONIC_MOV: return take_move(x, out);
	case ZYDIS_MNEMONIC_LEA:
		return out->reg != INSN_NO_REG && is_near(x, &o[1], &out->from, &out->value)
			       ? STACK_SUM
			       : STACK_OTHER;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (out->reg == INSN_NO_REG || o[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			return STACK_OTHER;
		sum = i->mnemonic == ZYDIS_MNEMONIC_ADD ? o[1].imm.value.s : -o[1].imm.value.s;
		out->from = out->reg;
		out->value = (int32_t)sum;
		return out->value == sum ? STACK_SUM : STACK_OTHER;
	default: return STACK_OTHER;
	}
}

int insn_stack(uint16_t machine, const uint8_t *code, size_t n, struct insn *flow,
	       struct insn_stack *out)
{
	struct decoded x;
	int err = decode(machine, code, n, true, &x);

	*out = (struct insn_stack){.reg = INSN_NO_REG, .from = INSN_NO_REG};
	if (err)
		return err;
	describe(&x.i, flow);
	out->kind = take_stack(&x, out);
	out->writes = writes_of(&x);
	if (flow->is_call && flow->target == flow->length)
		out->kind = STACK_PUSH;
	else if (flow->is_call)
		out->writes |= (uint16_t)insn_clobbered(machine);
	if (out->kind != STACK_OTHER || flow->is_call || flow->is_return)
		out->writes &= (uint16_t)~insn_stack_pointer(machine);
	return 0;
}
