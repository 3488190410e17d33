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
#include "runtime/unwind/code_state.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"

enum {
	ALIGNMENT = 16,
	INFER_STEPS = 64,
	BYTES_MAX = 1 << 24,
	BRANCHES_MAX = 1 << 16, /* that wait in one function; and indirect jumps */
};

/* Passes over code that was not reached: what looks like the start of a function; code whose state
 * can be inferred from the code after it; the same, and all other code. */
enum rest { REST_STARTS, REST_INFERRED, REST_ALL };

/* An instruction. There can be millions, so it is small. */
struct step {
	uint32_t at; /* offset of the instruction */
	/* 1 + the step that a direct jump or call leads to, or the number of the indirect jump in
	 * `jumps`; 0: it leads nowhere */
	uint32_t to;
	uint16_t rule;	    /* index of its rule, plus 1; 0: not reached */
	bool is_start : 1;  /* a function starts here */
	bool is_target : 1; /* a direct jump leads here */
	bool is_jump : 1;   /* as in struct insn */
	bool is_indirect : 1;
	bool is_call : 1;
	bool is_return : 1;
	bool is_stop : 1;
	bool is_padding : 1;
	bool goes_on : 1; /* insn_goes_on() */
	struct insn_stack insn;
};

_Static_assert(sizeof(struct step) <= 24 && UNWIND_RULES < UINT16_MAX, "see above");

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
	bool is_too_large;	      /* there are too many branches: it gets no rows */
};

/* Code that the kernel's signal frames return to, with the place of the registers at its first
 * instruction and at the others, from sp (unwind_machine_signal()). */
