/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of a function: names and types from debug information, locations from the calling
 * convention. For optimised code, debug information also has the register of each parameter at the
 * first instruction. If this contradicts the convention, the compiler has changed the calling
 * convention of the function, and the registers of debug information are used.
 */
#include "parser/base/arena.h"
#include "runtime/dwarf/dwarf_impl.h"
#include <elf.h>

enum { PARAMS_MAX = 64, CHAIN_MAX = 8, WORD = 8, STACK_WORD = 6 };

struct description {
	const struct dwarf_types *t;
	enum dwarf_family family;
	uint64_t address;
	struct arena *a;
	struct typed_function *f;
	struct abi_args args;
	bool is_foreign; /* the function has another calling convention */
	bool is_old_clang;
	bool is_lost;		      /* the locations of further parameters are unknown */
	Dwarf_Off params[PARAMS_MAX]; /* DIEs of the parameters, which have their names */
	/* the word that debug information states, or ABI_NO_WORD */
	int at_entry[PARAMS_MAX];
	bool has_location[PARAMS_MAX];
};

/* ---- languages ----------------------------------------------------------------------------- */

enum { LANG_C17 = 0x2c, LANG_CPP17 = 0x2a, LANG_CPP20 = 0x2b }; /* newer than the header */

enum dwarf_family dwarf_family_of(const struct dwarf_types *t, Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!t->dw.dwarf_diecu(die, &unit, NULL, NULL))
		return FAMILY_OTHER;
	switch (t->dw.dwarf_srclang(&unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
	case DW_LANG_ObjC: return FAMILY_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CPP17:
	case LANG_CPP20:
	case DW_LANG_ObjC_plus_plus: return FAMILY_CPP;
	case DW_LANG_Rust: return FAMILY_RUST;
	case DW_LANG_Go: return FAMILY_GO;
	default: return FAMILY_OTHER;
	}
}

/* Before version 18, clang passed 16-byte numbers in violation of the convention. */
static bool is_old_clang(const struct dwarf_types *t, Dwarf_Die *die)
{
	static const char word[] = "clang version ";
	const char *producer, *at;
	Dwarf_Attribute a;
	Dwarf_Die unit;

	if (!t->dw.dwarf_diecu(die, &unit, NULL, NULL) ||
	    !t->dw.dwarf_attr(&unit, DW_AT_producer, &a))
		return false;
	producer = t->dw.dwarf_formstring(&a);
	at = producer ? strstr(producer, word) : NULL;
	return at && strtoul(at + sizeof(word) - 1, NULL, 10) < 18;
}

static const char *why_unplaced(struct description *d, Dwarf_Die *die)
{
	uint8_t address_size = 0;
	Dwarf_Die unit;

	d->t->dw.dwarf_diecu(die, &unit, &address_size, NULL);
	d->is_foreign = true;
	if (address_size != WORD)
		return "it is a 32-bit program";
	if (d->family == FAMILY_GO)
		return NULL;
	if (d->family == FAMILY_OTHER)
		return "the calling convention of its language is unknown: not C, C++ or Rust";
	d->is_foreign = false;
	if (dwarf_number(d->t, die, DW_AT_calling_convention, DW_CC_normal) != DW_CC_normal)
		return "the compiler changed how it is called";
	return NULL;
}

/* ---- result -------------------------------------------------------------------------------- */

static bool is_float(const struct dwarf_value *v)
{
	return !v->abi.is_aggregate && v->abi.n_leaves && v->abi.leaves[0].kind != ABI_INT;
}

void dwarf_set_value(const struct dwarf_types *t, struct tp_field *p, Dwarf_Die *type,
		     const struct dwarf_value *v, enum dwarf_family family, struct arena *a)
{
	p->size = v->size;
	p->is_signed = v->is_signed;
	p->is_enum = v->is_enum;
	p->is_float = is_float(v);
	if (!v->size && v->abi.size && t->make_type)
		p->type = t->make_type((struct dwarf_types *)t, type, t->path, a);
	p->to = dwarf_pointee(t, type, family, a);
}

/* Is it unspecified where the result is, and so whether a hidden argument is its address? */
static bool is_unspecified_result(const struct description *d, const struct dwarf_value *v)
{
	return d->family == FAMILY_RUST ? d->f->result.place == PLACE_NUMBER && !v->size
					: v->is_unknown;
}

static void describe_result(struct description *d, Dwarf_Die *die)
{
	struct dwarf_value v;
	bool is_value = dwarf_result(d->t, die, d->family, d->f, d->a, &v);

	if (is_value && d->family == FAMILY_RUST)
		v.abi.is_reference = d->f->result.place == PLACE_ADDRESS;
	if (!abi_begin(&d->args, d->t->machine, is_value ? &v.abi : NULL) && !d->f->unplaced)
		d->f->unplaced = "the calling convention of this machine is unknown";
	d->is_lost = d->f->unplaced || (is_value && is_unspecified_result(d, &v));
}

