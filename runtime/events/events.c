/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles ring-buffer records by the plan: printf and print, maps to print or clear, new stacks,
 * exit. Clearing is atomic: the program has advanced the map's epoch; user space waits until no
 * program that saw the old epoch still runs, reads the old epoch and deletes it. No update is lost.
 */
#include "runtime/events/codes.h"
#include "runtime/events/events.h"
#include "runtime/output/out.h"
#include "runtime/events/stacks.h"
#include "runtime/events/deferred_strings.h"
#include "runtime/events/event_actions.h"
#include "runtime/session/unwind.h"
#include "runtime/base/rcu_wait.h"
#include "runtime/base/limit_hint.h"
#include "runtime/view/map_read.h"

int events_init(struct events *e, struct session *s, struct out *out)
{
	*e = (struct events){.s = s, .out = out, .is_span_alone = event_span_is_alone(s->plan)};
	e->maps = calloc(s->plan->n_maps + 1, sizeof(*e->maps));
	return e->maps ? 0 : -ENOMEM;
}

void events_free(struct events *e)
{
	event_span_free(e);
	free(e->maps);
}

void events_note_error(struct events *e, int err)
{
	if (err && !e->error)
		e->error = err;
}

/* ---- maps ---------------------------------------------------------------------------------- */

/* `ev` is the print call, or NULL at the end of tracing. */
static void print_snapshot(struct events *e, const struct plan_map *m, struct map_snapshot *snap,
			   const struct plan_event *ev)
{
	const struct config *config = &e->s->plan->config;
	struct view_map view;
	int err = map_snapshot_merge(m, snap, &e->s->stacks);

	if (!err)
		err = view_map_make(m, snap, &e->s->stacks, &view);
	if (err) {
		log_error("%s: cannot be shown: %s%s", m->name, strerror(-err), limit_hint(err));
		return;
	}
	if (e->has)
		view_map_filter(&view, e->has);
	view_map_choose(&view, config, ev ? ev->divisor : 1);
	view_map_limit(&view, ev && ev->top ? ev->top : (uint32_t)config->top,
		       ev ? ev->divisor : 1);
	view_map_order(&view, m);
	events_note_error(e, e->out->map(e->out, &view));
	view_map_free(&view);
	deferred_strings_release(e->s);
}

/* A map without keys that was never written is printed only on request of the script (`ev`). */
static void print_map(struct events *e, uint32_t map, uint32_t oldest, uint32_t epoch,
		      const struct plan_event *ev)
{
	const struct plan_map *m = &e->s->plan->maps[map];
	struct map_snapshot snap;
	int err;

	if (e->s->map_fds[map] < 0) /* only used in programs that were dropped */
		return;
	err = map_snapshot_read(m, e->s->map_fds[map], oldest, epoch, &snap);
	e->maps[map].had_rows |= !err && snap.n_rows > 0;
	if (!err && (ev || e->maps[map].zeroed) && m->n_keys == 0 && snap.n_rows == 0)
		err = map_snapshot_add_zero(m, &snap);
	if (err) {
		log_error("%s: cannot be read: %s%s", m->name, strerror(-err), limit_hint(err));
		e->is_map_unread = true;
		return;
	}
	print_snapshot(e, m, &snap, ev);
	map_snapshot_free(&snap);
}

/* Programs that run now may still add to the epoch that a clear ended: wait for an RCU grace
 * period, 10 ms or more. One wait serves all maps that were cleared before it began. */
static void wait_for_programs(struct events *e, uint32_t map, uint32_t epoch)
{
	int err;

	if (!e->s->control || (int32_t)(e->maps[map].settled - epoch) > 0)
		return;
	for (uint32_t i = 0; i < e->s->plan->n_maps; i++)
		e->maps[i].settled = __atomic_load_n(&e->s->control->epoch[i], __ATOMIC_ACQUIRE);
	err = rcu_wait();
	if (err && !e->is_membarrier_refused)
		log_warning(
			"the kernel does not let this process wait for running programs (%s): updates made "
			"while a map is cleared may be lost",
			strerror(-err));
	e->is_membarrier_refused |= err != 0;
}

/* Delete all elements up to `epoch`. */
static void delete_epoch(struct events *e, uint32_t map, uint32_t epoch)
{
	struct sonde_control *c = e->s->control;

	if (!c || e->s->map_fds[map] < 0)
		return;
	map_delete_before(&e->s->plan->maps[map], e->s->map_fds[map], e->maps[map].cleared,
			  epoch + 1);
	e->maps[map].cleared = epoch + 1;
	__atomic_store_n(&c->acked[map], epoch + 1, __ATOMIC_RELEASE);
}

