/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the writers of stacks: see out_stacks.h.
 */
#include "runtime/output/out_stacks.h"
#include "runtime/output/out.h"
#include "runtime/base/log.h"
#include "runtime/view/call_tree.h"
#include <errno.h>

static struct out *text_of(struct out *o)
{
	return ((struct out_stacks *)o)->text;
}

/* What was printed on standard error is not held back. */
static int shown(struct out *o, int err)
{
	return err ?: text_of(o)->flush(text_of(o));
}

static int stacks_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	return shown(o, text_of(o)->printf_event(text_of(o), e, fields));
}

static int stacks_message(struct out *o, const struct view_message *m)
{
	return text_of(o)->message(text_of(o), m);
}

static int stacks_value(struct out *o, const struct view *v)
{
	return shown(o, text_of(o)->value(text_of(o), v));
}

static int stacks_map(struct out *o, const struct view_map *m)
{
	struct out_stacks *s = (struct out_stacks *)o;
	int err;

	if (!s->map || !call_tree_takes(m))
		return shown(o, s->text->map(s->text, m));
	err = s->map(s, m);
	if (err && !s->file.error)
		s->file.error = err;
	return out_file_done(&s->file);
}

static int stacks_attached(struct out *o, uint32_t n_probes)
{
	return text_of(o)->attached(text_of(o), n_probes);
}

static int stacks_lost(struct out *o, const struct view_loss *l)
{
	return text_of(o)->lost(text_of(o), l);
}

static int stacks_test(struct out *o, const struct view_test *t)
{
	return shown(o, text_of(o)->test(text_of(o), t));
}

static int stacks_end(struct out *o)
{
	(void)o;
	return 0;
}

static bool has_stack(const struct plan_map *m)
{
	for (uint32_t i = 0; i < m->n_keys; i++)
		if (call_tree_has_stack(m->keys[i].type))
			return true;
	return false;
}

bool out_spans_are_in(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].kind == PE_SPAN)
			return true;
	return false;
}

static uint32_t count_stack_maps(const struct plan *plan)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_maps; i++)
		n += has_stack(&plan->maps[i]);
	return n;
}

bool out_stacks_are_in(const struct plan *plan)
{
	return count_stack_maps(plan) || out_spans_are_in(plan);
}

int out_stacks_init(struct out_stacks *s, FILE *f, const struct plan *plan,
		    int (*map)(struct out_stacks *s, const struct view_map *m))
{
	uint32_t n = count_stack_maps(plan);
	int err;

	s->is_named = n + out_spans_are_in(plan) > 1;
	s->map = map;
	s->file.out = (struct out){
		.printf_event = stacks_printf_event,
		.message = stacks_message,
		.value = stacks_value,
		.map = stacks_map,
		.attached = stacks_attached,
		.lost = stacks_lost,
		.test = stacks_test,
		.end = stacks_end,
		.flush = out_file_flush,
	};
	err = out_file_init(&s->file, f);
	if (err)
		return err;
	s->text = out_text_new(stderr);
	return s->text ? 0 : -ENOMEM;
}

void out_stacks_close(struct out_stacks *s)
{
	out_finish(&s->file.out);
	s->text->close(s->text);
}
