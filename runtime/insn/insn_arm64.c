/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes instructions of arm64: see insn.h. All have four bytes, and their encoding shows what
 * they do, so no library is needed. Classes, fields and names are those of the Arm Architecture
 * Reference Manual, section C4 (index by encoding).
 *
 * Of instructions that are not told apart here, such as those of SVE, all fields that could name a
 * register count as written.
 */
#include "runtime/insn/insn_arm64.h"
#include "parser/base/find.h"
#include <errno.h>
#include <string.h>

enum { SP = 31, LINK = 30 };

struct row {
	uint32_t mask, bits;
};

static bool matches(uint32_t w, struct row r)
{
	return (w & r.mask) == r.bits;
}

#define IS_ONE_OF(w, rows) (FIND_ROW(rows, matches(w, *item)) != NULL)

static uint32_t field(uint32_t w, int low, int n)
{
	return w >> low & ((1u << n) - 1);
}

/* A field with a sign. */
static int64_t distance(uint32_t w, int low, int n)
{
	uint64_t sign = 1ull << (n - 1);

	return (int64_t)((field(w, low, n) ^ sign) - sign);
}

/* The number of a register, or INSN_NO_REG for the zero register. */
static int8_t general(uint32_t number)
{
	return number == SP ? INSN_NO_REG : (int8_t)number;
}

static uint32_t bit_of(int8_t reg)
{
	return reg == INSN_NO_REG ? 0 : 1u << reg;
}

static bool read_word(const uint8_t *code, size_t n, uint32_t *w)
{
	if (n < sizeof(*w))
		return false;
	memcpy(w, code, sizeof(*w)); /* instructions are little-endian on any machine */
	/* op0, bits 25 to 28: reserved and unallocated, except for udf and SME */
	return field(*w, 25, 4) != 1 && field(*w, 25, 4) != 3 &&
	       (field(*w, 25, 4) || *w >> 31 || !field(*w, 16, 16));
}

/* ---- branches ------------------------------------------------------------------------------ */

static const struct row branch = {0xfc000000, 0x14000000};
static const struct row call = {0xfc000000, 0x94000000};
static const struct row branch_if = {0xff000000, 0x54000000};
static const struct row compare_branch = {0x7e000000, 0x34000000}; /* cbz, cbnz */
static const struct row test_branch = {0x7e000000, 0x36000000};	   /* tbz, tbnz */
static const struct row to_register = {0xfe000000, 0xd6000000};

/* Branches to a register, by opc, bits 21 to 23; bit 24 is set in those that authenticate the
 * address by another register. */
enum { OPC_BR, OPC_BLR, OPC_RET };

static void describe(uint32_t w, struct insn *out)
{
	*out = (struct insn){.length = INSN_ARM64_BYTES, .is_call = matches(w, call)};
	if (matches(w, to_register)) {
		out->is_indirect = field(w, 21, 3) == OPC_BR;
		out->is_call = field(w, 21, 3) == OPC_BLR;
		out->is_return = field(w, 21, 3) == OPC_RET;
		return;
	}
	out->is_jump = matches(w, branch);
	if (out->is_jump || out->is_call) {
		out->target = distance(w, 0, 26) * 4;
		return;
	}
	out->is_jump =
		matches(w, branch_if) || matches(w, compare_branch) || matches(w, test_branch);
	out->condition = out->is_jump ? CONDITION_COUNTER : CONDITION_NONE;
	if (out->is_jump)
		out->target =
			(matches(w, test_branch) ? distance(w, 5, 14) : distance(w, 5, 19)) * 4;
}

int insn_arm64_decode(const uint8_t *code, size_t n, struct insn *out)
{
	uint32_t w;

	if (!read_word(code, n, &w))
		return -EINVAL;
	describe(w, out);
	return 0;
}

/* ---- computations -------------------------------------------------------------------------- */

static const struct row adr = {0x9f000000, 0x10000000};
static const struct row adrp = {0x9f000000, 0x90000000};
static const struct row add_number = {0x7f800000, 0x11000000};
static const struct row subtract_number = {0x7f800000, 0x51000000};
static const struct row move_number = {0x7f800000, 0x52800000};
static const struct row move_register = {0x7fe0ffe0, 0x2a0003e0};
static const struct row add_register = {0x7f000000, 0x0b000000}; /* shifted or extended */
static const struct row add_no_carry = {0x1f000000, 0x0b000000}; /* also sub and those with flags */
static const struct row bitfield = {0x1f800000, 0x13000000};
static const struct row multiply_divide_shift[] = {
	{0x7fe0c000, 0x1ac00000}, /* two sources: udiv, sdiv, lsl, lsr, asr, ror, crc32 */
	{0x1f000000, 0x1b000000}, /* three sources: madd, msub, umulh, … */
};
/* Of immediate forms, those whose destination 31 is the stack pointer. */
static const struct row to_stack_pointer[] = {
	{0x3f800000, 0x11000000}, /* add, sub, not those that set flags */
	{0x7f800000, 0x12000000}, /* and */
	{0x7f800000, 0x32000000}, /* orr */
	{0x7f800000, 0x52000000}, /* eor */
	{0x3fe00000, 0x0b200000}, /* add, sub of an extended register */
};

