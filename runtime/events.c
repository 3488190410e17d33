/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring-buffer records by the plan: printf and print, maps printed and cleared, stacks noted, exit.
 * Clearing is atomic: the program has advanced the map's epoch, we wait until no program that saw
 * the old one runs any more, read what it has, then delete it. Nothing between is lost.
 */
#include "events.h"
#include "log.h"
#include "map_read.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int events_init(struct events *e, struct session *s, struct out *out)
{
	*e = (struct events){.s = s, .out = out};
	e->cleared = calloc(s->plan->n_maps + 1, sizeof(*e->cleared));
	e->zeroed = calloc(s->plan->n_maps + 1, sizeof(*e->zeroed));
	return e->cleared && e->zeroed ? 0 : -ENOMEM;
}

void events_free(struct events *e)
{
	free(e->cleared);
	free(e->zeroed);
}

static void note_error(struct events *e, int err)
{
	if (err && !e->error)
		e->error = err;
}

/* ---- maps ---------------------------------------------------------------------------------- */

/* `ev` is the print call, or NULL at the end of tracing. */
static void print_snapshot(struct events *e, const struct plan_map *m, struct map_snapshot *snap,
			   const struct plan_event *ev)
{
	struct view_map view;
	int err = view_map_make(m, snap, &e->s->stacks, &view);

	if (err) {
		log_error("%s: cannot be shown: %s", m->name, strerror(-err));
		return;
	}
	if (ev)
		view_map_limit(&view, ev->top, ev->divisor);
	note_error(e, e->out->map(e->out, &view));
	view_map_free(&view);
	texts_forget(e->s);
}

/* A map without keys that nobody wrote is shown when the script asks for it. */
static void print_map(struct events *e, uint32_t map, uint32_t epoch, const struct plan_event *ev)
{
	const struct plan_map *m = &e->s->plan->maps[map];
	struct map_snapshot snap;
	int err;

	if (e->s->map_fds[map] < 0) /* named but never used in a program that was kept */
		return;
	err = map_snapshot_read(m, e->s->map_fds[map], epoch, epoch, &snap);
	if (!err && (ev || e->zeroed[map]) && m->n_keys == 0 && snap.n_rows == 0)
		err = map_snapshot_add_zero(m, &snap);
	if (err) {
		log_error("%s: cannot be read: %s", m->name, strerror(-err));
		return;
	}
	print_snapshot(e, m, &snap, ev);
	map_snapshot_free(&snap);
}