/* ---- parameters ---------------------------------------------------------------------------- */

/* The DIE that a concrete or inlined instance was made from. */
static Dwarf_Die origin_of(const struct dwarf_types *t, Dwarf_Die die)
{
	Dwarf_Attribute a;

	for (int i = 0; i < CHAIN_MAX && t->dw.dwarf_attr(&die, DW_AT_abstract_origin, &a); i++)
		if (!t->dw.dwarf_formref_die(&a, &die))
			break;
	return die;
}

static void add_param(struct description *d, Dwarf_Die *die)
{
	const char *name = d->t->dw.dwarf_diename(die);
	Dwarf_Die origin = origin_of(d->t, *die), type;
	struct dwarf_value v = {.is_unknown = true};
	struct tp_field p = {.offset = TYPED_NO_PLACE};
	int word = ABI_NO_WORD;
	bool is_void = !dwarf_type_of(d->t, die, &type);

	name = arena_printf(d->a, "%s", name ? name : "");
	p.name = name;
	p.type_text = dwarf_declare(d->t, is_void ? NULL : &type, d->family, "", d->a);
	p.declared = *name ? dwarf_declare(d->t, is_void ? NULL : &type, d->family,
					   arena_printf(d->a, " %s", name), d->a)
			   : p.type_text;
	if (!is_void)
		dwarf_value_of(d->t, &type, d->family, &v);
	d->is_lost |= v.is_unknown || d->family == FAMILY_GO;
	if (!d->is_lost)
		word = abi_next(&d->args, &v.abi);
	d->is_lost |= d->is_old_clang && word >= STACK_WORD && v.abi.n_leaves &&
		      v.abi.leaves[0].kind == ABI_INT && v.abi.leaves[0].size > WORD;
	if (!is_void)
		dwarf_set_value(d->t, &p, &type, &v, d->family, d->a);
	if (!is_void && !p.size && !v.is_unknown && d->family != FAMILY_GO && !d->is_lost)
		p.place = abi_place(d->t->machine, &v.abi, word);
	if (word != ABI_NO_WORD)
		p.offset = WORD * (uint32_t)word;
	d->params[d->f->n_params] = d->t->dw.dwarf_dieoffset(&origin);
	d->at_entry[d->f->n_params] = ABI_NO_WORD;
	arena_push(d->a, d->f->params, d->f->n_params, p);
}

static void add_rest(struct description *d)
{
	struct tp_field p = {.name = "",
			     .type_text = "...",
			     .declared = "...",
			     .offset = TYPED_NO_PLACE};

	d->at_entry[d->f->n_params] = ABI_NO_WORD;
	arena_push(d->a, d->f->params, d->f->n_params, p);
}

/* The number of parameters in the source; compilers add others. */
static uint32_t count_in_source(const struct dwarf_types *t, Dwarf_Die function)
{
	uint32_t n = 0;
	Dwarf_Die child;

	for (int more = t->dw.dwarf_child(&function, &child); more == 0;
	     more = t->dw.dwarf_siblingof(&child, &child)) {
		n += t->dw.dwarf_tag(&child) == DW_TAG_formal_parameter &&
		     !dwarf_flag(t, &child, DW_AT_artificial);
	}
	return n;
}

/* The DIE with the complete list of parameters. A function that is also inlined has an instance and
 * the DIE it was made from. The instance lacks parameters that the optimizer removed or that only
 * another kind of constructor has. */
static Dwarf_Die complete_of(const struct dwarf_types *t, Dwarf_Die instance)
{
	Dwarf_Die origin = origin_of(t, instance);

	return count_in_source(t, instance) < count_in_source(t, origin) ? origin : instance;
}

static void add_params(struct description *d, Dwarf_Die function)
{
	Dwarf_Die child;

	for (int more = d->t->dw.dwarf_child(&function, &child); more == 0;
	     more = d->t->dw.dwarf_siblingof(&child, &child)) {
		int tag = d->t->dw.dwarf_tag(&child);

		if (d->f->n_params == PARAMS_MAX)
			return;
		if (tag == DW_TAG_formal_parameter &&
		    (d->family != FAMILY_GO || !dwarf_is_go_result(d->t, &child)))
			add_param(d, &child);
		else if (tag == DW_TAG_unspecified_parameters)
			add_rest(d);
	}
}

/* ---- registers at the first instruction ---------------------------------------------------- */

/* The word that a parameter is in. Debug information of Go does not list parameters without a name,
 * and generic functions have an additional one, so words cannot be counted: only the location in
 * debug information counts. There, a value of several words has a location of pieces; the first one
 * is used. */
