/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of builtins.def as an array, their lookup, and the parser of signatures. Nothing else
 * may list builtins.
 */
#include "parser/lang/builtin.h"
#include "parser/base/arena.h"
#include "parser/base/text.h"
#include <ctype.h>

/* Ids are spelled like the names. */
#define ROW(id_, kind_, sig, where_, traits_, needs_, check_, doc_, example_, ...) \
	[BI_##id_] = {.id = BI_##id_,                                              \
		      .kind = kind_,                                               \
		      .name = #id_,                                                \
		      .signature = sig,                                            \
		      .where = where_,                                             \
		      .traits = traits_,                                           \
		      .needs = needs_,                                             \
		      .check = check_,                                             \
		      .doc = doc_,                                                 \
		      .example = example_,                                         \
		      __VA_ARGS__},
const struct builtin builtins[] = {
#define VAR(id, sig, where, traits, needs, check, gen, doc, example) \
	ROW(id, BUILTIN_VAR, sig, where, traits, needs, check, doc, example)
#define ARG(number, where, doc, example)                                                      \
	ROW(arg##number, BUILTIN_VAR, "uint64 arg" #number, where, TR_ARGN, 0, chk_argn, doc, \
	    example, .arg = number)
#define FN(id, sig, where, traits, needs, event, check, gen, doc, example) \
	ROW(id, BUILTIN_FN, sig, where, traits, needs, check, doc, example)
#define AGG(id, sig, agg_, check, gen, doc, example) \
	ROW(id, BUILTIN_AGG, sig, W_ANY, TR_ACT, 0, check, doc, example, .agg = agg_)
#include "parser/lang/builtins.def"
#undef ROW
};

_Static_assert(sizeof(builtins) / sizeof(*builtins) == BI_COUNT, "one row for each builtin");

static const struct builtin *find_synonym(const char *name)
{
	static const struct {
		const char *word;
		enum builtin_id of;
	} synonyms[] = {
#define VAR(...)
#define ARG(...)
#define FN(...)
#define AGG(...)
#define SYNONYM(word, of) {#word, BI_##of},
#include "parser/lang/builtins.def"
	};

	__auto_type row = TEXT_ROW(synonyms, word, name, strlen(name));

	return row ? &builtins[row->of] : NULL;
}

const struct builtin *builtin_find(const char *name)
{
	static const char prefix[] = "__builtin_";

	if (strncmp(name, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	return TEXT_ROW(builtins, name, name, strlen(name)) ?: find_synonym(name);
}

const char *builtin_example_call(struct arena *a, const struct builtin *b)
{
	size_t len = strlen(b->name);
	const char *call = b->example, *end;
	int depth = 0;

	while (call && (call = strstr(call, b->name)) &&
	       (call[len] != '(' || (call > b->example && isalnum((unsigned char)call[-1]))))
		call += len;
	if (!call)
		return NULL;
	for (end = call + len; *end && (depth += (*end == '(') - (*end == ')')); end++)
		;
	return arena_strndup(a, call, (size_t)(end + 1 - call));
}

const struct builtin *builtin_of_agg(enum agg_kind agg)
{
	const struct builtin *b = builtins;

	while (b->kind != BUILTIN_AGG || b->agg != agg) /* each has one */
		b++;
	return b;
}

/* The only string type in signatures; 16 is TASK_COMM_LEN. */
static const struct type type_comm = {.kind = TY_STRING, .size = 16, .align = 1};

/* The type named `word`; NULL for "any". False if there is none. */
static bool read_result(const char *word, const struct type **out)
{
	if (strcmp(word, "string[16]") == 0)
		*out = &type_comm;
	else if (strcmp(word, "count_t") == 0)
		*out = type_agg(AGG_COUNT, false);
	else if (strcmp(word, "kstack") == 0)
		*out = &type_kstack;
	else if (strcmp(word, "ustack") == 0)
		*out = &type_ustack;
	else
		*out = type_of_name(word);
	for (int i = 0; !*out && i < TY_KINDS; i++)
		if (strcmp(word, type_kinds[i].word) == 0)
			*out = type_kinds[i].plain;
	return *out || strcmp(word, "any") == 0;
}

static bool read_param_kind(const char *word, enum param_kind *out)
{
	if (strchr(word, '|'))
		*out = PARAM_WORD;
	else if (strcmp(word, "any") == 0)
		*out = PARAM_ANY;
	else if (strcmp(word, "string") == 0)
		*out = PARAM_STRING;
	else if (strcmp(word, "map") == 0)
		*out = PARAM_MAP;
	else if (strcmp(word, "int") == 0 || strcmp(word, "int64") == 0 ||
		 strcmp(word, "uint64") == 0)
		*out = PARAM_INT;
	else
		return false;
	return true;
}

/* Copy the next word (letters, digits, _ [ ] .) into `word` without the bracket of an optional. */
static const char *read_word(const char *p, char *word, size_t size)
{
	size_t n = 0;
	bool inner = false;

	while (*p == ' ' || *p == ',')
		p++;
	for (; *p && *p != ' ' && *p != ',' && *p != '(' && *p != ')'; p++) {
		if (*p == ']' && !inner)
			break;
		inner = *p == '[' || (inner && *p != ']');
		if (n + 1 < size)
			word[n++] = *p;
	}
	word[n] = '\0';
	return p;
}

static const char *read_param(const char *p, struct signature *out)
{
	struct param *q = &out->params[out->n_params];
	char word[SIGNATURE_WORDS];

	while (*p == ' ' || *p == ',')
		p++;
	*q = (struct param){.is_optional = *p == '['};
	p = read_word(p + q->is_optional, word, sizeof(word));
	if (strcmp(word, "...") == 0) {
		out->has_rest = true;
		return p;
	}
	if (strcmp(word, "const") == 0) {
		q->is_const = true;
		p = read_word(p, word, sizeof(word));
	}
	if (!read_param_kind(word, &q->kind))
		return NULL;
	q->is_signed = strcmp(word, "int64") == 0;
	if (q->kind == PARAM_WORD)
		memcpy(q->words, word, sizeof(word));
	p = read_word(p, q->name, sizeof(q->name));
	out->n_params++;
	return p + (*p == ']');
}

bool builtin_signature(const struct builtin *b, struct signature *out)
{
	char word[16], name[16];
	const char *p = read_word(b->signature, word, sizeof(word));

	*out = (struct signature){0};
	p = read_word(p, name, sizeof(name));
	if (!read_result(word, &out->result) || strcmp(name, b->name) != 0)
		return false;
	if (*p != '(')
		return *p == '\0';
	for (p++; p && *p && *p != ')';) {
		if (out->n_params == SIGNATURE_MAX_PARAMS)
			return false;
		p = read_param(p, out);
	}
	return p && p[0] == ')' && p[1] == '\0';
}

int builtin_word(const struct param *p, const char *word)
{
	size_t n = strlen(word);
	int i = 0;

	for (const char *at = p->words; *at; i++) {
		size_t len = strcspn(at, "|");

		if (len == n && strncmp(at, word, n) == 0)
			return i;
		at += len + (at[len] == '|');
	}
	return -1;
}