static int8_t destination(uint32_t w)
{
	return IS_ONE_OF(w, to_stack_pointer) ? (int8_t)field(w, 0, 5) : general(field(w, 0, 5));
}

/* How far an addition shifts its last operand. A table of distances has them in bytes or
 * instructions. */
static uint32_t shift_of(uint32_t w)
{
	return field(w, 21, 1) ? field(w, 10, 3) : field(w, 10, 6);
}

static void take_address(uint32_t w, struct insn_effect *out)
{
	int64_t value = (int64_t)((uint64_t)distance(w, 5, 19) << 2 | field(w, 29, 2));

	out->value = VALUE_ADDRESS;
	out->memory.is_relative = true;
	out->memory.is_page = matches(w, adrp);
	out->memory.disp = out->memory.is_page ? (int64_t)((uint64_t)value << 12) : value;
}

static void take_computation(uint32_t w, struct insn_effect *out)
{
	int64_t number = (int64_t)field(w, 10, 12) << (field(w, 22, 1) ? 12 : 0);

	if (matches(w, adr) || matches(w, adrp)) {
		take_address(w, out);
	} else if (matches(w, add_number) || matches(w, subtract_number)) {
		out->value = VALUE_ADDRESS;
		out->memory.base = (int8_t)field(w, 5, 5);
		out->memory.disp = matches(w, add_number) ? number : -number;
	} else if (matches(w, move_number)) {
		out->value = VALUE_ADDRESS;
		out->memory.disp = (int64_t)((uint64_t)field(w, 5, 16) << 16 * field(w, 21, 2));
	} else if (matches(w, move_register)) {
		out->value = VALUE_REG;
		out->from = general(field(w, 16, 5));
	} else if (matches(w, add_register)) {
		out->value = shift_of(w) <= 2 ? VALUE_SUM : VALUE_RESULT;
	} else if (matches(w, add_no_carry) || matches(w, bitfield) ||
		   IS_ONE_OF(w, multiply_divide_shift)) {
		out->value = VALUE_RESULT;
	}
}

/* ---- loads and stores ---------------------------------------------------------------------- */

static const struct row literal = {0x3b000000, 0x18000000};
static const struct row pair = {0x3a000000, 0x28000000};
static const struct row one = {0x3a000000, 0x38000000};
static const struct row one_scaled = {0x3b000000, 0x39000000};
static const struct row one_by_index = {0x3b200c00, 0x38200800};
static const struct row one_by_distance = {0x3b200000, 0x38000000};
static const struct row atomic = {0x3b200c00, 0x38200000};
static const struct row authenticated = {0x3b200400, 0x38200400}; /* ldraa, ldrab */
static const struct row vectors = {0xbe000000, 0x0c000000};	  /* ld1 to ld4, st1 to st4 */
static const struct row tag = {0xff200000, 0xd9200000};		  /* stg, ldg, … */
/* Exclusive and ordered ones, compare and swap: their base stays as it is. */
static const struct row ordered = {0x3f000000, 0x08000000};
static const struct row is_vector = {1 << 26, 1 << 26};

static uint32_t written_back(uint32_t w)
{
	bool is = matches(w, pair) || matches(w, vectors) ? field(w, 23, 1)
		  : matches(w, one_by_distance) || matches(w, tag)
			  ? field(w, 10, 1)
			  : matches(w, authenticated) && field(w, 11, 1);

	return is ? 1u << field(w, 5, 5) : 0;
}

/* The base changes after the access, which is at the base itself. */
static bool is_after(uint32_t w)
{
	return matches(w, pair) ? field(w, 23, 2) == 1
				: matches(w, one_by_distance) && field(w, 10, 2) == 1;
}

