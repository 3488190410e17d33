/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds recorded events to the interpreter: see replay.h.
 */
#include "runtime/replay/replay.h"
#include "runtime/replay/replay_impl.h"
#include "runtime/interp/interp.h"
#include "runtime/run/kernel_needed.h"
#include "runtime/session/prep.h"
#include "runtime/events/deferred_strings.h"

static const struct replay *of(const struct event_source *source)
{
	return (const struct replay *)source;
}

/* ---- which program runs at which event ----------------------------------------------------- */

static const char switch_point[] = "sched:sched_switch", exit_point[] = "sched:sched_process_exit";

/* Is that the event of a program? One for system calls has all of them, sys_enter_NAME, and tells
 * them apart by number. */
static bool is_point(const struct plan_prog *g, const char *point)
{
	size_t n = strlen(g->category), event = strlen(g->event);

	return strncmp(point, g->category, n) == 0 && point[n] == ':' &&
	       strncmp(point + n + 1, g->event, event) == 0 &&
	       (!point[n + 1 + event] ||
		(prog_kind_is(g->kind, PK_SYSCALL) && point[n + 1 + event] == '_'));
}

/* Timers, events of counters and raw tracepoints are recorded by their names. */
static bool is_named(enum plan_prog_kind kind)
{
	return prog_kind_is(kind, PK_EVENT | PK_TYPED) ||
	       (prog_kind_is(kind, PK_PERIOD) && prog_kind_is(kind, PK_SCOPED));
}

/* The target of a program on functions whose events are called so, from 1 on; 0: none. */
static uint32_t target_at(const struct plan_prog *g, const char *point)
{
	for (uint32_t i = 0; i < plan_n_targets(g); i++)
		if (g->targets[i].recorded && strcmp(g->targets[i].recorded, point) == 0)
			return i + 1;
	return 0;
}

/* Does the program run at events of that point? Of a function, the target's number, from 1 on. */
static uint32_t runs_at(const struct plan *p, const struct plan_prog *g, const char *point)
{
	if (is_named(g->kind))
		return g->n_probes && strcmp(p->probes[g->probes[0]].name, point) == 0;
	if (prog_kind_is(g->kind, PK_SWITCH))
		return strcmp(point, switch_point) == 0;
	if (prog_kind_is(g->kind, PK_ENDS))
		return strcmp(point, RECORDED_ENDED) == 0 || strcmp(point, RECORDED_REPLACED) == 0;
	if (plan_n_targets(g))
		return target_at(g, point);
	return (prog_kind_is(g->kind, PK_SYSCALL) || prog_kind_is(g->kind, PK_RECORD)) &&
	       is_point(g, point);
}

/* The first row whose traits the program's kind has. */
static enum interp_context context_of(const struct plan_prog *g)
{
	static const struct {
		uint32_t traits;
		enum interp_context context;
	} rows[] = {
		{PK_SWITCH, INTERP_SWITCH},
		{PK_SYSCALL | PK_RETURN, INTERP_SYSCALL_EXIT},
		{PK_SYSCALL, INTERP_SYSCALL_ENTER},
		{PK_USDT, INTERP_VALUES},
		{PK_USER_FUNCTION | PK_RETURN, INTERP_RETURN},
		{PK_USER_FUNCTION, INTERP_CALL},
		{PK_KERNEL_FUNCTION | PK_RETURN, INTERP_RETURN},
		{PK_KERNEL_FUNCTION, INTERP_CALL},
	};
	uint32_t traits = prog_rows[g->kind].traits;

	__auto_type row = FIND_ROW(rows, (traits & item->traits) == item->traits);

	return row ? row->context : INTERP_RECORD;
}

/* A target that is no entry is an instruction by which the function is left. */
static void set_context(struct interp *p, const struct plan_prog *g, uint32_t run)
{
	const struct plan_target *t = plan_n_targets(g) ? &g->targets[run - 1] : NULL;
	enum interp_context kind = context_of(g);

	if (t && kind == INTERP_CALL && prog_kind_is(g->kind, PK_USER_FUNCTION) && !t->is_entry)
		kind = INTERP_EXIT;
	interp_set_context(p, kind, prog_rows[g->kind].tracer_frames);
	if (t)
		interp_set_cookie(p, t->cookie);
}

