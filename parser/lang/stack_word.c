/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of stack_words.def as an array: see stack_word.h.
 */
#include "parser/lang/stack_word.h"
#include "parser/base/text.h"

const struct stack_word stack_words[] = {
#define STACK_FORM(id, stacks_, shows_, doc_, example_) \
	{.word = #id,                                   \
	 .form = FORM_##id,                             \
	 .stacks = stacks_,                             \
	 .shows = shows_,                               \
	 .capability = CAP_NONE,                        \
	 .doc = doc_,                                   \
	 .example = example_},
#include "parser/lang/stack_words.def"
#define STACK_WALK(id, stacks_, capability_, doc_, example_) \
	{.word = #id,                                        \
	 .is_walk = true,                                    \
	 .walk = WALK_##id,                                  \
	 .stacks = stacks_,                                  \
	 .capability = capability_,                          \
	 .doc = doc_,                                        \
	 .example = example_},
#include "parser/lang/stack_words.def"
};

const uint32_t n_stack_words = sizeof(stack_words) / sizeof(stack_words[0]);
_Static_assert(sizeof(stack_words) / sizeof(stack_words[0]) > STACK_FORM_COUNT,
	       "one row for each form, and those of walks");

const char *stack_walk_name(enum stack_walk walk)
{
	return walk == WALK_AUTO	   ? ""
	       : walk == WALK_RUNTIME_FUNC ? "runtime_func"
					   : stack_words[STACK_FORM_COUNT + walk - 1].word;
}

const char *stack_word_lacks(const char *word)
{
	static const struct {
		const char *word, *hint;
	} rows[] = {
#define STACK_LACKS(id, hint_) {#id, hint_},
#include "parser/lang/stack_words.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].word, word))
			return rows[i].hint;
	return NULL;
}

const struct stack_word *stack_word_find(const char *word)
{
	return TEXT_ROW(stack_words, word, word, strlen(word));
}
