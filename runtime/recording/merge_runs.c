/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runs of a merged result are, what they have in common, and what tells them apart: see
 * merge.h.
 */
#include "runtime/recording/merge_impl.h"
#include "parser/base/nearest.h"
#include "parser/lang/builtin.h"
#include "runtime/base/log.h"
#include <stdlib.h>
#include <unistd.h>

static const char by_host[] = "host";

void merge_runs_init(struct merge *m)
{
	const char *by = m->form->by;

	for (size_t len; by; by = by[len] ? by + len + 1 : NULL) {
		len = strcspn(by, ",");
		arena_push(m->arena, m->names, m->n_apart,
			   ((struct merged_name){.text = arena_strndup(m->arena, by, len)}));
	}
	if (!m->n_apart)
		arena_push(m->arena, m->names, m->n_apart, ((struct merged_name){.text = by_host}));
}

/* ---- each run once ------------------------------------------------------------------------- */

static uint64_t id_of(const struct view_run *r)
{
	uint64_t id = hash_mix(0, r->start / 1000);

	id = hash_mix_string(hash_mix_string(id, r->host), r->boot_id);
	id = hash_mix_string(hash_mix_string(id, r->arguments), r->command);
	for (uint32_t i = 0; i < r->n_labels; i++) {
		const struct view_label *l = &r->labels[i];

		id = hash_mix_string(hash_mix(id, hash_bytes(l->name, l->name_len)), l->value);
	}
	return id;
}

/* The ids of the runs in a result: its own, or those that it was merged from. */
static uint32_t ids_of(struct merge *m, const struct view_run *r, uint64_t **ids)
{
	const char *at = r->parts;
	uint32_t n = 0;
	char *end;

	*ids = NULL;
	if (!at && r->start)
		arena_push(m->arena, *ids, n, id_of(r));
	for (; at && *at; at = end) {
		uint64_t id = strtoull(at, &end, 16);

		if (end == at)
			break;
		arena_push(m->arena, *ids, n, id);
	}
	return n;
}

static const struct merged_run *find_run(const struct merge *m, uint64_t id)
{
	return FIND(m->runs.items, m->runs.n, item->id == id);
}

int merge_note_run(struct merge *m, const struct view_run *r, const char *path, bool *is_known)
{
	const struct merged_run *known = NULL;
	uint32_t n, n_known = 0;
	uint64_t *ids;

	n = ids_of(m, r, &ids);
	for (uint32_t i = 0; i < n; i++) {
		const struct merged_run *run = find_run(m, ids[i]);

		n_known += run != NULL;
		known = run ?: known;
	}
	*is_known = n_known && n_known == n;
	if (*is_known)
		log_warning("%s: the run on '%s' was already read, from %s: it is counted once",
			    path, r->host, known->path);
	else if (n_known)
		return log_error("%s is merged from %u runs, of which %u also came from %s: "
				 "report it without these, or all that it was merged from",
				 path, n, n_known, known->path);
	for (uint32_t i = 0; i < n && !n_known; i++)
		m->error = m->error ?: vec_push(&m->runs, ((struct merged_run){ids[i], path}));
	return 0;
}

void merge_name_parts(struct merge *m)
{
	struct text *t = &m->text.text;

	t->n = 0;
	for (size_t i = 0; i < m->runs.n; i++) {
		text_string(t, i ? " " : "");
		text_hex(t, m->runs.items[i].id);
	}
	m->run.parts = arena_strndup(m->arena, t->bytes, t->n);
}

/* ---- labels -------------------------------------------------------------------------------- */

static const struct view_label *find_label(const struct view_run *r, const char *name, size_t len)
{
	return FIND(r->labels, r->n_labels,
		    item->name_len == len && memcmp(item->name, name, len) == 0);
}

/* Keep the labels that all runs share. The first run gives all of its labels. */
static void join_labels(struct merge *m, const struct view_run *r)
{
	struct view_label *common = NULL;
	uint32_t n = 0;
	const struct view_run *from = m->n_runs > 1 ? &m->run : r;

	for (uint32_t i = 0; i < from->n_labels; i++) {
		const struct view_label *l = &from->labels[i];
		const struct view_label *other = find_label(r, l->name, l->name_len);

		if (!other || strcmp(other->value, l->value) != 0)
			continue;
		arena_push(m->arena, common, n,
			   ((struct view_label){.name = arena_strndup(m->arena, l->name,
								      l->name_len),
						.name_len = l->name_len,
						.value = arena_strdup(m->arena, l->value)}));
	}
	m->run.labels = common;
	m->run.n_labels = n;
}

