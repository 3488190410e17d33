/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See option_rows.h. The hint is what the user has probably meant: the nearest option of sonde
 * or of the script, else the script's own options.
 */
#include "cli/options/option_rows.h"
#include "parser/base/text.h"
#include "cli/scripts/scripts.h"
#include "cli/scripts/script_options.h"
#include "parser/base/nearest.h"
#include <ctype.h>
#include <limits.h>
#include <unistd.h>

bool option_report_removed(const char *word, size_t len)
{
	static const struct {
		const char *word, *why;
	} removed[] = {
#define REMOVED(word, why) {word, why},
#include "cli/options/removed_words.def"
	};

	__auto_type row = TEXT_ROW(removed, word, word, len);

	if (row)
		log_error("'%s%s' was removed: %s", *word == '-' ? "" : "sonde ", row->word,
			  row->why);
	return row;
}

/* Several long options begin with the word. */
static int ambiguous(enum option_words words, const char *word, size_t len)
{
	char names[512] = "";

	for (const struct option_row *r = NULL; (r = option_next(words, r, word, len));)
		TEXT_LIST(names, sizeof(names), "%s", r->name[1] == '-' ? r->name : r->other);
	return option_error("option '%.*s' is ambiguous: %s", (int)len, word, names);
}

static void offer_own(struct nearest *near, enum option_words words)
{
	for (int i = 0; i < n_option_rows; i++) {
		if (!option_is_listed(&option_rows[i], words))
			continue;
		nearest_offer(near, option_rows[i].name);
		if (option_rows[i].other)
			nearest_offer(near, option_rows[i].other);
	}
}

/* `--json` */
static bool is_format(const char *name)
{
	return strncmp(name, "--", 2) == 0 &&
	       out_format_find(name + 2, &(const char *){NULL}) < OUT_FORMAT_COUNT;
}

static void hint_script(const struct options *o, const struct script_option_list *l)
{
	if (o->args.program && l->n) {
		log_hint("the program has %s", l->text);
	} else if (o->args.program) {
		log_hint("what the script takes itself goes after '--'");
	} else if (l->n) {
		log_hint("it has %s; 'sonde %s --help' describes them", l->text, o->args.file);
	} else {
		log_hint("it has no options of its own: 'sonde --help' lists those of sonde; a "
			 "parameter that begins with '-' goes after '--'");
	}
}

static const char *find_other(const char *behind, const char *name, size_t len)
{
	static const struct {
		const char *behind, *name, *hint;
	} others[] = {
#define OTHER_OPTION(behind, name, hint) {behind, name, hint},
#include "cli/options/other_options.def"
	};

	__auto_type other = FIND_ROW(others, strcmp(item->behind, behind) == 0 &&
						     text_is(name, len, item->name));

	return other ? other->hint : NULL;
}

static bool hint_other(const char *behind, const char *name, size_t len, bool is_tracing)
{
	const char *hint = NULL;

	if (len > 2 && name[0] == '-' && name[1] != '-') /* -F99 */
		len = 2;
	hint = find_other(behind, name, len) ?: is_tracing ? find_other("", name, len) : NULL;
	if (hint)
		log_hint("%s", hint);
	return hint != NULL;
}

bool option_hint_other(const char *behind, const char *name, size_t len)
{
	return hint_other(behind, name, len, true);
}

/* `-n 'BEGIN { … }'`: the value is a program. */
static bool hint_program(const struct options *o, const char *word, const char *next)
{
	bool is_joined = word[1] != '-' && strchr(word, '{');

	if (o->args.program || o->args.file || (!is_joined && !strchr(next, '{')))
		return false;
	log_hint("a program follows -e: sonde -e 'PROBE { … }'");
	return true;
}

bool option_hint_script(const char *word)
{
	size_t len = strlen(word);

	if (len <= 3 || strcmp(word + len - 3, ".bt") != 0 || strchr(word, '{'))
		return false;
	log_hint("a script needs no option before it: sonde %s", word);
	return true;
}

/* An option that the word begins with, as in --follow-forks; NULL: there is none. */
static const char *option_within(enum option_words words, const char *word)
{
	for (int i = 0; i < n_option_rows; i++) {
		const struct option_row *r = &option_rows[i];
		const char *name = r->name[1] == '-' ? r->name : r->other;
		size_t len = name ? strlen(name) : 0;

		if (len > 5 && option_is_listed(r, words) && strncmp(word, name, len) == 0 &&
		    word[len] == '-')
			return name;
	}
	return NULL;
}

/* `sonde reprot --by host`: the word before the option is the mistake. */
static bool report_first_word(const struct script_args *args)
{
	char path[PATH_MAX];
	struct nearest near;
	const char *hint;

	if (!args->file || scripts_path(args->file, path, sizeof(path)) != SCRIPT_FILE ||
	    access(path, F_OK) == 0)
		return false;
	nearest_init(&near, args->file);
	first_words_offer(&near);
	hint = other_word_meant(args->file);
	if (!near.best && !hint)
		return false;
	log_error("there is no command and no script '%s'", args->file);
	if (near.best)
		log_hint("did you mean 'sonde %s'?", near.best);
	else
		log_hint("%s", hint);
	return true;
}

