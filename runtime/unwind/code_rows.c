/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from instructions: see code_rows.h. All instructions are decoded once, in the order of their
 * addresses. Then they are executed from the starts of functions along their jumps; the first state
 * that reaches an instruction is its state, so the work is linear in the size of the code.
 *
 * Functions start at symbols and at the targets of calls. Instructions that are not reached in this
 * way are the cases of a switch, if an indirect jump is before them in their function: they have
 * the state of the jump. Otherwise they are functions that are only called through pointers.
 */
#include "runtime/unwind/code_rows.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "runtime/base/vec.h"
#include "runtime/unwind/code_state.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"

enum { ALIGNMENT = 16, INFER_STEPS = 64 };

/* Passes over code that was not reached: what looks like the start of a function; code whose state
 * can be inferred from the code after it; the same, and all other code. */
enum rest { REST_STARTS, REST_INFERRED, REST_ALL };

struct step {
	uint32_t at;	/* offset of the instruction */
	uint32_t rule;	/* index of its rule, plus 1; 0: not reached */
	bool is_start;	/* a function starts here */
	bool is_target; /* a direct jump leads here */
	uint32_t jump;	/* number of the indirect jump in `jumps`, plus 1; 0: it is none */
	struct insn_stack insn;
};

/* Code that is to be executed. */
struct branch {
	uint32_t step;
	struct code_state state;
};

struct walk {
	const struct code_bytes *code;
	struct unwind_rules *rules;
	VEC(struct step) steps;
	/* executed in this order: targets of jumps; code after a call; code after a call that is
	 * also the target of a jump, since the call may not return */
	VEC(struct branch) pending[3];
	VEC(struct code_state) jumps; /* the states of indirect jumps */
};

/* Code that the kernel's signal frames return to: mov $15, %rax; syscall. */
static const uint8_t signal_return[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 5};
/* The start of a thread: xor %ebp, %ebp; pop %rdi; call *%r9. */
static const uint8_t thread_start[] = {0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1};

static const uint8_t end_branch[] = {0xf3, 0x0f, 0x1e, 0xfa};

static int decode(struct walk *w)
{
	const struct code_bytes *c = w->code;
	struct step s = {0};
	int err = 0;

	for (size_t at = 0; at < c->n && !err; at += s.insn.flow.length) {
		s.at = (uint32_t)at;
		err = insn_stack(EM_X86_64, c->bytes + at, c->n - at, &s.insn);
		if (err == -EINVAL) {
			s.insn = (struct insn_stack){.flow.length = 1, .is_end = true};
			err = 0;
		}
		err = err ?: vec_push(&w->steps, s);
	}
	return err;
}

/* The instruction at an offset, or NULL. */
static struct step *step_at(const struct walk *w, uint64_t offset)
{
	size_t i = vec_bound(&w->steps, item->at < offset);

	return i < w->steps.n && w->steps.items[i].at == offset ? &w->steps.items[i] : NULL;
}

static struct step *target_of(const struct walk *w, const struct step *s)
{
	return step_at(w, s->at + (uint64_t)s->insn.flow.target);
}

/* Find the starts of functions and the targets of jumps. */
static void find_starts(struct walk *w)
{
	const struct code_bytes *c = w->code;

	for (size_t i = 0; i < c->n_starts; i++) {
		struct step *s = step_at(w, c->starts[i] - c->address);

		if (s)
			s->is_start = true;
	}
	for (size_t i = 0; i < w->steps.n; i++) {
		const struct step *s = &w->steps.items[i];
		struct step *target = NULL;

		if (s->insn.flow.target)
			target = target_of(w, s);
		if (target && s->insn.flow.is_jump)
			target->is_target = true;
		else if (target && target != s + 1) /* else it reads its own address */
			target->is_start = true;
	}
}

static bool has_bytes(const struct walk *w, uint32_t at, const uint8_t *bytes, size_t n)
{
	return w->code->n - at >= n && !memcmp(w->code->bytes + at, bytes, n);
}

