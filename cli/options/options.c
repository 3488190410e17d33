/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the command line: finds each option's row (options.def) and collects the other words.
 * option_checks.c checks which options go together. Prints the usage text from the rows.
 */
#include "cli/options/options.h"
#include "cli/base/help_columns.h"
#include "cli/scripts/scripts.h"
#include "cli/options/option_rows.h"
#include "cli/scripts/script_options.h"
#include "runtime/kernel/container.h"
#include "runtime/run/command.h"
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

static void apply_first_word(struct options *o);

static int unknown_option(const struct options *o, const char *word, size_t len, const char *next)
{
	struct options so_far = *o; /* `explain SCRIPT`: the file is the script */

	apply_first_word(&so_far);
	return option_unknown(&so_far, word, len, next);
}

/* Read the option at argv[*i], in any of the forms -e X, -eX, --pid X, --pid=X. */
static int read_option(struct options *o, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *equals = strchr(word, '='), *arg = NULL;
	size_t len = word[1] == '-' && equals ? (size_t)(equals - word) : strlen(word);
	enum option_words words = options_in_reach(o);
	const struct option_row *r = option_find(words, word, len);

	if (!r && word[1] != '-' && len > 2) {
		r = option_find(words, word, 2);
		if (r && !r->arg && isalpha((unsigned char)word[2])) { /* -lv is -l -v */
			argv[*i] += 1;
			argv[*i][0] = '-';
			return option_set(o, r, NULL) ? -1 : read_option(o, argc, argv, i);
		}
		arg = word + 2;
	} else if (len < strlen(word)) {
		arg = equals + 1;
	}
	if (!r)
		return unknown_option(o, word, len, *i + 1 < argc ? argv[*i + 1] : "");
	if (!r->arg && arg)
		return option_error("option '%s' takes no value", r->name);
	if (r->arg && !arg && r->arg[0] != '[') {
		if (*i + 1 >= argc)
			return option_no_value(r, NULL);
		arg = argv[++*i];
		if (arg[0] == '-' && option_is_exact(words, arg, strlen(arg)))
			return option_no_value(r, arg);
	}
	return option_set(o, r, arg);
}

enum option_words options_word(const struct options *o)
{
	if (o->first_word)
		return o->first_word->bit;
	return o->mode == MODE_LIST		? FW_LIST
	       : o->mode != MODE_TRACE		? FW_OTHER
	       : o->out.format == OUT_RECORDING ? FW_RECORD
						: FW_RUN;
}

enum option_words options_in_reach(const struct options *o)
{
	return options_word(o) & FW_OWN ?: FW_ANY;
}

static bool has_own_options(const struct options *o)
{
	return options_word(o) & FW_OWN;
}

/* ---- words --------------------------------------------------------------------------------- */

/* A parameter of the script. Parameters are collected in argv itself, which is read up to there. */
static void add_param(struct options *o, char **argv, int i)
{
	if (!o->args.params)
		o->args.params = (const char *const *)argv;
	argv[o->args.n_params++] = argv[i];
}

/* The rest. Returns the index of the last word. */
static int add_params(struct options *o, int argc, char **argv, int i)
{
	for (; i < argc; i++)
		add_param(o, argv, i);
	return argc - 1;
}

/* FOLLOWED_BY_LINE: an option that is not one of the first word's own. */
static bool begins_line(const struct options *o, const char *word)
{
	size_t len = word[0] == '-' && word[1] != '-' ? 2 : strcspn(word, "=");

	return o->first_word && o->first_word->what == FOLLOWED_BY_LINE && !o->args.n_params &&
	       option_is_exact(FW_ANY, word, len) && !option_is_exact(options_word(o), word, len);
}

/* Words as -c takes them, each in quotes. NULL without memory. */
static char *join_words(int n, char **words)
{
	size_t size = 1;
	char *text, *to;

	for (int i = 0; i < n; i++)
		size += 2 * strlen(words[i]) + 3;
	text = to = malloc(size);
	for (int i = 0; text && i < n; i++) {
		*to++ = '"';
		for (const char *c = words[i]; *c; *to++ = *c++)
			if (*c == '"' || *c == '\\')
				*to++ = '\\';
		*to++ = '"';
		*to++ = ' ';
	}
	if (text)
		*to = '\0';
	return text;
}

/* `-5` is a number, since no option is a digit. */
static bool is_number(const char *word)
{
	return word[0] == '-' && isdigit((unsigned char)word[1]);
}

