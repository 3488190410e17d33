/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records events: see recordings.h. It is a script like any other, which prints what a replay
 * needs of each event (runtime/recording/raw_events.c reads it), and the formats of the
 * tracepoints go to the recording as facts of the kernel.
 */
#include "cli/recordings/recordings.h"
#include "parser/base/find.h"
#include "cli/recordings/record_calls.h"
#include "cli/recordings/record_named.h"
#include "cli/compile/emit_facts.h"
#include "cli/options/options.h"
#include "cli/run/walk.h"
#include "parser/base/arena.h"
#include "parser/base/pattern.h"
#include "parser/lang/kernel.h"
#include "parser/lang/c_type.h"
#include "runtime/base/log.h"
#include "runtime/base/recorded_task.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/recording/raw_events.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct selection {
	struct arena *arena;
	const char *pattern; /* "sched:*" */
	const char **names;
	uint32_t n, n_matches;	     /* ... of the pattern */
	struct recorded_names named; /* "profile:hz:99" */
	struct recorded_calls calls; /* of functions */
};

static bool has_name(const struct selection *s, const char *name)
{
	return FIND(s->names, s->n, strcmp(*item, name) == 0);
}

static void take_name(const char *name, void *ctx)
{
	struct selection *s = ctx;

	if (!pattern_matches(s->pattern, name))
		return;
	s->n_matches++;
	if (!has_name(s, name))
		arena_push(s->arena, s->names, s->n, arena_strdup(s->arena, name));
}

/* The next pattern of the list; a comma in braces or quotes is part of it. NULL: none. */
static const char *next_pattern(struct arena *a, const char **list)
{
	const char *begin = *list + strspn(*list, ", \n\t"), *end = begin;
	bool is_quoted = false;
	int depth = 0;

	for (; *end && (depth > 0 || is_quoted || *end != ','); end++) {
		depth += *end == '{' ? 1 : *end == '}' ? -1 : 0;
		is_quoted ^= *end == '"';
	}
	*list = end;
	while (end > begin && strchr(" \n\t", end[-1]))
		end--;
	return end > begin ? arena_strndup(a, begin, (size_t)(end - begin)) : NULL;
}

/* -1 after a message. */
static int select_events(struct selection *s, struct kernel *k, const char *list)
{
	static const char word[] = "tracepoint:";
	const char *pattern;

	while ((pattern = next_pattern(s->arena, &list))) {
		if (record_named_is(pattern)) {
			if (record_named_select(&s->named, s->arena, k, pattern))
				return -1;
			continue;
		}
		if (record_calls_is(pattern)) {
			if (record_calls_select(&s->calls, pattern))
				return -1;
			continue;
		}
		if (strncmp(pattern, word, sizeof(word) - 1) != 0 ||
		    !strchr(pattern + sizeof(word) - 1, ':'))
			return log_error(
				"--events: '%s' is not a pattern of events: write "
				"tracepoint:CATEGORY:EVENT, as in 'tracepoint:sched:*', "
				"uprobe:PATH:FUNCTION, uretprobe, usdt, kprobe or kretprobe, "
				"profile:hz:99, software:EVENT:N, hardware:EVENT:N, or "
				"rawtracepoint:EVENT",
				pattern);
		s->pattern = pattern + sizeof(word) - 1;
		s->n_matches = 0;
		k->each_tracepoint(k, NULL, take_name, s);
		if (s->n_matches)
			continue;
		log_error("--events: no tracepoint matches '%s'", pattern);
		return log_hint("sonde -l '%s' lists those that match a pattern", pattern);
	}
	return s->n || s->named.n || s->calls.n ? 0 : log_error("--events: the list is empty");
}

/* What is recorded beside the events themselves. */
struct recorded_what {
	bool stacks;	/* their stacks */
	bool has_times; /* times of threads on and off the CPU */
	bool has_words; /* fields of the thread's struct */
};

static const char *stacks_of(const struct recorded_what *w)
{
	return w->stacks ? "kstack, ustack" : "0, 0";
}

#define WORD(path, member) "(uint64)curtask." path ", "
#define WORDS "(" RECORDED_WORDS(WORD) "0)"
#define THREAD "(pid, tid, uid, gid, comm, ppid, pcomm, leader_comm, cgroup)"
/* The path of each cgroup, when the first event in it is seen. */
#define CGROUP                                                                       \
	"if (!@__cgroups[cgroup]) { @__cgroups[cgroup] = true; print((\"" RAW_CGROUP \
	"\", cgroup, cgroup_path(cgroup))); } "

