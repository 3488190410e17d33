/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime relies on in a plan: numbers of maps, programs, probes and names exist, fields
 * are inside of their key, value or record, and sizes are those that the layout has. plan_make()
 * makes no other plans; a file may have anything.
 */
#include "parser/plan/plan_file_check.h"
#include "bpf_helpers/shared.h"
#include "parser/base/limits.h"
#include "parser/lang/agg.h"
#include "parser/plan/plan.h"
#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

static bool is_field(const struct plan_field *f, uint32_t size)
{
	return f->offset <= size && f->size <= size - f->offset && f->type->size <= f->size;
}

static bool are_fields(const struct plan_field *f, uint32_t n, uint32_t from, uint32_t size)
{
	if (n > LIMIT_CALL_ARGS)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (f[i].offset < from || !is_field(&f[i], size))
			return false;
	return true;
}

/* ---- maps -------------------------------------------------------------------------------- */

static bool are_slots(const struct plan_map *m)
{
	uint64_t slots = (uint64_t)m->n_slots * m->slot_bytes;
	uint32_t behind = agg_is_series(m->value) ? 8 : 0;

	return m->n_slots && m->slot_bytes >= m->n_words * 8 && m->slot_bytes % 8 == 0 &&
	       slots + behind == m->value_size && m->value_size <= SONDE_SLOTS_BYTES &&
	       m->interval_offset == (behind ? slots : 0);
}

static bool is_hash(const struct plan_map *m)
{
	uint32_t end = m->key_size;

	if (m->bpf_type != BPF_MAP_TYPE_HASH && m->bpf_type != BPF_MAP_TYPE_LRU_HASH)
		return false;
	if (agg_has_buckets(m->value) != (m->bucket_offset != 0))
		return false;
	if (m->bucket_offset) {
		if (m->bucket_offset < 4 || m->bucket_offset > m->key_size - 4)
			return false;
		end = m->bucket_offset;
	}
	return m->key_size >= 4 && m->key_size <= 2 * LIMIT_KEY_BYTES && m->max_entries &&
	       are_fields(m->keys, m->n_keys, 4, end);
}

static bool is_array(const struct plan_map *m)
{
	uint32_t type = m->kind == PM_ARRAY ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_PERCPU_ARRAY;

	return m->bpf_type == type && m->n_keys == 0 && m->key_size == 4 &&
	       m->max_entries == SONDE_EPOCH_SLOTS && m->value_size >= 8 &&
	       m->touched_offset == m->value_size - 8;
}

static bool is_map(const struct plan_map *m)
{
	bool is_agg = m->value->kind == TY_AGG, is_keyed = m->n_keys > 0;
	uint32_t room = m->value_size;

	if (*m->name != '@' || m->order.part > m->n_keys || room > LIMIT_C_BYTES || room % 8)
		return false;
	if (is_agg != (m->kind == PM_SLOT_HASH || m->kind == PM_PERCPU_ARRAY))
		return false;
	if (plan_is_hash(m) ? !is_hash(m) : !is_array(m))
		return false;
	if (!is_agg)
		return m->n_words == 0 && m->n_slots == 0 && m->slot_bytes == 0 &&
		       m->value->size <= (plan_is_hash(m) ? room : room - 8);
	if (m->n_words != agg_words(m->value, is_keyed))
		return false;
	if (m->kind == PM_SLOT_HASH)
		return are_slots(m);
	return m->n_slots == 0 && room == m->n_words * 8 + 8;
}

/* ---- events ------------------------------------------------------------------------------ */

static bool is_piece(const struct plan_event *e, const struct format_piece *p)
{
	if (p->width > LIMIT_WIDTH || p->precision > LIMIT_WIDTH || p->bits > 64 ||
	    p->width_arg > e->n_fields || p->precision_arg > e->n_fields)
		return false;
	if (!p->conv)
		return true;
	return strchr("diuxXocpsrg", p->conv) && p->field < e->n_fields;
}

/* Only runs with --for-replay send it, and these are not compiled. */
static bool is_kind(const struct plan_event *e)
{
	return e->kind != PE_READ;
}

/* Only the end of join()'s record may be missing. */
static bool is_length(const struct plan_event *e)
{
	return !e->least ||
	       (e->kind == PE_JOIN && e->least == offsetof(struct sonde_join_event, bytes));
}

/* What the record of a map's event, of join() and of span() has. */
static uint32_t least_size(const struct plan_event *e)
{
	if (e->kind == PE_JOIN)
		return sizeof(struct sonde_join_event);
	if (e->kind == PE_SPAN)
		return sizeof(struct sonde_span_event);
	return e->has_map ? sizeof(struct sonde_map_event) : sizeof(struct sonde_event);
}

