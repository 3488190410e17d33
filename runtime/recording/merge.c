/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds maps and losses of several runs: see merge.h. Rows are joined by what is shown of their
 * keys (view_compare.h): stacks by names and offsets, since addresses differ between machines.
 */
#include "runtime/recording/merge_impl.h"
#include "parser/base/limits.h"
#include "runtime/output/out_format.h"
#include "runtime/output/type_json.h"
#include "runtime/view/agg.h"
#include "runtime/view/map_read.h"
#include "runtime/view/view_compare.h"

const struct type *const merge_text_type = &(struct type){.kind = TY_STRING, .size = 1};

struct view merge_text_view(const char *s)
{
	return (struct view){.type = merge_text_type, .string = {s, (uint32_t)strlen(s), NULL}};
}

static struct merge *merge_of(struct out *o)
{
	return (struct merge *)o;
}

static void note(struct merge *m, int err)
{
	m->error = m->error ?: err;
}

/* ---- copies that outlive a run ------------------------------------------------------------- */

static const char *keep_string(struct merge *m, const char *s)
{
	return s ? arena_strdup(m->arena, s) : NULL;
}

HASH_INTEGER_FUNCTIONS(merged_stacks, struct merged_stack, uint64_t, hash_none, e->hash, e->stack)

static const struct view_stack *keep_stack(struct merge *m, const struct view_stack *s)
{
	struct merged_stack new = {.hash = view_stack_hash(s)}, *known;
	struct view_stack *kept;
	struct view_frame *frames;

	known = merged_stacks_find(&m->stacks, new.hash);
	if (known)
		return known->stack;
	kept = arena_new_of(m->arena, struct view_stack);
	frames = arena_alloc(m->arena, (s->n + 1) * sizeof(*frames));
	for (uint32_t i = 0; i < s->n; i++) {
		frames[i] = s->frames[i];
		frames[i].name = keep_string(m, s->frames[i].name);
		frames[i].module = keep_string(m, s->frames[i].module);
		frames[i].file = keep_string(m, s->frames[i].file);
		frames[i].build_id = keep_string(m, s->frames[i].build_id);
	}
	*kept = *s;
	kept->frames = frames;
	kept->cut = keep_string(m, s->cut);
	new.stack = kept;
	note(m, merged_stacks_insert(&m->stacks, new));
	return kept;
}

static struct view keep_view(struct merge *m, const struct type *t, const struct view *v)
{
	struct view kept = *v, part;
	struct view *parts;
	size_t n;

	kept.type = t;
	switch (type_shape(t)) {
	case SHAPE_STRING:
	case SHAPE_BUFFER:
	case SHAPE_DEFERRED:
		kept.string.text = arena_strndup(m->arena, v->string.text, v->string.len);
		kept.string.trailer = keep_string(m, v->string.trailer);
		break;
	case SHAPE_STACK: kept.stack = *keep_stack(m, &v->stack); break;
	case SHAPE_PARTS:
		parts = arena_alloc(m->arena, (type_parts(t) + 1) * sizeof(*parts));
		for (uint32_t i = 0; i < type_parts(t); i++) {
			view_part(v, i, &part);
			parts[i] = keep_view(m, t->kind == TY_ARRAY ? t->to : t->members[i].type,
					     &part);
		}
		kept.compound.parts = parts;
		break;
	case SHAPE_AGG:
		if (!agg_has_buckets(t))
			break;
		n = v->histogram.n * sizeof(*v->histogram.buckets);
		kept.histogram.buckets =
			memcpy(arena_alloc(m->arena, n + 1), v->histogram.buckets, n);
		break;
	case SHAPE_NONE:
	case SHAPE_BOOL:
	case SHAPE_INT:
	case SHAPE_FLOAT:
	case SHAPE_ADDRESS: break;
	}
	return kept;
}

/* ---- maps -------------------------------------------------------------------------------- */

struct row_keys {
	const struct view *views;
	uint32_t n;
};

static uint64_t hash_keys(struct row_keys k)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < k.n; i++)
		h = view_hash(h, &k.views[i]);
	return h;
}

static bool are_equal(struct row_keys a, struct row_keys b)
{
	for (uint32_t i = 0; i < a.n; i++)
		if (view_compare(&a.views[i], &b.views[i]))
			return false;
	return true;
}

static struct row_keys keys_of(const struct merged_map *map, uint32_t row)
{
	return (struct row_keys){map->rows.items[row].keys, map->view.n_keys};
}

HASH_FUNCTIONS(merged_index, uint32_t, struct row_keys, hash_keys(key), are_equal(a, b),
	       keys_of(HASH_TABLE_OWNER(h, struct merged_map, index), *e - 1), *e)

