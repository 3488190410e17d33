/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of config.def as an array, and the parser of a script's settings and of the environment
 * (SONDE_MAX_STRLEN, or BPFTRACE_MAX_STRLEN).
 */
#include "parser/lang/config.h"
#include "parser/lang/literal.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/base/nearest.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT(id) .name = #id, .offset = offsetof(struct config, id)
const struct config_row config_rows[] = {
#define INT(id, initial_, least_, most_, doc_, example_)                          \
	{AT(id),	.kind = CONFIG_INT, .initial = initial_, .least = least_, \
	 .most = most_, .doc = doc_,	    .example = example_},
#define BOOL(id, initial_, doc_, example_) \
	{AT(id), .kind = CONFIG_BOOL, .initial = initial_, .doc = doc_, .example = example_},
#define WORD(id, words_, doc_, example_) \
	{AT(id), .kind = CONFIG_WORD, .words = words_, .doc = doc_, .example = example_},
#define TEXT(id, initial_, doc_, example_) \
	{AT(id), .kind = CONFIG_TEXT, .initial_text = initial_, .doc = doc_, .example = example_},
#define NO_EFFECT(id, words_, doc_) \
	{.name = #id, .kind = CONFIG_NO_EFFECT, .most = UINT64_MAX, .words = words_, .doc = doc_},
#define RENAMED(id, to_) {.name = #id, .kind = CONFIG_RENAMED, .to = #to_},
#define IGNORED(id) {.name = #id, .kind = CONFIG_IGNORED},
#define NO_CONFIG(id, words_, doc_) \
	{.name = #id, .kind = CONFIG_NONE, .words = words_, .doc = doc_},
#include "parser/lang/config.def"
};

const uint32_t n_config_rows = sizeof(config_rows) / sizeof(config_rows[0]);
_Static_assert(sizeof(config_rows) / sizeof(config_rows[0]) <= 64,
	       "struct sema has a bit for each");

static bool is_built(const struct config_row *row)
{
	return row->kind <= CONFIG_TEXT;
}

static void set_text(struct config *c, const struct config_row *row, const char *text)
{
	memcpy((char *)c + row->offset, &text, sizeof(text));
}

static void set_value(struct config *c, const struct config_row *row, uint64_t value)
{
	memcpy((char *)c + row->offset, &value, sizeof(value));
}

/* The defaults. */
static struct config defaults(void)
{
	struct config c = {0};

	for (uint32_t i = 0; i < n_config_rows; i++)
		if (config_rows[i].kind == CONFIG_TEXT)
			set_text(&c, &config_rows[i], config_rows[i].initial_text);
		else if (is_built(&config_rows[i]))
			set_value(&c, &config_rows[i], config_rows[i].initial);
	return c;
}

const char *config_default_text(struct arena *a, const struct config_row *row)
{
	if (row->kind == CONFIG_INT)
		return arena_printf(a, "%" PRIu64, row->initial);
	if (row->kind == CONFIG_BOOL)
		return row->initial ? "true" : "false";
	if (row->kind == CONFIG_TEXT)
		return row->initial_text;
	return arena_strndup(a, row->words, strcspn(row->words, "|"));
}

const struct config_row *config_unstable(const struct config *c, const char *word,
					 uint64_t *setting)
{
	static const char prefix[] = "unstable_";
	const size_t n = sizeof(prefix) - 1;

	for (uint32_t i = 0; i < n_config_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (row->kind != CONFIG_WORD || strncmp(row->name, prefix, n) != 0 ||
		    strcmp(row->name + n, word) != 0)
			continue;
		memcpy(setting, (const char *)c + row->offset, sizeof(*setting));
		return row;
	}
	return NULL;
}

const char *config_word(struct arena *a, const struct config *c, const char *name)
{
	const struct config_row *row = config_rows;
	const char *word;
	uint64_t n;

	while (strcmp(row->name, name) != 0)
		row++;
	memcpy(&n, (const char *)c + row->offset, sizeof(n));
	for (word = row->words; n && *word; n--) {
		word += strcspn(word, "|");
		word += *word == '|';
	}
	return arena_strndup(a, word, strcspn(word, "|"));
}

/* Index of `word` in `words`, which are separated by '|', or -1. */
static int find_word(const char *words, const char *word)
{
	int n = 0;

	for (size_t len; *words; words += len + (words[len] == '|'), n++) {
		len = strcspn(words, "|");
		if (strlen(word) == len && strncasecmp(words, word, len) == 0)
			return n;
	}
	return -1;
}

/* ---- names ------------------------------------------------------------------------------- */

/* Of variables of the environment; the former wins. */
static const char *const prefixes[] = {"SONDE_", "BPFTRACE_"};
enum { PREFIXES = sizeof(prefixes) / sizeof(prefixes[0]) };

/* The row of a key, in any case, with or without a prefix. */
static const struct config_row *find_row(const char *key)
{
	for (size_t k = 0; k <= PREFIXES; k++) {
		size_t len = k < PREFIXES ? strlen(prefixes[k]) : 0;

		if (len && strncasecmp(key, prefixes[k], len) != 0)
			continue;
		for (uint32_t i = 0; i < n_config_rows; i++)
			if (strcasecmp(config_rows[i].name, key + len) == 0)
				return &config_rows[i];
	}
	return NULL;
}

/* The option whose name is nearest; NULL: none is near. */
static const char *nearest_option(const char *key)
{
	return NEAREST(key, config_rows, n_config_rows,
		       item->kind <= CONFIG_NO_EFFECT ? item->name : NULL);
}

static void unknown_key(struct diags *d, const struct setting *s)
{
	const char *near = nearest_option(s->key);

	diag_error(d, s->key_span, "unknown-option", "unknown option '%s'", s->key);
	if (near)
		diag_hint(d, "did you mean '%s'?", near);
	else
		diag_hint(d, "'sonde --help config' lists them");
}

/* ---- values ------------------------------------------------------------------------------ */

static bool read_bool(const struct setting *s, uint64_t *value)
{
	bool is_true = s->integer;
	bool is_right = s->text ? literal_word_bool(s->text, &is_true) : s->integer <= 1;

	*value = is_true;
	return is_right;
}

/* A number; from the environment it comes as text. */
static bool read_int(const struct setting *s, const struct config_row *row, uint64_t *value)
{
	char *end;

	*value = s->integer;
	if (s->text && !s->variable)
		return false;
	if (s->text) {
		errno = 0;
		*value = strtoull(s->text, &end, 0);
		if (!isdigit((unsigned char)*s->text) || *end || errno)
			return false;
	}
	return *value >= row->least && *value <= row->most;
}

static const char *word_list(struct arena *a, const char *words)
{
	const char *list = strchr(words, '|') ? "one of " : "";

	for (size_t len; *words; words += len + (words[len] == '|')) {
		len = strcspn(words, "|");
		list = arena_printf(a, "%s%.*s%s", list, (int)len, words, words[len] ? ", " : "");
	}
	return list;
}

int config_word_find(const struct config_row *row, const char *word)
{
	return find_word(row->words, word);
}

const char *config_word_list(struct arena *a, const struct config_row *row)
{
	const char *list = word_list(a, row->words);

	return list + (strncmp(list, "one of ", 7) ? 0 : 7);
}

const char *config_values(struct arena *a, const struct config_row *row)
{
	if (row->kind == CONFIG_WORD)
		return config_word_list(a, row);
	if (row->kind == CONFIG_TEXT)
		return "a string";
	if (row->kind == CONFIG_INT)
		return arena_printf(a, "%" PRIu64 " to %" PRIu64, row->least, row->most);
	return "true, false";
}

/* What a value of the row must be. */
static const char *expected(struct arena *a, const struct config_row *row)
{
	if (row->words && *row->words)
		return word_list(a, row->words);
	if (row->kind == CONFIG_TEXT)
		return "a string";
	if (row->kind == CONFIG_BOOL)
		return "true or false";
	if (row->kind == CONFIG_NO_EFFECT)
		return "a number";
	return arena_printf(a, "a number from %" PRIu64 " to %" PRIu64, row->least, row->most);
}

static void read_value(struct arena *a, struct program *p, const struct setting *s,
		       const struct config_row *row, struct diags *d)
{
	const char *shown = s->text ? s->text : arena_printf(a, "%" PRIu64, s->integer);
	uint64_t value;
	bool is_right;

	if (row->words && *row->words) {
		value = (uint64_t)find_word(row->words, shown);
		is_right = (int64_t)value >= 0 && (s->text || row->kind == CONFIG_NO_EFFECT);
	} else if (row->kind == CONFIG_TEXT) {
		is_right = s->text;
	} else {
		is_right =
			row->kind == CONFIG_BOOL ? read_bool(s, &value) : read_int(s, row, &value);
	}
	if (!is_right && s->variable)
		diag_error(d, SPAN_NONE, "option-value", "the environment has %s=%s: %s must be %s",
			   s->variable, shown, row->name, expected(a, row));
	else if (!is_right)
		diag_error(d, s->span, "option-value", "%s must be %s", row->name,
			   expected(a, row));
	else if (row->kind == CONFIG_TEXT)
		set_text(&p->config, row, s->text);
	else if (row->kind != CONFIG_NO_EFFECT)
		set_value(&p->config, row, value);
}

static void read_setting(struct arena *a, struct program *p, const struct setting *s,
			 struct diags *d)
{
	const struct config_row *row = find_row(s->key);

	if (!row) {
		unknown_key(d, s);
		return;
	}
	if (row->kind == CONFIG_RENAMED) {
		diag_warning(d, s->key_span, "renamed-option", "%s was renamed to %s", s->key,
			     row->to);
		row = find_row(row->to);
	}
	if (is_built(row) || row->kind == CONFIG_NO_EFFECT)
		read_value(a, p, s, row, d);
	else if (row->kind == CONFIG_IGNORED)
		diag_warning(d, s->key_span, "ignored-option", "option '%s' has no effect",
			     row->name);
	else
		diag_error(d, s->key_span, "unknown-option",
			   "'%s' is not a script option: bpftrace takes it from the environment",
			   row->name);
}

/* ---- environment ------------------------------------------------------------------------- */

static void make_upper(char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		name[i] = (char)toupper((unsigned char)name[i]);
}

static const char *upper(struct arena *a, const char *name)
{
	char *copy = arena_strndup(a, name, strlen(name));

	make_upper(copy, strlen(copy));
	return copy;
}

static void read_variable(struct arena *a, struct program *p, const struct config_row *row,
			  char *(*variable)(const char *name), struct diags *d)
{
	char name[64];

	for (uint32_t i = 0; i < PREFIXES; i++) {
		struct setting s = {.key = row->name, .variable = name, .span = SPAN_NONE};

		make_upper(name,
			   (size_t)snprintf(name, sizeof(name), "%s%s", prefixes[i], row->name));
		s.text = variable(name);
		if (!s.text)
			continue;
		read_value(a, p, &s, row, d);
		return;
	}
}

void config_read(struct arena *a, struct program *p, char *(*variable)(const char *name),
		 struct diags *d)
{
	p->config = defaults();
	for (uint32_t i = 0; i < p->n_settings; i++)
		read_setting(a, p, &p->settings[i], d);
	for (uint32_t i = 0; i < n_config_rows; i++)
		if (is_built(&config_rows[i]) || config_rows[i].kind == CONFIG_NO_EFFECT)
			read_variable(a, p, &config_rows[i], variable, d);
	for (uint32_t i = 0; i < p->n_overrides; i++)
		read_setting(a, p, &p->overrides[i], d);
}

/* Why a variable of that row has no effect; NULL: it has one. */
static const char *why_no_effect(struct arena *a, const struct config_row *row, const char *value)
{
	if (!row)
		return "there is no such option";
	switch (row->kind) {
	case CONFIG_RENAMED: return arena_printf(a, "its name is SONDE_%s now", upper(a, row->to));
	case CONFIG_IGNORED: return "the option no longer exists";
	case CONFIG_NONE:
		if (!*row->words)
			return row->doc;
		return find_word(row->words, value) < 0
			       ? arena_printf(a, "it must be %s", word_list(a, row->words))
			       : NULL;
	default: return NULL;
	}
}

/* bpftrace's own tests set these. */
static const char hook_prefix[] = "__BPFTRACE_";

/* A variable with our own prefix that names no option may be of whoever runs sonde, unless its name
 * is nearly that of an option. */
static const char *why_misspelt(struct arena *a, const char *name)
{
	char *key = arena_strndup(a, name, strlen(name));
	const char *near;

	for (char *c = key; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	near = nearest_option(key);
	return near ? arena_printf(a, "did you mean SONDE_%s?", upper(a, near)) : NULL;
}

/* Of a list like environ. NULL: not one of ours or bpftrace's, or it has an effect. */
static const char *why_ignored(struct arena *a, const char *name, const char *value)
{
	const struct config_row *row;

	if (strncmp(name, hook_prefix, sizeof(hook_prefix) - 1) == 0)
		return "it is for bpftrace's tests; --ready-fd tells when probes are attached";
	for (size_t k = 0; k < PREFIXES; k++) {
		if (strncmp(name, prefixes[k], strlen(prefixes[k])) != 0)
			continue;
		row = find_row(name);
		return row || k ? why_no_effect(a, row, value)
				: why_misspelt(a, name + strlen(prefixes[k]));
	}
	return NULL;
}

void config_check_environment(struct arena *a, char *const *variables, struct diags *d)
{
	for (; *variables; variables++) {
		const char *name = *variables, *end = strchr(name, '='), *why;

		if (!end)
			continue;
		name = arena_strndup(a, name, (size_t)(end - name));
		why = why_ignored(a, name, end + 1);
		if (why)
			diag_warning(d, SPAN_NONE, "environment", "%s has no effect: %s", name,
				     why);
	}
}
