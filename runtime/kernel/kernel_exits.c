/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exits of a user function: its return instructions, and its jumps to other functions, in its
 * main part and in its .cold parts, which are found by jumps there; where a file is stripped of
 * their symbols, by their call frame information.
 *
 * A direct jump leaves the function if it leads to the first instruction of another one, or to a
 * stub of the linker. An indirect jump does so if the frame is gone (its canonical frame address is
 * that of the entry) and it is not through the table of a switch.
 */
#include "runtime/dwarf/cfa.h"
#include "runtime/elf/elfsym.h"
#include "runtime/insn/insn.h"
#include "runtime/insn/jump_target.h"
#include "runtime/kernel/kernel_user.h"
#include <elf.h>

enum {
	PARTS_MAX = 8,
	STUB_BYTES = 24,
	AHEAD_MAX = 32,
};

/* Whether a jump leaves the function. */
enum verdict { INSIDE, LEAVES, UNCLEAR };

/* What the registers hold at a jump, until its target is reached. */
struct ahead {
	uint64_t to;
	struct jump_regs regs;
};

struct walk {
	struct kernel *k;
	struct elfsym *elf;
	uint16_t machine;
	bool is_go;
	const struct user_symbol *f;
	struct user_symbol parts[PARTS_MAX]; /* f, then its .cold parts */
	uint32_t n_parts;
	bool is_collecting; /* the second pass: all parts are known */
	bool has_indirect, has_call, has_loop;
	bool is_open; /* it can be left by other than its returns */
	struct jump_regs regs;
	struct ahead ahead[AHEAD_MAX]; /* used in turn; 0: free */
	uint32_t n_ahead;
	bool is_reached; /* the current instruction, other than by jumps from behind it */
	VEC(struct user_exit) exits; /* their names live until the file is closed */
	struct user_exits *out;
	int err;
};

static bool is_within(const struct walk *w, uint64_t address)
{
	return FIND(w->parts, w->n_parts, address - item->address < item->size);
}

/* ---- frames -------------------------------------------------------------------------------- */

bool code_cfa(struct user_files *u, uint64_t address, struct cfa *out)
{
	if (!u->cfa && !u->cfa_err)
		u->cfa = cfa_open(elfsym_fd(u->elf), &u->cfa_err);
	return u->cfa && cfa_at(u->cfa, address, out);
}

/* 1: both addresses have the same canonical frame address, 0: they have not, or -errno: not
 * known. */
static int is_same_frame(const struct walk *w, uint64_t x, uint64_t y)
{
	struct user_files *u = kernel_user_files(w->k);
	struct cfa a, b;

	if (!code_cfa(u, x, &a) || !code_cfa(u, y, &b))
		return u->cfa_err ?: -ENODATA;
	return a.reg == b.reg && a.offset == b.offset;
}

/* The same for the entry and a place in the function. */
static int frame_is_gone(const struct walk *w, uint64_t address)
{
	return is_same_frame(w, w->f->address, address);
}

/* ---- direct jumps -------------------------------------------------------------------------- */

/* x86: a jump through memory, behind an endbr64 if any. */
static bool is_stub_of_x86(uint16_t machine, const uint8_t *code, size_t n)
{
	size_t at = insn_is_endbr64(code, n) ? INSN_ENDBR_BYTES : 0;
	struct insn_effect e;
	struct insn i;

	return !insn_decode(machine, code + at, n - at, &i) && i.is_indirect &&
	       !insn_effect(machine, code + at, n - at, &e) && e.value == VALUE_LOAD &&
	       e.memory.index == INSN_NO_REG;
}

/* arm64: a jump by x16 or x17, before which only these are written. Linkers use them for their
 * code, which may be a veneer, too: a jump to a function that is too far for one branch. */
static bool is_stub_of_arm64(const uint8_t *code, size_t n)
{
	const uint32_t scratch = 3u << 16;
	struct insn_effect e;
	struct insn i;

	for (size_t at = 0; !insn_decode(EM_AARCH64, code + at, n - at, &i) &&
			    !insn_effect(EM_AARCH64, code + at, n - at, &e);
	     at += i.length) {
		if (i.is_indirect)
			return e.from == 16 || e.from == 17;
		if (!e.is_plain || e.writes & ~scratch)
			return false;
	}
	return false;
}

/* A stub in the procedure linkage table. */
static bool is_stub(const struct walk *w, uint64_t address)
{
	uint8_t code[STUB_BYTES];
	uint64_t offset;
	size_t n;

	if (!elfsym_vaddr_to_file(w->elf, address, &offset))
		return false;
	n = elfsym_read(w->elf, offset, code, sizeof(code));
	return w->machine == EM_AARCH64 ? is_stub_of_arm64(code, n)
					: is_stub_of_x86(w->machine, code, n);
}

/* Code that jumps through a register on behalf of its caller, which may be the jump of a switch. */
static bool is_thunk(const char *name)
{
	return strncmp(name, "__x86_indirect_thunk", 20) == 0 ||
	       strncmp(name, "__llvm_retpoline", 16) == 0;
}