/* Programs that run now may still add to the old epoch: wait for an RCU grace period. */
static void wait_for_programs(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* When the program could not advance (too many clears on their way) the epoch is still in use. */
static bool is_advanced(const struct events *e, uint32_t map, uint32_t epoch)
{
	return e->s->control && e->s->control->epoch[map] != epoch;
}

/* Delete what has `epoch` or less; what is still in use is left, the loss table has it. */
static void delete_epoch(struct events *e, uint32_t map, uint32_t epoch)
{
	struct sonde_control *c = e->s->control;

	if (!is_advanced(e, map, epoch) || e->s->map_fds[map] < 0)
		return;
	map_delete_before(&e->s->plan->maps[map], e->s->map_fds[map], e->cleared[map], epoch + 1);
	e->cleared[map] = epoch + 1;
	__atomic_store_n(&c->acked[map], epoch + 1, __ATOMIC_RELEASE);
}

/* What the old epoch had gets a 0 in the new one, unless a program was there already. */
static void zero_epoch(struct events *e, uint32_t map, uint32_t epoch)
{
	const struct plan_map *m = &e->s->plan->maps[map];
	struct map_snapshot snap;
	int err;

	if (!is_advanced(e, map, epoch) || e->s->map_fds[map] < 0)
		return;
	err = map_snapshot_read(m, e->s->map_fds[map], epoch, epoch, &snap);
	if (!err) {
		e->zeroed[map] |= snap.n_rows > 0 && m->n_keys == 0;
		err = map_insert_zeros(m, e->s->map_fds[map], &snap, epoch + 1);
		map_snapshot_free(&snap);
	}
	if (err)
		log_error("%s: cannot be set to 0: %s", m->name, strerror(-err));
}

static void map_event(struct events *e, const struct plan_event *ev, const struct sonde_map_event *r)
{
	if (r->map >= e->s->plan->n_maps)
		return;
	if (ev->kind != PE_PRINT_MAP && is_advanced(e, r->map, r->epoch))
		wait_for_programs();
	if (ev->kind == PE_ZERO_MAP)
		zero_epoch(e, r->map, r->epoch);
	else if (ev->kind != PE_CLEAR_MAP)
		print_map(e, r->map, r->epoch, ev);
	if (ev->kind != PE_PRINT_MAP)
		delete_epoch(e, r->map, r->epoch);
}

static int by_name(const void *x, const void *y)
{
	const struct plan_map *const *a = x, *const *b = y;

	return strcmp((*a)->name, (*b)->name);
}

void events_print_maps(struct events *e)
{
	const struct plan *p = e->s->plan;
	const struct plan_map **sorted = calloc(p->n_maps + 1, sizeof(*sorted));

	for (uint32_t i = 0; sorted && i < p->n_maps; i++)
		sorted[i] = &p->maps[i];
	if (sorted)
		qsort(sorted, p->n_maps, sizeof(*sorted), by_name);
	for (uint32_t i = 0; sorted && i < p->n_maps; i++) {
		uint32_t map = (uint32_t)(sorted[i] - p->maps);

		print_map(e, map, e->s->control ? e->s->control->epoch[map] : 0, NULL);
	}
	free(sorted);
}

/* ---- records ------------------------------------------------------------------------------- */

enum { MAX_FIELDS = 64 }; /* LIMIT_CALL_ARGS */

static void show_fields(struct events *e, const struct plan_event *ev, const uint8_t *record)
{
	struct view views[MAX_FIELDS];

	for (uint32_t i = 0; i < ev->n_fields && i < MAX_FIELDS; i++)
		view_make(&views[i], ev->fields[i].type, record + ev->fields[i].offset, &e->s->stacks);
	if (ev->kind == PE_PRINTF)
		note_error(e, e->out->printf_event(e->out, ev, views));
	else
		note_error(e, e->out->value(e->out, &views[0]));
	if (e->s->texts)
		texts_forget(e->s);
}

/* As if printf had printed the text. */
static void show_time(struct events *e, const struct plan_event *ev)
{
	const char *text = texts_time(e->s, ev->text, texts_wall_clock());
	struct plan_piece piece = {.text = text, .text_len = (uint32_t)strlen(text)};
	struct plan_event shown = {.kind = PE_PRINTF, .pieces = &piece, .n_pieces = 1, .span = ev->span};

	note_error(e, e->out->printf_event(e->out, &shown, NULL));
	texts_forget(e->s);
}

static void planned_record(struct events *e, uint32_t id, const void *record, size_t size)
{
	const struct plan_event *ev;

	if (id >= e->s->plan->n_events)
		return;
	ev = &e->s->plan->events[id];
	if (size < ev->size)
		return;
	switch (ev->kind) {
	case PE_PRINTF:
	case PE_PRINT_VALUE:
		show_fields(e, ev, record);
		return;
	case PE_TIME:
		show_time(e, ev);
		return;
	case PE_PRINT_MAP:
	case PE_CLEAR_MAP:
	case PE_ZERO_MAP:
	case PE_PRINT_CLEAR:
		map_event(e, ev, record);
		return;
	}
}

void events_record(struct events *e, const void *record, size_t size)
{
	const struct sonde_event *head = record;

	if (size < sizeof(*head))
		return;
	if (head->id == SONDE_EV_STACK && size >= sizeof(struct sonde_stack_event)) {
		stacks_note(e->s, record);
	} else if (e->exited) {
		return; /* what came after exit() is not shown */
	} else if (head->id == SONDE_EV_EXIT && size >= sizeof(struct sonde_exit_event)) {
		e->exited = true;
		e->exit_code = (int)(((const struct sonde_exit_event *)record)->code & 0xff);
	} else {
		planned_record(e, head->id, record, size);
	}
}