static const struct step *end_of(const struct walk *w)
{
	return w->steps.items + w->steps.n;
}

/* Is what follows a call the space before another function, so that the call does not return? */
static bool ends_function(const struct walk *w, const struct step *s)
{
	const struct step *after = s;

	while (after < end_of(w) && after->insn.is_padding)
		after++;
	return after > s && after < end_of(w) && !after->is_target &&
	       (w->code->address + after->at) % ALIGNMENT == 0;
}

/* Is the next instruction never executed after this one? */
static bool is_end(const struct insn_stack *i)
{
	return i->is_end || i->flow.is_return || i->flow.is_indirect ||
	       (i->flow.is_jump && i->flow.condition == CONDITION_NONE);
}

/* Note code that is to be executed, unless it was or is another function. */
static int add_pending(struct walk *w, int level, const struct step *s,
		       const struct code_state *state)
{
	if (s >= end_of(w) || s->rule || s->is_start)
		return 0;
	return vec_push(&w->pending[level],
			(struct branch){(uint32_t)(s - w->steps.items), *state});
}

/* Note the code that is executed after an instruction, unless only the next instruction is: that is
 * when *goes_on is set. */
static int follow(struct walk *w, struct step *s, const struct code_state *state, bool *goes_on)
{
	const struct insn *flow = &s->insn.flow;
	const struct step *target = flow->is_jump ? target_of(w, s) : NULL;

	*goes_on = false;
	if (flow->is_indirect) {
		int err = vec_push(&w->jumps, *state);

		s->jump = (uint32_t)w->jumps.n;
		return err;
	}
	if (flow->is_call)
		return s + 1 == end_of(w) || ends_function(w, s + 1)
			       ? 0
			       : add_pending(w, 1 + s[1].is_target, s + 1, state);
	*goes_on = !is_end(&s->insn);
	return target ? add_pending(w, 0, target, state) : 0;
}

/* If functions of the C library that switch contexts are at an instruction, set the rule. Returns
 * -errno. */
static int run_special(struct walk *w, size_t i, struct code_state *state, bool *goes_on)
{
	struct step *s = &w->steps.items[i];
	int rule;

	if (has_bytes(w, s->at, thread_start, sizeof(thread_start)))
		state->is_outermost = true;
	*goes_on = !has_bytes(w, s->at, signal_return, sizeof(signal_return));
	if (*goes_on)
		return 0;
	rule = unwind_rules_intern(w->rules, (struct unwind_rule){.cfa = UNWIND_SIGNAL});
	if (rule >= 0)
		s[0].rule = s[1].rule = (uint32_t)rule + 1;
	return rule < 0 ? rule : 0;
}

/* Execute instructions from a step on, up to those that have a rule. */
static int run_branch(struct walk *w, struct branch b)
{
	bool goes_on = true;
	int rule, err = 0;

	for (size_t i = b.step; goes_on && !err && i < w->steps.n; i++) {
		struct step *s = &w->steps.items[i];

		if (s->rule || (s->is_start && i != b.step))
			break;
		err = run_special(w, i, &b.state, &goes_on);
		if (err || !goes_on)
			break;
		rule = unwind_rules_intern(w->rules, code_state_rule(&b.state));
		if (rule < 0)
			return rule;
		s->rule = (uint32_t)rule + 1;
		code_state_step(&b.state, &s->insn);
		err = follow(w, s, &b.state, &goes_on);
	}
	return err;
}

static int run_pending(struct walk *w)
{
	int err = 0;

	for (int level = 0; level < 3 && !err;) {
		if (!w->pending[level].n) {
			level++;
			continue;
		}
		err = run_branch(w, w->pending[level].items[--w->pending[level].n]);
		level = 0;
	}
	return err;
}

static int run(struct walk *w, uint32_t step, struct code_state state)
{
	int err = run_branch(w, (struct branch){step, state});

	return err ? err : run_pending(w);
}

static int run_functions(struct walk *w)
{
	int err = 0;

	for (uint32_t i = 0; i < w->steps.n && !err; i++)
		if (w->steps.items[i].is_start)
			err = run(w, i, code_state_at_entry());
	return err;
}

