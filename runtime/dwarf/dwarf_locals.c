/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that can be named at an instruction, and where they are: names.h. The scope is that of
 * the source: the blocks around the instruction, up to the function, which may be inlined.
 */
#include "parser/base/arena.h"
#include "parser/base/find.h"
#include "runtime/dwarf/dwarf_impl.h"

enum { NEST_MAX = 64 };

struct scope_walk {
	const struct dwarf_types *t;
	enum dwarf_family family;
	uint64_t address;
	struct arena *a;
	Dwarf_Die function; /* the one that has a symbol */
	bool is_in_prologue;
	user_local_fn *fn;
	void *ctx;
};

/* ---- locations ----------------------------------------------------------------------------- */

/* Operations of DWARF without operands, and what they do on the stack. */
static const struct simple_row {
	unsigned atom;
	enum local_step step;
} simple[] = {
	{DW_OP_plus, LOCAL_ADD}, {DW_OP_minus, LOCAL_SUB},  {DW_OP_mul, LOCAL_MUL},
	{DW_OP_and, LOCAL_AND},	 {DW_OP_or, LOCAL_OR},	    {DW_OP_xor, LOCAL_XOR},
	{DW_OP_shl, LOCAL_SHL},	 {DW_OP_shr, LOCAL_SHR},    {DW_OP_neg, LOCAL_NEG},
	{DW_OP_not, LOCAL_NOT},	 {DW_OP_deref, LOCAL_READ},
};

_Static_assert(LOCAL_HERE == 0, "push() ?: push()");

/* LOCAL_HERE, or LOCAL_UNKNOWN if there are too many steps. */
static enum local_state push(struct user_local *l, enum local_step step, uint32_t reg,
			     int64_t number)
{
	if (l->n_ops == LOCAL_OPS)
		return LOCAL_UNKNOWN;
	l->ops[l->n_ops++] = (struct local_op){step, reg, number};
	return LOCAL_HERE;
}

static enum local_state push_sum(struct user_local *l, int64_t number)
{
	return push(l, LOCAL_NUMBER, 0, number) ?: push(l, LOCAL_ADD, 0, 0);
}

static enum local_state read_ops(const struct scope_walk *w, const Dwarf_Op *ops, size_t n,
				 bool is_base, struct user_local *l);

/* Push the frame base of the function. */
static enum local_state push_base(const struct scope_walk *w, struct user_local *l)
{
	Dwarf_Die function = w->function;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!w->t->dw.dwarf_attr(&function, DW_AT_frame_base, &a) ||
	    w->t->dw.dwarf_getlocation_addr(&a, w->address, &ops, &n, 1) <= 0)
		return LOCAL_UNKNOWN;
	return read_ops(w, ops, n, true, l);
}

static enum local_state read_op(const struct scope_walk *w, const Dwarf_Op *op, bool is_base,
				struct user_local *l)
{
	const struct simple_row *row = FIND_ROW(simple, item->atom == op->atom);
	enum local_state state;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		/* a frame base is what the register holds */
		l->is_value = !is_base;
		return push(l, LOCAL_REGISTER, op->atom - DW_OP_reg0, 0);
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push(l, LOCAL_REGISTER, op->atom - DW_OP_breg0, (int64_t)op->number);
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(l, LOCAL_NUMBER, 0, op->atom - DW_OP_lit0);
	if (row)
		return push(l, row->step, 0, 0);
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts: return push(l, LOCAL_NUMBER, 0, (int64_t)op->number);
	case DW_OP_plus_uconst: return push_sum(l, (int64_t)op->number);
	case DW_OP_fbreg:
		state = push_base(w, l);
		if (state == LOCAL_HERE && w->is_in_prologue)
			return LOCAL_TOO_EARLY;
		return state ? LOCAL_UNKNOWN : push_sum(l, (int64_t)op->number);
	case DW_OP_call_frame_cfa: return push(l, LOCAL_CFA, 0, 0);
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index: return LOCAL_IS_STATIC;
	case DW_OP_stack_value: l->is_value = true; return LOCAL_HERE;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
	case DW_OP_GNU_parameter_ref: return LOCAL_AT_ENTRY;
	case DW_OP_piece:
	case DW_OP_bit_piece: return LOCAL_IN_PIECES;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer: return LOCAL_GONE;
	default: return LOCAL_UNKNOWN;
	}
}

static enum local_state read_ops(const struct scope_walk *w, const Dwarf_Op *ops, size_t n,
				 bool is_base, struct user_local *l)
{
	enum local_state state = n ? LOCAL_HERE : LOCAL_GONE;

	for (size_t i = 0; i < n && state == LOCAL_HERE; i++)
		state = read_op(w, &ops[i], is_base, l);
	for (size_t i = 0; i < n && !is_base; i++)
		if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece)
			return LOCAL_IN_PIECES;
	return state;
}

static enum local_state find_place(const struct scope_walk *w, Dwarf_Die *die, struct user_local *l)
{
	Dwarf_Attribute a;
	Dwarf_Sword value;
	Dwarf_Op *ops;
	size_t n;