static void note_names(struct merge *m, const struct view_run *r)
{
	for (uint32_t i = 0; i < r->n_labels; i++) {
		const char *name =
			arena_strndup(m->arena, r->labels[i].name, r->labels[i].name_len);

		if (!FIND(m->labels.items, m->labels.n, strcmp(*item, name) == 0))
			m->error = m->error ?: vec_push(&m->labels, name);
	}
}

static const char *value_of(struct merge *m, struct merged_name *name, const struct view_run *r)
{
	const struct view_label *l = find_label(r, name->text, strlen(name->text));
	bool is_host = strcmp(name->text, by_host) == 0;

	if (!is_host && !l && !name->without)
		name->without = m->host;
	name->n_with += is_host || l;
	return is_host ? m->host : l ? l->value : "";
}

static bool are_values(const char *const *a, const char *const *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* Set what the run is told apart by. */
static void choose_values(struct merge *m, const struct view_run *r)
{
	const char **values = arena_alloc(m->arena, m->n_apart * sizeof(*values)), ***known;

	for (uint32_t i = 0; i < m->n_apart; i++)
		values[i] = arena_strdup(m->arena, value_of(m, &m->names[i], r));
	known = FIND(m->values.items, m->values.n, are_values(*item, values, m->n_apart));
	m->by = known ? *known : values;
	if (!known)
		m->error = m->error ?: vec_push(&m->values, values);
}

/* ---- what is shown as one ------------------------------------------------------------------ */

enum { HOSTS_SHOWN = 4 };

static void add_host(struct merge *m, const char *host)
{
	if (m->n_runs <= HOSTS_SHOWN)
		text_string(&m->hosts.text, m->n_runs > 1 ? ", " : "");
	if (m->n_runs <= HOSTS_SHOWN)
		text_string(&m->hosts.text, m->n_runs < HOSTS_SHOWN ? host : "…");
}

void merge_add_run(struct merge *m, const struct view_run *r)
{
	m->n_runs++;
	m->host = arena_strdup(m->arena, r->host ?: "");
	choose_values(m, r);
	add_host(m, m->host);
	note_names(m, r);
	join_labels(m, r);
	if (m->n_runs == 1) {
#define RUN_TEXT(member, ...) m->run.member = r->member ? arena_strdup(m->arena, r->member) : NULL;
#include "runtime/view/run_texts.def"
		m->run.monotonic = r->monotonic;
		m->run.boot_id = NULL; /* of one host */
	}
	if (!m->run.start || (r->start && r->start < m->run.start))
		m->run.start = r->start;
	if (r->ended > m->run.ended)
		m->run.ended = r->ended;
}

/* ---- --by ---------------------------------------------------------------------------------- */

static int report_name(struct merge *m, const char *name)
{
	const char *names = "";
	struct nearest near;

	nearest_init(&near, name);
	nearest_offer(&near, by_host);
	for (size_t i = 0; i < m->labels.n; i++) {
		nearest_offer(&near, m->labels.items[i]);
		names = arena_list(m->arena, names, "%s", m->labels.items[i]);
	}
	if (access(name, F_OK) == 0)
		return log_error("--by requires host or the name of a label, and '%s' is a file: "
				 "write --by host %s",
				 name, name);
	log_error("--by %s: no run has a label '%s': write --by host%s%s", name, name,
		  m->labels.n ? ", or a label: " : "; --label NAME=VALUE adds labels to a run",
		  names);
	if (near.best)
		log_hint("did you mean '%s'?", near.best);
	else if (builtin_find(name))
		log_hint("'%s' is a word of scripts: what is in the key of a map is kept apart "
			 "without --by",
			 name);
	return -1;
}

int merge_check_by(struct merge *m)
{
	for (uint32_t i = 0; m->form->by && i < m->n_apart; i++) {
		const struct merged_name *name = &m->names[i];

		if (!name->n_with)
			return report_name(m, name->text);
		if (name->without)
			log_warning("%u of %u runs have no label '%s', the first is that of '%s': "
				    "their rows have '' in its place",
				    m->n_runs - name->n_with, m->n_runs, name->text, name->without);
	}
	return 0;
}
