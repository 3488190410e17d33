/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of call frame information (DW_CFA_*), executed for the CFA, the extra register,
 * fp, sp and the return address: see cfi.h. Only those expressions are supported that linkers and
 * compilers make: of PLT entries, realigned stacks, signal frames.
 */
#include "runtime/unwind/cfi.h"
#include <elf.h>
#include "runtime/unwind/pack.h"
#include "runtime/unwind/reader.h"
#include "runtime/unwind/rules.h"

/* Instructions that DWARF 5 does not have: of arm64, without operands. They say whether the return
 * address is signed. A walk takes the signature off all of them. */
enum { AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c, AARCH64_NEGATE_RA_STATE = 0x2d };

enum { STATES_MAX = 16 }; /* nesting of DW_CFA_remember_state; compilers use 1 */

/* The state of an execution. */
struct machine {
	const struct cfi_cie *cie;
	struct reader r;
	struct cfi_state s, stack[STATES_MAX];
	unsigned n_stack;
	/* the address that `s` describes; the next address, if `is_advance` */
	uint64_t at, next;
	bool is_advance;
};

/* ---- expressions --------------------------------------------------------------------------- */

/* Read a register's number and an offset. Returns false if the expression does not start with
 * them. */
static bool read_base(struct reader *r, uint32_t *number, int64_t *offset)
{
	*number = reader_u8(r) - DW_OP_breg0;
	*offset = *number < 32 ? reader_sleb(r) : 0;
	return *number < 32 && !r->failed;
}

/* Is the expression the CFA of PLT entries: sp + word + ((ip & 15) >= instruction) * word? */
static bool is_plt(const struct unwind_machine *m, const uint8_t *bytes, size_t n,
		   int64_t *instruction)
{
	const uint8_t head[] = {(uint8_t)(DW_OP_breg0 + m->sp),
				m->word,
				(uint8_t)(DW_OP_breg0 + m->ip),
				0,
				DW_OP_lit0 + 15,
				DW_OP_and};
	const uint8_t tail[] = {DW_OP_ge, m->word == 8 ? DW_OP_lit3 : DW_OP_lit2, DW_OP_shl,
				DW_OP_plus};

	if (n != sizeof(head) + 1 + sizeof(tail) || memcmp(bytes, head, sizeof(head)) ||
	    memcmp(bytes + sizeof(head) + 1, tail, sizeof(tail)))
		return false;
	*instruction = bytes[sizeof(head)] - DW_OP_lit0;
	return *instruction >= 0 && *instruction <= 15;
}

static void define_cfa_expression(const struct unwind_machine *m, struct cfi_state *s,
				  const uint8_t *bytes, size_t n)
{
	struct reader r = {bytes, bytes + n, false};

	s->cfa = CFI_CFA_OTHER;
	s->add = 0;
	if (is_plt(m, bytes, n, &s->offset)) {
		s->cfa = CFI_CFA_PLT;
	} else if (read_base(&r, &s->number, &s->offset)) {
		if (!reader_left(&r)) {
			s->cfa = CFI_CFA_REGISTER;
			return;
		}
		if (reader_u8(&r) != DW_OP_deref)
			return;
		if (reader_left(&r) && reader_u8(&r) == DW_OP_plus_uconst)
			s->add = (int64_t)reader_uleb(&r);
		if (!reader_left(&r) && !r.failed)
			s->cfa = CFI_CFA_DEREF;
	}
}

/* The rule of a register that is stored in memory, at the address that an expression computes. */
static struct cfi_register by_expression(const struct unwind_machine *m, const uint8_t *bytes,
					 size_t n)
{
	struct reader r = {bytes, bytes + n, false};
	uint32_t number;
	int64_t offset;

	if (!read_base(&r, &number, &offset) || reader_left(&r))
		return (struct cfi_register){CFI_OTHER, 0};
	return (struct cfi_register){number == m->fp   ? CFI_AT_FP
				     : number == m->sp ? CFI_AT_SP
						       : CFI_OTHER,
				     offset};
}

/* ---- instructions -------------------------------------------------------------------------- */

static struct cfi_register *register_of(const struct unwind_machine *m, struct cfi_state *s,
					uint64_t number)
{
	return number == m->ip	    ? &s->ip
	       : number == m->fp    ? &s->fp
	       : number == m->sp    ? &s->sp
	       : number == m->extra ? &s->extra
				    : NULL;
}

static void set_register(struct machine *m, uint64_t number, enum cfi_how how, int64_t value)
{
	struct cfi_register *r = register_of(m->cie->machine, &m->s, number);

	if (r)
		*r = (struct cfi_register){how, value};
}

static void restore_register(struct machine *m, uint64_t number)
{
	struct cfi_state initial = m->cie->state;
	struct cfi_register *r = register_of(m->cie->machine, &m->s, number);

	if (r)
		*r = *register_of(m->cie->machine, &initial, number);
}