static void prepare(const struct event_source *source, struct session_prep *prep)
{
	const struct recorded_events *all = of(source)->all;

	prep->config.self_tgid = UINT32_MAX; /* nobody; 0 is the idle task */
	prep->config.start_ns = all->start;
	prep->config.boot_to_wall_ns = all->wall - all->start;
	prep->config.tai_ns = all->tai - all->start;
}

static void open_session(struct event_source *source, struct session *s)
{
	struct replay *r = (struct replay *)source;
	const struct recorded_events *all = r->all;

	s->boot_offset_ns = all->wall - all->start;
	s->tai_seconds = (uint32_t)((all->tai - all->wall + 500000000u) / 1000000000u);
	s->tai_measured = true;
	r->s = s;
	r->now_ns = all->start;
	interp_use_events(s->interp, all);
}

/* ---- the run ------------------------------------------------------------------------------ */

int replay_run_program(struct replay *r, uint32_t prog)
{
	int err = session_run_prog(r->s, prog);

	r->is_over |= !r->drain(r->ctx);
	return err;
}

static bool is_interval(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_TRACER) && prog_kind_is(g->kind, PK_PERIOD);
}

/* The interval that is due first, until `end`; -1: none. */
static int64_t next_interval(const struct replay *r, uint64_t end)
{
	const struct plan *p = r->s->plan;
	int64_t next = -1;

	for (uint32_t i = 0; i < p->n_progs; i++)
		if (is_interval(&p->progs[i]) && r->due_ns[i] <= end &&
		    (next < 0 || r->due_ns[i] < r->due_ns[next]))
			next = i;
	return next;
}

static int run_intervals(struct replay *r, uint64_t end)
{
	int64_t next;
	int err = 0;

	while (!err && !r->is_over && (next = next_interval(r, end)) >= 0) {
		r->now_ns = r->due_ns[next];
		interp_set_time(r->s->interp, r->due_ns[next]);
		r->due_ns[next] += r->s->plan->progs[next].period_ns;
		err = replay_run_program(r, (uint32_t)next);
	}
	return err;
}

static uint32_t is_run(const struct replay *r, uint32_t prog, const struct recorded_event *e)
{
	if (e->kind == RECORDED_EVENT)
		return r->runs[(size_t)prog * r->all->n_points + e->point];
	return prog_kind_is(r->s->plan->progs[prog].kind, PK_SWITCH);
}

/* What is kept of a thread ends with it: at its last switch, or where these were not recorded. */
static void forget_thread(const struct replay *r, const struct recorded_event *e)
{
	const struct recorded_events *all = r->all;
	const char *point = e->kind == RECORDED_EVENT ? all->points[e->point] : "";
	bool has_ended = e->has_state ? e->state & RECORDED_ENDS
				      : strcmp(point, RECORDED_ENDED) == 0 ||
						(!all->n_ends && strcmp(point, exit_point) == 0);

	if (has_ended)
		interp_evict_thread(r->s->interp, all->threads[e->thread].tid);
}

