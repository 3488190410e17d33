/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts by name. The bundled ones are looked for in $SONDE_SCRIPTS, then relative to the program:
 * installed in share/sonde, or in stdlib_scripts of the source tree. They come before files of the
 * current directory, which may belong to anybody, and those before the folders of $SONDE_PATH and
 * ~/.local/share/sonde/scripts. The description of a script is the line of its
 * head comment that begins with its name; its help is that comment and its `param` items.
 */
#include "cli/scripts/scripts.h"
#include "cli/base/first_words.h"
#include "parser/base/arena.h"
#include "parser/base/escape.h"
#include "parser/lang/ast.h"
#include "parser/base/nearest.h"
#include "parser/base/time_unit.h"
#include "parser/sema/param.h"
#include "parser/sema/param_type.h"
#include "runtime/base/beside.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const bundled_folders[] = {
	"../share/sonde",	/* installed */
	"../stdlib_scripts",	/* build/sonde */
	"../../stdlib_scripts", /* build/dev/sonde */
};
enum { N_FOLDERS = 1 + sizeof(bundled_folders) / sizeof(*bundled_folders) };

/* The i-th folder to look in. False when there is none. */
static bool script_folder(int i, char *folder, size_t size)
{
	const char *given = getenv("SONDE_SCRIPTS");

	if (i == 0)
		return given && snprintf(folder, size, "%s", given) < (int)size;
	return beside_program(bundled_folders[i - 1], folder, size);
}

static bool is_path(const char *word)
{
	size_t n = strlen(word);

	return strchr(word, '/') || (n >= 3 && strcmp(word + n - 3, ".bt") == 0) ||
	       strcmp(word, "-") == 0 || !*word;
}

int scripts_find(const char *name, char *path, size_t size)
{
	char folder[PATH_MAX];

	if (is_path(name))
		return -ENOENT;
	for (int i = 0; i < N_FOLDERS; i++)
		if (script_folder(i, folder, sizeof(folder)) &&
		    snprintf(path, size, "%s/%s.bt", folder, name) < (int)size &&
		    access(path, R_OK) == 0)
			return 0;
	return -ENOENT;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The i-th folder of scripts that are not bundled: those of $SONDE_PATH, which colons separate,
 * then the user's own. False behind the last. */
static bool user_folder(int i, char *folder, size_t size)
{
	const char *folders = getenv("SONDE_PATH"), *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	size_t len;

	for (; folders && *folders; folders += len + (folders[len] == ':')) {
		len = strcspn(folders, ":");
		if (len && i-- == 0)
			return snprintf(folder, size, "%.*s", (int)len, folders) < (int)size;
	}
	if (i == 0 && data && *data)
		return snprintf(folder, size, "%s/sonde/scripts", data) < (int)size;
	return i == 0 && home && *home &&
	       snprintf(folder, size, "%s/.local/share/sonde/scripts", home) < (int)size;
}

static bool find_in_user_folders(const char *name, char *path, size_t size)
{
	char folder[PATH_MAX];

	for (int i = 0; user_folder(i, folder, sizeof(folder)); i++)
		if (snprintf(path, size, "%s/%s.bt", folder, name) < (int)size && is_file(path))
			return true;
	return false;
}

enum script_place scripts_path(const char *word, char *path, size_t size)
{
	if (scripts_find(word, path, size) == 0)
		return SCRIPT_BUNDLED;
	if (!is_path(word) && !is_file(word) && find_in_user_folders(word, path, size))
		return SCRIPT_FOUND;
	snprintf(path, size, "%s.bt", word); /* sonde hello, beside hello.bt */
	if (!is_path(word) && !is_file(word) && is_file(path))
		return SCRIPT_FOUND;
	snprintf(path, size, "%s", word);
	return is_path(word) || !is_file(word) ? SCRIPT_FILE : SCRIPT_FOUND;
}

enum script_place scripts_locate(const char *word, char *path, size_t size)
{
	enum script_place place = scripts_path(word, path, size);

	if (place == SCRIPT_BUNDLED && is_file(word))
		log_info("note: '%s' is the bundled script; the file is './%s'", word, word);
	return place;
}

static int find_in(const char *folder, int flags, glob_t *found)
{
	char pattern[PATH_MAX + 8];

	snprintf(pattern, sizeof(pattern), "%s/*.bt", folder);
	return glob(pattern, flags, NULL, found);
}

/* All scripts of the first folder that has any, and those that are not bundled. 0, or -1 when none
 * are bundled. */
static int find_all(glob_t *found)
{
	char folder[PATH_MAX];
	int i = 0;

	while (i < N_FOLDERS &&
	       (!script_folder(i, folder, sizeof(folder)) || find_in(folder, 0, found)))
		i++;
	if (i == N_FOLDERS)
		return -1;
	for (i = 0; user_folder(i, folder, sizeof(folder)); i++)
		find_in(folder, GLOB_APPEND, found);
	return 0;
}

/* " * NAME: what it does" */
static void print_line(const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	int len = (int)strlen(base) - 3;
	FILE *f = fopen(path, "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, " * ", 3) || strncmp(line + 3, base, (size_t)len) ||
		    line[3 + len] != ':')
			continue;
		printf("%-16.*s%s", len, base, line + 3 + len + 2);
		break;
	}
	if (f)
		fclose(f);
}