/* Multiply; the product wraps around, since a hostile file may have any numbers. A product that
 * does not fit in a rule makes the row unsupported. */
static int64_t times(int64_t factor, int64_t value)
{
	return (int64_t)((uint64_t)factor * (uint64_t)value);
}

static int64_t unsigned_offset(struct machine *m)
{
	return times(m->cie->data_factor, (int64_t)reader_uleb(&m->r));
}

static int64_t signed_offset(struct machine *m)
{
	return times(m->cie->data_factor, reader_sleb(&m->r));
}

static void advance(struct machine *m, uint64_t delta)
{
	m->is_advance = true;
	if (__builtin_mul_overflow(delta, m->cie->code_factor, &delta) ||
	    __builtin_add_overflow(m->at, delta, &m->next))
		m->next = UINT64_MAX;
}

static bool set_location(struct machine *m)
{
	const struct cfi_section *section = &m->cie->section;
	uint64_t here = section->address + (uint64_t)(m->r.at - section->bytes);

	m->is_advance = true;
	m->next = reader_pointer(&m->r, m->cie->pointers, m->cie->machine->word);
	if ((m->cie->pointers & POINTER_BASE) == DW_EH_PE_pcrel)
		m->next += here;
	return m->next >= m->at;
}

/* Set the CFA to a register plus an offset. An instruction that changes only one of them
 * (`is_whole` is false) is valid only if the CFA is such a sum already. */
static bool set_cfa(struct machine *m, bool is_whole, uint64_t number, int64_t offset)
{
	if (!is_whole && m->s.cfa != CFI_CFA_REGISTER)
		return false;
	m->s.cfa = CFI_CFA_REGISTER;
	m->s.number = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	m->s.offset = offset;
	return true;
}

static bool remember_state(struct machine *m)
{
	if (m->n_stack == STATES_MAX)
		return false;
	m->stack[m->n_stack++] = m->s;
	return true;
}

static bool restore_state(struct machine *m)
{
	if (!m->n_stack)
		return false;
	m->s = m->stack[--m->n_stack];
	return true;
}

/* The expression at the reader: its length, then its bytes. */
static const uint8_t *read_expression(struct machine *m, size_t *n)
{
	const uint8_t *bytes;

	*n = reader_uleb(&m->r);
	bytes = reader_bytes(&m->r, *n);
	return bytes;
}

/* Execute an instruction that defines the CFA. */
static bool execute_cfa(struct machine *m, uint8_t code)
{
	const uint8_t *bytes;
	uint64_t number;
	size_t n;

	switch (code) {
	case DW_CFA_def_cfa:
		number = reader_uleb(&m->r);
		return set_cfa(m, true, number, (int64_t)reader_uleb(&m->r));
	case DW_CFA_def_cfa_sf:
		number = reader_uleb(&m->r);
		return set_cfa(m, true, number, signed_offset(m));
	case DW_CFA_def_cfa_register: return set_cfa(m, false, reader_uleb(&m->r), m->s.offset);
	case DW_CFA_def_cfa_offset:
		return set_cfa(m, false, m->s.number, (int64_t)reader_uleb(&m->r));
	case DW_CFA_def_cfa_offset_sf: return set_cfa(m, false, m->s.number, signed_offset(m));
	case DW_CFA_def_cfa_expression:
		bytes = read_expression(m, &n);
		if (bytes)
			define_cfa_expression(m->cie->machine, &m->s, bytes, n);
		return true;
	default: return false;
	}
}

/* Execute an instruction that says where a register is. */
static bool execute_register(struct machine *m, uint8_t code)
{
	uint64_t number = reader_uleb(&m->r);
	struct cfi_register found;
	const uint8_t *bytes;
	size_t n;

	switch (code) {
	case DW_CFA_offset_extended: set_register(m, number, CFI_AT_CFA, unsigned_offset(m)); break;
	case DW_CFA_offset_extended_sf:
		set_register(m, number, CFI_AT_CFA, signed_offset(m));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_register(m, number, CFI_AT_CFA, times(-1, unsigned_offset(m)));
		break;
	case DW_CFA_val_offset: set_register(m, number, CFI_IS_CFA, unsigned_offset(m)); break;
	case DW_CFA_val_offset_sf: set_register(m, number, CFI_IS_CFA, signed_offset(m)); break;
	case DW_CFA_restore_extended: restore_register(m, number); break;
	case DW_CFA_undefined: set_register(m, number, CFI_UNDEFINED, 0); break;
	case DW_CFA_same_value: set_register(m, number, CFI_SAME, 0); break;
	case DW_CFA_register:
		set_register(m, number, CFI_REGISTER, (int64_t)reader_uleb(&m->r));
		break;
	case DW_CFA_expression:
		bytes = read_expression(m, &n);
		found = bytes ? by_expression(m->cie->machine, bytes, n)
			      : (struct cfi_register){CFI_OTHER, 0};
		set_register(m, number, found.how, found.value);
		break;
	case DW_CFA_val_expression:
		read_expression(m, &n);
		set_register(m, number, CFI_OTHER, 0);
		break;
	default: return false;
	}
	return true;
}