/* Does a function start at a step, as its place and its first instruction tell? */
static bool looks_like_start(const struct walk *w, const struct step *s)
{
	const struct insn_stack *i = &s->insn, *before = s > w->steps.items ? &s[-1].insn : NULL;

	if (s->is_target || (w->code->address + s->at) % ALIGNMENT ||
	    (before && !before->is_padding && !is_end(before)))
		return false;
	return i->kind == STACK_PUSH || (i->kind == STACK_SUM && i->reg == 4 && i->from == 4) ||
	       has_bytes(w, s->at, end_branch, sizeof(end_branch));
}

/* The state before a step, from the code that is executed after it: up to a return, where the
 * return address is at rsp, or up to code with a rule. Returns false if that is not found. */
static bool infer(const struct walk *w, const struct step *s, struct code_state *out)
{
	struct code_back back = code_back_begin();

	for (int n = 0; n < INFER_STEPS && s && s < end_of(w); n++) {
		const struct insn *flow = &s->insn.flow;
		const struct step *target = flow->is_jump ? target_of(w, s) : NULL;

		if (s->rule)
			return code_back_from_rule(&back, &w->rules->list.items[s->rule - 1], out);
		if (flow->is_return)
			return code_back_from_return(&back, out);
		if (s->insn.is_end || flow->is_indirect || !code_back_step(&back, &s->insn))
			return false;
		if (target && (target->rule || flow->condition == CONDITION_NONE))
			s = target;
		else
			s++;
	}
	return false;
}

/* Execute what was not reached: see the head of the file. */
static int run_rest(struct walk *w, enum rest rest)
{
	struct code_state entry = code_state_at_entry(), found;
	uint32_t jump = 0; /* number of the last indirect jump of the function, plus 1; 0: none */
	int err = 0;

	for (uint32_t i = 0; i < w->steps.n && !err; i++) {
		struct step *s = &w->steps.items[i];
		bool is_free = !s->rule && !s->insn.is_padding;

		if (is_free && rest == REST_STARTS && looks_like_start(w, s))
			s->is_start = true;
		if (s->is_start)
			jump = 0;
		if (is_free && s->is_start)
			err = run(w, i, entry);
		else if (is_free && rest > REST_STARTS && infer(w, s, &found))
			err = run(w, i, found);
		else if (is_free && rest == REST_ALL && (jump || !s->is_target))
			err = run(w, i, jump ? w->jumps.items[jump - 1] : entry);
		if (s->jump)
			jump = s->jump;
	}
	return err;
}

static int pack_steps(struct walk *w, struct pack *out)
{
	int err = 0;

	for (size_t i = 0; i < w->steps.n && !err; i++) {
		const struct step *s = &w->steps.items[i];
		uint64_t address = w->code->address + s->at;

		/* a return address is looked up by the byte before it */
		if (s->at && has_bytes(w, s->at, signal_return, sizeof(signal_return)))
			address--;
		if (s->rule || !s->insn.is_padding)
			err = pack_row(out, address, s->rule ? s->rule - 1 : UNWIND_RULE_NONE);
	}
	return err;
}

int code_pack_rows(const struct code_bytes *c, struct unwind_rules *rules, struct pack *out)
{
	struct walk w = {.code = c, .rules = rules};
	int err = c->n <= UINT32_MAX ? decode(&w) : -EFBIG;

	if (err == -ENOSYS) { /* there is no decoder */
		vec_free(&w.steps);
		return 0;
	}
	if (!err)
		find_starts(&w);
	err = err ?: run_functions(&w);
	for (enum rest rest = REST_STARTS; !err && rest <= REST_ALL; rest++)
		err = run_rest(&w, rest);
	err = err ?: pack_steps(&w, out);
	vec_free(&w.steps);
	for (int level = 0; level < 3; level++)
		vec_free(&w.pending[level]);
	vec_free(&w.jumps);
	return err;
}