/* Fields of the thread's struct, where they are of use. */
static const char *words_of(const struct recorded_what *w, const char *category)
{
	return w->has_words && strcmp(category, "sched") == 0 ? WORDS : "0";
}

/* What is printed of an event: runtime/recording/raw_impl.h has the order. */
static void put_probe(const struct recorded_what *w, const struct tp_format *f, FILE *script)
{
	fprintf(script,
		"tracepoint:%s:%s { " CGROUP "print((probe, nsecs, cpu, " THREAD ", %s, %s, %s",
		f->category, f->event, stacks_of(w), words_of(w, f->category),
		f->n_fields ? "args" : "0");
	for (uint32_t i = 0; i < f->n_fields; i++)
		if (raw_events_has_string(f, &f->fields[i]))
			fprintf(script, ", str(args.%s)", f->fields[i].name);
	fputs(")); }\n", script);
}

/* The times of threads off and on the CPU: a thread that comes back is not the one whose event it
 * is, so a scope may have only its times. A time on the CPU is needed where the thread was not seen
 * to come back. */
static void put_times(const struct recorded_what *w, FILE *script)
{
	fprintf(script,
		"tracepoint:sched:sched_switch { " CGROUP "@__back[tid] = true; print((\"" RAW_BACK
		"\", nsecs, cpu, " THREAD ", %s, %s, delta, open, cut)); }\n",
		stacks_of(w), words_of(w, "sched"));
	fputs("tracepoint:sched:sched_switch { if (open || !@__back[tid]) { print((\"" RAW_ON
	      "\", nsecs, cpu, " THREAD ", 0, 0, 0, oncpu, open, cut)); } delete(@__back, tid); }\n"
	      "END { clear(@__back); }\n",
	      script);
}

static bool has_times(const struct selection *s, struct kernel *k)
{
	return has_name(s, "sched:sched_switch") && kernel_has(k, CAP_ITERATORS) &&
	       k->has_raw_tracepoint(k, "sched_switch");
}

/* Raw tracepoints that a replay has, for what only they give. */
static void put_raw(const struct selection *s, bool has_switches, FILE *facts)
{
	static const struct {
		const char *event, *raw;
	} calls[] = {{"syscalls:sys_enter_", "sys_enter"},
		     {"raw_syscalls:sys_enter", "sys_enter"},
		     {"syscalls:sys_exit_", "sys_exit"},
		     {"raw_syscalls:sys_exit", "sys_exit"}};

	if (has_switches)
		fputs("raw sched_switch\n", facts);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (FIND(s->names, s->n,
			 strncmp(*item, calls[i].event, strlen(calls[i].event)) == 0))
			fprintf(facts, "raw %s\n", calls[i].raw);
}

/* Has the kernel the field of struct task_struct? Dots also follow pointers. */
static bool has_field(struct kernel *k, const char *path)
{
	const struct type *t;
	struct type_member m;
	char name[64];
	bool found = k->c_type(k, C_STRUCT, "task_struct", &t) == 0;

	while (found && *path) {
		size_t n = strcspn(path, ".");

		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		found = layout_find(t, name, &m);
		t = found && m.type->kind == TY_POINTER ? m.type->to : m.type;
		path += n + (path[n] == '.');
	}
	return found;
}

static bool has_words(struct kernel *k)
{
	static const char *const paths[] = {
#define PATH(path, member) path,
		RECORDED_WORDS(PATH)
#undef PATH
	};

	return !FIND_ROW(paths, !has_field(k, *item));
}

#define AT(member) offsetof(struct recorded_task, member)

/* The thread's struct that a replay has: see recorded_task.h. */
static void put_task(FILE *facts)
{
	fprintf(facts, "struct task_struct %zu\n", sizeof(struct recorded_task));
	fprintf(facts, "member %zu int32 pid\nmember %zu int32 tgid\n", AT(pid), AT(tgid));
	fprintf(facts, "member %zu string[16] comm\n", AT(comm));
	fprintf(facts, "member %zu uint32 flags\nmember %zu uint32 __state\n", AT(flags),
		AT(state));
	fprintf(facts, "member %zu int32 exit_code\nmember %zu uint64 start_boottime\n",
		AT(exit_code), AT(start_boottime));
	fprintf(facts, "member %zu struct.sched_info sched_info\n", AT(run_delay));
	fprintf(facts, "member %zu struct.sched_entity se\n", AT(cfs_rq));
	fprintf(facts, "struct sched_info 16\nmember 0 uint64 run_delay\n"
		       "member 8 uint64 last_queued\n"
		       "struct sched_entity 8\nmember 0 struct.cfs_rq* cfs_rq\n"
		       "struct cfs_rq 8\nmember 0 struct.rq* rq\n"
		       "struct rq 8\nmember 0 uint64 clock\n");
}

