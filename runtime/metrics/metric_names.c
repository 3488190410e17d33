/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What metrics are called: see metric.h. Names follow the rules of Prometheus, which promtool
 * checks: words in lower case, base units, endings that say the type, each name once.
 */
#include "parser/base/time_unit.h"
#include "runtime/base/log.h"
#include "runtime/metrics/metric.h"
#include "parser/base/text.h"
#include <ctype.h>
#include <stdio.h>

enum { HELP_MOST = 300 };

/* A text that its owner frees. NULL without memory. */
static char *finish_text(struct text_grown *g)
{
	text_char(&g->text, '\0');
	if (!g->error)
		return g->text.bytes;
	text_grown_free(g);
	return NULL;
}

void metric_put_name(struct text *t, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)word[i];

		if (isupper(c) && i && islower((unsigned char)word[i - 1]))
			text_char(t, '_');
		text_char(t, isalnum(c) ? (char)tolower(c) : '_');
	}
}

/* ---- the name of a metric ------------------------------------------------------------------ */

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), len = strlen(ending);

	return n > len && strcmp(name + n - len, ending) == 0;
}

/* Samples of other types end so. */
static bool is_reserved(const char *name)
{
	static const char *const endings[] = {"_total",	 "_sum",     "_count",
					      "_bucket", "_created", "_info"};

	return FIND_ROW(endings, ends_in(name, *item));
}

/* A number of events, whatever its name is. */
static bool is_count(const struct type *t)
{
	return t->kind == TY_AGG && !agg_has_buckets(t) && agg_rows[t->agg].counted;
}

/* Set the unit that values are of, or that the last word of the name says, without which the name
 * stays. */
static void set_unit(struct metric *m, const struct view_map *v, char *name)
{
	char *last = strrchr(name, '_') + 1;
	uint64_t ns = strlen(last) > 1 ? time_unit_of_name(last) : 0;

	if (is_count(v->rows->value.type))
		return;
	if (ns || v->is_time) {
		m->unit = "seconds";
		for (m->decimals = 9; !v->is_time && ns > 1; ns /= 1000)
			m->decimals -= 3;
		if (ns)
			last[-1] = '\0';
	} else if (strcmp(last, "bytes") == 0) {
		m->unit = "bytes";
		last[-1] = '\0';
	}
}

static bool is_taken(const struct metrics *all, const char *name)
{
	return strcmp(name, "sonde_lost") == 0 ||
	       FIND(all->all.items, all->all.n, item->name && strcmp(item->name, name) == 0);
}

static char *make_name(struct metric *m, const struct metrics *all, const struct view_map *v)
{
	char base[160] = "sonde_", name[240];
	struct text t = text_in_array(base, sizeof(base) - 1);
	const char *unit;

	t.n = strlen(base);
	metric_put_name(&t, m->map + 1, strlen(m->map + 1));
	text_terminate(&t);
	set_unit(m, v, base);
	if (!m->map[1])
		base[strlen("sonde")] = '\0';
	if (m->kind->ending[0] && ends_in(base, m->kind->ending))
		base[strlen(base) - strlen(m->kind->ending)] = '\0';
	unit = m->unit ?: "";
	for (uint32_t i = 1; i == 1 || is_taken(all, name); i++) {
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof(number), "_%u", i);
		snprintf(name, sizeof(name), "%s%s%s%s%s", base, is_reserved(base) ? "_value" : "",
			 number, *unit ? "_" : "", unit);
	}
	return strdup(name);
}

/* ---- labels ------------------------------------------------------------------------------- */

/* Names that the formats give a meaning: in samples of maps, and in those of losses. */
static const char *const reserved_labels[] = {"le", "quantile", "probe", "cause"};
enum { RESERVED_IN_MAPS = 2 };

static bool is_label_reserved(uint32_t n, const char *name, size_t len)
{
	return strncmp(name, "__", 2) == 0 || FIND(reserved_labels, n, text_is(name, len, *item));
}

/* Is it a label of all samples? */
static bool is_common(const char *common, const char *name)
{
	char text[80];
	const char *at = common;

	snprintf(text, sizeof(text), "%s=\"", name);
	while ((at = strstr(at, text)) && at > common && at[-1] != ',')
		at++;
	return at != NULL;
}

static bool is_label_taken(const struct metric *m, uint32_t n, const char *name)
{
	return is_label_reserved(RESERVED_IN_MAPS, name, strlen(name)) ||
	       is_common(m->common, name) || FIND(m->labels, n, strcmp(*item, name) == 0);
}

int metrics_set_labels(struct metrics *m, const struct view_label *labels, uint32_t n)
{
	struct text_grown g;

	text_grown_init(&g);
	for (uint32_t i = 0; i < n; i++) {
		const struct view_label *l = &labels[i];

		if (is_label_reserved(sizeof(reserved_labels) / sizeof(*reserved_labels), l->name,
				      l->name_len))
			text_string(&g.text, "label_");
		text_put(&g.text, l->name, l->name_len);
		text_string(&g.text, "=\"");
		metric_put_label(&g.text, l->value, strlen(l->value));
		text_string(&g.text, "\",");
	}
	free(m->common);
	m->common = finish_text(&g);
	return m->common ? 0 : -ENOMEM;
}

/* The name of a part of the key, unless a part before it has that; else key_N. */
static char *make_label(const struct metric *m, uint32_t part, const char *word)
{
	char name[64] = "";
	struct text t = text_in_array(name, sizeof(name) - 1);

	metric_put_name(&t, word, strlen(word));
	text_terminate(&t);
	for (uint32_t n = part + 1; !*name || is_label_taken(m, part, name); n++)
		snprintf(name, sizeof(name), "key_%u", n);
	return strdup(name);
}

