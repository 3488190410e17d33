/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Nothing was printed" has many causes. One line at the end of a run names the probes that never
 * fired and the maps that stayed empty: a map that is named alone belongs to a probe that fired,
 * but whose predicate never held. Programs note in the control block that their probe has fired. A
 * pattern counts as one probe, which fired if any of its members did.
 */
#include "parser/lang/syscalls.h"
#include "runtime/events/events.h"

enum { NAMES_MOST = 3 };

static bool is_awaited(const struct session *s, uint32_t probe)
{
	return !prog_kind_is(s->plan->progs[s->plan->probes[probe].prog].kind, PK_UNAWAITED);
}

static bool has_fired(const struct session *s, uint32_t probe)
{
	return probe >= SONDE_MAX_FIRED ||
	       __atomic_load_n(&s->control->fired[probe], __ATOMIC_RELAXED);
}

static bool is_of_one(const struct plan *p, uint32_t a, uint32_t b)
{
	const struct plan_probe *x = &p->probes[a], *y = &p->probes[b];

	return (x->span.start == y->span.start && x->span.end == y->span.end) ||
	       strcmp(x->name, y->name) == 0;
}

/* Is it the first of those with its name or its pattern, of which none has fired? */
static bool is_unfired(const struct session *s, uint32_t probe)
{
	if (!is_awaited(s, probe) || has_fired(s, probe))
		return false;
	for (uint32_t i = 0; i < s->plan->n_probes; i++)
		if (is_of_one(s->plan, i, probe) && (i < probe || has_fired(s, i)))
			return false;
	return true;
}

/* "a, b, c and 5 more" */
static void put_name(FILE *f, uint32_t i, const char *head, const char *name)
{
	if (i < NAMES_MOST)
		fprintf(f, "%s%s", i ? ", " : head, name);
}

static void put_rest(FILE *f, uint32_t n)
{
	if (n > NAMES_MOST)
		fprintf(f, " and %u more", n - NAMES_MOST);
}

static uint32_t put_probes(FILE *f, const struct session *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->plan->n_probes; i++)
		if (is_unfired(s, i))
			put_name(f, n++, "never fired: ", s->plan->probes[i].name);
	put_rest(f, n);
	return n;
}

static void put_maps(FILE *f, const struct events *e, bool is_second)
{
	const struct plan *p = e->s->plan;
	uint32_t n = 0;

	for (uint32_t i = 0; p->config.print_maps_on_exit && i < p->n_maps; i++)
		if (events_map_stayed_empty(e, i))
			put_name(f, n++, is_second ? "; stayed empty: " : "stayed empty: ",
				 p->maps[i].name);
	put_rest(f, n);
}

/* `tracepoint:syscalls:sys_enter_open`: a call that programs hardly make. */
static bool hint_newer(const char *probe)
{
	static const char *const events[] = {"sys_enter_", "sys_exit_"};
	static const char category[] = "tracepoint:syscalls:";
	const char *name = probe + sizeof(category) - 1;

	if (strncmp(probe, category, sizeof(category) - 1) != 0)
		return false;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		size_t n = strlen(events[i]);
		const struct newer_call *c =
			strncmp(name, events[i], n) == 0 ? syscall_newer(name + n) : NULL;

		if (!c)
			continue;
		if (c->instead)
			log_info("hint: most programs call %s instead: write %s%s%s", c->instead,
				 category, events[i], c->instead);
		else
			log_info("hint: programs ask the vDSO for it, without a system call");
		return true;
	}
	return false;
}

/* One hint is enough. */
static void hint_calls(const struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_probes; i++)
		if (is_unfired(s, i) && hint_newer(s->plan->probes[i].name))
			return;
}

static bool has_any_fired(const struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_probes; i++)
		if (is_awaited(s, i) && has_fired(s, i))
			return true;
	return false;
}

void unfired_report(const struct events *e)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	if (!e->s->control || (e->s->plan->source->is_bundled && has_any_fired(e->s)))
		return;
	f = open_memstream(&text, &size);
	if (!f)
		return;
	put_maps(f, e, put_probes(f, e->s) > 0);
	if (fclose(f) == 0 && size)
		log_info("note: %s", text);
	hint_calls(e->s);
	free(text);
}
