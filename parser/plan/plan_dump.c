/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --emit plan: prints the plan as text, one line for each row, in a stable form for golden
 * tests.
 */
#include "parser/plan/plan.h"
#include "bpf_helpers/shared.h"
#include "parser/base/escape.h"
#include "parser/lang/span_kind.h"
#include <linux/bpf.h>

static const char *const map_kinds[] = {
	[PM_HASH] = "hash",
	[PM_SLOT_HASH] = "slot_hash",
	[PM_ARRAY] = "array",
	[PM_PERCPU_ARRAY] = "percpu_array",
};

const char *const plan_event_names[] = {
#define EVENT(id, name, ...) [PE_##id] = name,
#include "parser/lang/event_kinds.def"
};

_Static_assert(sizeof(plan_event_names) / sizeof(*plan_event_names) == PE_KIND_COUNT,
	       "one name each");

static void dump_fields(struct arena *a, const struct plan_field *f, uint32_t n, FILE *out)
{
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, " %s@%u", type_str(a, f[i].type), f[i].offset);
}

/* The kernel rounds keys and each value up to 8 bytes. */
uint64_t plan_map_bytes(const struct plan_map *m, uint32_t n_cpus)
{
	bool is_percpu = m->kind == PM_PERCPU_ARRAY;
	uint64_t key = plan_is_hash(m) ? (m->key_size + 7) / 8 * 8 : 0;

	return (key + (uint64_t)m->value_size * (is_percpu ? n_cpus : 1)) * m->max_entries;
}

static void dump_map(struct arena *a, const struct plan_map *m, uint32_t n_cpus, FILE *out)
{
	fprintf(out, "map %s %s%s key %u", m->name,
		m->bpf_type == BPF_MAP_TYPE_LRU_HASH ? "lru_" : "", map_kinds[m->kind],
		m->key_size);
	if (plan_is_hash(m))
		fprintf(out, " [epoch@0");
	dump_fields(a, m->keys, m->n_keys, out);
	if (m->bucket_offset)
		fprintf(out, " bucket@%u", m->bucket_offset);
	if (plan_is_hash(m))
		fprintf(out, "]");
	fprintf(out, " value %u %s", m->value_size, type_str(a, m->value));
	if (m->n_slots)
		fprintf(out, " slots %u * %u", m->n_slots, m->slot_bytes);
	if (m->interval_offset)
		fprintf(out, " interval@%u", m->interval_offset);
	if (m->touched_offset)
		fprintf(out, " touched@%u", m->touched_offset);
	fprintf(out, " entries %u at most %llu bytes\n", m->max_entries,
		(unsigned long long)plan_map_bytes(m, n_cpus));
}

static void dump_event(struct arena *a, const struct plan *p, const struct plan_event *e,
		       uint32_t i, FILE *out)
{
	fprintf(out, "event %u %s size %u", i, plan_event_names[e->kind], e->size);
	dump_fields(a, e->fields, e->n_fields, out);
	if (e->has_map)
		fprintf(out, " %s", p->maps[e->map].name);
	fprintf(out, "\n");
}

static void dump_span(const struct plan_probe *q, FILE *out)
{
	if (q->state.kind == SPAN_NO)
		return;
	fprintf(out, " span ");
	if (q->state.slots > 1)
		fprintf(out, "%u + %u * ", q->state.head, q->state.slots);
	fprintf(out, "%u start@0%s", q->state.slot_bytes,
		span_rows[q->state.kind].key_bytes ? " key@8" : "");
	if (q->state.inside)
		fprintf(out, " inside@%u", q->state.inside);
	if (q->state.before)
		fprintf(out, " before@%u", q->state.before);
	if (q->state.call.type)
		fprintf(out, " call@%u", q->state.call.offset);
	for (uint32_t i = 0; i < q->state.n_entries; i++)
		fprintf(out, " entry@%u", q->state.entries[i].offset);
}

static void dump_perf(const struct perf_point *p, FILE *out)
{
	fprintf(out, " type %u", p->type);
	if (p->length)
		fprintf(out, " address 0x%llx length %u access %u", (unsigned long long)p->address,
			p->length, p->access);
	else
		fprintf(out, " event %llu", (unsigned long long)p->config);
	if (p->every)
		fprintf(out, " every %llu", (unsigned long long)p->every);
}