/* An option with the letters of the word in their order, as --image has those of --img. */
static const char *option_shortened(enum option_words words, const char *word)
{
	for (int i = 0; i < n_option_rows && strlen(word) > 4; i++) {
		const char *at = word;

		if (!option_is_listed(&option_rows[i], words) ||
		    strncmp(option_rows[i].name, word, 3) != 0)
			continue;
		for (const char *c = option_rows[i].name; *c; c++)
			at += *at == *c;
		if (!*at)
			return option_rows[i].name;
	}
	return NULL;
}

/* The 5 of --duration5; NULL: the word is no option that takes a value with a number after it. */
static const char *value_after(enum option_words words, const char *word, const char *option)
{
	size_t len = strlen(option);
	const struct option_row *r = option_find(words, option, len);

	return r && r->arg && strncmp(word, option, len) == 0 && isdigit((unsigned char)word[len])
		       ? word + len
		       : NULL;
}

int option_unknown(const struct options *o, const char *word, size_t len, const char *next)
{
	struct script_option_list own = {.n = 0};
	struct nearest near;
	char name[80];
	enum option_words words = options_in_reach(o);
	const char *first = o->first_word ? o->first_word->word : "", *digits;
	bool is_own = words & FW_OWN;

	if (option_report_removed(word, len) || (!is_own && report_first_word(&o->args)))
		return -1;
	if (option_next(words, NULL, word, len))
		return ambiguous(words, word, len);
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	nearest_init(&near, name);
	offer_own(&near, words);
	if (!is_own && (o->args.file || o->args.program))
		script_options_list(&o->args, &own, &near);
	if (own.is_script && o->args.file)
		log_error("the script %s has no option '%s'", o->args.file, name);
	else
		log_error(is_own ? "unknown option '%s' of 'sonde %s'" : "unknown option '%s'",
			  word, first);
	if (command_hint(&o->args, word) || (!o->args.file && option_hint_script(next)) ||
	    (!near.best && hint_program(o, word, next)) ||
	    hint_other(o->args.file ?: first, word, len, !is_own))
		return -1;
	if (!near.best)
		near.best = option_within(words, name)
				    ?: is_own ? option_shortened(words, name)
					      : NULL;
	if (is_format(name))
		log_hint("did you mean '-f %s'?", name + 2);
	else if (near.best && (digits = value_after(words, name, near.best)))
		log_hint("write %s %s", near.best, digits);
	else if (near.best)
		log_hint("did you mean '%s'?", near.best);
	else if (is_own)
		log_hint("'sonde %s --help' lists the options", first);
	else if (own.is_script)
		hint_script(o, &own);
	else
		return option_hint();
	return -1;
}

/* The value in the example of an option, which is `NAME VALUE …`; it may be in quotes. Its length;
 * 0 when there is none. */
static int example_of(const struct option_row *r, const char **value)
{
	size_t len = strlen(r->name);
	const char *end, *at;

	if (!r->example || strncmp(r->example, r->name, len) != 0 || r->example[len] != ' ')
		return 0;
	*value = at = r->example + len + 1;
	end = *at == '\'' ? strchr(at + 1, '\'') : NULL;
	return end ? (int)(end + 1 - at) : (int)strcspn(at, " ");
}

int option_no_value(const struct option_row *r, const char *next)
{
	const char *value;
	int len = example_of(r, &value);

	if (next && !find_other("", r->name, strlen(r->name)))
		log_error("option '%s' requires a value: write %s %s before %s", r->name, r->name,
			  r->arg, next);
	else
		log_error("option '%s' requires a value: %s", r->name, r->arg);
	if (strcmp(r->arg, "PID") == 0) /* the shell has often put nothing in its place */
		log_hint("write the number of a process: -p 1234; if a $(…) is there, it has "
			 "printed nothing: no such process runs");
	else if (next && option_hint_other("", r->name, strlen(r->name)))
		return -1;
	else if (len)
		log_hint("for example %s %.*s; 'sonde help %s' describes it", r->name, len, value,
			 r->name);
	else
		log_hint("'sonde help %s' describes it", r->name);
	return -1;
}

int option_check_dash(const char *word)
{
	char name[80];
	size_t len;

	if (strncmp(word, "–", 3) != 0 && strncmp(word, "—", 3) != 0)
		return 0;
	word += 3;
	len = strcspn(word, "=");
	snprintf(name, sizeof(name), "-%.*s", (int)len, word);
	if (!option_is_exact(FW_ANY, name, strlen(name)))
		snprintf(name, sizeof(name), "--%.*s", (int)len, word + (*word == '-'));
	if (!option_is_exact(FW_ANY, name, strlen(name)))
		return 0;
	return log_error("'%.3s%s' begins with a long dash: write %s", word - 3, word, name);
}