static enum verdict add_part(struct walk *w, struct user_symbol *part)
{
	if (w->n_parts == PARTS_MAX || !elfsym_vaddr_to_file(w->elf, part->address, &part->offset))
		return UNCLEAR;
	w->parts[w->n_parts++] = *part;
	return INSIDE;
}

/* Does some jump of this code lead to a place in f other than its entry? */
static bool jumps_into(const struct walk *w, const struct user_symbol *part)
{
	bool is_found = false;
	struct insn i = {0};
	uint64_t to;
	size_t n = 0;
	uint8_t *code = code_read(w->k, part, part->size, &n);

	for (size_t at = 0; code && !is_found && at < n; at += i.length) {
		if (insn_decode(w->machine, code + at, n - at, &i))
			break;
		to = part->address + at + (uint64_t)i.target;
		is_found = i.is_jump && to != w->f->address && to - w->f->address < w->f->size;
	}
	free(code);
	return is_found;
}

/* A jump to code without a symbol: in stripped files, a .cold part or a local function. The call
 * frame information has an entry for each. A .cold part begins in the frame of its function, if the
 * function has set one up; a local function begins in the frame of its caller. */
static enum verdict judge_nameless(struct walk *w, uint64_t from, uint64_t to)
{
	struct user_symbol part = {.path = w->f->path};
	int is_entry;

	if (!elfsym_frame_range(w->elf, to, &part.address, &part.size) ||
	    !elfsym_vaddr_to_file(w->elf, part.address, &part.offset))
		return UNCLEAR;
	is_entry = frame_is_gone(w, part.address);
	if (is_entry == -ENOSYS)
		w->err = -ENOPKG;
	if (is_entry > 0 ? jumps_into(w, &part) : is_entry == 0 && is_same_frame(w, from, to) > 0)
		return add_part(w, &part);
	return UNCLEAR;
}

static enum verdict judge_direct(struct walk *w, uint64_t from, uint64_t to, const char **name)
{
	struct user_symbol target = {.path = w->f->path};

	*name = NULL;
	if (is_within(w, to))
		return INSIDE;
	if (!elfsym_function_at(w->elf, to, name, &target.address, &target.size))
		return is_stub(w, to) ? LEAVES : judge_nameless(w, from, to);
	if (strstr(*name, ".cold"))
		return add_part(w, &target);
	return to == target.address && !is_thunk(*name) ? LEAVES : UNCLEAR;
}

/* ---- indirect jumps ------------------------------------------------------------------------ */

/* What the file has in an array of addresses: 0 if it is filled in at the start of the program. */
static uint64_t element_of(const struct walk *w, uint64_t address)
{
	uint64_t offset, value = 0;
	size_t n = w->machine == EM_386 ? 4 : 8;

	if (!address || !elfsym_vaddr_to_file(w->elf, address, &offset) ||
	    elfsym_read(w->elf, offset, &value, n) < n)
		return 0;
	return value;
}

static enum verdict judge_address(struct walk *w, uint64_t from, uint64_t to)
{
	const char *name;

	if (is_within(w, to))
		return INSIDE;
	return to && judge_direct(w, from, to, &name) == LEAVES ? LEAVES : UNCLEAR;
}

/* By the target, when the frame is gone. Go uses arrays of addresses for switches only. */
static enum verdict judge_target(struct walk *w, uint64_t from, const struct jump_target *t)
{
	switch (t->value) {
	case JUMP_VALUE_POINTER: return LEAVES;
	case JUMP_VALUE_ADDRESS: return judge_address(w, from, t->address);
	case JUMP_VALUE_ELEMENT:
		return w->is_go ? INSIDE : judge_address(w, from, element_of(w, t->address));
	case JUMP_VALUE_SUM: return INSIDE;
	case JUMP_VALUE_UNCLEAR: break;
	}
	return UNCLEAR;
}

static enum verdict judge_indirect(struct walk *w, const struct insn *i,
				   const struct insn_effect *e, uint64_t address)
{
	struct jump_target t = jump_regs_target(&w->regs, w->machine, e, address);
	int is_gone = i->is_notrack ? 0 : frame_is_gone(w, address);
	enum verdict v;

	if (!is_gone) /* only the jumps of switches have the prefix notrack */
		return INSIDE;
	v = judge_target(w, address, &t);
	if (is_gone > 0 || v == INSIDE ||
	    (e->value == VALUE_LOAD && e->memory.base == INSN_NO_REG &&
	     e->memory.index == INSN_NO_REG))
		return v;
	if (is_gone == -ENOSYS)
		w->err = -ENOPKG;
	return UNCLEAR;
}

/* ---- the code ------------------------------------------------------------------------------ */

