/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records events: see record_events.h. It is a script like any other, which prints what a replay
 * needs of each event (runtime/recording/raw_events.c reads it), and the formats of the
 * tracepoints go to the recording as facts of the kernel.
 */
#include "cli/saved/record_events.h"
#include "cli/compile/emit_facts.h"
#include "cli/options/options.h"
#include "cli/run/walk.h"
#include "parser/base/arena.h"
#include "parser/base/pattern.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/recording/raw_events.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every event is a record, so bursts are longer than those of other scripts. */
enum { RING_PAGES = 8192 };

struct selection {
	struct arena *arena;
	const char *pattern; /* "sched:*" */
	const char **names;
	uint32_t n, n_matches; /* ... of the pattern */
};

static bool has_name(const struct selection *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->names[i], name) == 0)
			return true;
	return false;
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

/* The next pattern of the list; a comma in braces is part of it. NULL: none. */
static const char *next_pattern(struct arena *a, const char **list)
{
	const char *begin = *list + strspn(*list, ", \n\t"), *end = begin;
	int depth = 0;

	for (; *end && (depth > 0 || *end != ','); end++)
		depth += *end == '{' ? 1 : *end == '}' ? -1 : 0;
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
		if (strncmp(pattern, word, sizeof(word) - 1) != 0 ||
		    !strchr(pattern + sizeof(word) - 1, ':')) {
			log_error("--events: '%s' is not a pattern of tracepoints: write "
				  "tracepoint:CATEGORY:EVENT, as in 'tracepoint:sched:*'",
				  pattern);
			return -1;
		}
		s->pattern = pattern + sizeof(word) - 1;
		s->n_matches = 0;
		k->each_tracepoint(k, NULL, take_name, s);
		if (s->n_matches)
			continue;
		log_error("--events: no tracepoint matches '%s'", pattern);
		log_text("hint: sonde -l '%s' lists those that match a pattern", pattern);
		return -1;
	}
	if (!s->n)
		log_error("--events: the list is empty");
	return s->n ? 0 : -1;
}

#define THREAD "(pid, tid, uid, gid, comm, ppid, pcomm, leader_comm)"

/* What is printed of an event: runtime/recording/raw_impl.h has the order. */
static void put_probe(const struct tp_format *f, bool with_stacks, FILE *script)
{
	fprintf(script, "tracepoint:%s:%s { print((probe, nsecs, cpu, " THREAD ", %s, %s",
		f->category, f->event, with_stacks ? "kstack, ustack" : "0, 0",
		f->n_fields ? "args" : "0");
	for (uint32_t i = 0; i < f->n_fields; i++)
		if (raw_events_has_string(f, &f->fields[i]))
			fprintf(script, ", str(args.%s)", f->fields[i].name);
	fputs(")); }\n", script);
}

/* The times of threads off and on the CPU: a thread that comes back is not the one whose event it
 * is, so a scope may have only its times. A time on the CPU is needed where the thread was not seen
 * to come back. */
static void put_times(bool with_stacks, FILE *script)
{
	fprintf(script,
		"tracepoint:sched:sched_switch { @back[tid] = true; print((\"" RAW_BACK
		"\", nsecs, cpu, " THREAD ", %s, delta, open, cut)); }\n",
		with_stacks ? "kstack, ustack" : "0, 0");
	fputs("tracepoint:sched:sched_switch { if (open || !@back[tid]) { print((\"" RAW_ON
	      "\", nsecs, cpu, " THREAD ", 0, 0, oncpu, open, cut)); } delete(@back, tid); }\n"
	      "END { clear(@back); }\n",
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
		for (uint32_t k = 0; k < s->n; k++)
			if (strncmp(s->names[k], calls[i].event, strlen(calls[i].event)) == 0) {
				fprintf(facts, "raw %s\n", calls[i].raw);
				break;
			}
}

static int put_all(const struct selection *s, struct kernel *k, bool with_stacks, FILE *script,
		   FILE *facts)
{
	bool has_switches = has_times(s, k);

	fprintf(script, "config = { perf_rb_pages = %d;%s }\n", RING_PAGES,
		has_switches ? " open_spans = count; max_map_keys = 262144" : "");
	fprintf(facts, "capability btf\ncapability iterators\ncapability unwind\ncpus %u\n",
		k->n_cpus(k));
	put_raw(s, has_switches, facts);
	for (uint32_t i = 0; i < s->n; i++) {
		const char *event = strchr(s->names[i], ':');
		const struct tp_format *f;
		char *category =
			arena_strndup(s->arena, s->names[i], (size_t)(event - s->names[i]));

		if (k->tracepoint(k, category, event + 1, &f)) {
			log_error("--events: cannot read the format of %s", s->names[i]);
			return -1;
		}
		put_probe(f, with_stacks, script);
		emit_format(f, false, facts);
	}
	if (has_switches)
		put_times(with_stacks, script);
	return 0;
}

static int record(const struct options *o, struct kernel *k, const struct selection *s)
{
	struct options run = *o;
	char *script = NULL, *facts = NULL;
	size_t n_script, n_facts;
	FILE *to_script = open_memstream(&script, &n_script);
	FILE *to_facts = open_memstream(&facts, &n_facts);
	int status = 2;

	if (to_script && to_facts)
		status = put_all(s, k, o->event_stacks, to_script, to_facts) ? 1 : 0;
	else
		log_error("out of memory");
	if (to_script)
		fclose(to_script);
	if (to_facts)
		fclose(to_facts);
	run.program = script;
	run.event_facts = facts;
	if (!status)
		status = walk_in(&run, k);
	free(script);
	free(facts);
	return status;
}

int record_events_run(const struct options *o)
{
	struct kernel *k = walk_open_kernel(o);
	struct selection s = {.arena = arena_new()};
	int status = 1;

	if (k && select_events(&s, k, o->events) == 0)
		status = record(o, k, &s);
	if (k)
		kernel_close(k);
	arena_free(s.arena);
	return status;
}