/* Execute one instruction. Returns false if it is invalid. */
static bool execute(struct machine *m)
{
	uint8_t code = reader_u8(&m->r), operand = code & 0x3f;

	m->is_advance = false;
	switch (code & 0xc0) {
	case DW_CFA_advance_loc: advance(m, operand); return true;
	case DW_CFA_offset: set_register(m, operand, CFI_AT_CFA, unsigned_offset(m)); return true;
	case DW_CFA_restore: restore_register(m, operand); return true;
	}
	switch (code) {
	case DW_CFA_nop: return true;
	case DW_CFA_set_loc: return set_location(m);
	case DW_CFA_advance_loc1: advance(m, reader_u8(&m->r)); return true;
	case DW_CFA_advance_loc2: advance(m, reader_u16(&m->r)); return true;
	case DW_CFA_advance_loc4: advance(m, reader_u32(&m->r)); return true;
	case DW_CFA_MIPS_advance_loc8: advance(m, reader_u64(&m->r)); return true;
	case DW_CFA_remember_state: return remember_state(m);
	case DW_CFA_restore_state: return restore_state(m);
	case DW_CFA_GNU_args_size: reader_uleb(&m->r); return true;
	case AARCH64_NEGATE_RA_STATE_WITH_PC:
	case AARCH64_NEGATE_RA_STATE: return m->cie->machine->elf == EM_AARCH64;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression: return execute_cfa(m, code);
	default: return execute_register(m, code);
	}
}

/* A program that begins with the state of its CIE. */
static void begin(struct machine *m, const struct cfi_cie *cie, const uint8_t *program, size_t n,
		  uint64_t start)
{
	m->cie = cie;
	m->r = (struct reader){program, program + n, false};
	m->s = cie->state;
	m->n_stack = 0;
	m->at = start;
}

bool cfi_run_cie(struct cfi_cie *cie, const uint8_t *program, size_t n)
{
	struct machine m;

	begin(&m, cie, program, n, 0);
	while (reader_left(&m.r))
		if (!execute(&m) || m.r.failed || m.is_advance)
			return false;
	cie->state = m.s;
	return true;
}

/* Does a function of arm64 say that the return address is above the CFA? In glibc's, that is among
 * the first instructions: DW_CFA_offset_extended_sf x30, 8. No other function saves it there. */
static bool is_from_plt(const struct cfi_cie *cie, const uint8_t *program, size_t n)
{
	static const uint8_t saved_above[] = {DW_CFA_offset_extended_sf, 30, 0x7f};
	enum { FIRST = 8 };

	return cie->machine->has_link &&
	       memmem(program, n < FIRST ? n : FIRST, saved_above, sizeof(saved_above));
}

bool cfi_state_at(const struct cfi_cie *cie, const uint8_t *program, size_t n, uint64_t start,
		  uint64_t at, struct cfi_state *out)
{
	struct machine m;

	begin(&m, cie, program, n, start);
	for (m.next = start; m.next <= at;) {
		m.at = m.next;
		m.next = UINT64_MAX;
		m.is_advance = false;
		while (!m.is_advance && reader_left(&m.r))
			if (!execute(&m) || m.r.failed)
				return false;
	}
	*out = m.s;
	return true;
}

static int pack_at(uint64_t at, struct unwind_rule rule, struct unwind_rules *rules,
		   struct pack *out)
{
	bool of_run = rules->of_run;
	int number;

	rules->of_run &= at >= rules->run_from;
	number = unwind_rules_intern(rules, rule);
	rules->of_run = of_run;
	return number < 0 ? number : pack_row(out, at, (uint32_t)number);
}

int cfi_run_fde(const struct cfi_cie *cie, const uint8_t *program, size_t n, uint64_t start,
		uint64_t end, struct unwind_rules *rules, struct pack *out, bool *is_valid)
{
	struct unwind_rule rule;
	struct machine m;
	int err;

	begin(&m, cie, program, n, start);
	m.s.is_from_plt = is_from_plt(cie, program, n);
	for (*is_valid = true; *is_valid && m.at < end; m.at = m.next) {
		m.next = end;
		m.is_advance = false;
		while (*is_valid && !m.is_advance && reader_left(&m.r))
			*is_valid = execute(&m) && !m.r.failed;
		rule = *is_valid ? cfi_rule(cie, &m.s)
				 : (struct unwind_rule){.cfa = UNWIND_UNSUPPORTED};
		err = pack_at(m.at, rule, rules, out);
		if (!err && m.at < rules->run_from && rules->run_from < m.next)
			err = pack_at(rules->run_from, rule, rules, out);
		if (err)
			return err;
	}
	return 0;
}