/* After "--" all words are parameters, or the command if the script says so; the first is the
 * script when there is none yet. */
static int take_params(struct options *o, int argc, char **argv, int i)
{
	struct options so_far; /* `explain SCRIPT`: the file is the script */

	if (!has_own_options(o) && !o->args.file && !o->args.program && i < argc)
		o->args.file = argv[i++];
	so_far = *o;
	apply_first_word(&so_far);
	if (i < argc && !has_own_options(o) && o->mode != MODE_HELP &&
	    (so_far.args.file || so_far.args.program) &&
	    script_options_take_command(&so_far.args)) {
		if (o->args.command)
			return option_error("-c and a command after -- cannot be combined");
		o->args.command = o->args.joined = join_words(argc - i, argv + i);
		return o->args.command ? 0 : option_error("out of memory");
	}
	add_params(o, argc, argv, i);
	return 0;
}

/* The options of a `#!` line. */
static int read_script_line(struct options *o, char *line)
{
	char *words[64];
	int n = 1;

	for (char *w = strtok(line, " \t"); w && n < 64; w = strtok(NULL, " \t"))
		words[n++] = w;
	for (int i = 1; i < n; i++)
		if (read_option(o, n, words, &i))
			return -1;
	return 0;
}

/* `sonde "OPTION OPTION…" SCRIPT`, as the kernel executes a script that has a `#!` line. */
static bool is_script_line(int argc, char **argv)
{
	return argc > 2 && argv[1][0] == '-' && strpbrk(argv[1], " \t") &&
	       script_line_has(argv[2], argv[1]);
}

/* ---- words of their own ---------------------------------------------------------------------- */

static void print_forms(FILE *f)
{
	fputs("usage: sonde [options] -e 'PROGRAM' [WORD…]\n"
	      "       sonde [options] FILE [WORD…]\n",
	      f);
	for (int i = 0; i < n_first_words; i++)
		fprintf(f, "       sonde %s\n", first_words[i].usage);
	fputs("       sonde -l [PATTERN | FILE | -e 'PROGRAM']\n", f);
}

/* Take a word that changes how the next ones are read. False: it is another one. */
static bool take_first_word(struct options *o, int argc, char **argv, int *i)
{
	const struct first_word *w = o->mode == MODE_TRACE ? first_word_find(argv[*i]) : NULL;

	if (!w)
		return false;
	o->first_word = w;
	switch (w->what) {
	case FOLLOWED_BY_RUN: o->out.format = OUT_RECORDING; return true;
	case FOLLOWED_BY_RECORDING:
		o->record.file = *i + 1 < argc && argv[*i + 1][0] != '-' ? argv[++*i] : "";
		return true;
	case FOLLOWED_BY_SCRIPT:
	case FOLLOWED_BY_NAMES: return false;
	case FOLLOWED_BY_WORDS:
	case FOLLOWED_BY_COMMAND:
	case FOLLOWED_BY_LINE: o->mode = w->mode; return true;
	case FOLLOWED_BY_TOPIC:
		o->mode = w->mode;
		for (++*i; *i < argc; ++*i)
			add_param(o, argv, *i);
	}
	return true;
}

/* The others, which options may follow, once all are read. */
static void apply_first_word(struct options *o)
{
	const struct first_word *w = o->args.file ? first_word_find(o->args.file) : NULL;

	if (o->mode != MODE_TRACE && !(o->mode == MODE_CHECK && w && w->mode == MODE_FMT))
		return;
	if (!w || (w->what != FOLLOWED_BY_SCRIPT && w->what != FOLLOWED_BY_NAMES))
		return;
	o->is_fmt_check = o->mode == MODE_CHECK;
	o->mode = w->mode;
	if (w->what == FOLLOWED_BY_NAMES)
		return;
	o->args.file = NULL;
	if (!o->args.n_params || o->args.program)
		return;
	o->args.file = o->args.params[0];
	o->args.params++;
	o->args.n_params--;
}

/* An option of the script, after its name: options of sonde are those spelled in full. 1: it is
 * taken; 0: it is none; -1 after a message. */