static const struct signal_return {
	uint16_t elf;
	struct unwind_code code;
	uint8_t n_steps;
	int16_t first, others;
} signal_returns[] = {
	/* mov $15, %rax; syscall */
	{EM_X86_64, {"\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9}, 2, 0, 0},
	/* pop %eax, which is the signal; mov $119, %eax; int $0x80 */
	{EM_386, {"\x58\xb8\x77\0\0\0\xcd\x80", 8}, 3, 4, 0},
	/* mov $173, %eax; int $0x80. A siginfo and the head of the ucontext are before them. */
	{EM_386, {"\xb8\xad\0\0\0\xcd\x80", 7}, 2, 160, 160},
};
/* The start of a thread: xor %ebp, %ebp; pop %rdi; call *%r9. */
static const uint8_t thread_start[] = {0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1};

/* The step of an instruction. `to` is 1 + the offset that it leads to. */
static struct step step_of(uint32_t at, size_t n, const struct insn *i,
			   const struct insn_stack *insn)
{
	uint64_t to = at + (uint64_t)i->target;

	return (struct step){.at = at,
			     .to = (i->is_jump || i->target) && to < n ? (uint32_t)to + 1 : 0,
			     .is_jump = i->is_jump,
			     .is_indirect = i->is_indirect,
			     .is_call = i->is_call,
			     .is_return = i->is_return,
			     .is_stop = i->is_stop,
			     .is_padding = i->is_padding,
			     .goes_on = insn_goes_on(i),
			     .insn = *insn};
}

static int decode(struct walk *w)
{
	const struct code_bytes *c = w->code;
	struct insn_stack insn;
	struct insn i = {0};
	int err = 0;

	for (size_t at = 0; at < c->n && !err; at += i.length) {
		err = insn_stack(c->machine->elf, c->bytes + at, c->n - at, &i, &insn);
		if (err == -EINVAL) {
			i = (struct insn){.length = 1, .is_stop = true};
			err = 0;
		}
		err = err ?: vec_push(&w->steps, step_of((uint32_t)at, c->n, &i, &insn));
	}
	return err;
}

/* The instruction at an offset, or NULL. */
static struct step *step_at(const struct walk *w, uint64_t offset)
{
	size_t i = vec_bound(&w->steps, item->at < offset);

	return i < w->steps.n && w->steps.items[i].at == offset ? &w->steps.items[i] : NULL;
}

/* The step that a direct jump leads to, or NULL. */
static struct step *target_of(const struct walk *w, const struct step *s)
{
	return s->is_jump && s->to ? &w->steps.items[s->to - 1] : NULL;
}

/* Find the starts of functions, and where jumps and calls lead. */
static void find_starts(struct walk *w)
{
	const struct code_bytes *c = w->code;

	for (size_t i = 0; i < c->n_starts; i++) {
		struct step *s = step_at(w, c->starts[i] - c->address);

		if (s)
			s->is_start = true;
	}
	for (size_t i = 0; i < w->steps.n; i++) {
		struct step *s = &w->steps.items[i];
		struct step *target = s->to ? step_at(w, s->to - 1) : NULL;

		s->to = target ? (uint32_t)(target - w->steps.items) + 1 : 0;
		if (target && s->is_jump)
			target->is_target = true;
		else if (target && target != s + 1) /* else it reads its own address */
			target->is_start = true;
	}
}

static bool has_bytes(const struct walk *w, uint32_t at, const void *bytes, size_t n)
{
	return w->code->n - at >= n && !memcmp(w->code->bytes + at, bytes, n);
}

/* The return from a signal frame that is at a step, or NULL. */
static const struct signal_return *signal_return_at(const struct walk *w, uint32_t at)
{
	return FIND_ROW(signal_returns, item->elf == w->code->machine->elf &&
						has_bytes(w, at, item->code.bytes, item->code.n));
}

static const struct step *end_of(const struct walk *w)
{
	return w->steps.items + w->steps.n;
}

/* Is what follows a call the space before another function, so that the call does not return? */
static bool ends_function(const struct walk *w, const struct step *s)
{
	const struct step *after = s;

	while (after < end_of(w) && after->is_padding)
		after++;
	return after > s && after < end_of(w) && !after->is_target &&
	       (w->code->address + after->at) % ALIGNMENT == 0;
}

/* Note code that is to be executed, unless it was or is another function. */
static int add_pending(struct walk *w, int level, const struct step *s,
		       const struct code_state *state)
{
	if (s >= end_of(w) || s->rule || s->is_start)
		return 0;
	w->is_too_large |= w->pending[level].n >= BRANCHES_MAX;
	return w->is_too_large ? -EFBIG
			       : vec_push(&w->pending[level],
					  (struct branch){(uint32_t)(s - w->steps.items), *state});
}

/* Note the code that is executed after an instruction, unless only the next instruction is: that is
 * when *goes_on is set. */
static int follow(struct walk *w, struct step *s, const struct code_state *state, bool *goes_on)
{
	const struct step *target = target_of(w, s);

	*goes_on = false;
	if (s->is_indirect) {
		bool has_room = w->jumps.n < BRANCHES_MAX;
		int err = has_room ? vec_push(&w->jumps, *state) : 0;

		s->to = has_room ? (uint32_t)w->jumps.n : 0;
		return err;
	}
	if (s->is_call)
		return s + 1 == end_of(w) || ends_function(w, s + 1)
			       ? 0
			       : add_pending(w, 1 + s[1].is_target, s + 1, state);
	*goes_on = s->goes_on;
	return target ? add_pending(w, 0, target, state) : 0;
}

/* If functions of the C library that switch contexts are at an instruction, set the rule. Returns
 * -errno. */
static int run_special(struct walk *w, size_t i, struct code_state *state, bool *goes_on)
{
	struct step *s = &w->steps.items[i];
	const struct signal_return *found = signal_return_at(w, s->at);
	int rule = 0;

	if (has_bytes(w, s->at, thread_start, sizeof(thread_start)))
		state->is_outermost = true;
	*goes_on = !found;
	for (int k = 0; found && k < found->n_steps && rule >= 0; k++) {
		rule = unwind_rules_intern(w->rules,
					   unwind_machine_signal(w->code->machine,
								 k ? found->others : found->first));
		s[k].rule = rule < 0 ? 0 : (uint16_t)(rule + 1);
	}
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
		s->rule = (uint16_t)(rule + 1);
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
			err = run(w, i, code_state_at_entry(w->code->machine->word));
	return err;
}

/* Does a function start at a step, as its place and its first instruction tell? */
static bool looks_like_start(const struct walk *w, const struct step *s)
{
	const struct step *before = s > w->steps.items ? s - 1 : NULL;
	const struct insn_stack *i = &s->insn;

	if (s->is_target || (w->code->address + s->at) % ALIGNMENT ||
	    (before && !before->is_padding && before->goes_on))
		return false;
	return (i->kind == STACK_PUSH && !s->is_call) ||
	       (i->kind == STACK_SUM && i->reg == INSN_RSP && i->from == INSN_RSP) ||
	       insn_is_endbr64(w->code->bytes + s->at, w->code->n - s->at);
}

/* The state before a step, from the code that is executed after it: up to a return, where the
 * return address is at rsp, or up to code with a rule. Returns false if that is not found. */
static bool infer(const struct walk *w, const struct step *s, struct code_state *out)
{
	struct code_back back = code_back_begin(w->code->machine->word);

	for (int n = 0; n < INFER_STEPS && s && s < end_of(w); n++) {
		const struct step *target = target_of(w, s);

		if (s->rule)
			return code_back_from_rule(&back, &w->rules->list.items[s->rule - 1], out);
		if (s->is_return)
			return code_back_from_return(&back, out);
		if (s->is_stop || s->is_indirect || !code_back_step(&back, &s->insn))
			return false;
		if (!target && !s->goes_on)
			return false;
		s = target && (target->rule || !s->goes_on) ? target : s + 1;
	}
	return false;
}

/* Execute what was not reached: see the head of the file. */
static int run_rest(struct walk *w, enum rest rest)
{
	struct code_state entry = code_state_at_entry(w->code->machine->word), found;
	uint32_t jump = 0; /* number of the last indirect jump of the function, plus 1; 0: none */
	int err = 0;

	for (uint32_t i = 0; i < w->steps.n && !err; i++) {
		struct step *s = &w->steps.items[i];
		bool is_free = !s->rule && !s->is_padding;

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
		if (s->is_indirect && s->to)
			jump = s->to;
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
		if (s->at && signal_return_at(w, s->at))
			address--;
		if (s->rule || !s->is_padding)
			err = pack_row(out, address, s->rule ? s->rule - 1 : UNWIND_RULE_NONE);
	}
	return err;
}

int code_pack_rows(const struct code_bytes *c, struct unwind_rules *rules, struct pack *out)
{
	struct walk w = {.code = c, .rules = rules};
	int err = c->n <= BYTES_MAX ? decode(&w) : -EFBIG;

	if (!err)
		find_starts(&w);
	err = err ?: run_functions(&w);
	for (enum rest rest = REST_STARTS; !err && rest <= REST_ALL; rest++)
		err = run_rest(&w, rest);
	if (w.is_too_large)
		err = 0;
	else
		err = err ?: pack_steps(&w, out);
	vec_free(&w.steps);
	for (int level = 0; level < 3; level++)
		vec_free(&w.pending[level]);
	vec_free(&w.jumps);
	return err;
}