/* ustack@8, ustack(5)@8, ustack(dwarf)@8, ustack(dwarf,5)@8 */
static void dump_stack(const char *name, const struct plan_kept_stack *k, FILE *out)
{
	const char *walk = stack_walk_name(k->walk);
	const char *comma = k->walk && k->limit ? "," : "";

	fprintf(out, " %s", name);
	if (k->walk || k->limit)
		fprintf(out, "(%s%s", walk, comma);
	if (k->limit)
		fprintf(out, "%u", k->limit);
	fprintf(out, "%s@%u", k->walk || k->limit ? ")" : "", k->field.offset);
}

static void dump_prog(const struct plan *p, const struct plan_prog *g, FILE *out)
{
	fprintf(out, "program %s %s section ", g->symbol, prog_rows[g->kind].name);
	escape_write(ESCAPE_NAME, g->section, out);
	if (g->hertz)
		fprintf(out, " frequency %llu Hz", (unsigned long long)g->hertz);
	else if (prog_kind_is(g->kind, PK_PERIOD))
		fprintf(out, " period %llu ns", (unsigned long long)g->period_ns);
	if (prog_kind_is(g->kind, PK_EVENT))
		dump_perf(&g->perf, out);
	if (plan_pin(g))
		fprintf(out, " pin %s", plan_pin(g));
	if (plan_n_targets(g) > 1)
		fprintf(out, " %s %u", prog_kind_is(g->kind, PK_USDT) ? "places" : "functions",
			g->n_targets);
	if (g->prefaults)
		fprintf(out, " sleepable, before %s", p->progs[g->prefaults - 1].symbol);
	fprintf(out, "%s\n", g->is_sleepable ? " sleepable" : "");
	if (g->fallback) {
		fputs("  fallback ", out);
		escape_write(ESCAPE_NAME, g->fallback, out);
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < g->n_probes; i++) {
		const struct plan_probe *q = &p->probes[g->probes[i]];

		fprintf(out, "  probe %u ", g->probes[i]);
		escape_write(ESCAPE_NAME, q->name, out);
		if (prog_kind_is(g->kind, PK_SYSCALL)) {
			if (q->syscall.number >= 0)
				fprintf(out, " number %lld", (long long)q->syscall.number);
			else
				fprintf(out, " any number");
		}
		if (q->syscall.n_more)
			fprintf(out, " and %u more", q->syscall.n_more);
		dump_span(q, out);
		for (uint32_t j = 0; j < q->state.n_stacks; j++)
			dump_stack("ustack", &q->state.stacks[j], out);
		for (uint32_t j = 0; j < q->state.n_kstacks; j++)
			dump_stack("kstack", &q->state.kstacks[j], out);
		if (q->state.reason)
			fprintf(out, " reason@%u", q->state.reason);
		for (uint32_t j = 0; j < q->state.n_args; j++)
			fprintf(out, " %s@%u", q->state.arg_names[j], q->state.args[j].offset);
		fprintf(out, "\n");
	}
	for (uint32_t i = 0; i < g->n_starts; i++)
		fprintf(out, "  starts spans of probe %u\n", g->starts[i]);
}

static void dump_stacks(const struct plan_needs *needs, FILE *out)
{
	if (!needs->stack_entries)
		return;
	fprintf(out, "needs stacks%s%s entries %u at most %llu bytes\n",
		needs->kstack ? " kernel" : "",
		needs->unwind	? " user"
		: needs->ustack ? " user(fp)"
				: "",
		needs->stack_entries,
		(unsigned long long)needs->stack_entries *
			(sizeof(uint64_t) + sizeof(struct sonde_stack)));
}

void plan_dump_maps(const struct plan *p, uint32_t n_cpus, FILE *out)
{
	struct arena *a = arena_new();

	for (uint32_t i = 0; i < p->n_maps; i++)
		dump_map(a, &p->maps[i], n_cpus, out);
	for (uint32_t i = 0; i < p->n_events; i++)
		dump_event(a, p, &p->events[i], i, out);
	arena_free(a);
}

void plan_dump_programs(const struct plan *p, FILE *out)
{
	for (uint32_t i = 0; i < p->n_progs; i++)
		dump_prog(p, &p->progs[i], out);
	if (p->needs.ring_buffer)
		fprintf(out, "needs ring buffer %u\n", p->needs.ring_bytes);
	dump_stacks(&p->needs, out);
	if (p->needs.warnings)
		fputs("needs warnings\n", out);
	if (p->needs.scope)
		fprintf(out, "needs scope%s%s\n", p->needs.only_cgroup ? " cgroup" : "",
			p->needs.pid_namespace ? " pid-namespace" : "");
}

void plan_dump(const struct plan *p, uint32_t n_cpus, FILE *out)
{
	plan_dump_maps(p, n_cpus, out);
	plan_dump_programs(p, out);
}
