/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary of unwind rules: see rules.h. */
#include "runtime/unwind/rules.h"

_Static_assert(sizeof(struct unwind_rule) == sizeof(uint64_t), "a rule is its own key");

static uint64_t bits_of(struct unwind_rule rule)
{
	uint64_t bits;

	memcpy(&bits, &rule, sizeof(bits));
	return bits;
}

/* UNWIND_RULE_NONE, which is all zeros, is not in the table. */
HASH_INTEGER_FUNCTIONS(unwind_rule_table, struct unwind_rule_slot, uint64_t, hash_u64,
		       bits_of(e->rule), e->index)

static int append(struct unwind_rules *r, struct unwind_rule rule)
{
	struct unwind_rule_slot slot = {rule, (uint32_t)r->list.n};

	if (vec_push(&r->list, rule))
		return -ENOMEM;
	if (slot.index && unwind_rule_table_insert(&r->table, slot)) {
		r->list.n--;
		return -ENOMEM;
	}
	return (int)slot.index;
}

/* The rules that have fixed indexes. */
static int append_fixed(struct unwind_rules *r)
{
	static const struct unwind_rule fixed[] = {
		[UNWIND_RULE_NONE] = {.cfa = UNWIND_NO_RULE},
		[UNWIND_RULE_UNSUPPORTED] = {.cfa = UNWIND_UNSUPPORTED},
		[UNWIND_RULE_END] = {.cfa = UNWIND_END},
	};

	while (r->list.n < sizeof(fixed) / sizeof(*fixed))
		if (append(r, fixed[r->list.n]) < 0)
			return -ENOMEM;
	return 0;
}

void unwind_rules_begin_file(struct unwind_rules *r)
{
	/* those with fixed indexes are no file's */
	r->n_before = r->list.n > UNWIND_RULE_END ? r->list.n : UNWIND_RULE_END + 1;
	r->n_refused = 0;
}

bool unwind_rules_share_is_used(const struct unwind_rules *r)
{
	return r->list.n >= r->n_before + UNWIND_RULES_OF_FILE;
}

int unwind_rules_intern(struct unwind_rules *r, struct unwind_rule rule)
{
	struct unwind_rule_slot *found;

	if (r->list.n <= UNWIND_RULE_END && append_fixed(r))
		return -ENOMEM;
	if (!bits_of(rule))
		return UNWIND_RULE_NONE;
	if (r->of_run && rule.cfa == UNWIND_SP)
		rule.cfa = UNWIND_RUN_SP;
	else if (r->of_run && rule.cfa == UNWIND_FP)
		rule.cfa = UNWIND_RUN_FP;
	found = unwind_rule_table_find(&r->table, bits_of(rule));
	if (found)
		return (int)found->index;
	if (r->list.n < UNWIND_RULES && !unwind_rules_share_is_used(r))
		return append(r, rule);
	r->n_refused++;
	return UNWIND_RULE_UNSUPPORTED;
}

void unwind_rules_free(struct unwind_rules *r)
{
	vec_free(&r->list);
	hash_free(&r->table);
}
