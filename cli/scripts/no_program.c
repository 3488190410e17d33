/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See scripts.h.
 */
#include "cli/scripts/scripts.h"
#include "parser/base/text.h"
#include "parser/base/escape.h"
#include "runtime/base/log.h"
#include <ctype.h>
#include <limits.h>
#include <sys/stat.h>

/* What stands before '=' in expressions of strace. */
static const char *const qualifiers[] = {
	"trace", "t",	 "signal", "signals", "s",	"status", "abbrev", "verbose",
	"raw",	 "read", "reads",  "write",   "writes", "fault",  "inject", "quiet",
};

static bool is_of_strace(const char *word)
{
	size_t len = strcspn(word, "=");

	return word[len] && TEXT_IS_IN(qualifiers, word, len);
}

/* Is the text a list of system calls? strace also has classes of them, such as "file". */
static bool are_calls(const char *list)
{
	static const char *const classes[] = {"all",	 "none",   "file",  "process",
					      "network", "net",	   "desc",  "ipc",
					      "signal",	 "memory", "creds", "pure"};

	for (size_t len; *list; list += len + (list[len] == ',')) {
		len = 0;
		while (isalnum((unsigned char)list[len]) || list[len] == '_')
			len++;
		if (!len || (list[len] && list[len] != ',') || TEXT_IS_IN(classes, list, len))
			return false;
	}
	return true;
}

/* A probe for each name of the list. Libraries have replaced open by openat. */
static void put_probes(const char *list)
{
	for (size_t len; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		fprintf(stderr, "tracepoint:syscalls:sys_enter_%.*s%s { print(args); }%s", (int)len,
			list, len == 4 && memcmp(list, "open", len) == 0 ? "at" : "",
			list[len] ? " " : "");
	}
}

static void report_strace(const struct script_args *o)
{
	const char *list = strchr(o->program, '=') + 1;
	bool is_trace = *o->program == 't' && *list && are_calls(list);

	log_error("'%s' is an expression of strace, and -e takes a program", o->program);
	if (is_trace) {
		fputs("hint: write sonde -e '", stderr);
		put_probes(list);
		fputs("'", stderr);
	} else {
		fputs("hint: sonde opensnoop shows the files that are opened, sonde killsnoop the "
		      "signals; system calls are counted by sonde syscount",
		      stderr);
	}
	if (o->n_params) {
		fputs(" -c ", stderr);
		other_word_put_command(o->params[0], o->n_params - 1, o->params + 1);
	} else if (o->command) {
		fputs(" -c '", stderr);
		escape_write(ESCAPE_MESSAGE, o->command, stderr);
		fputc('\'', stderr);
	}
	fputc('\n', stderr);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool no_program_report(const struct script_args *o)
{
	const char *word = o->program;
	char path[PATH_MAX];
	bool is_script;

	if (!*word || strpbrk(word, " \t\n{<"))
		return false;
	if (is_of_strace(word))
		return report_strace(o), true;
	is_script = scripts_path(word, path, sizeof(path)) == SCRIPT_BUNDLED;
	if (!is_script && !is_file(path))
		return false;
	log_error("'%s' is %s, and -e takes the text of a program", word,
		  is_script ? "a bundled script" : "a file");
	if (other_word_is_program(word)) {
		other_word_hint_program(word, o->n_params, o->params, true);
		fputc('\n', stderr);
		return true;
	}
	log_hint("leave out -e: sonde %s", word);
	return true;
}