	if (w->t->dw.dwarf_attr_integrate(die, DW_AT_const_value, &a) &&
	    !w->t->dw.dwarf_formsdata(&a, &value)) {
		l->is_value = true;
		return push(l, LOCAL_NUMBER, 0, value);
	}
	if (!w->t->dw.dwarf_attr(die, DW_AT_location, &a) ||
	    w->t->dw.dwarf_getlocation_addr(&a, w->address, &ops, &n, 1) <= 0)
		return LOCAL_GONE;
	return read_ops(w, ops, n, false, l);
}

/* The register whose value at the function's entry a location names. */
static void find_entry_register(const struct scope_walk *w, Dwarf_Die *die, struct user_local *l)
{
	Dwarf_Attribute a, value;
	Dwarf_Op *ops, *inner;
	size_t n, n_inner;

	if (!w->t->dw.dwarf_attr(die, DW_AT_location, &a) ||
	    w->t->dw.dwarf_getlocation_addr(&a, w->address, &ops, &n, 1) <= 0)
		return;
	for (size_t i = 0; i < n; i++) {
		bool is_value =
			ops[i].atom == DW_OP_entry_value || ops[i].atom == DW_OP_GNU_entry_value;

		if (is_value && !w->t->dw.dwarf_getlocation_attr(&a, &ops[i], &value) &&
		    !w->t->dw.dwarf_getlocation(&value, &inner, &n_inner) && n_inner &&
		    inner->atom >= DW_OP_reg0 && inner->atom <= DW_OP_reg31) {
			push(l, LOCAL_REGISTER, inner->atom - DW_OP_reg0, 0);
			return;
		}
	}
}

/* ---- scopes -------------------------------------------------------------------------------- */

/* is_own: it is a parameter of the function that has a symbol. */
static void call_with(const struct scope_walk *w, Dwarf_Die *die, bool is_own)
{
	const char *name = w->t->dw.dwarf_diename(die);
	struct user_local l = {.name = name};
	Dwarf_Die type;

	if (!name)
		return;
	l.name = arena_strdup(w->a, name);
	l.state = find_place(w, die, &l);
	l.n_ops = l.state == LOCAL_AT_ENTRY ? 0 : l.n_ops;
	if (l.state == LOCAL_AT_ENTRY && !is_own)
		find_entry_register(w, die, &l);
	l.type_text = "void";
	if (dwarf_type_of(w->t, die, &type)) {
		l.type_text = dwarf_declare(w->t, &type, w->family, "", w->a);
		if (w->t->make_type)
			l.type = w->t->make_type((struct dwarf_types *)w->t, &type, w->t->path,
						 w->a);
	}
	w->fn(&l, w->ctx);
}

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Call fn with the variables of `scope`, those of the blocks in it first. Returns true if the
 * instruction is in an inlined function, whose variables are all that can be named. */
static bool walk_scope(const struct scope_walk *w, Dwarf_Die *scope, int depth)
{
	Dwarf_Die die;
	int more;

	if (depth > NEST_MAX)
		return false;
	for (more = w->t->dw.dwarf_child(scope, &die); more == 0;
	     more = w->t->dw.dwarf_siblingof(&die, &die)) {
		int tag = w->t->dw.dwarf_tag(&die);

		if (is_block(tag) && w->t->dw.dwarf_haspc(&die, w->address) > 0 &&
		    (walk_scope(w, &die, depth + 1) || tag == DW_TAG_inlined_subroutine))
			return true;
	}
	for (more = w->t->dw.dwarf_child(scope, &die); more == 0;
	     more = w->t->dw.dwarf_siblingof(&die, &die)) {
		int tag = w->t->dw.dwarf_tag(&die);

		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			call_with(w, &die, !depth && tag == DW_TAG_formal_parameter);
	}
	return false;
}

/* Does the frame not exist yet? It is made before the second row of the function in the table of
 * lines. */
static bool is_in_prologue(const struct dwarf_types *t, Dwarf_Die *unit, uint64_t start,
			   uint64_t address)
{
	Dwarf_Addr at, second = UINT64_MAX;
	Dwarf_Lines *rows;
	size_t n;

	if (t->dw.dwarf_getsrclines(unit, &rows, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!t->dw.dwarf_lineaddr(t->dw.dwarf_onesrcline(rows, i), &at) && at > start &&
		    at < second)
			second = at;
	return address >= start && address < second;
}

int dwarf_types_locals(struct dwarf_types *t, uint64_t address, struct arena *a, user_local_fn *fn,
		       void *ctx)
{
	struct scope_walk w = {.t = t, .address = address, .a = a, .fn = fn, .ctx = ctx};
	const struct dwarf_entry *found = NULL;
	struct dwarf_unit *u;
	Dwarf_Die unit;
	int err = dwarf_types_unit(t, address, &unit, &u);

	if (err)
		return err;
	for (size_t i = 0; i < u->functions.n && !found; i++)
		if (t->dw.dwarf_haspc(&u->functions.items[i].die, address) > 0)
			found = &u->functions.items[i];
	if (!found)
		return -ESRCH;
	w.function = found->die;
	w.family = dwarf_family_of(t, &w.function);
	w.is_in_prologue = is_in_prologue(t, &unit, found->address, address);
	walk_scope(&w, &w.function, 0);
	return 0;
}
