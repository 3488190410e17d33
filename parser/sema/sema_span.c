/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of spans: the check hooks of `delta`, `oncpu`, `depth`, `open` and `entry`, and the probe
 * that starts the spans of another.
 */
#include "parser/lang/span_kind.h"
#include "parser/sema/sema_type.h"

const struct type *sema_no_typed(struct sema *s, const struct expr *e, const char *word)
{
	return s->kernel->recording
		       ? sema_error(s, e->span, "not-recorded", "the recording has no '%s'", word)
		       : sema_error(s, e->span, "no-btf",
				    "'%s' needs the kernel's BTF type information", word);
}

static int start_sys_enter(const struct probe_reader *r, struct attach_point *out)
{
	const struct tp_format *exit = point_tracepoint(out)->format;
	const char *category = exit->category;
	const char *event = arena_printf(r->arena, "sys_enter%s", exit->event + strlen("sys_exit"));

	out->name = arena_printf(r->arena, "tracepoint:%s:%s", category, event);
	return r->kernel->tracepoint(r->kernel, category, event, &out->tracepoint.format) ? -1 : 0;
}

static void start_entry(const struct probe_reader *r, struct attach_point *out)
{
	const char *rest = strchr(out->name, ':');

	out->id = probe_rows[out->id].entry;
	out->name = arena_printf(r->arena, "%s%s", probe_rows[out->id].name, rest ? rest : "");
}

/* Make the attach point of the event that starts the span which `p` ends, for entry(). 0, or -1
 * when the kernel does not have it. */
static int span_start(const struct probe_reader *r, const struct attach_point *p,
		      struct attach_point *out)
{
	*out = *p;
	switch (span_rows[span_of_event(p)].start) {
	case START_HERE: return 0;
	case START_ENTRY: start_entry(r, out); return 0;
	case START_SYS_ENTER: return start_sys_enter(r, out);
	}
	return -1;
}

/* ---- checks that other passes use --------------------------------------------------------- */

static void no_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		    const char *word)
{
	const char *list = "";

	sema_error(s, e->span, "no-span", "%s does not end a span, so it has no '%s'", p->name,
		   word);
	for (int i = SPAN_NO + 1; i < SPAN_COUNT; i++)
		if (span_rows[i].doc)
			list = arena_list(s->arena, list, "%s", span_rows[i].doc);
	sema_hint(s, "probes that end one: %s", list);
}

/* The state is in task storage, or belongs to the thread's process: both need typed pointers to
 * threads. */
static bool has_typed_tasks(const struct sema *s, const struct attach_point *p)
{
	if (span_rows[span_of_event(p)].state == STATE_CPU)
		return true;
	return point_has(p, ARM_TRACEPOINT) ? p->tracepoint.has_raw
					    : kernel_has(s->kernel, CAP_BTF);
}

/* Of a recording: a call's start must have been recorded, too. */
static bool has_start(struct sema *s, struct expr *e, const struct attach_point *p,
		      const char *word)
{
	const struct probe_reader r = {s->arena, s->diags, s->kernel, false};
	struct attach_point start;

	if (!s->kernel->recording || span_of_event(p) != SPAN_SYSCALL || !span_start(&r, p, &start))
		return true;
	sema_error(s, e->span, "not-recorded", "'%s' requires %s, which was not recorded", word,
		   start.name);
	return false;
}

/* True for a system call that is newer than this version of sonde, which does not know its number.
 * The program of all calls tells calls apart by their numbers. */
static bool has_no_number(const struct attach_point *p)
{
	return p->pattern && point_has(p, ARM_TRACEPOINT) && p->tracepoint.syscall < 0 &&
	       !p->tracepoint.has_raw && strncmp(p->tracepoint.format->event, "sys_exit_", 9) == 0;
}

/* Leave out such calls, if the pattern also matches others. */
static void leave_out_unknown(struct sema *s, const struct expr *e, const char *word)
{
	struct probe *p = s->probe;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_points; i++)
		n += has_no_number(&p->points[i]);
	if (n == p->n_points)
		return;
	n = 0;
	for (uint32_t i = 0; i < p->n_points; i++)
		if (has_no_number(&p->points[i]))
			diag_warning(s->diags, e->span, "no-span",
				     "%s is left out: '%s' needs the number of the system call, "
				     "which this version of sonde does not know",
				     p->points[i].name, word);
		else
			p->points[n++] = p->points[i];
	p->n_points = n;
}

/* Report `e`, the builtin `word`, when an attach point of the probe being visited ends no span.
 * Otherwise mark all attach points as ends of spans. is_nested: the word says which calls are
 * inside others. */
