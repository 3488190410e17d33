/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a script through the stages: source, AST, checked AST, plan, object, session. --emit
 * and --check end it between two stages.
 */
#include "cli/run/walk.h"
#include "cli/base/diag_report.h"
#include "cli/explain/explain.h"
#include "cli/scripts/scripts.h"
#include "cli/options/option_rows.h"
#include "cli/run/run.h"
#include "codegen/codegen.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"
#include "parser/lang/param_item.h"
#include "parser/sema/param.h"
#include "parser/sema/sema.h"
#include "runtime/base/clock.h"
#include "runtime/base/progress.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/kernel/in_container.h"
#include "runtime/kernel/caps.h"
#include "runtime/kernel/floor.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/stock_facts.h"
#include "runtime/base/log.h"
#include "runtime/session/scope.h"
#include <unistd.h>

/* What the options say to a kernel. */
static void set_kernel(struct kernel *k, const struct options *o)
{
	k->scope = &o->scope;
	k->any_place = o->compile.unsafe;
	k->is_thorough = o->mode == MODE_CHECK;
	k->denied = o->compile.denied;
	k->traceable_functions = o->compile.traceable_functions;
	k->include_dirs = o->compile.include_dirs;
	k->n_include_dirs = o->compile.n_include_dirs;
	k->include_files = o->compile.include_files;
	k->n_include_files = o->compile.n_include_files;
}

/* Without the right to read this kernel's tracepoints, scripts are checked against those of a stock
 * kernel. -1 after a message. */
static int use_stock(struct kernel *k, const struct options *o)
{
	bool is_read_only = o->mode == MODE_CHECK || o->mode == MODE_LIST ||
			    o->mode == MODE_EXPLAIN || (o->mode == MODE_TRACE && o->compile.emit);
	const char *name;

	if (!o->compile.facts && (!is_read_only || !caps_missing() || !stock_facts_needed(k)))
		return 0;
	if (!is_read_only)
		return log_error("--facts: only with --check, -l, --emit and 'sonde explain'");
	name = stock_facts_use(k, o->compile.facts);
	if (name && !o->compile.facts)
		log_info("this kernel's tracepoints cannot be read: those of %s are used instead",
			 name);
	return name || !o->compile.facts ? 0 : -1;
}

/* Is the running kernel too old? --info says what works there. */
static bool is_below_floor(struct kernel *k, const struct options *o)
{
	return !o->compile.facts && o->mode != MODE_INFO && !rights_are_interpreted(o) &&
	       floor_check(k);
}

struct kernel *walk_open_kernel(const struct options *o, int *status)
{
	struct kernel *k =
		o->compile.kernel_facts ? facts_file_open(o->compile.kernel_facts) : kernel_open();

	*status = k ? 0 : 1;
	if (k)
		set_kernel(k, o);
	if (!k || o->compile.kernel_facts)
		return k;
	if (is_below_floor(k, o))
		*status = 2;
	else if (use_stock(k, o))
		*status = 1;
	else
		return k;
	kernel_close(k);
	return NULL;
}

static enum plan_run run_of(const struct options *o)
{
	if (o->test || o->bench)
		return o->test ? RUN_TESTS : RUN_BENCHES;
	return o->mode == MODE_CHECK || o->compile.emit ? RUN_ALL : RUN_ORDINARY;
}

/* --mode compiler-bench: print how long a stage took that ends now. NULL: the next one begins. */
static void note_time(const struct options *o, const char *stage)
{
	static uint64_t begin;
	uint64_t now = o->compile.times ? clock_ns(CLOCK_MONOTONIC) : 0;

	if (o->compile.times && stage)
		printf("%-8s %8.3f ms\n", stage, (double)(now - begin) / 1e6);
	begin = now;
}

/* A program that does not end is often one whose quotes are missing: the shell has split it. */
static void hint_split(const struct options *o, struct diags *d)
{
	if (!o->args.program || !o->args.n_params || !d->n || d->items[d->n - 1].hint)
		return;
	if (strchr(o->args.program, '"')) /* it was in single quotes */
		diag_hint(
			d,
			"the shell split the program, and '%.40s' is a word of its own: in single quotes, "
			"an apostrophe is written '\\''",
			o->args.params[0]);
	else
		diag_hint(
			d,
			"the shell split the program, and '%.40s' is a word of its own: put all of "
			"it in single quotes: -e 'PROGRAM'",
			o->args.params[0]);
}

/* Tell the program what is on the command line. */
static void note_words(const struct options *o, struct program *p)
{
	p->unsafe = o->compile.unsafe;
	p->overrides = o->settings;
	p->n_overrides = o->n_settings;
	p->params = o->args.params;
	p->n_params = o->args.n_params;
	p->command = o->args.command;
	p->behind_command = o->args.behind_command;
	p->is_behind_option = o->args.is_behind_option;
}

/* An option of the script that sonde has itself reaches the script only behind "--", where users of
 * bpftrace write those of getopt(). */