int scripts_list(void)
{
	glob_t found;

	if (find_all(&found)) {
		log_error(
			"the bundled scripts are not installed; set SONDE_SCRIPTS to their folder");
		return 2;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		print_line(found.gl_pathv[i]);
	globfree(&found);
	return 0;
}

void scripts_each(void (*use)(void *ctx, const char *name), void *ctx)
{
	glob_t found;

	if (find_all(&found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *base = strrchr(found.gl_pathv[i], '/') + 1;

		base[strlen(base) - 3] = '\0'; /* ".bt" */
		use(ctx, base);
	}
	globfree(&found);
}

/* The nearest script of the folder that a path names. */
static bool hint_nearest_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	char pattern[PATH_MAX + 8];
	const char *near;
	glob_t found = {0};

	snprintf(pattern, sizeof(pattern), "%.*s*.bt", slash ? (int)(slash + 1 - path) : 0, path);
	if (glob(pattern, 0, NULL, &found))
		found.gl_pathc = 0;
	snprintf(pattern, sizeof(pattern), "%s.bt", path); /* ./hello, beside hello.bt */
	near = is_file(pattern) ? pattern : NEAREST(path, found.gl_pathv, found.gl_pathc, *item);
	if (near)
		log_hint("did you mean '%s'?", near);
	globfree(&found);
	return near;
}

/* `execsnoop-bpfcc`: packages of bcc and bpftrace give their tools such names. */
static bool hint_without_ending(const char *name)
{
	static const char *const endings[] = {"-bpfcc", "-perf", ".bt", ".py", ""};
	char base[64], path[PATH_MAX];
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t end = strlen(endings[i]);

		if (len <= end || strcmp(name + len - end, endings[i]) != 0)
			continue;
		snprintf(base, sizeof(base), "%.*s", (int)(len - end), name);
		if (scripts_find(base, path, sizeof(path)))
			continue;
		log_hint("did you mean '%s'?", base);
		return true;
	}
	return false;
}

