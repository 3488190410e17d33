/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages after the plan: prints what it compiles to (--emit), or traces. While the child
 * compiles, the parent prepares what does not need the object.
 */
#include "cli/run/run.h"
#include "cli/base/file_limit.h"
#include "cli/base/near_program.h"
#include "cli/base/output_file.h"
#include "cli/compile/compile.h"
#include "cli/compile/emit_code.h"
#include "cli/compile/emit_facts.h"
#include "cli/options/option_rows.h"
#include "parser/base/text.h"
#include "parser/lang/ast.h"
#include "parser/syntax/ast_dump.h"
#include "parser/syntax/token_dump.h"
#include "runtime/output/out_tap.h"
#include "runtime/output/live_screen.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/progress.h"
#include "runtime/run/loop.h"
#include "runtime/load/memory_reserve.h"
#include "runtime/calibrate/calibrate.h"
#include "runtime/session/event_source.h"
#include "runtime/session/session.h"
#include "runtime/load/load.h"
#include "runtime/session/prep.h"
#include "runtime/run/lifetime.h"
#include "runtime/session/scope.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* Tracepoint formats could not be read, so the offsets of fields are unknown. */
static int refuse_unchecked(const struct kernel *k)
{
	if (!k->unchecked)
		return 0;
	log_error("cannot read the kernel's tracepoints: %s%s", strerror(-k->unchecked),
		  k->unchecked == -EACCES || k->unchecked == -EPERM
			  ? ": this requires CAP_SYS_ADMIN, or a mounted and readable tracefs"
			  : limit_hint(k->unchecked));
	return 2;
}

static void dump(enum emit_stage stage, struct kernel *k, const struct program *program,
		 const struct plan *plan, FILE *f)
{
	if (stage == EMIT_TOKENS)
		token_dump(program->source, f);
	else if (stage == EMIT_FACTS)
		emit_facts(k, program, f);
	else if (stage == EMIT_PLAN)
		plan_dump(plan, k->n_cpus(k), f);
	else
		ast_dump(program, stage == EMIT_TYPES, f);
}

int run_dump(const struct options *o, struct kernel *k, const struct program *program,
	     const struct plan *plan)
{
	FILE *f = output_open(o->out.path);

	if (!f)
		return 2;
	dump(o->compile.emit, k, program, plan, f);
	return output_close(o->out.path, f);
}

void run_debug(const struct options *o, enum emit_stage stage, struct kernel *k,
	       const struct program *program, const struct plan *plan)
{
	if (o->compile.dumps >> stage & 1)
		dump(stage, k, program, plan, stderr);
}

int run_debug_code(const struct options *o, const struct program *program, const struct plan *plan,
		   const struct kernel *k)
{
	int status = 0;

	for (enum emit_stage stage = EMIT_IR; !status && stage <= EMIT_ASM; stage++)
		if (o->compile.dumps >> stage & 1)
			status = refuse_unchecked(k) ?: emit_code(stage, program, plan, stderr);
	return status;
}

int run_emit(const struct options *o, const struct program *program, const struct plan *plan,
	     const struct kernel *k)
{
	int status;
	FILE *f;

	if (refuse_unchecked(k))
		return 2;
	if (o->compile.emit == EMIT_ELF && !o->out.path && isatty(STDOUT_FILENO)) {
		log_error("not writing an ELF file to a terminal: give -o FILE");
		return 1;
	}
	f = output_open(o->out.path);
	if (!f)
		return 2;
	status = emit_code(o->compile.emit, program, plan, f);
	return output_close(o->out.path, f) ?: status;
}

int run_emit_llvm(const struct options *o, const struct program *program, const struct plan *plan,
		  const struct kernel *k)
{
	static const struct {
		enum emit_stage stage;
		const char *suffix;
	} files[] = {{EMIT_IR, "original"}, {EMIT_IR_OPT, "optimized"}};
	char path[PATH_MAX];
	int status = 0;

	for (size_t i = 0; !status && i < sizeof(files) / sizeof(*files); i++) {
		struct options one = *o;

		snprintf(path, sizeof(path), "%s.%s.ll", o->compile.emit_prefix, files[i].suffix);
		one.compile.emit = files[i].stage;
		one.out.path = path;
		status = run_emit(&one, program, plan, k);
	}
	return status;
}

