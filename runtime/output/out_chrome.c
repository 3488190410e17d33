/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of trace events in JSON, which Perfetto and chrome://tracing show as a timeline: a
 * complete event ("X") for each span, and names of processes and threads. Times are microseconds
 * since the run began. Values of span() are arguments. Three have a meaning: a time on the CPU with
 * `cpu` is in the lane of that CPU, and `woken_ns`, when a wait's end came, with `waker_cpu` or
 * `waker_pid` and `waker_tid`, is an arrow. Everything else that the script prints is text on
 * standard error.
 */
#include "runtime/base/clock.h"
#include "runtime/base/json.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"
#include "runtime/output/thread_names.h"
#include <inttypes.h>
#include <string.h>

struct out_chrome {
	struct out_file file; /* first */
	struct json_writer writer;
	struct thread_names threads;
	uint64_t began;
	uint32_t n_wakeups;
	bool has_events;
};

static void put_microseconds(struct json *j, const char *key, uint64_t ns)
{
	json_put_format(j, key, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

static struct json *begin_event(struct out_chrome *w, char phase, const char *name, uint32_t pid,
				uint32_t tid)
{
	struct json *j = &w->writer.json;

	text_string(j->text,
		    w->has_events ? ",\n" : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
	w->has_events = true;
	j->has_item = false;
	json_open(j, NULL, '{');
	json_put_bytes(j, "ph", &phase, 1);
	json_put_unsigned(j, "pid", pid);
	json_put_unsigned(j, "tid", tid);
	json_put_string(j, "name", name);
	return j;
}

static void put_thread_name(struct out_chrome *w, const char *what, const struct view_span *s)
{
	struct json *j = begin_event(w, 'M', what, s->pid, s->tid);

	json_open(j, "args", '{');
	json_put_string(j, "name", s->comm);
	json_close(j, '}');
	json_close(j, '}');
}

/* Write the thread's name if it is new. The process has that of its first thread. */
static int name_thread(struct out_chrome *w, const struct view_span *s)
{
	int is_new = thread_names_note(&w->threads, s);

	if (is_new <= 0)
		return is_new;
	put_thread_name(w, "thread_name", s);
	if (s->tid == s->pid)
		put_thread_name(w, "process_name", s);
	return 0;
}

/* A recording may be shown long after it began. */
static int chrome_begin(struct out *o, const struct view_run *run)
{
	((struct out_chrome *)o)->began = run->monotonic;
	return 0;
}

static const char *const categories[VIEW_SPAN_KINDS] = {
#define SPAN_COLOUR(id, category, colour) [VIEW_SPAN_##id] = category,
#include "runtime/output/span_colours.def"
};

/* The place of a span is what it is on the clock, so those inside are in it; what of it is the
 * tracer's own time is an argument. */
static void put_args(struct out_chrome *w, const struct view_span *s)
{
	struct json *j = &w->writer.json;

	if (!s->is_open && !s->is_cut && !s->is_left && !s->tracer && !s->arguments && !s->n_values)
		return;
	json_open(j, "args", '{');
	json_put_call(&w->writer, NULL, s);
	if (s->is_cut)
		json_put_bool(j, "began", false);
	if (s->is_open)
		json_put_bool(j, "ended", false);
	if (s->is_left)
		json_put_bool(j, "left", true);
	if (s->tracer)
		json_put_unsigned(j, "tracer_ns", s->tracer);
	json_close(j, '}');
}

/* ---- lanes and wakeups ------------------------------------------------------------------- */

/* The lanes of CPUs are those of one process, with numbers that none has. */
enum { CPUS = 1 << 23 };

static uint32_t lane_of_cpu(uint64_t cpu)
{
	return CPUS + 1 + (uint32_t)cpu;
}

/* The integer that the script gave the span by that name. False: there is none. */
static bool find_value(const struct view_span *s, const char *name, uint64_t *out)
{
	for (uint32_t i = 0; i < s->n_values; i++) {
		const struct view *v = &s->values[i];

		if (type_shape(v->type) != SHAPE_INT || strcmp(s->pieces[i].text, name) != 0)
			continue;
		*out = v->integer;
		return true;
	}
	return false;
}

/* The thread's lane, or that of the CPU if the script says on which it ran. 0 or -ENOMEM. *start:
 * on a CPU, threads follow each other, but the clock is read twice at a switch. */
static int find_lane(struct out_chrome *w, const struct view_span *s, uint32_t *pid, uint32_t *tid,
		     uint64_t *start)
{
	struct view_span lane = {.pid = CPUS, .tid = CPUS, .comm = "CPUs"};
	struct named_thread *known;
	char name[32];
	uint64_t cpu;

	*start = s->start;
	*pid = s->pid;
	*tid = s->tid;
	if (s->kind != VIEW_SPAN_ON_CPU || !find_value(s, "cpu", &cpu) || cpu >= CPUS)
		return name_thread(w, s);
	if (name_thread(w, &lane)) /* of the process */
		return -ENOMEM;
	lane.tid = *tid = lane_of_cpu(cpu);
	lane.comm = name;
	snprintf(name, sizeof(name), "CPU %u", (unsigned)cpu);
	*pid = CPUS;
	if (name_thread(w, &lane))
		return -ENOMEM;
	known = thread_names_find(&w->threads, lane.tid);
	*start = s->start > known->ended ? s->start : known->ended;
	known->ended = s->start + s->length;
	return 0;
}

static void put_wakeup_end(struct out_chrome *w, char phase, uint32_t pid, uint32_t tid,
			   uint64_t ns)
{
	struct json *j = begin_event(w, phase, "wakeup", pid, tid);

	json_put_string(j, "cat", "wakeup");
	json_put_unsigned(j, "id", w->n_wakeups);
	put_microseconds(j, "ts", ns > w->began ? ns - w->began : 0);
	if (phase == 'f')
		json_put_string(j, "bp", "e"); /* to the span around it */
	json_close(j, '}');
}

/* An arrow from where the thread was woken, by a waker or on a CPU, to the end of its wait. */
static void put_wakeup(struct out_chrome *w, const struct view_span *s)
{
	uint64_t woken, cpu, pid = CPUS, tid, end = s->start + s->length;

	if (!find_value(s, "woken_ns", &woken) || woken <= s->start || woken >= end)
		return;
	if (find_value(s, "waker_cpu", &cpu) && cpu < CPUS)
		tid = lane_of_cpu(cpu);
	else if (!find_value(s, "waker_pid", &pid) || !find_value(s, "waker_tid", &tid) || !tid)
		return;
	w->n_wakeups++;
	put_wakeup_end(w, 's', (uint32_t)pid, (uint32_t)tid, woken);
	put_wakeup_end(w, 'f', s->pid, s->tid, end - 1);
}

static int chrome_span(struct out *o, const struct view_span *s)
{
	struct out_chrome *w = (struct out_chrome *)o;
	uint64_t start, end = s->start + s->length;
	uint32_t pid, tid;
	struct json *j;

	if (find_lane(w, s, &pid, &tid, &start))
		return -ENOMEM;
	j = begin_event(w, s->is_left ? 'i' : 'X', s->name, pid, tid); /* i: an instant */
	json_put_string(j, "cat", categories[s->kind]);
	put_microseconds(j, "ts", start > w->began ? start - w->began : 0);
	if (s->is_left)
		json_put_string(j, "s", "t");
	else
		put_microseconds(j, "dur", end > start ? end - start : 0);
	put_args(w, s);
	json_close(j, '}');
	put_wakeup(w, s);
	return out_file_done(&w->file);
}

static int chrome_finish(struct out *o)
{
	struct out_chrome *w = (struct out_chrome *)o;

	text_string(&w->file.text,
		    w->has_events ? "\n]}\n"
				  : "{\"displayTimeUnit\": \"ns\", \"traceEvents\": []}\n");
	return 0;
}

static void chrome_release(struct out *o)
{
	struct out_chrome *w = (struct out_chrome *)o;

	hash_free(&w->threads);
	text_grown_free(&w->writer.scratch);
}

struct out *out_chrome_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = chrome_begin,
		.span = chrome_span,
		.finish = chrome_finish,
		.release = chrome_release,
	};
	struct out_chrome *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	json_writer_init(&w->writer, &w->file.text);
	w->writer.stacks_are_names = true;
	w->began = monotonic_ns();
	return &w->file.out;
}