bool scripts_hint_tool(const char *name)
{
	return hint_without_ending(strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
}

bool scripts_hint_nearest(const char *name, bool with_words)
{
	struct nearest near;
	glob_t found = {0};
	char last[NAME_MAX + 1];
	const char *begins = NULL; /* a script that the word or the pattern is the beginning of */
	size_t letters;

	if (strchr(name, '/') && with_words && hint_nearest_file(name))
		return true;
	snprintf(last, sizeof(last), "%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
	if (strlen(last) > 3 && strcmp(last + strlen(last) - 3, ".bt") == 0)
		last[strlen(last) - 3] = '\0';
	with_words &= !strchr(name, '/');
	letters = strcspn(last, "*?[");
	nearest_init(&near, last);
	if (find_all(&found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *base = strrchr(found.gl_pathv[i], '/') + 1;

		base[strlen(base) - 3] = '\0';
		nearest_offer(&near, base);
		if (!begins && letters > 2 && strncmp(base, last, letters) == 0)
			begins = base;
	}
	near.best = near.best ?: begins;
	if (with_words) {
		first_words_offer(&near);
		other_words_offer(&near);
	}
	if (near.best && other_word_meant(near.best))
		log_hint("%s", other_word_meant(near.best));
	else if (near.best)
		log_hint("did you mean '%s%s'?", first_word_find(near.best) ? "sonde " : "",
			 near.best);
	globfree(&found);
	return near.best || (with_words && hint_nearest_file(name));
}

bool scripts_are_installed(void)
{
	glob_t found = {0};
	bool are = find_all(&found) == 0;

	globfree(&found);
	return are;
}

void scripts_hint(const char *name)
{
	if (strchr(name, '/'))
		return;
	if (strncasecmp(name, "select ", 7) == 0)
		log_hint("SQL reads recordings: sonde record -o FILE SCRIPT, then sonde report "
			 "--sql 'SELECT …' FILE");
	else if (strchr(name, '=') && !strpbrk(name, " {<"))
		log_hint(
			"a variable of the shell stands before sonde: %s sonde …; an option begins with --",
			name);
	else if (!scripts_are_installed())
		log_hint(
			"the bundled scripts are not installed; set SONDE_SCRIPTS to their folder");
	else
		log_hint(
			"'sonde --scripts' lists the bundled scripts, 'sonde cat NAME' prints one, "
			"'sonde --help' lists the options; a program on the command line goes after -e");
}

/* Print the first block comment of `text`, without the leading ' * '. */
static void print_comment(struct arena *a, const char *text)
{
	const char *at = strstr(text, "/*"), *end = at ? strstr(at, "*/") : NULL;

	if (!end || !(at = strchr(at, '\n')) || at > end)
		return;
	for (at++; at < end; at = strchr(at, '\n') + 1) {
		size_t len = strcspn(at, "\n");

		if (at + len >= end)
			return;
		if (len < 2 || at[0] != ' ' || at[1] != '*')
			continue;
		if (len > 3)
			escape_write(ESCAPE_LINES, arena_strndup(a, at + 3, len - 3), stdout);
		putchar('\n');
	}
}

static void print_word(struct arena *a, const char *word, const char *doc, const char *rest)
{
	escape_write(ESCAPE_MESSAGE,
		     arena_printf(a, strlen(word) > 26 ? "  %s  %s%s" : "  %-26s %s%s", word, doc,
				  rest),
		     stdout);
	putchar('\n');
}

/* " (default 10ms)" */
static const char *default_of(struct arena *a, const struct param_item *item)
{
	const struct expr *e = item->other;

	if (!e || (e->kind == EX_NAME && strcmp(e->name.name, "none") == 0))
		return "";
	if (e->kind == EX_NAME)
		return arena_printf(a, " (default %s)", e->name.name);
	if (e->kind == EX_STRING)
		return arena_printf(a, " (default \"%s\")", e->string.text);
	if (e->kind == EX_UNARY)
		return arena_printf(a, " (default -%llu)",
				    (unsigned long long)e->unary.operand->integer.value);
	if (e->integer.is_bool)
		return e->integer.value ? " (default yes)" : " (default no)";
	if (param_type_is_duration(param_type_of(&item->form)))
		return arena_printf(a, " (default %s)", time_text(a, e->integer.value));
	return arena_printf(a, " (default %llu)", (unsigned long long)e->integer.value);
}

static void print_item(struct arena *a, const struct param_item *item)
{
	const struct param_type *type = param_type_of(&item->form);
	const char *word = item->is_option ? param_option_name(a, item) : item->name + 1;

	if (param_type_is_command(type))
		word = "-- COMMAND";
	else if (!item->is_option || !param_is_flag(item))
		word = arena_printf(a, "%s %s", word, param_type_shown(a, item));
	print_word(a, word, item->doc, default_of(a, item));
}

static void print_parameters(struct arena *a, const struct program *p)
{
	const struct param_item *command = NULL;
	bool has_any = param_takes_duration(p);

	for (uint32_t i = 0; i < p->n_items; i++)
		has_any |= !p->items[i].is_option;
	if (has_any)
		puts("\nparameters:");
	for (uint32_t i = 0; i < p->n_items; i++) {
		if (param_type_is_command(param_type_of(&p->items[i].form)))
			command = &p->items[i];
		else if (!p->items[i].is_option)
			print_item(a, &p->items[i]);
	}
	if (param_takes_duration(p))
		print_word(a, "seconds TIME", "stop after so many seconds, or after 500ms or 5m",
			   "");
	if (command)
		print_item(a, command);
}

static void print_options(struct arena *a, const struct program *p)
{
	bool is_first = true;

	for (uint32_t i = 0; i < p->n_items; i++) {
		if (!p->items[i].is_option)
			continue;
		if (is_first)
			puts("\noptions of the script:");
		is_first = false;
		print_item(a, &p->items[i]);
	}
}

/* Control characters are escaped: a script may be looked at because it is not trusted. */
void scripts_help(struct program *p)
{
	struct arena *a = arena_new();

	getopt_declare_all(a, p);
	escape_write(ESCAPE_MESSAGE, param_usage(a, p), stdout);
	fputs("\n\n", stdout);
	print_comment(a, p->source->text);
	print_parameters(a, p);
	print_options(a, p);
	puts("\n'sonde --help' lists the options.");
	arena_free(a);
}

int scripts_cat(const char *name)
{
	char path[PATH_MAX], block[4096];
	FILE *f;
	size_t n;

	scripts_locate(name, path, sizeof(path));
	f = fopen(path, "re");
	if (!f && errno != ENOENT) {
		log_error("cannot read '%s': %s", path, strerror(errno));
		return 1;
	}
	if (!f) {
		log_error(is_path(name) ? "no file '%s'"
					: "no bundled script '%s': --scripts lists them",
			  name);
		if (access("cat", R_OK) == 0)
			log_hint("'./cat' is the file 'cat'");
		else if (!scripts_hint_nearest(name, false))
			scripts_hint(name);
		return 1;
	}
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		fwrite(block, 1, n, stdout);
	fclose(f);
	return 0;
}