static int make_labels(struct metric *m, const char *const *names)
{
	m->labels = calloc(m->n_keys + 1, sizeof(*m->labels));
	if (!m->labels)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->n_keys; i++)
		if (!(m->labels[i] = make_label(m, i, names ? names[i] : "")))
			return -ENOMEM;
	return 0;
}

/* ---- help ---------------------------------------------------------------------------------- */

/* The text at the span, up to the end of its file. NULL: the plan has none. */
static const char *text_at(const struct source *s, struct span span)
{
	struct place p;
	uint32_t len;

	if (!s || !span.end)
		return NULL;
	p = source_place(s, source_root(s, span).start);
	return source_line(p.in, p.line, &len) + p.col - 1;
}

static const char *trimmed(const char *line, uint32_t *len)
{
	while (*len && isspace((unsigned char)line[*len - 1]))
		--*len;
	for (; *len && isspace((unsigned char)*line); line++)
		--*len;
	return line;
}

static bool begins(const char *line, uint32_t len, const char *with)
{
	return len >= strlen(with) && strncmp(line, with, strlen(with)) == 0;
}

/* Append a line of a comment without the signs of one. */
static void put_comment(struct text *t, const char *line, uint32_t len)
{
	while (len && strchr("/* \t", *line)) {
		line++;
		len--;
	}
	if (len >= 2 && strncmp(line + len - 2, "*/", 2) == 0)
		len -= 2;
	line = trimmed(line, &len);
	if (!len || memmem(line, len, "SPDX-", 5))
		return;
	text_string(t, t->n ? " " : "");
	text_put(t, line, len);
}

/* Append the comment that ends in the line before `line`, if one does. */
static void put_comment_above(struct text *t, const struct source *s, uint32_t line)
{
	uint32_t first = line, len;
	bool is_block = false;

	for (; first > 1; first--) {
		const char *text = source_line(s, first - 1, &len);

		text = trimmed(text, &len);
		if (first == line)
			is_block = len >= 2 && strncmp(text + len - 2, "*/", 2) == 0 &&
				   !begins(text, len, "//");
		if (!is_block && !begins(text, len, "//"))
			break;
		if (is_block && memmem(text, len, "/*", 2)) {
			first -= begins(text, len, "/*");
			break;
		}
	}
	for (; first < line; first++) {
		const char *text = source_line(s, first, &len);

		text = trimmed(text, &len);
		put_comment(t, text, len);
	}
}

/* Of the probe in which the map is first used. */
static struct span probe_before(const struct plan *plan, struct span map)
{
	struct span found = SPAN_NONE;

	for (uint32_t i = 0; i < plan->n_probes; i++) {
		struct span probe = plan->probes[i].span;

		if (probe.start <= map.start && probe.start >= found.start)
			found = probe;
	}
	return found;
}

/* The comment above the map's first use, or above its probe; else what it is. */
static char *make_help(const struct metric *m, const struct plan *plan, struct span map)
{
	const struct source *s = plan->source;
	struct span span = s ? source_root(s, map) : SPAN_NONE;
	struct span probe = probe_before(plan, map);
	const char *at = text_at(s, map);
	struct text_grown g;

	text_grown_init(&g);
	if (at) {
		struct place p = source_place(s, span.start);

		put_comment_above(&g.text, p.in, p.line);
	}
	if (at && !g.text.n && probe.end) {
		struct place p = source_place(s, source_root(s, probe).start);

		put_comment_above(&g.text, p.in, p.line);
	}
	if (!g.text.n) {
		text_string(&g.text, "The map ");
		if (at)
			text_put(&g.text, at, span.end - span.start);
		else
			text_string(&g.text, m->map);
	}
	if (g.text.n > HELP_MOST)
		g.text.n = HELP_MOST;
	return finish_text(&g);
}

/* ---- all maps ------------------------------------------------------------------------------ */

static void free_metric(struct metric *m)
{
	for (uint32_t k = 0; m->labels && k < m->n_keys; k++)
		free(m->labels[k]);
	for (size_t k = 0; k < m->keys.n_slots; k++)
		free(m->keys.slots[k].labels);
	hash_free(&m->keys);
	free(m->labels);
	free(m->name);
	free(m->help);
}

struct metric *metrics_find(struct metrics *all, const struct view_map *v)
{
	const struct plan *p = all->plan;
	struct metric *found = FIND(all->all.items, all->all.n, strcmp(item->map, v->name) == 0);
	const struct plan_map *map = FIND(p->maps, p->n_maps, strcmp(item->name, v->name) == 0);
	struct span span = map ? map->span : SPAN_NONE;
	struct metric m = {.map = v->name,
			   .n_keys = v->n_keys,
			   .common = all->common ?: "",
			   .first_bucket = UINT32_MAX};

	if (found)
		return found;
	m.kind = metric_kind_of(v->rows->value.type);
	if (m.kind && (make_labels(&m, v->key_names) || !(m.help = make_help(&m, p, span)) ||
		       !(m.name = make_name(&m, all, v)))) {
		free_metric(&m);
		return NULL;
	}
	if (!m.kind)
		log_warning("%s is no metric, since its values are no numbers: write count(), "
			    "sum(), hist() …, or put a text into the key",
			    v->name);
	if (vec_push(&all->all, m) == 0)
		return &all->all.items[all->all.n - 1];
	free_metric(&m);
	return NULL;
}

void metrics_free(struct metrics *all)
{
	for (size_t i = 0; i < all->all.n; i++)
		free_metric(&all->all.items[i]);
	vec_free(&all->all);
	free(all->common);
}
