/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program: reads the command line and does what it asks for; walk.c traces.
 */
#include "codegen/codegen.h"
#include "runtime/base/colour.h"
#include "cli/recordings/recordings.h"
#include "cli/fmt.h"
#include "cli/kubernetes/kubernetes.h"
#include "cli/learn/learn.h"
#include "cli/scripts/scripts.h"
#include "cli/base/file_limit.h"
#include "cli/base/first_words.h"
#include "cli/options/option_rows.h"
#include "cli/options/options.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/expand/expand.h"
#include "parser/base/source.h"
#include "cli/prompt/prompt.h"
#include "cli/help/help.h"
#include "cli/run/run.h"
#include "runtime/list/info.h"
#include "runtime/kernel/floor.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/list/list.h"
#include "runtime/base/log.h"
#include "runtime/base/progress.h"
#include "runtime/base/signals.h"
#include "cli/stat/stat.h"
#include "cli/run/walk.h"
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* NAME --help, --help NAME */
static int help_script(struct options *o)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a};
	struct program *program = NULL;

	d.source = read_source(a, &o->args);
	if (d.source)
		program = parse(a, d.source, &d);
	if (program && !d.n_errors)
		expand_imports(a, program, &d);
	if (d.source)
		diags_print(&d, stderr, colour_is_wanted(STDERR_FILENO));
	if (program && !d.n_errors)
		scripts_help(program);
	arena_free(a);
	return program && !d.n_errors ? 0 : 1;
}

/* The word of first_words.def that help is asked on: `sonde WORD --help`, `sonde help WORD`. NULL:
 * none is. */
static const struct first_word *asked_word(const struct options *o)
{
	const char *word = o->help_topic ?: o->args.file;
	const struct first_word *w = word ? first_word_find(word) : o->first_word;

	if (o->first_word && o->help_topic && option_is_help(o->help_topic)) /* help --help */
		return o->first_word;
	return w && w->mode == MODE_HELP && !o->help_topic ? NULL : w;
}

static int help(struct options *o)
{
	char path[PATH_MAX];
	bool is_found;
	const struct first_word *w = asked_word(o);

	if (w) {
		if (o->help_topic && !option_is_help(o->help_topic))
			help_print(w->word);
		else
			help_print_command(w->word);
		return 0;
	}
	if (o->args.file || o->args.program)
		return help_script(o);
	if (!o->help_topic) {
		options_usage();
		return 0;
	}
	if (option_report_removed(o->help_topic, strlen(o->help_topic)))
		return 1;
	is_found = help_print(o->help_topic);
	if (scripts_find(o->help_topic, path, sizeof(path))) {
		if (!is_found)
			help_unknown(o->help_topic, scripts_each);
		return is_found ? 0 : 1;
	}
	o->args.file = o->help_topic;
	return help_script(o);
}

static int format(struct options *o)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a, .source = read_source(a, &o->args)};
	int status = 1;

	if (d.source) {
		status = fmt_run(a, o, &d);
		diags_print(&d, stderr, colour_is_wanted(STDERR_FILENO));
	}
	arena_free(a);
	return status;
}

static int list_pattern(const struct options *o)
{
	int status;
	struct kernel *k = walk_open_kernel(o, &status);

	if (k) {
		progress_stage(STAGE_LIST);
		status = list_probes(k, o->args.file, o->verbose, stdout);
		progress_stage(STAGE_NONE);
		kernel_close(k);
	}
	return status;
}

/* Has it a body, that is a brace behind a blank or a predicate? Patterns have braces, too, but
 * there blanks are in quotes. */
static bool is_program(const char *word)
{
	bool is_quoted = false;

	for (const char *c = word; *c; c++) {
		is_quoted ^= *c == '"';
		if (*c == '{' && !is_quoted && c > word && strchr(" \t\n/", c[-1]))
			return true;
	}
	return strncmp(word, "BEGIN{", 6) == 0;
}

static int list(const struct options *o)
{
	if (run_check_pid(o))
		return 1;
	if (list_names_script(&o->args))
		return walk(o);
	if (o->args.n_params) {
		log_error("-l takes one pattern: unexpected '%s'", o->args.params[0]);
		command_hint(&o->args, o->args.params[0]);
		return 1;
	}
	if (o->args.file && is_program(o->args.file)) {
		log_error("-l takes a pattern, and this is a program");
		log_hint(
			"-l -e 'PROGRAM' lists its probes, -l 'tracepoint:sched:*' all that match");
		return 1;
	}
	if (!o->args.file || *o->args.file)
		return list_pattern(o);
	log_error("-l requires a pattern, a file or no argument: the argument is empty");
	return 1;
}

static int info(const struct options *o)
{
	const struct info_build build = {.sonde = SONDE_VERSION, .llvm = codegen_llvm_version()};
	int status;
	struct kernel *k = walk_open_kernel(o, &status);

	if (!k)
		return status;
	status = floor_check(k) ? 2 : 0;
	info_print(k, &build, o->out.format == OUT_JSON, stdout);
	kernel_close(k);
	return status;
}

/* Write what is left of standard output. A reader that has gone away wanted no more of it. Returns
 * the exit status. */
static int finish_output(int status)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	int err = fflush(stdout) ? errno : 0;

	if (!err && !ferror(stdout))
		return status;
	if (err == EPIPE || (poll(&out, 1, 0) == 1 && out.revents & POLLERR))
		return status;
	log_error("cannot write standard output%s%s", err ? ": " : "", err ? strerror(err) : "");
	return status ? status : 2;
}

/* LLVM's static destructors would touch every page that its constructors did, which takes 0.4 ms.
 * Builds with sanitizers or coverage need the regular exit. */
static int leave(int status)
{
	status = finish_output(status);
#ifdef SONDE_LEAVE_AT_ONCE
	fflush(NULL);
	_exit(status);
#endif
	return status;
}

static int run_mode(struct options *o)
{
	switch (o->mode) {
	case MODE_HELP: return help(o);
	case MODE_VERSION: return puts("sonde " SONDE_VERSION) < 0;
	case MODE_LIST_ROWS: return reference_list_rows(false), 0;
	case MODE_LIST: return list(o);
	case MODE_INFO: return info(o);
	case MODE_SCRIPTS: return scripts_list();
	case MODE_CAT: return scripts_cat(o->args.params[0]);
	case MODE_FMT: return format(o);
	case MODE_REPORT: return report_run(o);
	case MODE_STAT: return stat_run(o);
	case MODE_LEARN: return learn_run(o);
	case MODE_KUBERNETES: return kubernetes_run(o);
	case MODE_FLAMEGRAPH: return flamegraph_run(o);
	case MODE_TRACE:
	case MODE_EXPLAIN:
	case MODE_CHECK: break;
	}
	return o->record.file	  ? replay_script(o)
	       : o->record.events ? record_events_run(o)
				  : walk(o);
}

/* Open closed standard descriptors, so that no file opened later takes their numbers and receives
 * output. Standard output is opened for reading, so that writing to it fails. */
static void keep_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	keep_standard_files();
	file_table_reserve();
	signals_prepare();
	if (argc == 1 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return leave(prompt_run());
	status = options_parse(&o, argc, argv);
	if (!status) {
		log_set_level(o.verbose ? LOG_VERBOSE : o.quiet ? LOG_WARNING : LOG_INFO);
		if (!o.quiet)
			progress_enable();
		status = run_mode(&o);
	}
	options_free(&o);
	return leave(status);
}
