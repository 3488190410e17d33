/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary of unwind rules: all files share it, and a row of a table is an index in it
 * (bpf_helpers/unwind.h). Rules are only appended, so a copy (the one in the kernel's map) is
 * updated by appending the rules that it lacks. Not thread-safe.
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

/* Rules that always have the same index. */
enum {
	UNWIND_RULE_NONE,
	UNWIND_RULE_UNSUPPORTED,
	UNWIND_RULE_END,
};

struct unwind_rule_slot {
	struct unwind_rule rule;
	uint32_t index;
};

HASH_TABLE(unwind_rule_table, struct unwind_rule_slot);

/* All zeros is an empty dictionary. */
struct unwind_rules {
	VEC(struct unwind_rule) list; /* the rules by index, UNWIND_RULES at most */
	struct unwind_rule_table table;
	size_t n_before;    /* rules when the present file began */
	bool of_run;	    /* they are for a function that runs an interpreter... */
	uint64_t run_from;  /* ... from this address on */
	uint64_t n_refused; /* number of its calls that found no room for a new rule */
};

/* A new file begins: it may add UNWIND_RULES_OF_FILE rules, so that none takes the room of all. */
void unwind_rules_begin_file(struct unwind_rules *r);
/* Have the present file's rules used up its own share, rather than the room of all files? */
bool unwind_rules_share_is_used(const struct unwind_rules *r);

/* The index of a rule, which is added if it is new; UNWIND_RULE_UNSUPPORTED if there is no room for
 * it, of all or of the present file; or -ENOMEM. */
int unwind_rules_intern(struct unwind_rules *r, struct unwind_rule rule);
void unwind_rules_free(struct unwind_rules *r);