/* Strings of all sizes are one type. */
static bool is_same(const struct type *a, const struct type *b)
{
	return type_equal(a, b) || (type_shape(a) == SHAPE_STRING && type_shape(b) == SHAPE_STRING);
}

static bool is_of(const struct merged_map *map, const struct view_map *v)
{
	const struct view_row *row = v->rows;
	bool is = strcmp(map->view.name, v->name) == 0 &&
		  map->view.n_keys == v->n_keys + map->n_apart &&
		  type_equal(map->types[map->view.n_keys], row->value.type);

	for (uint32_t i = 0; is && i < v->n_keys; i++)
		is = is_same(map->types[i + map->n_apart], row->keys[i].type);
	return is;
}

static const char *const *keep_key_names(struct merge *m, const struct merged_map *map,
					 const struct view_map *v)
{
	const char **names = arena_alloc(m->arena, (map->n_apart + v->n_keys + 1) * sizeof(*names));

	for (uint32_t i = 0; i < map->n_apart; i++)
		names[i] = m->names[i].text;
	for (uint32_t i = 0; i < v->n_keys; i++)
		names[map->n_apart + i] = keep_string(m, v->key_names[i]);
	return names;
}

/* Values that are not added are kept apart. */
static struct merged_map *new_map(struct merge *m, const struct view_map *v)
{
	struct merged_map *map = arena_new_of(m->arena, struct merged_map);
	uint32_t n = 0;

	if (m->form->by || m->form->outliers || !agg_can_add(v->rows->value.type))
		map->n_apart = m->n_apart;
	map->view = *v;
	map->view.name = arena_strdup(m->arena, v->name);
	map->view.delimiter = keep_string(m, v->delimiter);
	map->view.key_names = v->key_names ? keep_key_names(m, map, v) : NULL;
	map->view.n_keys += map->n_apart;
	map->has_whole = v->whole;
	map->types = arena_alloc(m->arena, (map->view.n_keys + 1) * sizeof(*map->types));
	while (n < map->n_apart)
		map->types[n++] = merge_text_type;
	for (uint32_t i = 0; i < v->n_keys; i++)
		map->types[n++] = type_json_copy(m->arena, v->rows->keys[i].type);
	map->types[n] = type_json_copy(m->arena, v->rows->value.type);
	note(m, vec_push(&m->maps, map));
	return map;
}

static struct merged_map *map_of(struct merge *m, const struct view_map *v)
{
	struct merged_map **known = FIND(m->maps.items, m->maps.n, is_of(*item, v));

	return known ? *known : new_map(m, v);
}

static void add_row(struct merge *m, struct merged_map *map, const struct row_keys *keys,
		    const struct view *value)
{
	uint32_t *found = merged_index_find(&map->index, *keys), n = keys->n;
	const struct type *t = map->types[n];
	struct view_row row;

	if (found) {
		struct view *into = &map->rows.items[*found - 1].value;

		if (!agg_can_add(t))
			*into = keep_view(m, t, value); /* of one run: the last one */
		else
			agg_add(m->arena, into, value);
		return;
	}
	row.keys = arena_alloc(m->arena, (n + 1) * sizeof(*row.keys));
	for (uint32_t i = 0; i < n; i++)
		row.keys[i] = i < map->n_apart ? keys->views[i]
					       : keep_view(m, map->types[i], &keys->views[i]);
	row.value = keep_view(m, t, value);
	note(m, vec_push(&map->rows, row));
	if (!m->error)
		note(m, merged_index_insert(&map->index, (uint32_t)map->rows.n));
}

static int collect_map(struct out *o, const struct view_map *v)
{
	struct merge *m = merge_of(o);
	struct view views[LIMIT_CALL_ARGS + MERGE_MOST_NAMES];
	struct row_keys keys = {.views = views};
	struct merged_map *map;

	if (!v->n_rows || v->n_keys > LIMIT_CALL_ARGS)
		return m->error;
	map = map_of(m, v);
	keys.n = map->view.n_keys;
	for (uint32_t i = 0; i < map->n_apart; i++)
		views[i] = merge_text_view(m->by[i]);
	for (uint32_t i = 0; i < v->n_rows && !m->error; i++) {
		memcpy(views + map->n_apart, v->rows[i].keys, v->n_keys * sizeof(*views));
		add_row(m, map, &keys, &v->rows[i].value);
	}
	return m->error;
}

/* ---- runs and losses ------------------------------------------------------------------------ */

static int collect_begin(struct out *o, const struct view_run *r)
{
	merge_add_run(merge_of(o), r);
	return merge_of(o)->error;
}

