/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where the CFA and the caller's rbp and rbx are at each instruction of a function (x86-64,
 * i386): it follows the stack pointer and its copies from the entry of the function on.
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include "runtime/insn/insn.h"

/* An address of the stack. */
struct code_place {
	enum {
		PLACE_UNKNOWN,
		PLACE_CFA,  /* the CFA + offset */
		PLACE_BASE, /* an unknown address + offset: where rsp was when it was aligned */
	} of;
	int32_t offset;
};

struct code_state {
	uint8_t word;			      /* bytes of a word of the stack */
	struct code_place reg[INSN_X86_REGS]; /* what the registers hold */
	bool is_outermost;		      /* there is no caller */
	bool has_rbp, has_rbx;		      /* the register still has the caller's value */
	struct code_place rbp_at, rbx_at;     /* the words in which they are saved */
	struct code_place cfa_at;	      /* a word, relative to the base, that holds ... */
	int32_t cfa_value;		      /* ... the CFA + this */
};

/* The state at the first instruction of a function. */
struct code_state code_state_at_entry(uint8_t word);
/* Execute an instruction. */
void code_state_step(struct code_state *s, const struct insn_stack *i);
/* The rule of that state, marked as a guess; UNWIND_NO_RULE if the CFA is not known. */
struct unwind_rule code_state_rule(const struct code_state *s);

/* Code that was not reached from the entry of its function. Its CFA is known only when it returns,
 * or goes on with code that has a rule. It is executed with an unknown stack pointer, called the
 * base. */
struct code_back {
	struct code_state state;
	/* the words from which the caller's rbp and rbx are restored, relative to the base */
	struct code_place rbp_from, rbx_from;
	bool is_rbp;	     /* the base is rbp, as it was at first */
	bool is_rbp_changed; /* rbp no longer is what it was at first */
};

struct code_back code_back_begin(uint8_t word);
/* Execute an instruction. Returns false if that loses the base. */
bool code_back_step(struct code_back *b, const struct insn_stack *i);
/* The state at the beginning, if the code returns now. Returns false if that is impossible. */
bool code_back_from_return(const struct code_back *b, struct code_state *out);
/* The same, if the code goes on with an instruction that has this rule. */
bool code_back_from_rule(const struct code_back *b, const struct unwind_rule *rule,
			 struct code_state *out);