/* The distance of the access from the base, or by which the base changes. */
static int64_t base_distance(uint32_t w)
{
	uint32_t size = field(w, 30, 2);

	if (matches(w, one_scaled))
		return (int64_t)field(w, 10, 12) << size;
	if (matches(w, one_by_distance))
		return distance(w, 12, 9);
	if (!matches(w, pair))
		return 0;
	return distance(w, 15, 7) * (matches(w, is_vector) ? 4 << size : size == 2 ? 8 : 4);
}

/* Loads of one general register, other than atomic ones. */
static bool is_load(uint32_t w)
{
	uint32_t size = field(w, 30, 2), opc = field(w, 22, 2);

	if (matches(w, is_vector))
		return false;
	if (matches(w, literal))
		return size != 3; /* prfm */
	if (!matches(w, one) || matches(w, atomic))
		return false;
	return matches(w, authenticated) || (opc && (size != 3 || opc != 2));
}

static void take_load(uint32_t w, struct insn_effect *out)
{
	struct insn_memory *m = &out->memory;

	out->value = VALUE_LOAD;
	if (matches(w, literal)) {
		m->is_relative = true;
		m->disp = distance(w, 5, 19) * 4;
		return;
	}
	m->base = (int8_t)field(w, 5, 5);
	m->disp = is_after(w) ? 0 : base_distance(w);
	if (matches(w, one_by_index)) {
		m->index = general(field(w, 16, 5));
		m->scale = (uint8_t)(field(w, 12, 1) ? 1 << field(w, 30, 2) : 1);
	}
}

bool insn_arm64_access(const uint8_t *code, size_t n, struct insn_arm64_access *out)
{
	bool is_word;
	uint32_t w;

	if (!read_word(code, n, &w) ||
	    (!matches(w, pair) && !matches(w, one_scaled) && !matches(w, one_by_distance)))
		return false;
	is_word = !matches(w, is_vector) &&
		  (matches(w, pair) ? field(w, 30, 2) == 2
				    : field(w, 30, 2) == 3 && !field(w, 23, 1));
	*out = (struct insn_arm64_access){
		.is_load = field(w, 22, 1),
		.base = (int8_t)field(w, 5, 5),
		.regs = {is_word ? general(field(w, 0, 5)) : INSN_NO_REG,
			 is_word && matches(w, pair) ? general(field(w, 10, 5)) : INSN_NO_REG},
		.offset = is_after(w) ? 0 : (int32_t)base_distance(w),
		.change = written_back(w) ? (int32_t)base_distance(w) : 0,
	};
	return true;
}

static uint32_t memory_writes(uint32_t w)
{
	uint32_t rt = bit_of(general(field(w, 0, 5))), rt2 = bit_of(general(field(w, 10, 5)));

	if (matches(w, vectors) || matches(w, is_vector))
		return written_back(w);
	if (matches(w, pair))
		return (field(w, 22, 1) ? rt | rt2 : 0) | written_back(w);
	if (matches(w, one) || matches(w, literal))
		return (is_load(w) || matches(w, atomic) ? rt : 0) | written_back(w);
	if (matches(w, tag))
		return field(w, 10, 2) ? written_back(w) : rt;
	/* also copies of memory */
	return rt | rt2 | bit_of(general(field(w, 16, 5))) |
	       (matches(w, ordered) ? 0 : 1u << field(w, 5, 5));
}

/* ---- all classes --------------------------------------------------------------------------- */

enum insn_class { OTHER, COMPUTATION, FLOW, MEMORY, VECTOR };

/* By op0, bits 25 to 28. */
static enum insn_class class_of(uint32_t w)
{
	static const uint8_t classes[16] = {OTHER,	 OTHER,	      OTHER,  OTHER,
					    MEMORY,	 COMPUTATION, MEMORY, VECTOR,
					    COMPUTATION, COMPUTATION, FLOW,   FLOW,
					    MEMORY,	 COMPUTATION, MEMORY, VECTOR};

	return (enum insn_class)classes[field(w, 25, 4)];
}

static const struct row hint = {0xfffff01f, 0xd503201f};	/* nop, bti, paciasp, autiasp, … */
static const struct row read_system = {0xffe00000, 0xd5200000}; /* mrs, sysl */
static const struct row system_call = {0xffe0001f, 0xd4000001};
/* From vectors to general registers. */
static const struct row from_vector[] = {
	{0x5f260000, 0x1e000000}, /* fcvtzs, fcvtzu to numbers with a fixed point */
	{0x5f26fc00, 0x1e200000}, /* fcvtns, … */
	{0x5f26fc00, 0x1e240000}, /* fcvtas, fcvtau */
	{0x5f27fc00, 0x1e260000}, /* fmov */
	{0xbfe0d400, 0x0e001400}, /* umov, smov */
};