static int entry_word(const struct description *d, Dwarf_Die *param)
{
	bool is_go = d->family == FAMILY_GO;
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!d->t->dw.dwarf_attr(param, DW_AT_location, &a) ||
	    d->t->dw.dwarf_getlocation_addr(&a, d->address, &ops, &n, 1) <= 0 || !n ||
	    (n > 1 && (!is_go || ops[1].atom != DW_OP_piece)) || ops[0].atom < DW_OP_reg0 ||
	    ops[0].atom > DW_OP_reg31)
		return ABI_NO_WORD;
	return (is_go ? abi_go_word_of : abi_word_of)(d->t->machine, ops[0].atom - DW_OP_reg0);
}

/* Is a value of Go in several registers that are consecutive words? */
static bool is_in_words(const struct description *d, Dwarf_Die *param)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	if (!d->t->dw.dwarf_attr(param, DW_AT_location, &a) ||
	    d->t->dw.dwarf_getlocation_addr(&a, d->address, &ops, &n, 1) <= 0 || n < 4 || n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if (ops[i].atom < DW_OP_reg0 || ops[i].atom > DW_OP_reg31 ||
		    ops[i + 1].atom != DW_OP_piece || ops[i + 1].number > WORD ||
		    (ops[i + 1].number < WORD && i + 2 < n) ||
		    abi_go_word_of(d->t->machine, ops[i].atom - DW_OP_reg0) !=
			    entry_word(d, param) + (int)i / 2)
			return false;
	return true;
}

static void note_entry(struct description *d, uint32_t i, Dwarf_Die *param)
{
	if (d->family == FAMILY_GO && !d->f->params[i].size)
		d->f->params[i].place = d->f->params[i].is_float ? PLACE_FLOATS
					: is_in_words(d, param)	 ? PLACE_WORDS
								 : PLACE_NUMBER;
	d->at_entry[i] = entry_word(d, param);
	d->has_location[i] = d->t->dw.dwarf_hasattr(param, DW_AT_location);
}

static void read_entry_words(struct description *d, Dwarf_Die *concrete)
{
	Dwarf_Die child;

	for (int more = d->t->dw.dwarf_child(concrete, &child); more == 0;
	     more = d->t->dw.dwarf_siblingof(&child, &child)) {
		Dwarf_Die origin = origin_of(d->t, child);

		if (d->t->dw.dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		for (uint32_t i = 0; i < d->f->n_params; i++)
			if (d->params[i] == d->t->dw.dwarf_dieoffset(&origin))
				note_entry(d, i, &child);
	}
}

/* Drop parameters without a location: in clang's optimised code they are unused, and callers that
 * know this need not pass them. */
static void drop_absent(struct description *d)
{
	static const char why[] = "the function does not use it, so callers may not pass it";

	for (uint32_t i = 0; i < d->f->n_params && !d->is_foreign; i++) {
		const struct tp_field *p = &d->f->params[i];

		if (d->has_location[i] || (!p->size && p->place == PLACE_NUMBER))
			continue;
		d->f->params[i].offset = TYPED_NO_PLACE;
		d->f->unplaced = d->f->unplaced ? d->f->unplaced : why;
	}
}

static void compare_locations(struct description *d)
{
	struct typed_function *f = d->f;
	bool is_changed = false;

	for (uint32_t i = 0; i < f->n_params && !d->is_foreign; i++)
		is_changed |= f->params[i].size && d->at_entry[i] != ABI_NO_WORD &&
			      f->params[i].offset != WORD * (uint32_t)d->at_entry[i];
	if (!is_changed)
		return;
	for (uint32_t i = 0; i < f->n_params; i++)
		f->params[i].offset = d->at_entry[i] == ABI_NO_WORD
					      ? TYPED_NO_PLACE
					      : WORD * (uint32_t)d->at_entry[i];
	f->unplaced = "the compiler changed how it is called";
}

static void place_go(struct description *d)
{
	for (uint32_t i = 0; d->family == FAMILY_GO && i < d->f->n_params; i++)
		if (d->at_entry[i] != ABI_NO_WORD)
			d->f->params[i].offset = WORD * (uint32_t)d->at_entry[i];
	if (d->family == FAMILY_GO && !d->f->unplaced)
		d->f->unplaced = "the debug information names no register for it at the "
				 "function's start";
}

struct typed_function *dwarf_describe(const struct dwarf_types *t, Dwarf_Die *die, uint64_t address,
				      struct arena *a)
{
	struct description *d = arena_new_of(a, struct description);

	*d = (struct description){.t = t,
				  .family = dwarf_family_of(t, die),
				  .address = address,
				  .a = a};
	d->f = arena_new_of(a, struct typed_function);
	d->f->name = d->f->module = "";
	d->f->unplaced = why_unplaced(d, die);
	d->is_old_clang = t->machine == EM_X86_64 && is_old_clang(t, die);
	describe_result(d, die);
	add_params(d, complete_of(t, *die));
	read_entry_words(d, die);
	drop_absent(d);
	compare_locations(d);
	place_go(d);
	return d->f;
}
