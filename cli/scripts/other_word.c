/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See scripts.h.
 */
#include "cli/scripts/scripts.h"
#include "parser/base/escape.h"
#include "parser/base/nearest.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/run/command.h"
#include <unistd.h>

static const struct {
	const char *word;
	bool is_left_out;
	const char *hint;
} others[] = {
#define OTHER_WORD(word, is_left_out, hint) {word, is_left_out, hint},
#include "cli/scripts/other_words.def"
};

static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen(path, "re");
	bool is = f && fread(magic, sizeof(magic), 1, f) == 1 && memcmp(magic, "\177ELF", 4) == 0;

	if (f)
		fclose(f);
	return is;
}

/* Has the word only characters that mean nothing to a shell? */
static bool is_plain(const char *word)
{
	return *word && !strpbrk(word, " \t\n\"'\\$`*?[{;&|<>()#~");
}

static void put_words(uint32_t n, const char *const *words)
{
	for (uint32_t i = 0; i < n; i++) {
		fputs(is_plain(words[i]) ? " " : " '", stderr);
		escape_write(ESCAPE_MESSAGE, words[i], stderr);
		fputs(is_plain(words[i]) ? "" : "'", stderr);
	}
}

void other_word_put_command(const char *name, uint32_t n, const char *const *words)
{
	bool is_simple = true;

	for (uint32_t i = 0; i < n; i++)
		is_simple &= is_plain(words[i]);
	fputs(n ? "'" : "", stderr);
	escape_write(ESCAPE_MESSAGE, name, stderr);
	if (is_simple)
		put_words(n, words);
	else
		fputs(" …", stderr);
	fputs(n ? "'" : "", stderr);
}

void other_word_hint_program(const char *name, uint32_t n, const char *const *words, bool has_names)
{
	fputs("hint: -c runs a program that a script or -e PROGRAM traces: sonde syscount -c ",
	      stderr);
	other_word_put_command(name, n, words);
	if (has_names) {
		fputs("; its functions: sonde functrace -- ", stderr);
		escape_write(ESCAPE_MESSAGE, name, stderr);
		put_words(n, words);
	}
}

bool other_word_is_program(const char *word)
{
	char path[PATH_MAX];

	if (scripts_path(word, path, sizeof(path)) != SCRIPT_FILE || strchr(word, '/'))
		return is_elf(path);
	return command_find(word, path) == 0;
}

bool other_word_hint_path(const struct script_args *o)
{
	size_t len = strlen(o->file);
	char found[PATH_MAX];

	if (!scripts_are_installed() || strchr(o->file, '/') ||
	    (len > 3 && strcmp(o->file + len - 3, ".bt") == 0) || command_find(o->file, found))
		return false;
	other_word_hint_program(o->file, o->n_params, o->params, false);
	fputc('\n', stderr);
	return true;
}

/* The words behind one that is to be left out. */
static void hint_left_out(const struct script_args *o, const char *hint)
{
	const char *next = o->params[0];
	char path[PATH_MAX];
	enum script_place place = scripts_path(next, path, sizeof(path));

	if (place == SCRIPT_BUNDLED || (strpbrk(next, "./") && !is_elf(path))) {
		fputs("hint: a script is run without one: sonde ", stderr);
		escape_write(ESCAPE_MESSAGE, next, stderr);
	} else if (command_find(next, path) == 0) {
		other_word_hint_program(next, o->n_params - 1, o->params + 1, false);
	} else if (hint) {
		fprintf(stderr, "hint: %s", hint);
	} else {
		fputs("hint: sonde SCRIPT or sonde -e 'PROGRAM' traces; sonde -l '*", stderr);
		escape_write(ESCAPE_MESSAGE, next, stderr);
		fputs("*' lists probes of such names, sonde --scripts the scripts", stderr);
	}
	fputc('\n', stderr);
}

void other_words_offer(struct nearest *near)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i].hint)
			nearest_offer(near, others[i].word);
}

const char *other_word_meant(const char *word)
{
	__auto_type row = TEXT_ROW(others, word, word, strlen(word));

	return row ? row->hint : NULL;
}

bool other_word_report(const struct script_args *o)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(others[i].word, o->file) != 0 || (!others[i].hint && !o->n_params))
			continue;
		log_error("there is no word '%s'", o->file);
		if (others[i].is_left_out && o->n_params)
			hint_left_out(o, others[i].hint);
		else
			log_hint("%s", others[i].hint);
		return true;
	}
	return false;
}