static bool is_event(const struct plan *p, const struct plan_event *e)
{
	bool is_of_map = e->kind == PE_PRINT_MAP || e->kind == PE_CLEAR_MAP ||
			 e->kind == PE_ZERO_MAP || e->kind == PE_PRINT_CLEAR;

	if (!is_kind(e) || !is_length(e) || e->size < least_size(e) ||
	    e->size > LIMIT_EVENT_BYTES || e->size % 8 || is_of_map != e->has_map ||
	    (e->has_map && e->map >= p->n_maps) ||
	    ((e->kind == PE_TIME || e->kind == PE_JOIN) && !e->text) ||
	    (e->kind == PE_SPAN && !e->text && e->n_fields != 1) ||
	    (e->kind == PE_PRINT_VALUE && e->n_fields != 1))
		return false;
	if (!are_fields(e->fields, e->n_fields, sizeof(struct sonde_event), e->size))
		return false;
	for (uint32_t i = 0; i < e->n_pieces; i++)
		if (!is_piece(e, &e->pieces[i]))
			return false;
	return true;
}

/* ---- programs and probes ------------------------------------------------------------------ */

static bool are_below(const uint32_t *numbers, uint32_t n, uint32_t limit)
{
	for (uint32_t i = 0; i < n; i++)
		if (numbers[i] >= limit)
			return false;
	return true;
}

static bool are_targets(const struct plan_prog *g)
{
	bool is_user = prog_kind_is(g->kind, PK_USER_FUNCTION);

	for (uint32_t i = 0; i < plan_n_targets(g); i++)
		if (is_user ? !g->targets[i].path : !g->targets[i].symbol && !g->targets[i].address)
			return false;
	return true;
}

static bool is_prog(const struct plan *p, const struct plan_prog *g)
{
	if (!are_below(g->probes, g->n_probes, p->n_probes) ||
	    !are_below(g->starts, g->n_starts, p->n_probes) || !are_targets(g))
		return false;
	if (prog_kind_is(g->kind, PK_KERNEL_FUNCTION | PK_USER_FUNCTION))
		return g->n_targets > 0;
	return !prog_kind_is(g->kind, PK_PERIOD) || g->period_ns || g->hertz;
}

static bool is_probe(const struct plan *p, const struct plan_probe *q)
{
	uint32_t n = p->names.n;

	return q->name_id < n && q->func_id < n && q->type_id < n && q->prog < p->n_progs &&
	       are_below(q->syscall.names, q->syscall.n_names, n) &&
	       q->state.owner < (q->state.kind ? p->n_probes : UINT32_MAX);
}

/* ---- the rest ---------------------------------------------------------------------------- */

static bool is_config(const struct config *c)
{
	for (uint32_t i = 0; i < n_config_rows; i++) {
		const struct config_row *row = &config_rows[i];
		uint64_t value;

		if (row->kind > CONFIG_WORD)
			continue;
		memcpy(&value, (const char *)c + row->offset, sizeof(value));
		if (row->kind == CONFIG_INT && (value < row->least || value > row->most))
			return false;
		if (row->kind != CONFIG_INT && value > 64)
			return false;
	}
	return true;
}

static bool are_needs(const struct plan_needs *n)
{
	if (n->ring_buffer && (n->ring_bytes < 4096 || n->ring_bytes > 1u << 30 ||
			       n->ring_bytes & (n->ring_bytes - 1)))
		return false;
	return (n->stack_entries != 0) == (n->kstack || n->ustack) && n->stack_entries <= 1u << 24;
}

/* Parts follow each other, and a copy is of a call before it. */
static bool are_parts(const struct source *s)
{
	uint32_t at = s->len + 1;

	for (uint32_t i = 0; i < s->parts->n; i++) {
		const struct source_part *part = &s->parts->items[i];

		if (part->start < at || part->call.start >= part->start ||
		    part->at > part->file->len || part->len > part->file->len - part->at)
			return false;
		at = part->start + part->len;
	}
	return s->base == 0;
}

bool plan_file_check(const struct plan *p)
{
	bool is_good = p->n_maps <= LIMIT_MAPS && is_config(&p->config) && are_needs(&p->needs) &&
		       are_parts(p->source);

	for (uint32_t i = 0; is_good && i < p->n_maps; i++)
		is_good = is_map(&p->maps[i]);
	for (uint32_t i = 0; is_good && i < p->n_events; i++)
		is_good = is_event(p, &p->events[i]);
	for (uint32_t i = 0; is_good && i < p->n_progs; i++)
		is_good = is_prog(p, &p->progs[i]);
	for (uint32_t i = 0; is_good && i < p->n_probes; i++)
		is_good = is_probe(p, &p->probes[i]);
	return is_good;
}