static bool need_span(struct sema *s, struct expr *e, const char *word, bool is_nested)
{
	if (s->probe->is_start) /* in entry(): sema_check_entry reports it */
		return true;
	leave_out_unknown(s, e, word);
	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (!sema_go_span(s, e, p, word) || !sema_switch_span(s, e, p, word, is_nested))
			return false;
		if (span_of_event(p) == SPAN_NO) {
			no_span(s, e, p, word);
			return false;
		}
		if (!has_start(s, e, p, word))
			return false;
		if (has_typed_tasks(s, p))
			continue;
		sema_no_typed(s, e, word);
		sema_hint(
			s, "%s",
			s->kernel->recording
				? "keep the time where it begins: @t[tid] = nsecs"
				: "is CONFIG_DEBUG_INFO_BTF on, and /sys/kernel/btf/vmlinux readable?");
		return false;
	}
	for (uint32_t i = 0; i < s->probe->n_points; i++)
		s->probe->points[i].ends = span_of_event(&s->probe->points[i]);
	return true;
}

bool sema_need_span(struct sema *s, struct expr *e, const char *word)
{
	s->probe->is_open_only = false;
	return need_span(s, e, word, true);
}

bool sema_is_call_number(const struct probe *p, const struct expr *e)
{
	if (!ast_is_args(e->field.object))
		return false;
	for (uint32_t i = 0; i < p->n_points; i++) {
		const struct attach_point *point = &p->points[i];
		const struct tp_field *field = e->field.fields[i];

		if (point->ends != SPAN_SYSCALL || point_tracepoint(point)->format->is_unchecked ||
		    !field || field->offset != TP_COMMON_BYTES)
			return false;
	}
	return true;
}

/* The start probe is made on first use: its points[i] starts the span that the probe's points[i]
 * ends. */
struct probe *sema_to_start(struct sema *s)
{
	struct probe_reader r = {s->arena, s->diags, s->kernel, false};
	struct probe *p = s->probe;

	if (!p->start) {
		p->start = arena_new_of(s->arena, struct probe);
		*p->start = (struct probe){.span = p->span, .is_start = true};
		for (uint32_t i = 0; i < p->n_points; i++) {
			struct attach_point start = p->points[i];

			if (span_of_event(&start) != SPAN_NO)
				span_start(&r, &p->points[i], &start);
			arena_push(s->arena, p->start->points, p->start->n_points, start);
		}
	}
	s->probe = p->start;
	return p;
}

bool sema_is_open_end(const struct sema *s)
{
	enum span_kind kind = ast_span(s->probe);

	return ast_counts_open(s->program, s->probe) && kind != SPAN_NO &&
	       span_rows[kind].state == STATE_TASK;
}

bool sema_is_lost_slice(struct sema *s, const struct expr *e, const char *what)
{
	if (!sema_is_open_end(s) || ast_span(s->probe) != SPAN_SLICE)
		return false;
	sema_error(s, e->span, "span-memory",
		   "a thread that still runs when tracing ends has no %s: only the switch has it",
		   what);
	sema_hint(s, "leave out open_spans = count");
	return true;
}

void sema_wrap(struct sema *s, struct expr *e, const char *function)
{
	struct expr **args = arena_new_of(s->arena, struct expr *);

	*args = arena_new_of(s->arena, struct expr);
	**args = *e;
	*e = *ast_call(s->arena, e->span, e->span, function, args, 1);
	e->call.builtin = builtin_find(function);
	e->type = (*args)->type;
}

/* ---- check hooks ------------------------------------------------------------------------- */

const struct type *chk_delta(struct sema *s, struct expr *e)
{
	s->probe->is_open_only = false;
	s->probe->is_timed = true;
	return need_span(s, e, "delta", false) ? type_int(8, false) : &type_error;
}

/* The body runs at the event itself, for the thread that leaves the CPU. */
const struct type *chk_oncpu(struct sema *s, struct expr *e)
{
	struct probe *p = s->probe;

	if (p->is_start)
		return type_int(8, false); /* sema_check_entry reports it */
	for (uint32_t i = 0; i < p->n_points; i++) {
		if (!probe_is_sched_switch(&p->points[i])) {
			sema_error(s, e->span, "no-span",
				   "%s does not end a thread's time on the CPU, so "
				   "it has no 'oncpu'",
				   p->points[i].name);
			return sema_hint(s, "tracepoint:sched:sched_switch does");
		}
		if (!point_tracepoint(&p->points[i])->has_raw)
			return sema_no_typed(s, e, "oncpu");
	}
	if (ast_span(p) == SPAN_NO || ast_span(p) == SPAN_SLICE || p->is_open_only) {
		for (uint32_t i = 0; i < p->n_points; i++)
			p->points[i].ends = SPAN_SLICE;
		return type_int(8, false);
	}
	sema_error(s, e->span, "no-span",
		   "'oncpu' cannot be combined with 'delta', 'depth' or 'entry' in one probe");
	return sema_hint(
		s,
		"the body runs either for the thread that leaves the CPU or for the one that returns to it: write two probes");
}

