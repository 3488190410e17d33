/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -c executes a program, without a shell. What only a shell understands is reported before anything
 * runs: a pipe or a redirection would be an argument of the program. In quotes, or behind a
 * backslash, all of it is text.
 */
#include "cli/scripts/scripts.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include <ctype.h>

/* What ends or connects commands: as a word, or at the end of one. */
static size_t operator_length(const char *at)
{
	static const char *const operators[] = {"&&", "||", "|&", "|", ";", "&"};

	const char *const *found = TEXT_PREFIX(operators, at);

	return found ? strlen(*found) : 0;
}

/* `>`, `>>`, `2>`, `2>&1`, `<` */
static bool is_redirection(const char *at)
{
	at += isdigit((unsigned char)*at) || *at == '&';
	return *at == '>' || *at == '<';
}

static bool is_expansion(const char *at)
{
	return at[0] == '`' ||
	       (at[0] == '$' && (isalpha((unsigned char)at[1]) || (at[1] && strchr("_{(", at[1]))));
}

/* Would a shell do something with the text at `at`, of which no part is quoted? Sets the length of
 * what is shown of it. */
static bool is_for_shell(const char *at, bool begins_word, size_t *len)
{
	*len = operator_length(at);
	if (*len && (begins_word || !at[*len] || strchr(" \t\n", at[*len])))
		return true;
	*len = *at == '*' ? 1 : strcspn(at, " \t\n\"'");
	return *at == '*' || is_expansion(at) || (begins_word && is_redirection(at));
}

/* Words of a shell that are no programs. */
static bool is_shell_word(const char *text, size_t len)
{
	static const char *const words[] = {"cd",    "ulimit", "export", "source", "exec",  "eval",
					    "set",   "alias",  "if",	 "for",	   "while", "umask",
					    "unset", ".",      "{",	 "("};

	return TEXT_IS_IN(words, text, len);
}

/* `LANG=C ls` */
static bool is_assignment(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len && !isdigit((unsigned char)text[0]) && text[len] == '=';
}

static int shell_error(const char *command, const char *at, size_t len, const char *what)
{
	log_error("-c runs a program without a shell: '%.*s' %s", (int)len, at, what);
	return log_hint("write -c \"sh -c '%s'\"; if this is plain text, put it in quotes",
			strpbrk(command, "'\"") ? "…" : command);
}

/* The first thing in the text that only a shell does. */
static int check_text(const char *text)
{
	bool begins_word = true;
	char quote = '\0';

	for (const char *at = text; *at; at++) {
		size_t len;

		if (quote) {
			quote = *at == quote ? '\0' : quote;
			at += quote == '"' && *at == '\\' && at[1];
		} else if (*at == '\\' && at[1]) {
			at++;
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (is_for_shell(at, begins_word, &len)) {
			return shell_error(text, at, len, "would be one of its arguments");
		}
		begins_word = !quote && strchr(" \t\n", *at) != NULL;
	}
	return 0;
}

int command_check(const struct script_args *o)
{
	const char *text = o->command;
	size_t len;

	if (!text || o->joined)
		return 0;
	text += strspn(text, " \t\n");
	len = strcspn(text, " \t\n");
	if (is_assignment(text)) {
		log_error("-c: '%.*s' would be the program: only a shell sets variables this way",
			  (int)len, text);
		return log_hint("write -c 'env NAME=VALUE PROGRAM'");
	}
	if (is_shell_word(text, len))
		return shell_error(text, text, len, "is a command of the shell");
	return check_text(text);
}

int command_hint(const struct script_args *o, const char *word)
{
	const char *behind = o->behind_command;

	if (!behind || word < behind || word > behind + strlen(behind))
		return 0;
	log_hint("put the whole command of -c in quotes: -c '%s%s%s'", o->command,
		 o->is_behind_option ? " … " : " ",
		 word == behind ? word : "…"); /* -la was split */
	return 1;
}
