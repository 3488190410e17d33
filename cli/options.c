/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options: one row each. The usage text, the parser and "did you mean" come from the rows.
 */
#include "cli/options.h"
#include "cli/script_line.h"
#include "parser/base/nearest.h"
#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option_row {
	const char *name;				/* "--duration", "-e" */
	const char *other;				/* a second spelling, or NULL */
	const char *arg;				/* what its argument is called, or NULL */
	int (*set)(struct options *o, const char *arg); /* 0, or -1 with the mistake said */
	const char *help;
};

static int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int usage_error(const char *fmt, ...)
{
	va_list ap;

	fputs("sonde: error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\nhint: 'sonde --help' lists the options\n", stderr);
	return -1;
}

/* ---- setters ------------------------------------------------------------------------------- */

static int set_program(struct options *o, const char *arg)
{
	o->program = arg;
	return 0;
}

static int set_command(struct options *o, const char *arg)
{
	o->command = arg;
	return 0;
}

static int set_pid(struct options *o, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (*end || end == arg || n == 0 || n > 4194304)
		return usage_error("'%s' is not a process id", arg);
	o->pid = (uint32_t)n;
	return 0;
}

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {{"s", 1000000000}, {"", 1000000000},   {"ms", 1000000},
	     {"us", 1000},	{"m", 60000000000}, {"h", 3600000000000}};

static int read_time(const char *arg, uint64_t *ns)
{
	char *end;
	unsigned long long n = strtoull(arg, &end, 10);

	for (size_t i = 0; end != arg && *arg != '-' && i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].unit, end) == 0 && n > 0 && n <= UINT64_MAX / units[i].ns / 2) {
			*ns = n * units[i].ns;
			return 0;
		}
	return usage_error("'%s' is not a duration: write 10s, 500ms or 5m", arg);
}

static int set_duration(struct options *o, const char *arg)
{
	return read_time(arg, &o->duration_ns);
}

static int set_interval(struct options *o, const char *arg)
{
	if (read_time(arg, &o->interval_ns))
		return -1;
	return o->interval_ns >= 1000000
		       ? 0
		       : usage_error("an interval of %s is too short: 1ms at least", arg);
}

static int set_reset(struct options *o, const char *arg)
{
	(void)arg;
	o->reset = true;
	return 0;
}

static int set_max_stacks(struct options *o, const char *arg)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (*end || end == arg || *arg == '-' || n == 0 || n > 1 << 24)
		return usage_error("'%s' is no number of stacks: 1 to 16777216", arg);
	o->max_stacks = (uint32_t)n;
	return 0;
}

static int set_strict(struct options *o, const char *arg)
{
	(void)arg;
	o->strict = true;
	return 0;
}

static int set_dry_run(struct options *o, const char *arg)
{
	(void)arg;
	o->dry_run = true;
	return 0;
}

static int set_test(struct options *o, const char *arg)
{
	(void)arg;
	o->test = true;
	return 0;
}

static int set_bench(struct options *o, const char *arg)
{
	(void)arg;
	o->bench = true;
	return 0;
}

static int set_follow(struct options *o, const char *arg)
{
	(void)arg;
	o->follow = true;
	return 0;
}

static int set_cgroup(struct options *o, const char *arg)
{
	o->cgroup = arg;
	return 0;
}

static int set_format(struct options *o, const char *arg)
{
	if (strcmp(arg, "text") == 0)
		o->format = FORMAT_TEXT;
	else if (strcmp(arg, "json") == 0)
		o->format = FORMAT_JSON;
	else
		return usage_error("'%s' is no output format: text or json", arg);
	return 0;
}

static const struct {
	const char *name;
	enum buffering buffering;
} bufferings[] = {{"line", BUFFER_LINE}, {"full", BUFFER_FULL}, {"none", BUFFER_NONE}};

static int set_buffering(struct options *o, const char *arg)
{
	for (size_t i = 0; i < sizeof(bufferings) / sizeof(*bufferings); i++)
		if (strcmp(bufferings[i].name, arg) == 0) {
			o->buffering = bufferings[i].buffering;
			return 0;
		}
	return usage_error("'%s' is no buffering: line, full or none", arg);
}

static int set_output(struct options *o, const char *arg)
{
	o->output = arg;
	return 0;
}

static int set_facts(struct options *o, const char *arg)
{
	o->kernel_facts = arg;
	return 0;
}

static int set_verbose(struct options *o, const char *arg)
{
	(void)arg;
	o->verbose = true;
	return 0;
}

static int set_quiet(struct options *o, const char *arg)
{
	(void)arg;
	o->quiet = true;
	return 0;
}