static void take_exit(struct walk *w, enum verdict v, struct user_exit x)
{
	if (v == UNCLEAR || x.condition > CONDITION_LAST) {
		w->out->unclear = x.offset;
		w->err = w->err ?: -EDOM;
	} else if (v == LEAVES && vec_push(&w->exits, x)) {
		w->err = -ENOMEM;
	}
	w->is_open |= x.is_jump;
}

static void take_jump(struct walk *w, const struct insn *i, uint64_t address, uint64_t offset)
{
	uint64_t to = address + (uint64_t)i->target;
	struct user_exit x = {.offset = offset, .is_jump = true};
	enum verdict v = judge_direct(w, address, to, &x.to);

	w->has_loop |= to == w->f->address;
	if (v == UNCLEAR)
		w->out->unclear = offset;
	if (v == INSIDE || !w->is_collecting)
		return;
	x.condition = (uint8_t)i->condition; /* CONDITION_COUNTER is beyond the last */
	take_exit(w, v, x);
}

/* Behind a return or a jump, the registers hold what they did at a jump to here. */
static void resume(struct walk *w, uint64_t address)
{
	for (uint32_t i = 0; !w->is_reached && i < AHEAD_MAX; i++)
		if (w->ahead[i].to == address) {
			w->regs = w->ahead[i].regs;
			w->is_reached = true;
		}
}

static void look_ahead(struct walk *w, const struct insn *i, uint64_t address)
{
	if (i->is_jump && i->target > 0)
		w->ahead[w->n_ahead++ % AHEAD_MAX] =
			(struct ahead){address + (uint64_t)i->target, w->regs};
	if (!insn_goes_on(i))
		w->is_reached = false;
}

/* Follow the values of registers, and judge an indirect jump. */
static int take_values(struct walk *w, const struct insn *i, const uint8_t *code, size_t n,
		       uint64_t address, uint64_t offset)
{
	struct insn_effect e;
	int err = insn_effect(w->machine, code, n, &e);

	if (err)
		return err;
	resume(w, address);
	if (i->is_indirect)
		take_exit(w, judge_indirect(w, i, &e, address),
			  (struct user_exit){.offset = offset, .is_jump = true});
	else
		jump_regs_step(&w->regs, w->machine, &e, address, i->is_call);
	look_ahead(w, i, address);
	return 0;
}

static void take_kind(struct walk *w, const struct insn *i, const uint8_t *code, size_t n)
{
	struct insn_effect e;

	w->has_indirect |= i->is_indirect;
	w->has_call |= i->is_call;
	if (!w->is_open && !i->is_return && !i->is_jump)
		w->is_open = insn_effect(w->machine, code, n, &e) || !e.is_safe ||
			     e.writes & insn_stack_pointer(w->machine);
}

/* Visit the instructions of a part. 0, or -errno. */
static int walk_part(struct walk *w, const struct user_symbol part)
{
	struct insn i = {0};
	size_t n = 0;
	uint8_t *code = code_read(w->k, &part, part.size, &n);
	int err = code ? 0 : -EINVAL;

	w->regs = (struct jump_regs){0};
	w->is_reached = true;
	for (size_t at = 0; !err && !w->err && at < n; at += i.length) {
		uint64_t offset = part.offset - w->f->offset + at, address = part.address + at;

		err = insn_decode(w->machine, code + at, n - at, &i);
		if (err)
			break;
		if (!w->is_collecting)
			take_kind(w, &i, code + at, n - at);
		if (i.is_jump)
			take_jump(w, &i, address, offset);
		if (i.is_return && w->is_collecting)
			take_exit(w, LEAVES, (struct user_exit){.offset = offset});
		if (w->has_indirect && w->is_collecting)
			err = take_values(w, &i, code + at, n - at, address, offset);
	}
	free(code);
	return err;
}

/* The number of parts grows in the first pass. */
static int walk_parts(struct walk *w)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < w->n_parts; i++)
		err = walk_part(w, w->parts[i]);
	return err ?: w->err;
}

int code_each_exit(struct kernel *k, const struct user_symbol *f, user_exit_fn fn, void *ctx,
		   struct user_exits *out)
{
	struct walk w = {.k = k, .f = f, .out = out, .parts = {*f}, .n_parts = 1};
	int err;

	*out = (struct user_exits){0};
	if (!f->size || kernel_user_open(k, f->path))
		return -EINVAL;
	w.elf = kernel_user_files(k)->elf;
	w.machine = elfsym_machine(w.elf);
	w.is_go = k->user_is_go(k, f->path);
	/* Check all of it first: data between instructions makes earlier results unreliable. */
	err = walk_parts(&w);
	w.is_collecting = true;
	if (!err)
		err = walk_parts(&w);
	for (uint32_t i = 0; !err && i < w.exits.n; i++)
		fn(&w.exits.items[i], ctx);
	out->is_loop = w.has_loop && !w.has_call;
	out->is_closed = !w.is_open && !w.has_call && !w.has_indirect && !w.has_loop;
	vec_free(&w.exits);
	return err;
}