static int take_script_option(struct options *o, int argc, char **argv, int *i)
{
	size_t len = strcspn(argv[*i], "=");
	struct options so_far = *o;
	enum script_option_kind kind;

	apply_first_word(&so_far);
	if (strncmp(argv[*i], "--", 2) != 0 || !(so_far.args.file || so_far.args.program) ||
	    has_own_options(o) || o->mode == MODE_HELP || option_is_exact(FW_ANY, argv[*i], len))
		return 0;
	kind = script_options_find(&so_far.args, argv[*i], len);
	if (kind == SCRIPT_OPTION_NONE)
		return 0;
	add_param(o, argv, *i);
	if (kind == SCRIPT_OPTION_FLAG || argv[*i][len])
		return 1;
	if (*i + 1 == argc)
		return log_error("option '%s' of the script requires a value: write %s=VALUE",
				 argv[*i], argv[*i]);
	add_param(o, argv, ++*i);
	return 1;
}

/* `sonde help WORD`: the word may be an option. */
static void take_topic(struct options *o)
{
	if (o->mode != MODE_HELP || !o->args.n_params || o->help_topic || o->args.file ||
	    o->args.program)
		return;
	o->help_topic = o->args.params[0];
	o->args.params++;
	o->args.n_params--;
}

/* --container is --cgroup with the container's. */
static int find_container(struct options *o)
{
	char path[PATH_MAX];

	if (!o->container)
		return 0;
	if (container_cgroup(o->container, path, sizeof(path)))
		return -1;
	o->scope.cgroup = o->container_path = strdup(path);
	return o->scope.cgroup ? 0 : option_error("out of memory");
}

/* The words of -c. */
static int read_command(struct options *o)
{
	const char *text = o->args.command;

	if (!text)
		return 0;
	o->scope.command = command_words(text);
	if (!text[strspn(text, " \t\n")])
		return log_error("-c: the command is empty: write -c 'PROGRAM WORD…'");
	if (!o->scope.command)
		return log_error("-c '%s': unclosed quote", text);
	o->scope.program = o->scope.command[0];
	return 0;
}

/* A word that is meant as an option, or as another process of -p. 0: it is none. */
static int check_word(const struct options *o, char **argv, int i)
{
	bool is_number = *argv[i] && !argv[i][strspn(argv[i], "0123456789")];

	if (!o->scope.pid || o->args.file || o->args.program || !is_number ||
	    access(argv[i], F_OK) == 0 || (uint32_t)strtoul(argv[i - 1], NULL, 10) != o->scope.pid)
		return option_check_dash(argv[i]);
	log_error("-p takes one process: unexpected '%s'", argv[i]);
	return pid_option_hint_several();
}

/* The command of -c ends at the first blank that is not in quotes, and options of its own are taken
 * for sonde's. */
static void note_behind_command(struct options *o, const char *before, const char *word)
{
	bool is_behind_option = before == o->args.behind_command && *before == '-';

	if (before != o->args.command && !is_behind_option)
		return;
	o->args.behind_command = word;
	o->args.is_behind_option = is_behind_option;
}

/* -o out.svg without -f: the name says the format, and --listen does. -o - is standard output. */
static void choose_format(struct options *o)
{
	enum out_format format;

	if (o->out.path && strcmp(o->out.path, "-") == 0 && o->out.format != OUT_RECORDING)
		o->out.path = NULL;
	if (o->mode != MODE_TRACE || option_given(o, "-f") || o->out.format != OUT_TEXT)
		return;
	if (o->out.path &&
	    out_format_find(o->out.path, &(const char *){NULL}) != OUT_FORMAT_COUNT) {
		log_warning("-o %s writes text to a file of that name", o->out.path);
		log_hint("the format is -f %s", o->out.path);
	}
	format = o->out.path ? out_format_of_file(o->out.path) : OUT_FORMAT_COUNT;
	if (format == OUT_FORMAT_COUNT && o->out.listen)
		format = OUT_OPENMETRICS;
	if (format != OUT_FORMAT_COUNT)
		o->out.format = format;
}

