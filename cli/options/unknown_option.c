/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See unknown_option.h. The hint is what the user has probably meant: the nearest option of sonde
 * or of the script, else the script's own options.
 */
#include "cli/options/unknown_option.h"
#include "cli/options/command_check.h"
#include "cli/options/option_rows.h"
#include "cli/scripts/script_options.h"
#include "parser/base/escape.h"
#include "parser/base/nearest.h"
#include "runtime/output/out_format.h"
#include <stdio.h>
#include <string.h>

/* Several long options begin with the word. */
static int ambiguous(const char *word, size_t len)
{
	char names[512] = "";
	size_t n = 0;

	for (const struct option_row *r = NULL;
	     (r = option_next(r, word, len)) && n < sizeof(names);)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
				      r->name[1] == '-' ? r->name : r->other);
	return option_error("option '%.*s' is ambiguous: %s", (int)len, word, names);
}

static void offer_own(struct nearest *near)
{
	for (int i = 0; i < n_option_rows; i++) {
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
	if (o->program && l->n) {
		fprintf(stderr, "hint: the program has %s\n", l->text);
	} else if (o->program) {
		fputs("hint: what the script takes itself goes after '--'\n", stderr);
	} else if (l->n) {
		fprintf(stderr, "hint: it has %s; 'sonde ", l->text);
		escape_write(ESCAPE_MESSAGE, o->file, stderr);
		fputs(" --help' describes them\n", stderr);
	} else {
		fputs("hint: it has no options of its own: 'sonde --help' lists those of sonde; a "
		      "parameter that begins with '-' goes after '--'\n",
		      stderr);
	}
}

static const char *find_other(const char *behind, const char *name, size_t len)
{
	static const struct {
		const char *behind, *name, *hint;
	} others[] = {
#define OTHER_OPTION(behind, name, hint) {behind, name, hint},
#include "cli/options/other_options.def"
#undef OTHER_OPTION
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(others[i].behind, behind) == 0 && strlen(others[i].name) == len &&
		    memcmp(others[i].name, name, len) == 0)
			return others[i].hint;
	return NULL;
}

bool option_hint_other(const char *behind, const char *name, size_t len)
{
	const char *hint = NULL;

	if (len > 2 && name[0] == '-' && name[1] != '-') /* -F99 */
		len = 2;
	hint = find_other(behind, name, len) ?: find_other("", name, len);
	if (hint)
		fprintf(stderr, "hint: %s\n", hint);
	return hint != NULL;
}

int option_unknown(const struct options *o, const char *word, size_t len)
{
	struct script_option_list own = {.n = 0};
	struct nearest near;
	char name[80];

	if (option_next(NULL, word, len))
		return ambiguous(word, len);
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	nearest_init(&near, name);
	offer_own(&near);
	if (o->file || o->program)
		script_options_list(o, &own, &near);
	if (own.is_script && o->file)
		log_error("the script %s has no option '%s'", o->file, name);
	else
		log_error("unknown option '%s'", word);
	if (command_hint(o, word) || option_hint_other(o->file ?: o->first_word ?: "", word, len))
		return -1;
	if (is_format(name))
		fprintf(stderr, "hint: did you mean '-f %s'?\n", name + 2);
	else if (near.best)
		fprintf(stderr, "hint: did you mean '%s'?\n", near.best);
	else if (own.is_script)
		hint_script(o, &own);
	else
		return option_hint();
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
	if (!option_is_exact(name, strlen(name)))
		snprintf(name, sizeof(name), "--%.*s", (int)len, word + (*word == '-'));
	if (!option_is_exact(name, strlen(name)))
		return 0;
	log_error("'%.3s%s' begins with a long dash: write %s", word - 3, word, name);
	return -1;
}
