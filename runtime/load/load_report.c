/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports why an object could not be loaded: the verifier's log, translated where it is known
 * (verifier_log.c), a missing capability of the kernel, or the plain error. Keeps what libbpf
 * prints while it loads.
 */
#include "runtime/load/load_report.h"
#include "parser/lang/bpf_import.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/kernel/missing_capability.h"
#include "runtime/load/load_limit.h"
#include "runtime/load/memory_needed.h"
#include "runtime/session/session.h"
#include "runtime/load/verifier_log.h"
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What libbpf printed; its print function is global. A verifier log can have megabytes. */
static VEC(char) kept;

__attribute__((format(printf, 2, 0))) static int keep_message(enum libbpf_print_level level,
							      const char *fmt, va_list ap)
{
	char *line = NULL;
	int n;

	if (level == LIBBPF_DEBUG)
		return 0;
	n = vasprintf(&line, fmt, ap);
	if (n < 0)
		return n;
	if (!vec_append(&kept, line, (size_t)n + 1))
		kept.n--; /* the next message begins at the NUL */
	free(line);
	return n;
}

void load_report_begin(void)
{
	libbpf_set_print(keep_message);
}

void load_report_clear(void)
{
	kept.n = 0;
	if (kept.items)
		kept.items[0] = 0;
}

void load_report_end(void)
{
	vec_free(&kept);
}

enum { LAST_LINES = 12 };

static const char *last_lines(const char *text, int n)
{
	const char *p = text + strlen(text);

	while (p > text && n >= 0)
		n -= *--p == '\n';
	return p > text ? p + 1 : text;
}

static uint32_t refused_prog(const struct session *s, const struct verifier_message *v)
{
	for (uint32_t i = 0; v->program && i < s->plan->n_progs; i++) {
		const struct plan_prog *g = &s->plan->progs[i];

		if (strlen(g->symbol) == v->program_len &&
		    memcmp(g->symbol, v->program, v->program_len) == 0)
			return i;
	}
	return UINT32_MAX;
}

/* The refused program, as the user knows it. */
static const char *refused_probe(const struct session *s, const struct verifier_message *v)
{
	uint32_t prog = refused_prog(s, v);

	return prog == UINT32_MAX ? "the script" : session_prog_name(s, prog);
}

static void report_refusal(const struct session *s, const struct verifier_message *v)
{
	/* without a translation the verifier's own last line is the reason */
	const char *why = v->words ? v->words : v->reason, *text;
	/* before Linux 6.9 it may be in an imported file */
	bool is_in_c = v->import || (s->plan->n_imports && (!v->has_places || v->is_late));
	const char *help = is_in_c ? v->help_in_c : v->help;
	const struct source *source = s->plan->source;
	int why_len = (int)(v->words ? strlen(v->words) : v->reason_len);
	uint32_t len;

	if (v->import)
		log_error("%s:%u: the kernel's verifier refused %s: %.*s", v->import->name,
			  v->import_line, refused_probe(s, v), why_len, why);
	else if (v->line)
		log_error("%s:%u: the kernel's verifier refused %s: %.*s", source->name, v->line,
			  refused_probe(s, v), why_len, why);
	else
		log_error("the kernel's verifier refused %s: %.*s", refused_probe(s, v), why_len,
			  why);
	if (v->import)
		fprintf(stderr, "  %.*s\n", (int)v->import_text_len, v->import_text);
	if (v->import && v->line)
		fprintf(stderr, "note: the call is in %s:%u\n", source->name, v->line);
	if (v->line) {
		text = source_line(source, v->line, &len);
		fprintf(stderr, "  %.*s\n", (int)len, text);
	}
	if (help)
		log_hint("%s%s%s%s", help, *v->helper ? " (the helper is " : "", v->helper,
			 *v->helper ? ")" : "");
	if (v->state_words)
		fprintf(stderr, "note: %s is %.*s: %s\n", v->reg, (int)v->state_len, v->state,
			v->state_words);
	if (v->example)
		log_hint("examples/verifier/%s.bt is a small script that shows this", v->example);
}

/* Files open before the load, and those that reading symbols takes. */
enum { OTHER_FILES = 24 };

/* A map, a program and a link each take a file. */
static uint32_t files_needed(const struct session *s)
{
	uint32_t n = OTHER_FILES + 2 * s->plan->n_progs;
	struct bpf_map *m;

	bpf_object__for_each_map(m, s->object) n++;
	return n;
}