const struct type *chk_depth(struct sema *s, struct expr *e)
{
	s->probe->is_open_only = false;
	return need_span(s, e, "depth", true) ? type_int(4, false) : &type_error;
}

/* Only calls have spans of their probe inside. */
const struct type *chk_self(struct sema *s, struct expr *e)
{
	s->probe->is_open_only = false;
	s->probe->is_timed = true;
	if (!need_span(s, e, "self", true))
		return &type_error;
	for (uint32_t i = 0; !s->probe->is_start && i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (span_rows[p->ends].slots > 1)
			continue;
		sema_error(s, e->span, "no-span", "%s does not end %s, so it has no 'self'",
			   p->name, p->ends == SPAN_GOROUTINE ? "a call of one thread" : "a call");
		return sema_hint(s, "the time of the whole span is 'delta'");
	}
	return type_int(8, false);
}

/* `open` and `cut`, of either kind of span that sched_switch ends: that of `oncpu` if the probe has
 * it. */
const struct type *chk_open(struct sema *s, struct expr *e)
{
	if (ast_span(s->probe) == SPAN_SLICE)
		return &type_bool;
	s->probe->is_open_only |= ast_span(s->probe) == SPAN_NO;
	return need_span(s, e, e->name.name, false) ? &type_bool : &type_error;
}

/* Integers are stored as wide as in variables. */
const struct type *chk_entry(struct sema *s, struct expr *e)
{
	const struct type *t = e->call.args[0]->type;

	s->probe->is_open_only = false;
	if (!need_span(s, e, "entry", false) || t->kind == TY_ERROR)
		return &type_error;
	if (t->kind == TY_VOID || t->kind == TY_AGG)
		return sema_error(s, e->call.args[0]->span, "entry-value",
				  "entry needs a value, but this is %s", sema_name_of(s, t));
	return t;
}

/* True if a span can have a name of this type. */
static bool is_name(const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_NAME || t->kind == TY_CALL ||
	       t->kind == TY_KSYM || t->kind == TY_USYM || t->kind == TY_INT;
}

/* Calls are nested on a thread, or in a goroutine; a firing belongs to neither. */
static const struct type *no_thread(struct sema *s, const struct expr *e)
{
	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (span_rows[span_of_event(p)].state != STATE_CPU)
			continue;
		sema_error(s, e->span, "no-span",
			   "%s does not end a span of one thread, so it has no 'span'", p->name);
		return sema_hint(s, "the time between two firings is 'delta'");
	}
	return &type_void;
}

const struct type *chk_span(struct sema *s, struct expr *e)
{
	const struct expr *name = e->call.n_args ? e->call.args[0] : NULL;

	s->probe->is_timed = true;
	if (ast_span(s->probe) != SPAN_SLICE) {
		s->probe->is_open_only |= ast_span(s->probe) == SPAN_NO;
		if (!need_span(s, e, "span", true))
			return &type_error;
	}
	if (name && name->type->kind != TY_ERROR && !is_name(name->type))
		return sema_error(s, name->span, "span-name",
				  "a span's name is a string, but this is %s",
				  sema_name_of(s, name->type));
	if (e->call.n_args > 1) {
		e->call.names[0] = NULL; /* no column */
		sema_check_columns(s, e, 1);
	}
	return no_thread(s, e);
}

static void entry_only(struct sema *s, const struct expr *e, const char *what)
{
	diag_error(s->diags, e->span, "entry-value", "entry cannot hold %s", what);
	diag_hint(
		s->diags,
		"it is computed when the span starts, from values of that event, literals and operators");
}

/* True when `b` is available where the span ends, but not where it starts. */
static bool is_of_end(const struct probe *p, const struct builtin *b)
{
	for (uint32_t i = 0; p->start && i < p->n_points; i++)
		if (builtin_exists_in(b, p->points[i].id) &&
		    !builtin_exists_in(b, p->start->points[i].id))
			return true;
	return false;
}

/* The context is the sema, whose probe is the one that ends the span. */
static void check_entry_part(struct expr *e, void *ctx)
{
	struct sema *s = ctx;
	const struct builtin *b = ast_builtin(e);

	if (e->kind == EX_VAR || e->kind == EX_MAP || e->kind == EX_INCDEC) {
		entry_only(s, e,
			   e->kind == EX_VAR   ? "a variable"
			   : e->kind == EX_MAP ? "a map"
					       : "++ or --");
		return;
	}
	if (b && (b->traits & (TR_ACT | TR_END) || is_of_end(s->probe, b))) {
		entry_only(s, e,
			   b->traits & TR_ACT ? "a call made for its effect"
					      : "a value that is known only at the span's end");
		return;
	}
	ast_each_child(e, check_entry_part, s);
}

bool sema_check_entry(struct sema *s, struct expr *e)
{
	uint32_t before = s->diags->n_errors;

	check_entry_part(e->call.args[0], s);
	return s->diags->n_errors == before;
}