/* What the format implies. */
static void apply_format(struct options *o)
{
	unsigned int traits = out_formats[o->out.format].traits;

	if (traits & OUT_LINES && o->n_settings < MAX_SETTINGS)
		o->settings[o->n_settings++] = (struct setting){.key = "show_debug_info",
								.variable = "-f",
								.text = "true"};
	o->out.reset |= traits & OUT_RESETS && o->out.interval_ns;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int i = 1, taken;

	*o = (struct options){.ready_fd = -1};
	if (argc < 2) {
		print_forms(stderr);
		if (!isatty(STDIN_FILENO))
			log_hint("the script on standard input is run by 'sonde -': cat FILE | "
				 "sonde -");
		return option_hint(), 1;
	}
	if (is_script_line(argc, argv) && read_script_line(o, argv[i++]))
		return 1;
	for (; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			if (take_params(o, argc, argv, i + 1))
				return 1;
			break;
		}
		taken = take_script_option(o, argc, argv, &i);
		if (taken < 0)
			return 1;
		if (taken)
			continue;
		note_behind_command(o, argv[i - 1], argv[i]);
		if (begins_line(o, argv[i])) {
			i = add_params(o, argc, argv, i);
		} else if (argv[i][0] == '-' && argv[i][1] && !is_number(argv[i])) {
			if (read_option(o, argc, argv, &i))
				return 1;
		} else if (has_own_options(o)) {
			if (check_word(o, argv, i))
				return 1;
			add_param(o, argv, i);
			if (o->first_word->what != FOLLOWED_BY_WORDS)
				i = add_params(o, argc, argv, i + 1);
		} else if (o->mode == MODE_HELP && !o->help_topic) {
			o->help_topic = argv[i];
		} else if (check_word(o, argv, i)) {
			return 1;
		} else if (!o->args.file && !o->args.program && !o->help_topic) {
			if (o->mode == MODE_TRACE &&
			    option_report_removed(argv[i], strlen(argv[i])))
				return 1;
			if (!take_first_word(o, argc, argv, &i))
				o->args.file = argv[i];
		} else {
			add_param(o, argv, i);
		}
	}
	apply_first_word(o);
	take_topic(o);
	choose_format(o);
	apply_format(o);
	return read_command(o) || options_check(o) || output_check(o) || find_container(o) ? 1 : 0;
}

void options_free(struct options *o)
{
	for (uint32_t i = 0; i < o->compile.n_include_dirs; i++)
		free((char *)o->compile.include_dirs[i]);
	for (uint32_t i = 0; i < o->compile.n_include_files; i++)
		free((char *)o->compile.include_files[i]);
	if (o->compile.has_filter)
		regfree(&o->compile.filter);
	free(o->args.joined);
	command_free_words(o->scope.command);
	free(o->container_path);
}

void options_set_output(const struct options *o, struct config *c)
{
	if (o->out.top)
		c->top = o->out.top;
	if (o->out.delimiter)
		c->stack_delimiter = o->out.delimiter;
	c->show_percent |= o->out.percent;
}

/* ---- help ---------------------------------------------------------------------------------- */

void options_print(struct arena *a, enum option_words words)
{
	for (int i = 0; i < n_option_rows; i++)
		if (option_is_listed(&option_rows[i], words))
			help_columns(option_form(a, &option_rows[i]), 24, option_rows[i].help);
}

/* One of each kind of use. */
static const struct {
	const char *words, *what;
} uses[] = {
	{"-e 'profile:hz:99 { @[comm] = count() }'", "run a program"},
	{"opensnoop -c 'ls /'", "a script; --scripts lists them"},
	{"-l 'tracepoint:sched:*'", "list probes"},
	{"record -o cpu.sonde profile", "record; sonde report shows it"},
	{"learn", "lessons"},
};

void options_usage(void)
{
	struct arena *a = arena_new();

	puts("usage: sonde [options] -e 'PROGRAM' [WORD…]\n"
	     "       sonde [options] SCRIPT [WORD…]\n");
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		help_columns(arena_join(a, "sonde", " ", uses[i].words), 46, uses[i].what);
	puts("\noptions:");
	for (int i = 0; i < n_option_rows; i++)
		if (option_rows[i].brief)
			help_columns(option_form(a, &option_rows[i]), 24, option_rows[i].brief);
	puts("\n'sonde help options' lists all options, 'sonde help topics' the other topics;\n"
	     "'sonde help WORD' describes a word, an option or a script, with an example.");
	arena_free(a);
}

void options_forms(void)
{
	print_forms(stdout);
	puts("\nTraces this machine with eBPF. A program is a list of probes, each with the\n"
	     "actions to run when it fires. The words after it are its parameters $1, $2 …;\n"
	     "'--' ends the options. FILE may be the name of a bundled script, and '-' is\n"
	     "standard input.\n\n"
	     "exit status: 0, or the value given to exit(); 1: script or usage error; 2:\n"
	     "failure of the kernel or the system; 3: defect of sonde; 4: losses, with --strict");
}