/* ---- intervals ----------------------------------------------------------------------------- */

/* Begin the next epoch of a map, unless as many clears are pending as arrays have slots: then the
 * values of this interval are printed with the next one. If a clear() of the script advances the
 * epoch first, its record covers the epoch that ended. */
static void swap_epoch(struct events *e, uint32_t map)
{
	struct sonde_control *c = e->s->control;
	uint32_t epoch = __atomic_load_n(&c->epoch[map], __ATOMIC_SEQ_CST);

	e->maps[map].swapped = 0;
	while (epoch - __atomic_load_n(&c->acked[map], __ATOMIC_SEQ_CST) < SONDE_EPOCH_SLOTS - 1)
		if (__atomic_compare_exchange_n(&c->epoch[map], &epoch, epoch + 1, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			e->maps[map].swapped = epoch + 1;
			return;
		}
}

void events_swap(struct events *e)
{
	for (uint32_t i = 0; e->s->control && i < e->s->plan->n_maps; i++)
		if (!e->s->plan->maps[i].is_kept_back)
			swap_epoch(e, i);
	for (uint32_t i = 0; i < e->s->plan->n_maps; i++)
		if (e->maps[i].swapped)
			wait_for_programs(e, i, e->maps[i].swapped - 1);
}

static void print_swapped(struct events *e, uint32_t map)
{
	uint32_t next = e->maps[map].swapped;

	if (!next)
		return;
	e->maps[map].swapped = 0;
	print_map(e, map, e->maps[map].cleared, next - 1, NULL);
	delete_epoch(e, map, next - 1);
}

/* ---- map records --------------------------------------------------------------------------- */

/* Set the keys of the old epochs to 0 in the next one, unless a program has added them already. */
static void zero_epoch(struct events *e, uint32_t map, uint32_t oldest, uint32_t epoch)
{
	const struct plan_map *m = &e->s->plan->maps[map];
	struct map_snapshot snap;
	int err;

	if (e->s->map_fds[map] < 0)
		return;
	err = map_snapshot_read(m, e->s->map_fds[map], oldest, epoch, &snap);
	if (!err) {
		e->maps[map].zeroed |= snap.n_rows > 0 && m->n_keys == 0;
		err = map_insert_zeros(m, e->s->map_fds[map], &snap, epoch + 1);
		map_snapshot_free(&snap);
	}
	if (err)
		log_error("%s: cannot be zeroed: %s%s", m->name, strerror(-err), limit_hint(err));
}

/* A clear also handles earlier epochs whose records were lost or are late. Late records then find
 * nothing to do, and neither does the record of a clear that was skipped. */
static void ev_map(struct events *e, const struct plan_event *ev, const void *record)
{
	const struct sonde_map_event *r = record;
	bool clears = ev->kind != PE_PRINT_MAP;
	uint32_t oldest = r->epoch;

	if (r->map >= e->s->plan->n_maps)
		return;
	/* Deleting this epoch deletes the one that ended with the interval, too: print that
	 * first. */
	if (e->maps[r->map].swapped && r->epoch >= e->maps[r->map].swapped)
		print_swapped(e, r->map);
	if (clears) {
		oldest = e->maps[r->map].cleared;
		if ((int32_t)(oldest - r->epoch) > 0)
			return;
		wait_for_programs(e, r->map, r->epoch);
	}
	if (ev->kind == PE_ZERO_MAP)
		zero_epoch(e, r->map, oldest, r->epoch);
	else if (ev->kind != PE_CLEAR_MAP)
		print_map(e, r->map, oldest, r->epoch, ev);
	if (clears)
		delete_epoch(e, r->map, r->epoch);
}

COMPARE(by_name, struct plan_map *const, strcmp((*a)->name, (*b)->name))

/* Call fn for each map, by name. */
static void each_map(struct events *e, void (*fn)(struct events *e, uint32_t map))
{
	const struct plan *p = e->s->plan;
	const struct plan_map **sorted = calloc(p->n_maps + 1, sizeof(*sorted));

	for (uint32_t i = 0; sorted && i < p->n_maps; i++)
		sorted[i] = &p->maps[i];
	if (sorted)
		qsort(sorted, p->n_maps, sizeof(*sorted), by_name);
	for (uint32_t i = 0; sorted && i < p->n_maps; i++)
		fn(e, (uint32_t)(sorted[i] - p->maps));
	free(sorted);
}

static void print_current(struct events *e, uint32_t map)
{
	uint32_t epoch = e->s->control ? e->s->control->epoch[map] : 0;

	print_map(e, map, epoch, epoch, NULL);
}

void events_print_maps(struct events *e)
{
	each_map(e, print_current);
}

static void print_unless_kept_back(struct events *e, uint32_t map)
{
	if (!e->s->plan->maps[map].is_kept_back)
		print_current(e, map);
}

void events_print_so_far(struct events *e)
{
	each_map(e, print_unless_kept_back);
}

uint32_t events_print_chosen(struct events *e, const struct map_choice *c)
{
	const struct plan_event print = {.top = c->top, .divisor = 1};
	uint32_t n = 0;

	e->has = c->has;
	for (uint32_t i = 0; i < e->s->plan->n_maps; i++) {
		uint32_t epoch = e->s->control ? e->s->control->epoch[i] : 0;

		if (c->name && strcmp(c->name, e->s->plan->maps[i].name) != 0)
			continue;
		print_map(e, i, epoch, epoch, &print);
		n++;
	}
	e->has = NULL;
	return n;
}

bool events_map_stayed_empty(const struct events *e, uint32_t map)
{
	const struct plan_map *m = &e->s->plan->maps[map];

	return e->s->map_fds[map] >= 0 && !m->is_dropped && !e->maps[map].had_rows &&
	       !e->maps[map].zeroed;
}

void events_print_swapped(struct events *e)
{
	each_map(e, print_swapped);
}

/* ---- records ------------------------------------------------------------------------------- */

void events_views(struct events *e, const struct plan_event *ev, const void *record,
		  struct view views[LIMIT_CALL_ARGS])
{
	for (uint32_t i = 0; i < ev->n_fields && i < LIMIT_CALL_ARGS; i++)
		view_make(&views[i], ev->fields[i].type,
			  (const uint8_t *)record + ev->fields[i].offset, &e->s->stacks);
}

static void ev_fields(struct events *e, const struct plan_event *ev, const void *record)
{
	struct view views[LIMIT_CALL_ARGS];

	events_views(e, ev, record, views);
	events_note_error(e, out_event(e->out, ev, views));
	if (e->s->strings)
		deferred_strings_release(e->s);
}

void events_output(struct events *e, const struct plan_event *ev, const char *text, size_t len)
{
	struct format_piece piece = {.text = text, .text_len = (uint32_t)len};
	struct plan_event shown = {.kind = ev->kind,
				   .pieces = &piece,
				   .n_pieces = 1,
				   .span = ev->span};

	events_note_error(e, e->out->printf_event(e->out, &shown, NULL));
}

static void ev_time(struct events *e, const struct plan_event *ev, const void *record)
{
	const char *text = deferred_strings_time(e->s, ev->text, deferred_strings_wall_clock(e->s));

	events_output(e, ev, text, strlen(text));
	deferred_strings_release(e->s);
}

void events_dump(struct events *e)
{
	if (e->out->dump)
		events_note_error(e, e->out->dump(e->out));
}

static void ev_dump(struct events *e, const struct plan_event *ev, const void *record)
{
	events_dump(e);
}

/* The show column of event_kinds.def. */
static event_fn *const event_hooks[] = {
#define EVENT(id, name, json, ending, show) [PE_##id] = show,
#include "parser/lang/event_kinds.def"
};

_Static_assert(sizeof(event_hooks) / sizeof(*event_hooks) == PE_KIND_COUNT,
	       "one hook for each kind");

static void planned_record(struct events *e, uint32_t id, const void *record, size_t size)
{
	const struct plan_event *ev;

	if (id >= e->s->plan->n_events)
		return;
	ev = &e->s->plan->events[id];
	if (size < (ev->least ? ev->least : ev->size))
		return;
	e->n_events++;
	event_hooks[ev->kind](e, ev, record);
}

void events_record(struct events *e, const void *record, size_t size)
{
	const struct sonde_event *head = record;

	if (size < sizeof(*head))
		return;
	if (head->id == SONDE_EV_STACK && size >= sizeof(struct sonde_stack_event)) {
		stacks_note(e->s, record);
	} else if (head->id == SONDE_EV_CODE && size >= sizeof(struct sonde_code_event)) {
		codes_note(e->s, record);
	} else if (head->id == SONDE_EV_UNWIND && size >= sizeof(struct sonde_unwind_event)) {
		session_unwind_note(e->s, record);
	} else if (head->id == SONDE_EV_WARNING && size >= sizeof(struct sonde_warning_event)) {
		events_warning(e, record);
	} else if (e->exited) {
		return; /* records after exit() are not shown */
	} else if (head->id == SONDE_EV_EXIT && size >= sizeof(struct sonde_exit_event)) {
		e->exited = true;
		e->exit_code = (int)(((const struct sonde_exit_event *)record)->code & 0xff);
	} else {
		planned_record(e, head->id, record, size);
	}
}