int run_check(const struct program *program, const struct plan *plan, const struct kernel *k,
	      bool is_whole)
{
	/* imported files are linked with the whole */
	enum codegen_stage stage = is_whole || program->n_bpf_imports ? CODEGEN_ELF : CODEGEN_CHECK;
	struct compile c;
	int status = 2;

	if (k->unchecked)
		return 0;
	if (!compile_start(&c, program, plan, stage))
		status = compile_wait(&c);
	compile_end(&c);
	return status;
}

int run_check_pid(const struct options *o)
{
	if (!o->scope.pid || kill((pid_t)o->scope.pid, 0) == 0 || errno != ESRCH)
		return 0;
	log_error("-p: no process %u", o->scope.pid);
	log_hint("'pgrep NAME' prints the numbers of processes");
	return 1;
}

/* A page or file of stacks or spans would be empty. 0, or the exit status after a message. */
static int check_format(const struct options *o, const struct plan *plan)
{
	static const char *const examples[] = {
		[OUT_NEEDS_STACKS] = "@[kstack, ustack] = count()",
		[OUT_NEEDS_SPANS] = "uretprobe:PROGRAM:* { span(); }",
		[OUT_NEEDS_HISTOGRAM] = "@ = hist(delta)",
	};
	const char *lacks = out_format_lacks(o->out.format, plan);
	const char *name = out_formats[o->out.format].name;
	char maps[128] = "";

	if (!lacks || o->test || o->bench || o->dry_run)
		return 0;
	for (uint32_t i = 0; i < plan->n_maps; i++)
		TEXT_LIST(maps, sizeof(maps), "%s%s", plan->maps[i].name,
			  plan->maps[i].n_keys ? "[…]" : "");
	if (option_given(o, "-f"))
		log_error("-f %s needs %s: this script has %s", name, lacks,
			  *maps ? maps : "no map");
	else
		log_error("-o %s: '%s' means -f %s, which needs %s: this script has %s",
			  o->out.path, out_formats[o->out.format].ending, name, lacks,
			  *maps ? maps : "no map");
	log_hint("write %s; maps are printed by -f text",
		 examples[out_formats[o->out.format].needs]);
	return 1;
}

/* --interval, of a script that prints all it has itself. */
static void check_interval(const struct options *o, const struct plan *plan)
{
	if (o->out.interval_ns && !FIND(plan->maps, plan->n_maps, !item->is_kept_back))
		log_warning("%s: this script has no map to print: it prints its results itself",
			    o->out.format == OUT_LIVE ? "--live" : "--interval");
}

static int check_cgroup(const struct options *o, struct scope_found *out)
{
	int err = o->scope.cgroup ? scope_find_cgroup(o->scope.cgroup, out) : 0;

	if (err == -EINVAL)
		log_error("--cgroup: '%s' is not a cgroup of version 2: write its directory, as in "
			  "/sys/fs/cgroup/system.slice",
			  o->scope.cgroup);
	else if (err)
		log_error("--cgroup: cannot open '%s': %s: write a directory of "
			  "/sys/fs/cgroup",
			  o->scope.cgroup, strerror(-err));
	return err ? 1 : 0;
}

bool run_is_of_the_system(int err)
{
	return err == -EAGAIN || err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EIO;
}

static int start_command(const struct options *o, struct command *c)
{
	const char *program = o->scope.program;
	int err;

	/* The command must not keep it open: the reader may wait for its end. Its own standard
	 * streams it keeps. */
	if (o->ready_fd > STDERR_FILENO)
		fcntl(o->ready_fd, F_SETFD, FD_CLOEXEC);
	err = command_start(c, o->scope.command);
	if (err)
		log_error("-c: cannot run '%s': %s%s", program, strerror(-err),
			  limit_hint_process(err));
	if (err == -ENOENT && !near_program_hint(program))
		log_hint("write a program of PATH, or its path");
	else if (err == -EACCES)
		log_hint("it is not executable: chmod +x %s, if it is a program", program);
	return !err ? 0 : run_is_of_the_system(err) ? 2 : 1;
}

/* Hand what is known of the run, *facts, to a writer that keeps it: it is freed after the writer. 0
 * or -errno after a message. */
static int begin_output(const struct options *o, const struct plan *plan, struct run_facts *facts,
			struct out *out)
{
	if (!out->begin)
		return 0;
	run_facts_make(facts, o, plan);
	return out->begin(out, &facts->run);
}