uint32_t merge_count(const struct merge *m)
{
	return m->n_runs;
}

static int collect_lost(struct out *o, const struct view_loss *l)
{
	struct merge *m = merge_of(o);
	const char *host = l->host ? keep_string(m, l->host) : m->host;
	struct view_loss *known =
		FIND(m->losses.items, m->losses.n,
		     strcmp(item->host, host) == 0 && strcmp(item->probe, l->probe) == 0 &&
			     strcmp(item->cause, l->cause) == 0);

	if (known)
		known->n += l->n;
	else
		note(m, vec_push(&m->losses, ((struct view_loss){.probe = keep_string(m, l->probe),
								 .cause = keep_string(m, l->cause),
								 .what = keep_string(m, l->what),
								 .help = keep_string(m, l->help),
								 .host = host,
								 .n = l->n})));
	return m->error;
}

static int nothing_of_span(struct out *o, const struct view_span *s)
{
	static const struct plan_event span = {.kind = PE_SPAN};
	struct merge *m = merge_of(o);

	if (!out_format_has_spans(&m->plan))
		arena_push(m->arena, m->plan.events, m->plan.n_events, span);
	return 0;
}

static int nothing_of_message(struct out *o, const struct view_message *v)
{
	return 0;
}

static int nothing_of_probes(struct out *o, uint32_t n)
{
	return 0;
}

static int nothing(struct out *o)
{
	return 0;
}

struct out *merge_collect(struct merge *m)
{
	return &m->collect;
}

struct merge *merge_new(const struct merge_form *form)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		arena_out_of_memory();
	*m = (struct merge){
		.collect = {.begin = collect_begin,
			    .map = collect_map,
			    .lost = collect_lost,
			    .span = nothing_of_span,
			    .message = nothing_of_message,
			    .attached = nothing_of_probes,
			    .end = nothing},
		.form = form,
		.arena = arena_new(),
	};
	text_grown_init(&m->hosts);
	text_grown_init(&m->text);
	merge_pass_init(m);
	merge_runs_init(m);
	return m;
}

void merge_free(struct merge *m)
{
	for (size_t i = 0; i < m->maps.n; i++) {
		vec_free(&m->maps.items[i]->rows);
		hash_free(&m->maps.items[i]->index);
	}
	vec_free(&m->maps);
	vec_free(&m->losses);
	vec_free(&m->types);
	vec_free(&m->values);
	vec_free(&m->labels);
	vec_free(&m->runs);
	hash_free(&m->stacks);
	text_grown_free(&m->hosts);
	text_grown_free(&m->text);
	arena_free(m->arena);
	free(m);
}

/* ---- showing ----------------------------------------------------------------------------- */

const struct plan *merge_plan(struct merge *m)
{
	for (size_t i = 0; i < m->maps.n; i++) {
		const struct merged_map *map = m->maps.items[i];
		struct plan_map p = {.name = map->view.name,
				     .n_keys = map->view.n_keys,
				     .value = map->types[map->view.n_keys]};

		p.keys = arena_alloc(m->arena, (p.n_keys + 1) * sizeof(*p.keys));
		for (uint32_t k = 0; k < p.n_keys; k++)
			p.keys[k].type = map->types[k];
		arena_push(m->arena, m->plan.maps, m->plan.n_maps, p);
	}
	m->plan.config.print_maps_on_exit = true;
	return &m->plan;
}

int merge_show_begin(struct merge *m, const char *path, struct out *to)
{
	m->run.path = path;
	merge_name_parts(m);
	m->run.host = arena_strndup(m->arena, m->hosts.text.bytes, m->hosts.text.n);
	return to->begin ? to->begin(to, &m->run) : 0;
}

static int show_map(struct merge *m, struct merged_map *map, const struct plan_map *p,
		    struct out *to)
{
	struct view_map *v = &map->view;
	struct config c = {.time_unit = v->time_unit,
			   .stack_delimiter = v->delimiter ?: "",
			   .show_percent = map->has_whole && !m->form->outliers};

	v->rows = map->rows.items;
	v->n_rows = (uint32_t)map->rows.n;
	v->whole = 0;
	if (m->form->outliers)
		merge_outliers(m, map);
	else
		view_map_sort(v, p);
	view_map_choose(v, &c, 0);
	return to->map(to, v);
}

int merge_show(struct merge *m, struct out *to)
{
	int err = to->end(to);

	for (size_t i = 0; i < m->maps.n && !err; i++)
		err = show_map(m, m->maps.items[i], &m->plan.maps[i], to);
	for (size_t i = 0; i < m->losses.n && !err; i++)
		err = to->lost(to, &m->losses.items[i]);
	return err;
}
