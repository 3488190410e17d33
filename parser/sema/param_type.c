/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of `param` and `option` items: how a word of the command line becomes a value.
 */
#include "parser/base/text.h"
#include "parser/base/time_unit.h"
#include "parser/lang/literal.h"
#include "parser/sema/param_type.h"
#include "parser/sema/sema.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static struct expr *number(struct arena *a, struct span at, uint64_t value, bool is_negative)
{
	struct expr *e = ast_int(a, at, is_negative ? -value : value);

	return is_negative ? ast_unary(a, at, OP_NEG, e) : e;
}

/* The unit of time that a parameter's name says: of $us, $min_ms and $seconds; 1 of others. */
static uint64_t unit_of_name(const char *name)
{
	const char *last = strrchr(name, '_');

	return time_unit_of_name(last ? last + 1 : name + 1) ?: 1;
}

static bool is_time(const char *digits)
{
	const char *unit = digits + strspn(digits, "0123456789_");

	return time_unit_ns(unit, strlen(unit)) != 0;
}

/* Decimal, 0x… or as scripts spell it, with a sign if the type is signed. A time is converted to
 * the unit that the parameter's name says, else to nanoseconds. */
static struct expr *read_number(struct arena *a, const struct param_item *item, const char *word,
				const char **text)
{
	bool is_signed = item->type->is_signed, is_negative = is_signed && word[0] == '-';
	const char *digits = word + is_negative;
	uint64_t unit = is_time(digits) ? unit_of_name(item->name) : 1, value;
	char *end;

	if (!isdigit((unsigned char)digits[0]))
		return NULL;
	errno = 0;
	value = strtoull(digits, &end, 10); /* 010 is 10 */
	if (errno || (*end && !literal_word_number(a, digits, &value)))
		return NULL;
	if (value % unit || (is_signed && value > INT64_MAX))
		return NULL;
	value /= unit;
	is_negative &= value != 0;
	*text = arena_printf(a, "%s%llu", is_negative ? "-" : "", (unsigned long long)value);
	return number(a, item->span, is_negative ? -value : value, is_negative);
}

static struct expr *read_string(struct arena *a, const struct param_item *item, const char *word,
				const char **text)
{
	*text = word;
	return ast_string(a, item->span, word, (uint32_t)strlen(word));
}

static struct expr *read_bool(struct arena *a, const struct param_item *item, const char *word,
			      const char **text)
{
	bool value;

	if (!literal_word_bool(word, &value))
		return NULL;
	*text = value ? "true" : "false";
	return ast_bool(a, item->span, value);
}

/* A number and a unit. A number alone would be seconds for one user and microseconds for another;
 * 0 is the same in all units. */
static struct expr *read_duration(struct arena *a, const struct param_item *item, const char *word,
				  const char **text)
{
	const char *unit = word + strspn(word, "0123456789_");
	uint64_t value;

	if ((!*unit && strcmp(word, "0") != 0) || (*unit && strchr("xXbB", *unit)) ||
	    !literal_word_number(a, word, &value))
		return NULL;
	*text = time_text(a, value); /* as attach points have it: interval:500ms */
	return number(a, item->span, value, false);
}

static struct expr *read_choice(struct arena *a, const struct param_item *item, const char *word,
				const char **text)
{
	for (uint32_t i = 0; i < item->form.n_words; i++)
		if (strcmp(item->form.words[i], word) == 0)
			return read_string(a, item, word, text);
	return NULL;
}

/* The words after --, which -c can give, too. */
static struct expr *read_command(struct arena *a, const struct param_item *item, const char *word,
				 const char **text)
{
	return read_string(a, item, word, text);
}

static const struct param_type types[] = {
	{"uint64", "a number", "N", "10", EX_INT, "0", read_number},
	{"int64", "a number", "N", "10", EX_INT, "0", read_number, .is_signed = true},
	{"string", "a string", "TEXT", "\"text\"", EX_STRING, "", read_string},
	{"bool", "yes or no", "yes|no", "true", EX_INT, "no", read_bool},
	{"duration", "a duration, such as 10us, 10ms or 10s", "TIME", "10ms", EX_INT, "0",
	 read_duration},
	{"command", "a command after --", "COMMAND", "none", EX_STRING, "", read_command},
};
static const struct param_type choice = {NULL, "one of the words", "WORD", "one of them", EX_NAME,
					 "",   read_choice};

const struct param_type *param_type_of(const struct param_form *form)
{
	if (form->n_words > 1)
		return &choice;
	return TEXT_ROW(types, name, form->words[0], strlen(form->words[0]));
}

bool param_type_is_bool(const struct param_type *t)
{
	return t && t->read == read_bool;
}

bool param_type_is_command(const struct param_type *t)
{
	return t && t->read == read_command;
}

bool param_type_is_duration(const struct param_type *t)
{
	return t->read == read_duration;
}

static const char *join(struct arena *a, const struct param_form *form, const char *between)
{
	const char *out = "";

	for (uint32_t i = 0; i < form->n_words; i++)
		out = arena_printf(a, "%s%s%s", out, i ? between : "", form->words[i]);
	return out;
}

const char *param_type_wants(struct arena *a, const struct param_item *item)
{
	if (item->type->read != read_choice)
		return item->type->what;
	return arena_printf(a, "one of %s", join(a, &item->form, ", "));
}

const char *param_type_shown(struct arena *a, const struct param_item *item)
{
	const struct param_type *t = param_type_of(&item->form);
	const char *one = !t			   ? item->form.words[0]
			  : t->read == read_choice ? join(a, &item->form, "|")
						   : t->shown;

	return item->form.is_list ? arena_printf(a, "%s[,...]", one) : one;
}