static uint32_t writes_of(uint32_t w)
{
	uint32_t rd = bit_of(general(field(w, 0, 5)));

	switch (class_of(w)) {
	case COMPUTATION: return bit_of(destination(w));
	case MEMORY: return memory_writes(w);
	case FLOW:
		if (matches(w, call) || (matches(w, to_register) && field(w, 21, 3) == OPC_BLR))
			return 1u << LINK;
		return matches(w, read_system) ? rd : matches(w, system_call) ? 1 : 0;
	case VECTOR: return IS_ONE_OF(w, from_vector) ? rd : 0;
	case OTHER: break;
	}
	return rd;
}

/* It changes neither memory nor the flow, and the processor's state only in flags. */
static bool is_plain(uint32_t w)
{
	switch (class_of(w)) {
	case COMPUTATION:
	case VECTOR: return true;
	case MEMORY: return is_load(w) && !written_back(w);
	case FLOW: return matches(w, hint);
	case OTHER: break;
	}
	return false;
}

int insn_arm64_effect(const uint8_t *code, size_t n, struct insn_effect *out)
{
	uint32_t w;

	if (!read_word(code, n, &w))
		return -EINVAL;
	out->length = INSN_ARM64_BYTES;
	out->is_plain = is_plain(w);
	out->is_safe = class_of(w) == COMPUTATION || matches(w, hint);
	out->writes = writes_of(w);
	out->memory.base = out->memory.index = INSN_NO_REG;
	if (matches(w, to_register)) {
		out->value = VALUE_REG;
		out->from = general(field(w, 5, 5));
	} else if (class_of(w) == COMPUTATION) {
		out->reg = destination(w);
		take_computation(w, out);
	} else if (is_load(w)) {
		out->reg = general(field(w, 0, 5));
		take_load(w, out);
	}
	return 0;
}

/* ---- probes -------------------------------------------------------------------------------- */

/* What the kernel cannot step on a copy of the instruction and does not emulate
 * (arch/arm64/kernel/probes/decode-insn.c). */
static const struct {
	struct row row;
	enum insn_arm64_refused kind;
} refused[] = {
	{{0x3f000000, 0x18000000}, ARM64_LITERAL},
	{{0x3f800000, 0x08000000}, ARM64_EXCLUSIVE},
	{{0xff000000, 0xd4000000}, ARM64_EXCEPTION}, /* svc, brk, … */
	{{0xfff00000, 0xd5300000}, ARM64_SYSTEM},    /* mrs */
	{{0xfff00000, 0xd5100000}, ARM64_SYSTEM},    /* msr */
	{{0xfff8f01f, 0xd500401f}, ARM64_SYSTEM},    /* msr of a number */
	{{0xfe000800, 0xd6000800}, ARM64_AUTHENTICATED},
	{{0xffff0000, 0x00000000}, ARM64_EXCEPTION}, /* udf */
	{{0x3f200400, 0x19000400}, ARM64_COPY},	     /* cpyf…, set… */
};

/* Hints that it steps, by their number: nop, xpaclri, pac…, bti. */
static const uint64_t stepped_hints = 1ull << 0 | 1ull << 7 | 1ull << 8 | 1ull << 10 |
				      0xfull << 24 | 1ull << 32 | 1ull << 34 | 1ull << 36 |
				      1ull << 38;

enum insn_arm64_refused insn_arm64_refused(const uint8_t *code, size_t n)
{
	uint32_t w = 0;
	size_t i = 0;

	if (!read_word(code, n, &w))
		return ARM64_STEPPED;
	if (matches(w, hint))
		return field(w, 5, 7) < 64 && stepped_hints >> field(w, 5, 7) & 1 ? ARM64_STEPPED
										  : ARM64_HINT;
	while (i < sizeof(refused) / sizeof(*refused) && !matches(w, refused[i].row))
		i++;
	return i < sizeof(refused) / sizeof(*refused) ? refused[i].kind : ARM64_STEPPED;
}

bool insn_arm64_is_misread(const uint8_t *code, size_t n)
{
	static const struct row vector_literal = {0x3f000000, 0x1c000000};
	uint32_t w;

	return read_word(code, n, &w) && matches(w, vector_literal);
}

bool insn_arm64_is_emulated(const uint8_t *code, size_t n)
{
	struct insn i;
	uint32_t w;

	if (!read_word(code, n, &w) || insn_arm64_refused(code, n))
		return false;
	describe(w, &i);
	return i.is_return || i.is_call || i.is_jump || i.is_indirect || matches(w, adr) ||
	       matches(w, adrp);
}
