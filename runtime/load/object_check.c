/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime reads keys and values of the plan's sizes, and maps the control block: the object of
 * a file must have them so. A program that acts on others requires --unsafe, as in a script.
 */
#include "runtime/load/object_check.h"
#include "parser/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/kernel/unsafe_use.h"
#include "runtime/session/session.h"
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

static bool has_sizes(const struct bpf_map *m, uint32_t type, uint32_t key_size,
		      uint32_t value_size)
{
	return bpf_map__type(m) == type && bpf_map__key_size(m) == key_size &&
	       bpf_map__value_size(m) == value_size;
}

static bool is_plan_map(const struct session *s, const struct plan_map *p)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, p->symbol);

	return !m || has_sizes(m, p->bpf_type, p->key_size, p->value_size);
}

/* The state of open calls of goroutines is read, too. */
static bool is_span_map(const struct session *s, uint32_t probe)
{
	const struct plan_span *state = &s->plan->probes[probe].state;
	struct bpf_map *m;
	char name[16];

	snprintf(name, sizeof(name), "span_%u", probe);
	m = bpf_object__find_map_by_name(s->object, name);
	return !m || (state->kind != SPAN_NO && bpf_map__key_size(m) == state->key_size);
}

static bool is_runtime_map(const struct session *s, const char *name, uint32_t type,
			   uint32_t key_size, uint32_t value_size)
{
	struct bpf_map *m = bpf_object__find_map_by_name(s->object, name);

	return !m || has_sizes(m, type, key_size, value_size);
}

static bool has_control(const struct session *s)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, s->object)
	{
		const char *dot = strrchr(bpf_map__name(m), '.');

		if (bpf_map__is_internal(m) && dot && strcmp(dot, ".bss") == 0)
			return bpf_map__value_size(m) >= sizeof(struct sonde_control);
	}
	return true;
}

static bool are_maps(const struct session *s)
{
	const struct plan *p = s->plan;
	bool is_good = has_control(s) &&
		       is_runtime_map(s, "sonde_losses", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8) &&
		       is_runtime_map(s, "sonde_stacks", BPF_MAP_TYPE_HASH, 8,
				      sizeof(struct sonde_stack)) &&
		       is_runtime_map(s, "sonde_packets", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4) &&
		       is_runtime_map(s, "sonde_wake", BPF_MAP_TYPE_RINGBUF, 0, 0) &&
		       is_runtime_map(s, "sonde_events", BPF_MAP_TYPE_ARRAY, 4, 4096);

	for (uint32_t i = 0; is_good && i < p->n_maps; i++)
		is_good = is_plan_map(s, &p->maps[i]);
	for (uint32_t i = 0; is_good && i < p->n_probes; i++)
		is_good = is_span_map(s, i);
	return is_good;
}

/* Programs of other types decide what happens to a packet, or whether a function runs. */
static bool observes(const struct bpf_program *p)
{
	switch (bpf_program__type(p)) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_PERF_EVENT: return true;
	case BPF_PROG_TYPE_TRACING:
		return bpf_program__expected_attach_type(p) != BPF_MODIFY_RETURN;
	default: return false;
	}
}

/* What in the object or the plan needs --unsafe, in words; NULL: nothing. */
static const char *find_unsafe(struct arena *a, const struct session *s, const void *elf,
			       size_t len)
{
	struct bpf_program *prog = NULL;

	for (uint32_t i = 0; i < s->plan->n_events; i++)
		if (s->plan->events[i].kind == PE_SYSTEM)
			return "it calls system()";
	while ((prog = bpf_object__next_program(s->object, prog)))
		if (!observes(prog))
			return arena_printf(a, "%s() is not of a type that only observes",
					    bpf_program__name(prog));
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (prog_kind_is(s->plan->progs[i].kind, PK_ITER) && s->plan->progs[i].pin)
			return "it pins an iterator";
	return unsafe_use_find(a, elf, len, false);
}

int object_check(const struct session *s, const void *elf, size_t len)
{
	struct arena *a;
	const char *why;

	if (!s->plan->is_compiled)
		return 0;
	if (!are_maps(s)) {
		log_error("the compiled script is damaged: its maps are not those of its plan");
		return -EBADMSG;
	}
	if (s->plan->allows_unsafe)
		return 0;
	a = arena_new();
	why = find_unsafe(a, s, elf, len);
	if (why)
		log_error("the compiled script acts on the system or on traced programs: %s", why);
	if (why)
		fputs("hint: the option --unsafe allows it\n", stderr);
	arena_free(a);
	return why ? -EPERM : 0;
}
