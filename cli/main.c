/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program: reads the command line, then calls the stages in order: source, AST, checked AST,
 * plan, object, session. --emit and --check end the run between two stages.
 */
#include "codegen/codegen.h"
#include "runtime/base/colour.h"
#include "cli/compiled.h"
#include "cli/flamegraph.h"
#include "cli/fmt.h"
#include "cli/list_script.h"
#include "cli/options.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/base/escape.h"
#include "parser/expand/expand.h"
#include "parser/plan/plan.h"
#include "parser/sema/sema.h"
#include "parser/base/source.h"
#include "cli/reference.h"
#include "cli/report.h"
#include "cli/run.h"
#include "runtime/session/command.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/list/info.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/list/list.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/signals.h"
#include "runtime/session/session.h"
#include "cli/script_trust.h"
#include "cli/scripts.h"
#include "cli/stat.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_BYTES = 60 }; /* of a word in a message */

/* Read the script that `word` stands for. NULL after an error. */
static struct source *read_file(struct arena *a, const char *word)
{
	char path[PATH_MAX], anyway[PATH_MAX + 2];
	enum script_place place = scripts_locate(word, path, sizeof(path));
	struct source *s;

	snprintf(anyway, sizeof(anyway), "%s%s", strchr(path, '/') ? "" : "./", path);
	if (place == SCRIPT_FOUND && !script_is_trusted(path, word, anyway))
		return NULL;
	s = source_from_file(a, path);
	if (s && place == SCRIPT_BUNDLED)
		s->name = word; /* not where it is installed */
	if (s)
		return s;
	if ((errno == ENOENT || errno == ENAMETOOLONG) && strchr(word, '{')) {
		log_error("'%.*s%s' is a program, not the name of a file", SHOWN_BYTES, word,
			  strlen(word) > SHOWN_BYTES ? "…" : "");
		fputs("hint: write -e before it: sonde -e 'PROGRAM'\n", stderr);
		return NULL;
	}
	log_error("cannot read '%s': %s", place == SCRIPT_BUNDLED ? path : word, strerror(errno));
	if (errno == ENOENT)
		scripts_hint(word);
	return NULL;
}

static struct source *read_program(struct arena *a, const char *text)
{
	struct source *s = source_from_text(a, "stdin", text, strlen(text));

	if (!s)
		log_error("cannot read '-e': %s", strerror(errno));
	return s;
}

static bool is_elf(const struct source *s)
{
	return s->len > 4 && memcmp(s->text, "\177ELF", 4) == 0;
}

static void report_elf(const struct options *o)
{
	if (o->program) {
		log_error("the text after -e is an ELF file, not a script");
		return;
	}
	log_error("'%s' is an ELF file, not a script", o->file);
	fputs("hint: -l 'uprobe:", stderr);
	escape_write(ESCAPE_MESSAGE, o->file, stderr);
	fputs(":*' lists its functions\n", stderr);
}

static struct source *read_source(struct arena *a, const struct options *o)
{
	struct source *s = o->program ? read_program(a, o->program) : read_file(a, o->file);

	if (!s || !is_elf(s))
		return s;
	report_elf(o); /* each of its bytes would be an error */
	return NULL;
}

/* The same for what needs the text of a script. */
static struct source *read_script(struct arena *a, const struct options *o)
{
	struct source *s = read_source(a, o);

	if (!s || !compiled_is(s))
		return s;
	log_error("'%s' is a compiled script: this requires the script itself", o->file);
	return NULL;
}

/* NAME --help, --help NAME */
static int help_script(struct options *o)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a};
	struct program *program = NULL;

	d.source = read_script(a, o);
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

static int help(struct options *o)
{
	char path[PATH_MAX];

	if (o->file || o->program)
		return help_script(o);
	if (!o->help_topic)
		return options_usage(), 0;
	if (scripts_find(o->help_topic, path, sizeof(path)))
		return reference_help(o->help_topic);
	o->file = o->help_topic;
	return help_script(o);
}