static int run_event(struct replay *r, const struct recorded_event *e)
{
	const struct plan *p = r->s->plan;
	bool is_set = false;
	int err = 0;

	for (uint32_t i = 0; i < p->n_progs && !err && !r->is_over; i++) {
		const struct plan_prog *g = &p->progs[i];
		uint32_t run = is_run(r, i, e);

		if (!run)
			continue;
		r->now_ns = e->time;
		if (!is_set)
			interp_set_event(r->s->interp, e);
		is_set = true;
		set_context(r->s->interp, g, run);
		err = replay_run_program(r, i);
	}
	forget_thread(r, e);
	return err;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int run_events(struct replay *r, const struct recorded_events *all)
{
	int err = 0;

	while (r->next < all->n_events && !err && !r->is_over) {
		err = run_intervals(r, all->events[r->next].time);
		if (!err && !r->is_over)
			err = run_event(r, &all->events[r->next++]);
	}
	if (!err && !r->is_over)
		err = run_intervals(r, all->end);
	return err;
}

static int run_all(struct replay *r, const struct recorded_events *all)
{
	int err = replay_visit_begins(r) ?: run_events(r, all) ?: replay_visit_ends(r);

	if (!r->is_over)
		r->now_ns = all->end;
	interp_set_time(r->s->interp, r->now_ns);
	return err;
}

static void find_runs(struct replay *r, const struct recorded_events *all)
{
	const struct plan *p = r->s->plan;

	for (uint32_t i = 0; i < p->n_progs; i++) {
		for (uint32_t k = 0; k < all->n_points; k++)
			r->runs[(size_t)i * all->n_points + k] =
				runs_at(p, &p->progs[i], all->points[k]);
		if (is_interval(&p->progs[i]))
			r->due_ns[i] = all->start + p->progs[i].period_ns;
	}
}

static int run(struct event_source *source, struct session *s, bool (*drain)(void *ctx), void *ctx)
{
	struct replay *r = (struct replay *)source;
	int err;

	r->runs =
		calloc((size_t)(s->plan->n_progs + 1u) * (r->all->n_points + 1u), sizeof(uint32_t));
	r->due_ns = calloc(s->plan->n_progs + 1u, sizeof(uint64_t));
	r->drain = drain;
	r->ctx = ctx;
	err = r->runs && r->due_ns ? 0 : -ENOMEM;
	if (err) {
		log_error("cannot replay: %s", strerror(-err));
	} else {
		find_runs(r, r->all);
		err = run_all(r, r->all);
	}
	free(r->runs);
	free(r->due_ns);
	return err;
}

/* ---- what a running kernel would be asked -------------------------------------------------- */

static bool runs_kind(enum plan_prog_kind kind)
{
	return prog_kind_is(kind, PK_RECORD | PK_SYSCALL | PK_SWITCH | PK_SPANS | PK_USER_FUNCTION |
					  PK_KERNEL_FUNCTION | PK_ENDS) ||
	       is_named(kind);
}

static int check(const struct event_source *source, const struct plan *plan)
{
	const struct replay *r = of(source);
	const struct kernel_stand_in in = {.runs = runs_kind,
					   .has_stacks = r->all->has_stacks,
					   .has_cgroups = true};
	const struct plan_probe *probe;
	const char *what = kernel_needed(plan, &in, &probe);

	if (!what)
		return 0;
	log_error("%s%s%s requires %s, which the recording '%s' does not have",
		  probe ? "probe '" : "the script", probe ? probe->name : "", probe ? "'" : "",
		  what, r->file);
	if ((plan->needs.kstack || plan->needs.ustack) && !r->all->has_stacks)
		log_hint("'sonde record --events LIST --event-stacks' records stacks, too");
	return 1;
}

static uint64_t wall_ns(const struct event_source *source)
{
	const struct replay *r = of(source);

	return r->now_ns + (r->all->wall - r->all->start);
}

/* The addresses of a stack are numbers of recorded frames. Source lines and files are those of the
 * recording, which has none. */
static int frames(const struct event_source *source, const struct sonde_stack *st, uint32_t shows,
		  struct view_frame **out, uint32_t *n, const char **cut)
{
	const struct recorded_events *all = of(source)->all;
	uint32_t n_ips = st->n_frames < SONDE_MAX_FRAMES ? st->n_frames : SONDE_MAX_FRAMES;
	struct view_frame *made = calloc(n_ips + 1u, sizeof(*made));

	if (!made)
		return -ENOMEM;
	*out = made;
	*n = 0;
	for (uint32_t i = 0; i < n_ips; i++) {
		const struct recorded_frame *f =
			&all->frames[st->ips[i] < all->n_frames ? st->ips[i] : 0];

		if (f->frame)
			made[*n] = *f->frame;
		if (f->frame && shows & SHOWS_FILE)
			made[*n].name = made[*n].module = NULL;
		*n += f->frame != NULL;
		if (f->cut)
			*cut = f->cut;
	}
	return 0;
}

/* The path that was recorded; as a number, if there is none. */
static char *path_of_cgroup(const struct event_source *source, uint64_t id, const char *filter)
{
	const struct recorded_events *all = of(source)->all;

	const struct recorded_cgroup *c = FIND(all->cgroups, all->n_cgroups, item->id == id);

	return cgroup_path_filter(c ? c->path : "", id, c ? filter : NULL);
}

void replay_init(struct replay *r, const struct recorded_events *all, const char *file)
{
	*r = (struct replay){.source = {.check = check,
					.prepare = prepare,
					.open = open_session,
					.run = run,
					.wall_ns = wall_ns,
					.frames = frames,
					.cgroup_path = path_of_cgroup},
			     .all = all,
			     .file = file};
}