static uint64_t file_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? UINT64_MAX : limit.rlim_cur;
}

static void report_files(const struct session *s)
{
	log_error("this script's maps and programs need about %u open files: the limit of open "
		  "files is %llu (ulimit -Hn)",
		  files_needed(s), (unsigned long long)file_limit());
}

static void report_memory(const struct session *s)
{
	log_error(
		"not enough memory for this script's maps and programs%s: it needs about %llu MiB",
		limit_hint(-ENOMEM), (unsigned long long)(session_memory_needed(s->plan) >> 20));
}

/* Errors whose cause is known without a log. False: none of them. */
static bool report_known(const struct session *s, int err)
{
	if (err == -EPERM || err == -EACCES)
		log_error(
			"the kernel does not let this process load BPF programs (%s): run as root, not in "
			"a user namespace, on a kernel that is not locked down",
			strerror(-err));
	else if (err == -ENOSYS)
		log_error(
			"no bpf() system call: the kernel lacks CONFIG_BPF_SYSCALL, or a seccomp profile (of "
			"a container) forbids it");
	else if (err == -EMFILE)
		report_files(s);
	else if (err == -ENOMEM && limit_memory() != UINT64_MAX)
		report_memory(s);
	else
		return false;
	return true;
}

/* libbpf tries out whether the kernel has global data. If that trial fails for another reason, it
 * does not create the maps of .rodata and .bss, and the verifier refuses what is left. */
static bool has_no_globals(const struct session *s)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, s->object)
	{
		if (bpf_map__is_internal(m) && !bpf_map__autocreate(m))
			return true;
	}
	return false;
}

/* libbpf tries again after some failures, and may return the error of the last attempt. Of its
 * trials, it reports no error. */
static int first_cause(const char *log, int err)
{
	static const int causes[] = {EMFILE, ENFILE, ENOMEM};

	const int *cause = FIND_ROW(causes, strstr(log, strerror(*item)));

	return cause ? -*cause : err;
}

static const char *kept_log(void)
{
	return kept.items ? kept.items : "";
}

static struct verifier_message read_log(const struct session *s)
{
	struct verifier_message v;

	verifier_log_read(&v, kept_log(), s->plan->source, s->plan->imports, s->plan->n_imports);
	return v;
}

uint32_t load_report_refused(const struct session *s)
{
	struct verifier_message v = read_log(s);

	return has_no_globals(s) || !(v.reason || load_limit_is_over()) ? UINT32_MAX
									: refused_prog(s, &v);
}

void load_report_log(void)
{
	if (log_enabled(LOG_VERBOSE))
		fputs(kept_log(), stderr);
}

static void report_slow(const struct session *s, const struct verifier_message *v)
{
	log_error("the kernel's verifier did not finish checking %s within %g s, and was stopped",
		  refused_probe(s, v), load_limit_seconds());
	log_hint("the verifier follows the paths through a program, which nested loops and "
		 "conditions in them multiply: use fewer, or set SONDE_VERIFIER_SECONDS");
}

void load_report(const struct session *s, int err)
{
	struct verifier_message v = read_log(s);
	const struct capability_row *missing;
	const char *log = kept_log();

	if (load_limit_is_over()) {
		report_slow(s, &v);
		return;
	}
	if (has_no_globals(s) || !v.reason)
		err = has_no_globals(s) && files_needed(s) > file_limit() ? -EMFILE
									  : first_cause(log, err);
	if ((err == -EMFILE || err == -ENOMEM) && report_known(s, err))
		return;
	if (has_no_globals(s))
		log_error("the kernel refused a trial map or program of libbpf, without which "
			  "global data cannot be used: not enough memory%s, or not permitted",
			  limit_hint(-ENOMEM));
	else if (v.reason)
		report_refusal(s, &v);
	else if (report_known(s, err))
		return;
	else if ((missing = missing_capability_find(s->plan, s->kernel)))
		log_error(
			"this kernel has no %s (%s, since Linux %s), which this script needs for %s",
			missing->name, missing->from, missing->since, missing->purpose);
	else
		log_error("the kernel refused the program: %s%s", strerror(-err), limit_hint(err));
	fputs(log_enabled(LOG_VERBOSE) ? log : last_lines(log, LAST_LINES), stderr);
	if (!log_enabled(LOG_VERBOSE))
		fputs("(-v prints the whole log)\n", stderr);
}