static int format(struct options *o)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a, .source = read_script(a, o)};
	int status = 1;

	if (d.source) {
		status = fmt_run(a, o, &d);
		diags_print(&d, stderr, colour_is_wanted(STDERR_FILENO));
	}
	arena_free(a);
	return status;
}

static struct kernel *open_kernel(const struct options *o)
{
	struct kernel *k = o->kernel_facts ? facts_file_open(o->kernel_facts) : kernel_open();

	if (!k)
		return NULL;
	k->pid = (uint32_t)o->pid;
	k->any_place = o->unsafe;
	k->is_thorough = o->mode == MODE_CHECK;
	k->denied = o->denied;
	k->traceable_functions = o->traceable_functions;
	k->include_dirs = o->include_dirs;
	k->n_include_dirs = o->n_include_dirs;
	k->include_files = o->include_files;
	k->n_include_files = o->n_include_files;
	return k;
}

/* The program of -c, which uprobe:FUNCTION without a path refers to. */
static void note_program(struct arena *a, const struct options *o, struct kernel *k)
{
	char **words = o->command ? command_words(o->command) : NULL;

	if (words)
		k->program = arena_strdup(a, words[0]);
	command_free_words(words);
}

static enum plan_run run_of(const struct options *o)
{
	if (o->test || o->bench)
		return o->test ? RUN_TESTS : RUN_BENCHES;
	return o->mode == MODE_CHECK || o->emit ? RUN_ALL : RUN_ORDINARY;
}

/* --mode compiler-bench: print how long a stage took that ends now. NULL: the next one begins. */
static void note_time(const struct options *o, const char *stage)
{
	static uint64_t begin;
	uint64_t now = o->times ? clock_ns(CLOCK_MONOTONIC) : 0;

	if (o->times && stage)
		printf("%-8s %8.3f ms\n", stage, (double)(now - begin) / 1e6);
	begin = now;
}

/* All stages up to the plan. 0, or the exit status. *plan is NULL when nothing is left to do. */
static int front_end(struct arena *a, const struct options *o, struct kernel *k, struct diags *d,
		     struct program **program, struct plan **plan)
{
	struct plan_options po = {.run = run_of(o),
				  .kernel = k,
				  .scope_tree = o->mode == MODE_BUILD ||
						((o->command || o->follow) && !o->system),
				  .only_cgroup = o->cgroup != NULL,
				  .warnings = o->warnings,
				  .pid_namespace = !o->kernel_facts && scope_pid_namespace(),
				  .max_stacks = o->max_stacks,
				  .filter = o->has_filter ? &o->filter : NULL,
				  .sort = o->sort};

	note_time(o, NULL);
	*plan = NULL;
	*program = parse(a, d->source, d);
	if (!*program || d->n_errors)
		return 1;
	(*program)->unsafe = o->unsafe;
	(*program)->calibrate = o->calibrate - o->no_calibrate;
	(*program)->params = o->params;
	(*program)->n_params = o->n_params;
	(*program)->command = o->command;
	note_time(o, "parse");
	run_debug(o, EMIT_AST, k, *program, NULL);
	if (o->emit == EMIT_AST)
		return run_dump(o, k, *program, NULL);
	if (sema_run(a, *program, k, d))
		return 1;
	options_set_output(o, &(*program)->config);
	note_time(o, "check");
	run_debug(o, EMIT_TYPES, k, *program, NULL);
	if (o->mode == MODE_LIST)
		return list_script(k, *program, o->verbose, stdout);
	if (o->emit == EMIT_TYPES || o->emit == EMIT_FACTS)
		return run_dump(o, k, *program, NULL);
	*plan = plan_make(a, *program, &po, d);
	if (!*plan)
		return 1;
	note_time(o, "plan");
	run_debug(o, EMIT_PLAN, k, *program, *plan);
	return 0;
}