static void check_options(const struct options *o, struct arena *a, const struct program *p,
			  struct diags *d)
{
	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];
		const char *name = param_option_name(a, item);
		const struct option_row *own;

		if (!item->is_option || !option_is_exact(FW_ANY, name, strlen(name)))
			continue;
		own = option_find(FW_ANY, name, strlen(name));
		if (o->mode == MODE_CHECK && !item->is_getopt)
			diag_error(d, item->name_span, "option-taken",
				   "sonde has an option %s, so the script does not get it", name);
		else if (o->mode == MODE_CHECK || option_is_given(o, own))
			diag_warning(d, item->name_span, "option-taken",
				     "%s is an option of sonde, and the script does not get it",
				     name);
		else
			continue;
		diag_hint(d,
			  "sonde's: %s, %s; the script's needs another name, or stands behind '--'",
			  option_form(a, own), own->help);
	}
}

/* All stages up to the plan. 0, or the exit status. *plan is NULL when nothing is left to do. */
static int front_end(struct arena *a, const struct options *o, struct kernel *k, struct diags *d,
		     struct program **program, struct plan **plan)
{
	bool is_interpreted = rights_are_interpreted(o);
	bool is_here = !o->compile.kernel_facts && !is_interpreted;
	struct plan_options po = {.run = run_of(o),
				  .kernel = is_interpreted && !o->record.source ? NULL : k,
				  .scope_tree =
					  (o->args.command || o->scope.follow) && !o->scope.system,
				  .scope_all =
					  is_here && !o->record.source &&
					  (o->scope.system || (!o->args.command && !o->scope.pid)),
				  .only_cgroup = o->scope.cgroup != NULL,
				  .warnings = o->warnings,
				  .pid_namespace = is_here && scope_pid_namespace(),
				  .max_stacks = o->compile.max_stacks,
				  .filter = o->compile.has_filter ? &o->compile.filter : NULL,
				  .sort = o->out.sort};
	int status;

	note_time(o, NULL);
	progress_begin();
	progress_stage(STAGE_PARSE);
	*plan = NULL;
	*program = parse(a, d->source, d);
	if (!*program || d->n_errors) {
		hint_split(o, d);
		return 1;
	}
	status = rights_check_program(o, *program);
	if (status)
		return status;
	note_words(o, *program);
	note_time(o, "parse");
	run_debug(o, EMIT_AST, k, *program, NULL);
	if (o->compile.emit == EMIT_TOKENS || o->compile.emit == EMIT_AST)
		return run_dump(o, k, *program, NULL);
	progress_stage(STAGE_CHECK);
	if (sema_run(a, *program, k, d))
		return 1;
	check_options(o, a, *program, d);
	if (d->n_errors)
		return 1;
	options_set_output(o, &(*program)->config);
	note_time(o, "check");
	run_debug(o, EMIT_TYPES, k, *program, NULL);
	if (o->mode == MODE_LIST)
		return list_script(k, *program, o->verbose, stdout);
	if (o->compile.emit == EMIT_TYPES || o->compile.emit == EMIT_FACTS)
		return run_dump(o, k, *program, NULL);
	progress_stage(STAGE_PLAN);
	*plan = plan_make(a, *program, &po, d);
	if (!*plan)
		return 1;
	(*plan)->duration_ns = (*program)->duration_ns;
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
	if (o->compile.emit == EMIT_PLAN)
		return run_dump(o, k, program, plan);
	if (o->compile.emit == EMIT_LLVM)
		return run_emit_llvm(o, program, plan, k);
	if (o->compile.emit)
		return run_emit(o, program, plan, k);
	if (o->mode == MODE_EXPLAIN)
		return explain_run(a, o, program, plan, k);
	if (o->compile.explain && o->mode == MODE_TRACE)
		status = explain_before_run(a, o, program, plan, k);
	if (status)
		return status;
	if (o->mode != MODE_CHECK)
		return run_trace(o, program, plan, k);
	note_time(o, NULL);
	status = run_check(program, plan, k, o->compile.times);
	note_time(o, "compile");
	return status;
}

int walk_in(const struct options *o, struct kernel *k)
{
	struct arena *a = arena_new();
	struct diags d = {.arena = a, .no_warnings = o->no_warnings};
	struct program *program;
	struct plan *plan;
	int status = 1;

	if (o->mode == MODE_CHECK && (o->out.format == OUT_JSON || o->out.format == OUT_JSONL))
		diag_report_as_json();
	set_kernel(k, o);
	d.source = read_source(a, &o->args);
	if (d.source) {
		status = front_end(a, o, k, &d, &program, &plan);
		progress_stage(STAGE_NONE);
		diag_report(&d);
		if (!status && plan)
			status = run_plan(a, o, program, plan, k);
	}
	arena_free(a);
	return status;
}

int walk(const struct options *o)
{
	int status;
	struct kernel *k = walk_open_kernel(o, &status);

	if (o->mode == MODE_TRACE && !o->compile.emit && !o->compile.kernel_facts &&
	    !rights_are_interpreted(o))
		in_container_warn();
	if (k) {
		status = walk_in(o, k);
		kernel_close(k);
	}
	return status;
}

void walk_warm(struct kernel *k)
{
	static const char text[] = "tracepoint:sched:sched_switch { @[comm] = count(); }";
	struct arena *a = arena_new();
	struct diags d = {.arena = a, .source = source_from_text(a, "warm", text, strlen(text))};
	struct options o = {.mode = MODE_TRACE};
	struct codegen_output out = {0};
	struct program *program;
	struct plan *plan;

	if (d.source && !rights_are_interpreted(&o) && !front_end(a, &o, k, &d, &program, &plan) &&
	    plan) {
		codegen_run(program, plan, CODEGEN_ELF, &d, &out);
		codegen_free(&out);
	}
	arena_free(a);
}
