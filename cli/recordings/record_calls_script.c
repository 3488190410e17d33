/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes that record calls of functions: see record_calls.h.
 */
#include "cli/recordings/record_calls.h"
#include "parser/base/arena.h"
#include "parser/lang/register.h"
#include "parser/base/regs.h"
#include "runtime/recording/raw_events.h"

enum {
	TEXT_BYTES = 200, /* of a string */
	VALUE_BYTES = 48, /* of the text of an argument */
	NAMED_ARGS = 10,  /* arg0 to arg9 */
};

/* The string at an address, if it may be one: else a number that is no pointer would be a read
 * that failed. Arguments of the kernel's functions may point to a program's memory. */
static void put_text(const struct recorded_call *c, const char *value, FILE *script)
{
	fputs(", (", script);
	if (c->is_kernel)
		fprintf(script,
			"(%s > 0xffff800000000000 && %s < 0xfffffffffffff000) ? str(%s, %d) : ",
			value, value, value, TEXT_BYTES);
	fprintf(script, "(%s > 0xffff && %s < 0xffffffff0000) ? str(%s(%s), %d) : \"\")", value,
		value, c->is_kernel ? "uptr" : "", value, TEXT_BYTES);
}

/* Argument i, from 0: arg0 to arg9, and behind these the word of the stack; arg0 to arg11 of a
 * static probe. */
static void name_argument(const struct recorded_call *c, uint32_t i, char *to, size_t size)
{
	char word[VALUE_BYTES];

	if (i < NAMED_ARGS || !c->has_stack_pointer)
		snprintf(word, sizeof(word), "arg%u", i);
	else
		snprintf(word, sizeof(word), "*(uint64 *)(reg(\"sp\") + %u)",
			 regs_argument(USER_ABI_C, i).offset);
	snprintf(to, size, c->is_return ? "entry(%s)" : "%s", word);
}

/* What is recorded of a call, in its order: the result and what the arguments were, or the
 * arguments. A result is read as a register, since `retval` leaves out functions that end in jumps.
 */
static void put_values(const struct recorded_call *c, FILE *script, bool as_text)
{
	char value[VALUE_BYTES + sizeof("entry()")];

	snprintf(value, sizeof(value), "reg(\"%s\")", register_name((int)regs.result));
	if (c->is_return && as_text && c->is_text_result)
		put_text(c, value, script);
	else if (c->is_return)
		fprintf(script, ", %s", as_text ? "0" : value);
	for (uint32_t i = 0; i < c->n_args; i++) {
		name_argument(c, i, value, sizeof(value));
		if (c->unread & 1u << i)
			fputs(", 0", script);
		else if (!as_text)
			fprintf(script, ", (uint64)%s", value);
		else if (c->texts & 1u << i)
			put_text(c, value, script);
		else
			fputs(", 0", script);
	}
}

/* The return address at the entry of a function. */
static const char *caller_of(const struct recorded_call *c)
{
	const char *link = register_name(regs.link);

	if (c->is_kernel || !c->has_stack_pointer)
		return "0";
	return link ? arena_printf(c->arena, "reg(\"%s\")", link) : "*(uint64 *)reg(\"sp\")";
}

static void put_call(const struct recorded_call *c, const char *before, const char *head,
		     FILE *script)
{
	const char *sp = !c->has_stack_pointer ? "0"
			 : c->is_return	       ? "entry(reg(\"sp\"))"
					       : "reg(\"sp\")";

	fprintf(script, "%s%s { %sprint((probe, %s(%s, %s", c->points,
		c->is_return ? " /!open/" : "", before, head, sp,
		c->is_return ? "delta" : caller_of(c));
	put_values(c, script, false);
	fputc(')', script);
	put_values(c, script, true);
	fputs(")); }\n", script);
}

/* Where calls end that do not return. */
static void put_ends(const char *head, FILE *script)
{
	static const char *const rows[][2] = {{"exit", RAW_ENDED}, {"exec", RAW_REPLACED}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		fprintf(script, "tracepoint:sched:sched_process_%s { print((\"%s\", %s0)); }\n",
			rows[i][0], rows[i][1], head);
}

void record_calls_put(const struct recorded_calls *c, const char *before, const char *head,
		      FILE *script)
{
	bool has_returns = false;

	for (uint32_t i = 0; i < c->n; i++) {
		put_call(&c->calls[i], before, head, script);
		has_returns |= c->calls[i].is_return;
	}
	if (has_returns)
		put_ends(head, script);
}