static int run_plan(struct arena *a, const struct options *o, const struct program *program,
		    struct plan *plan, struct kernel *k)
{
	int status = run_debug_code(o, program, plan, k);

	if (status)
		return status;
	if (o->emit == EMIT_PLAN)
		return run_dump(o, k, program, plan);
	if (o->emit == EMIT_LLVM)
		return run_emit_llvm(o, program, plan, k);
	if (o->emit)
		return run_emit(o, program, plan, k);
	if (o->mode == MODE_BUILD)
		return compiled_write(a, o, program, plan, k);
	if (o->mode != MODE_CHECK)
		return run_trace(o, program, plan, NULL, k);
	note_time(o, NULL);
	status = run_check(program, plan, k);
	note_time(o, "compile");
	return status;
}

/* A compiled script. The exit status. */
static int run_compiled(struct arena *a, const struct options *o, const struct source *s,
			struct kernel *k)
{
	struct compiled given;
	struct plan *plan;

	if (options_check_compiled(o))
		return 1;
	plan = compiled_read(a, o, s, k, &given);
	return plan ? run_trace(o, NULL, plan, &given, k) : 1;
}

static int walk(const struct options *o)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a, .no_warnings = o->no_warnings};
	struct kernel *k = open_kernel(o);
	struct program *program;
	struct plan *plan;
	int status = 1;

	if (k)
		note_program(a, o, k);
	if (k)
		d.source = read_source(a, o);
	if (d.source && compiled_is(d.source)) {
		status = run_compiled(a, o, d.source, k);
	} else if (d.source) {
		status = front_end(a, o, k, &d, &program, &plan);
		diags_print(&d, stderr, colour_is_wanted(STDERR_FILENO));
		if (!status && plan)
			status = run_plan(a, o, program, plan, k);
	}
	if (k)
		kernel_close(k);
	arena_free(a);
	return status;
}

static int list_pattern(const struct options *o)
{
	struct kernel *k = open_kernel(o);
	struct arena *a = arena_new();
	int status = 1;

	if (k) {
		note_program(a, o, k);
		status = list_probes(k, o->file, o->verbose, stdout);
		kernel_close(k);
	}
	arena_free(a);
	return status;
}

static int list(const struct options *o)
{
	if (run_check_pid(o))
		return 1;
	if (list_names_script(o))
		return walk(o);
	if (o->n_params) {
		log_error("-l takes one pattern: unexpected '%s'", o->params[0]);
		return 1;
	}
	if (!o->file || *o->file)
		return list_pattern(o);
	log_error("-l requires a pattern, a file or no argument: the argument is empty");
	return 1;
}

static int info(const struct options *o)
{
	const struct info_build build = {.sonde = SONDE_VERSION, .llvm = codegen_llvm_version()};
	struct kernel *k = open_kernel(o);

	if (!k)
		return 1;
	info_print(k, &build, o->format == OUT_JSON, stdout);
	kernel_close(k);
	return 0;
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
	case MODE_LIST_ROWS: return reference_list_rows(), 0;
	case MODE_LIST: return list(o);
	case MODE_INFO: return info(o);
	case MODE_SCRIPTS: return scripts_list();
	case MODE_CAT: return scripts_cat(o->params[0]);
	case MODE_FMT: return format(o);
	case MODE_REPORT: return report_run(o);
	case MODE_STAT: return stat_run(o);
	case MODE_FLAMEGRAPH: return flamegraph_run(o);
	case MODE_TRACE:
	case MODE_BUILD:
	case MODE_CHECK: break;
	}
	return walk(o);
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
	signals_prepare();
	status = options_parse(&o, argc, argv);
	if (!status) {
		log_set_level(o.verbose ? LOG_VERBOSE : o.quiet ? LOG_WARNING : LOG_INFO);
		status = run_mode(&o);
	}
	options_free(&o);
	return leave(status);
}
