/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads the programs of bpf_helpers/waiting.bpf.c: one for each user stack that the spans
 * of a probe keep. All maps are those of the script's object, which have the same names.
 */
#include "runtime/load/waiting.h"
#include "bpf_helpers/unwind.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/load/load.h"
#include "runtime/load/load_report.h"
#include "runtime/session/prep.h"
#include "runtime/session/session.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const char sonde_object_waiting[], sonde_object_waiting_end[];

/* Of a stack of interpreters' functions alone, the whole stack is walked. */
static struct sonde_waiting waiting_of(uint32_t probe, const struct plan_kept_stack *k)
{
	bool is_of_runtime = stack_walk_is_of_runtime(k->walk);

	return (struct sonde_waiting){
		.probe = probe,
		.offset = k->field.offset,
		.limit = is_of_runtime ? 0 : k->limit,
		.is_of_runtime = is_of_runtime,
	};
}

/* Call fn for each stack that is walked by tables; a result other than 0 ends that. */
static int each_stack(struct session *s, int (*fn)(struct session *s, struct sonde_waiting at))
{
	int err = 0;

	for (uint32_t i = 0; i < s->plan->n_probes; i++) {
		const struct plan_span *state = &s->plan->probes[i].state;

		for (uint32_t k = 0; k < state->n_stacks && !err; k++)
			if (state->stacks[k].walk != WALK_fp)
				err = fn(s, waiting_of(i, &state->stacks[k]));
	}
	return err;
}

static int find(struct session *s, struct sonde_waiting at)
{
	(void)s;
	(void)at;
	return 1;
}

bool waiting_can_read(const struct session *s)
{
	return s->control && !s->source && s->config->unwinds &&
	       kernel_has(s->kernel, CAP_UNWIND_OTHER) && each_stack((struct session *)s, find);
}

/* Use the maps of the script's object, and set what the program is about. */
static int set_maps(const struct session *s, struct bpf_object *object, struct sonde_waiting at)
{
	struct bpf_map *m, *theirs;
	char spans[32];
	int err = 0;

	snprintf(spans, sizeof(spans), "span_%u", s->plan->probes[at.probe].state.owner);
	bpf_object__for_each_map(m, object)
	{
		const char *name = bpf_map__name(m);

		if (strcmp(name, "sonde_waiting_spans") == 0)
			name = spans;
		theirs = bpf_object__find_map_by_name(s->object, name);
		if (theirs && bpf_map__fd(theirs) < 0) /* the script does not need it */
			bpf_map__set_autocreate(m, false);
		else if (theirs)
			err = err ?: bpf_map__reuse_fd(m, bpf_map__fd(theirs));
		else if (bpf_map__is_internal(m))
			err = err ?: bpf_map__set_initial_value(m, &at, sizeof(at));
	}
	return err;
}

static int load(struct session *s, struct sonde_waiting at)
{
	size_t n = (size_t)(sonde_object_waiting_end - sonde_object_waiting);
	struct bpf_object *object = session_open_object(s->prep, sonde_object_waiting, n);
	int err;

	if (!object)
		return -errno;
	err = set_maps(s, object, at) ?: bpf_object__load(object);
	err = err ?: vec_push(&s->waiting, object);
	if (err)
		bpf_object__close(object);
	return err;
}

int waiting_load(struct session *s)
{
	int err;

	if (s->waiting.n)
		return 0;
	load_report_begin();
	err = each_stack(s, load);
	load_report_end();
	return err;
}

void waiting_free(struct session *s)
{
	for (size_t i = 0; i < s->waiting.n; i++)
		bpf_object__close(s->waiting.items[i]);
	vec_free(&s->waiting);
}