/* Constants by which scripts compare fields of events: the enums that these are in. */
static void put_constants(struct kernel *k, FILE *facts)
{
	static const char *const of[] = {"IPPROTO_TCP", "TCP_ESTABLISHED"};
	const struct type *t;
	int64_t value;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char tag[8];

		snprintf(tag, sizeof(tag), "#%zu", i);
		if (k->c_constant(k, of[i], &t, &value) == 0 && t->enumeration)
			emit_enum(t->enumeration, tag, facts);
	}
}

static int put_events(const struct selection *s, struct kernel *k, const struct recorded_what *w,
		      FILE *script, FILE *facts)
{
	const char *head;

	for (uint32_t i = 0; i < s->n; i++) {
		const char *event = strchr(s->names[i], ':');
		const struct tp_format *f;
		char *category =
			arena_strndup(s->arena, s->names[i], (size_t)(event - s->names[i]));

		if (k->tracepoint(k, category, event + 1, &f))
			return log_error("--events: cannot read the format of %s", s->names[i]);
		put_probe(w, f, script);
		emit_format(f, false, facts);
	}
	head = arena_printf(s->arena, "nsecs, cpu, " THREAD ", %s, %s, ", stacks_of(w),
			    words_of(w, ""));
	record_named_put(&s->named, CGROUP, head, script, facts);
	record_calls_put(&s->calls, CGROUP, head, script);
	if (s->calls.to_facts && fflush(s->calls.to_facts) == 0)
		fputs(s->calls.facts, facts);
	return 0;
}

/* Each event is a record, so that bursts are longer than those of other scripts. */
static const char script_config[] =
	"config = { open_spans = switches; print_maps_on_exit = false; perf_rb_pages = 8192; }\n";

static int put_all(const struct selection *s, struct kernel *k, bool with_stacks, FILE *script,
		   FILE *facts)
{
	struct recorded_what w = {.stacks = with_stacks,
				  .has_times = has_times(s, k),
				  .has_words = has_words(k)};

	fputs(script_config, script);
	if (w.has_times)
		fputs("let @__back = hash(262144);\n", script);
	fprintf(facts, "capability btf\ncapability iterators\ncapability unwind\ncpus %u\n",
		k->n_cpus(k));
	put_raw(s, w.has_times, facts);
	put_constants(k, facts);
	if (w.has_words)
		put_task(facts);
	if (put_events(s, k, &w, script, facts))
		return -1;
	if (w.has_times)
		put_times(&w, script);
	fputs("END { clear(@__cgroups); }\n", script);
	return 0;
}

static int put_texts(const struct options *o, struct kernel *k, const struct selection *s,
		     char **script, char **facts)
{
	size_t n_script, n_facts;
	FILE *to_script = open_memstream(script, &n_script);
	FILE *to_facts = open_memstream(facts, &n_facts);
	int status = 2;

	if (to_script && to_facts)
		status = put_all(s, k, o->record.event_stacks, to_script, to_facts) ? 1 : 0;
	else
		log_error("out of memory");
	if (to_script)
		fclose(to_script);
	if (to_facts)
		fclose(to_facts);
	return status;
}

static int record(const struct options *o, struct kernel *k, const struct selection *s)
{
	struct options run = *o;
	char *script = NULL, *facts = NULL;
	int status = put_texts(o, k, s, &script, &facts);

	run.args.program = script;
	run.record.event_facts = facts;
	run.args.source_name = "--events";
	if (!status)
		status = walk_in(&run, k);
	free(script);
	free(facts);
	return status;
}

int record_events_run(const struct options *o)
{
	int status;
	struct kernel *k = walk_open_kernel(o, &status);
	struct selection s = {.arena = arena_new()};

	s.calls.arena = s.arena;
	s.calls.kernel = k;
	if (k)
		status = select_events(&s, k, o->record.events) ? 1 : record(o, k, &s);
	record_calls_free(&s.calls);
	arena_free(s.arena);
	if (k)
		kernel_close(k);
	return status;
}