static int set_system(struct options *o, const char *arg)
{
	(void)arg;
	o->system = true;
	return 0;
}

static int set_unsafe(struct options *o, const char *arg)
{
	(void)arg;
	o->unsafe = true;
	return 0;
}

static int set_self(struct options *o, const char *arg)
{
	(void)arg;
	o->self = true;
	return 0;
}

static int set_check(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_CHECK;
	return 0;
}

static const struct {
	const char *name;
	enum emit_stage stage;
} stages[] = {
	{"ast", EMIT_AST},	 {"types", EMIT_TYPES}, {"plan", EMIT_PLAN}, {"ir", EMIT_IR},
	{"ir-opt", EMIT_IR_OPT}, {"asm", EMIT_ASM},	{"elf", EMIT_ELF},   {"facts", EMIT_FACTS},
};

static int set_emit(struct options *o, const char *arg)
{
	for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++)
		if (strcmp(stages[i].name, arg) == 0) {
			o->emit = stages[i].stage;
			return 0;
		}
	return usage_error(
		"'%s' cannot be emitted: ast, types, plan, ir, ir-opt, asm, elf or facts", arg);
}

static int set_ready_fd(struct options *o, const char *arg)
{
	char *end;
	long n = strtol(arg, &end, 10);

	if (*end || end == arg || n < 0 || n > 1 << 20)
		return usage_error("'%s' is not a file descriptor", arg);
	if (fcntl((int)n, F_GETFD) < 0)
		return usage_error(
			"file descriptor %ld is not open: write %ld>FILE behind the command", n, n);
	if ((fcntl((int)n, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return usage_error("file descriptor %ld is open for reading: write %ld>FILE", n, n);
	o->ready_fd = (int)n;
	return 0;
}

static int set_version(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_VERSION;
	return 0;
}

static int set_help(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_HELP;
	return 0;
}

static int set_list(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_LIST;
	return 0;
}

static int set_info(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_INFO;
	return 0;
}

static int set_scripts(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_SCRIPTS;
	return 0;
}

static int set_list_rows(struct options *o, const char *arg)
{
	(void)arg;
	o->mode = MODE_LIST_ROWS;
	return 0;
}

static const struct option_row rows[] = {
	{"-e", NULL, "PROGRAM", set_program, "run this text instead of a file"},
	{"-c", "--cmd", "COMMAND", set_command,
	 "run a command and trace it and its descendants; the run ends with it"},
	{"-p", "--pid", "PID", set_pid,
	 "trace this process, all its threads; the run ends with it"},
	{"-l", "--list", NULL, set_list,
	 "list what can be probed: all, a PATTERN (with -p, of the process), a script's; -lv: arguments, too"},
	{"--system", NULL, NULL, set_system, "with -c or -p: trace everything, not only that"},
	{"--follow", NULL, NULL, set_follow, "with -p: trace what the process starts, too"},
	{"--cgroup", NULL, "PATH", set_cgroup,
	 "trace only what is in this cgroup (v2) or below it; with -c or -p both must hold"},
	{"--self", NULL, NULL, set_self, "trace sonde itself too"},
	{"--unsafe", NULL, NULL, set_unsafe,
	 "allow what can break programs: uprobes at addresses that no function holds"},
	{"--duration", NULL, "TIME", set_duration, "end after 10s, 500ms, 5m"},
	{"-o", "--output", "FILE", set_output, "write results to FILE"},
	{"-f", "--format", "FORMAT", set_format, "how results are written: text (default) or json"},
	{"-B", NULL, "MODE", set_buffering,
	 "write results at each line's end (line), when a buffer is full (full), at once (none)"},
	{"--interval", NULL, "TIME", set_interval, "print all maps every 1s, 500ms, 5m"},
	{"--reset", NULL, NULL, set_reset,
	 "with --interval: empty them too, nothing is lost between"},
	{"--max-stacks", NULL, "N", set_max_stacks,
	 "how many different stacks are kept, 131072 when nothing is said; more are counted as lost"},
	{"--strict", NULL, NULL, set_strict, "exit status 4 when anything was lost"},
	{"-v", "--verbose", NULL, set_verbose, "say what is done, and all of a verifier log"},
	{"-q", "--quiet", NULL, set_quiet, "only results, warnings and errors"},
	{"--check", NULL, NULL, set_check, "check the script, load nothing"},
	{"--dry-run", NULL, NULL, set_dry_run, "load the programs, attach them, and stop"},
	{"--test", NULL, NULL, set_test, "run the script's tests (test:NAME) and nothing else"},
	{"--bench", NULL, NULL, set_bench,
	 "run the script's benchmarks (bench:NAME) and nothing else"},
	{"--emit", NULL, "STAGE", set_emit,
	 "print a stage of compiling and stop: ast types plan ir ir-opt asm elf; facts: see --kernel-facts"},
	{"--kernel-facts", NULL, "FILE", set_facts,
	 "ask FILE, made by --emit facts, not this kernel, which tracepoints and functions exist"},
	{"--ready-fd", NULL, "N", set_ready_fd,
	 "write 'ready' and a newline to descriptor N when all probes are attached"},
	{"--scripts", NULL, NULL, set_scripts,
	 "list the bundled scripts; 'sonde NAME' runs one, 'sonde cat NAME' shows it"},
	{"--info", NULL, NULL, set_info,
	 "what this kernel, this machine and this build can do; -f json: for programs"},
	{"--list-rows", NULL, NULL, set_list_rows, "names of all builtins and probe types"},
	{"--version", "-V", NULL, set_version, "print the version"},
	{"--help", "-h", NULL, set_help,
	 "this text; --help builtins, --help probes: what there is"},
};
enum { N_ROWS = sizeof(rows) / sizeof(*rows) };

/* ---- reading ------------------------------------------------------------------------------- */

static bool is_option(const struct option_row *r, const char *word, size_t len)
{
	return (strlen(r->name) == len && strncmp(r->name, word, len) == 0) ||
	       (r->other && strlen(r->other) == len && strncmp(r->other, word, len) == 0);
}

static const struct option_row *find_option(const char *word, size_t len)
{
	for (int i = 0; i < N_ROWS; i++)
		if (is_option(&rows[i], word, len))
			return &rows[i];
	return NULL;
}

static int unknown_option(const char *word)
{
	struct nearest near;

	nearest_init(&near, word);
	for (int i = 0; i < N_ROWS; i++) {
		nearest_offer(&near, rows[i].name);
		if (rows[i].other)
			nearest_offer(&near, rows[i].other);
	}
	fprintf(stderr, "sonde: error: unknown option '%s'\n", word);
	if (near.best)
		fprintf(stderr, "hint: did you mean '%s'?\n", near.best);
	else
		fputs("hint: 'sonde --help' lists the options\n", stderr);
	return -1;
}

/* One option at argv[*i], in any of the forms -e X, -eX, --pid X, --pid=X. */
static int read_option(struct options *o, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *equals = strchr(word, '='), *arg = NULL;
	size_t len = word[1] == '-' && equals ? (size_t)(equals - word) : strlen(word);
	const struct option_row *r = find_option(word, len);

	if (!r && word[1] != '-' && len > 2) {
		r = find_option(word, 2);
		if (r && !r->arg && isalpha((unsigned char)word[2])) { /* -lv is -l -v */
			argv[*i] += 1;
			argv[*i][0] = '-';
			return r->set(o, NULL) ? -1 : read_option(o, argc, argv, i);
		}
		arg = word + 2;
	} else if (len < strlen(word)) {
		arg = equals + 1;
	}
	if (!r)
		return unknown_option(word);
	if (!r->arg && arg)
		return usage_error("option '%s' takes no value", r->name);
	if (r->arg && !arg) {
		if (*i + 1 >= argc)
			return usage_error("option '%s' wants a value", r->name);
		arg = argv[++*i];
	}
	return r->set(o, arg);
}

/* What is said of a run has no meaning when there is none. */
static int check_list(const struct options *o)
{
	const char *name = o->duration_ns	      ? "--duration"
			   : o->interval_ns	      ? "--interval"
			   : o->reset		      ? "--reset"
			   : o->follow		      ? "--follow"
			   : o->cgroup		      ? "--cgroup"
			   : o->output		      ? "-o"
			   : o->format == FORMAT_JSON ? "-f json"
			   : o->dry_run		      ? "--dry-run"
			   : o->test		      ? "--test"
			   : o->bench		      ? "--bench"
			   : o->system		      ? "--system"
						      : NULL;

	if (name)
		return usage_error("%s is about tracing: -l lists and ends", name);
	if (o->program && o->file)
		return usage_error("-l is of the program after -e or of '%s': one of them",
				   o->file);
	return o->command && o->pid ? usage_error("-c and -p exclude each other") : 0;
}

/* Modes that take no word: the option, NULL for other modes. */
static const char *wordless_option(const struct options *o)
{
	switch (o->mode) {
	case MODE_VERSION: return "--version";
	case MODE_LIST_ROWS: return "--list-rows";
	case MODE_INFO: return "--info";
	case MODE_SCRIPTS: return "--scripts";
	case MODE_TRACE:
	case MODE_CHECK:
	case MODE_HELP:
	case MODE_LIST:
	case MODE_CAT: break;
	}
	return NULL;
}

/* -e counts as a word: it is ignored, too. */
static int check_wordless(const struct options *o, const char *option)
{
	const char *word = o->file ? o->file : o->program ? "-e" : NULL;

	return word ? usage_error("%s takes no argument: unexpected '%s'", option, word) : 0;
}

static int check_help(const struct options *o)
{
	const char *word = o->help_topic && o->file	  ? o->help_topic
			   : o->help_topic && o->n_params ? o->params[0]
							  : NULL;

	return word ? usage_error("--help takes one topic: unexpected '%s'", word) : 0;
}

static int check_cat(const struct options *o)
{
	if (o->n_params == 1)
		return 0;
	if (o->n_params)
		return usage_error("'sonde cat' takes one script: unexpected '%s'", o->params[1]);
	return usage_error("'sonde cat' needs the name of a bundled script; './cat' is the file");
}

static int check_combination(const struct options *o)
{
	const char *wordless = wordless_option(o);

	if (wordless)
		return check_wordless(o, wordless);
	if (o->mode == MODE_LIST)
		return check_list(o);
	if (o->mode == MODE_HELP)
		return check_help(o);
	if (o->mode == MODE_CAT)
		return check_cat(o);
	if (o->program && o->file)
		return usage_error("there is a program after -e and a file, '%s': one of them",
				   o->file);
	if (!o->program && !o->file)
		return usage_error("there is nothing to run: write -e 'PROGRAM' or a FILE");
	if (o->command && o->pid)
		return usage_error("-c and -p exclude each other");
	if (o->test && o->bench)
		return usage_error("--test and --bench exclude each other");
	if (o->follow && !o->pid)
		return usage_error("--follow goes with -p PID (-c follows by itself)");
	if (o->cgroup && o->system)
		return usage_error("--cgroup and --system exclude each other");
	if (o->reset && !o->interval_ns)
		return usage_error("--reset goes with --interval TIME");
	return 0;
}

/* A word for the script. They are moved together in argv, behind the options read so far. */
static void add_param(struct options *o, char **argv, int i)
{
	if (!o->params)
		o->params = (const char *const *)argv;
	argv[o->n_params++] = argv[i];
}

/* Behind "--" all words are the script's; the first is its name when there is none yet. */
static void take_params(struct options *o, int argc, char **argv, int i)
{
	if (!o->file && !o->program && i < argc)
		o->file = argv[i++];
	for (; i < argc; i++)
		add_param(o, argv, i);
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

int options_parse(struct options *o, int argc, char **argv)
{
	int i = 1;

	*o = (struct options){.ready_fd = -1};
	if (is_script_line(argc, argv) && read_script_line(o, argv[i++]))
		return 1;
	for (; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			take_params(o, argc, argv, i + 1);
			break;
		}
		if (argv[i][0] == '-' && argv[i][1]) {
			if (read_option(o, argc, argv, &i))
				return 1;
		} else if (o->mode == MODE_HELP && !o->help_topic) {
			o->help_topic = argv[i];
		} else if (!o->file && !o->program && !o->help_topic) {
			o->file = argv[i];
		} else {
			add_param(o, argv, i);
		}
	}
	if (o->file && strcmp(o->file, "cat") == 0 && o->mode == MODE_TRACE)
		o->mode = MODE_CAT;
	return check_combination(o) ? 1 : 0;
}

/* ---- help ---------------------------------------------------------------------------------- */

static void print_row(const struct option_row *r)
{
	char left[64];

	snprintf(left, sizeof(left), "%s%s%s%s%s", r->name, r->other ? ", " : "",
		 r->other ? r->other : "", r->arg ? " " : "", r->arg ? r->arg : "");
	printf("  %-24s %s\n", left, r->help);
}

void options_usage(void)
{
	puts("usage: sonde [options] -e 'PROGRAM' [WORD…]\n"
	     "       sonde [options] FILE [WORD…]\n"
	     "       sonde -l [PATTERN | FILE | -e 'PROGRAM']\n\n"
	     "Traces this machine with eBPF. A program is a list of probes with what to do when they\n"
	     "fire; words behind it are its parameters $1, $2 …; '--' ends the options:\n\n"
	     "  sonde -e 'tracepoint:sched:sched_switch < @[kstack, ustack] = sum(delta) >'\n\n"
	     "options:");
	for (int i = 0; i < N_ROWS; i++)
		print_row(&rows[i]);
	puts("\nexit status: 0, or exit()'s value; 1 script or usage error; 2 the kernel or the system\n"
	     "refused; 3 a defect of sonde; 4 losses, with --strict");
}