static int trace(const struct options *o, struct session *s, struct command *c,
		 struct memory_reserve *reserve, FILE *f)
{
	struct loop_options lo = {.command = c,
				  .reserve = reserve,
				  .duration_ns = o->duration_ns ?: s->plan->duration_ns,
				  .start = o->start,
				  .interval_ns = o->out.interval_ns,
				  .reset = o->out.reset,
				  .strict = o->strict,
				  .stats = o->stats,
				  .max_overhead = o->max_overhead,
				  .dry_run = o->dry_run,
				  .tests = o->test || o->bench,
				  .buffering = o->out.buffering,
				  .ready_fd = o->ready_fd,
				  .quiet = o->quiet,
				  .no_warnings = o->no_warnings,
				  .after = o->watch ? o->watch->after : NULL,
				  .after_ctx = o->watch ? o->watch->ctx : NULL};
	struct out *out = out_format_new(o->out.format, f, s->plan, o->out.format_word);
	struct run_facts facts = {.arguments = NULL};
	int status = 2;

	if (out && o->watch && o->watch->rows && out_tap(out, o->watch->rows)) {
		out->close(out);
		out = NULL;
	}
	if (out && begin_output(o, s->plan, &facts, out) == 0)
		status = loop_run(s, out, &lo);
	if (out)
		out->close(out);
	else
		log_error("cannot write the output: %s", strerror(errno));
	run_facts_free(&facts);
	return status;
}

/* From here on, failures of the kernel and the system have status 2. */
static int compile_and_trace(const struct options *o, const struct program *program,
			     const struct plan *plan, struct kernel *k, struct command *command,
			     const struct scope_found *found, FILE *f)
{
	struct memory_reserve reserve;
	struct session_prep prep;
	struct compile c;
	struct session s;
	int status = 2, err;

	progress_stage(STAGE_PREPARE);
	err = compile_start(&c, program, plan, CODEGEN_ELF);
	file_limit_raise();
	memory_reserve_start(&reserve, plan);
	session_prepare(&prep, plan, k, found, rights_are_interpreted(o));
	prep.source = o->record.source;
	prep.tracer_time = plan->needs.tracer_time ? &calibrate_tracer_time : NULL;
	prep.tracer_share = calibrate_tracer_share;
	prep.tries_reads =
		o->record.event_facts != NULL; /* a recorder tries what may be a string */
	if (prep.source)
		prep.source->prepare(prep.source, &prep);
	progress_stage(STAGE_COMPILE);
	if (!err)
		status = compile_wait(&c);
	progress_stage(STAGE_LOAD);
	if (!status) {
		status = session_open(&s, plan, k, &prep, c.bytes, c.len)
				 ? 2
				 : trace(o, &s, command, &reserve, f);
		session_close(&s);
	}
	memory_reserve_release(&reserve);
	session_prep_free(&prep);
	compile_end(&c);
	progress_stage(STAGE_NONE);
	return status;
}

int run_trace(const struct options *o, const struct program *program, const struct plan *plan,
	      struct kernel *k)
{
	struct command command = {.gate = -1, .report = -1, .is_hidden = o->out.format == OUT_LIVE};
	struct scope_found found = {0};
	int status = rights_check_plan(o, plan) ?: refuse_unchecked(k), closed;
	const char *path; /* NULL: the writer replaces it itself */
	FILE *f;

	if (!status)
		status = run_check_pid(o) ?: check_format(o, plan) ?: check_cgroup(o, &found);
	if (!status && !o->test && !o->bench)
		scope_warn(o, program);
	if (!status && !o->no_warnings) {
		no_effect_warn(o, plan);
		check_interval(o, plan);
	}
	if (!status && o->out.format == OUT_LIVE)
		status = live_screen_can_draw() ? 0 : 1;
	if (!status && o->scope.command)
		status = start_command(o, &command);
	if (status)
		return status;
	found.command = (uint32_t)command.pid;
	found.program = command.pid ? command.program : NULL;
	path = out_formats[o->out.format].traits & OUT_METRICS ? NULL : o->out.path;
	f = output_open(path);
	status = f ? compile_and_trace(o, program, plan, k, &command, &found, f) : 2;
	command_stop(&command);
	closed = f ? output_close(path, f) : 0;
	return status ?: closed;
}
