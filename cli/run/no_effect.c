/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See run.h. Each of these options is about maps. Whether the script has such maps, and the
 * format can show the effect, is known only when there is a plan.
 */
#include "cli/run/run.h"
#include "parser/base/find.h"
#include "cli/options/option_rows.h"
#include "parser/lang/agg.h"
#include "runtime/base/log.h"

static bool any_map(const struct plan *plan)
{
	return plan->n_maps;
}

/* Of a row: some column is a time. */
static bool is_timed(const struct plan_event *e)
{
	return FIND(e->pieces, e->n_pieces, item->time_unit);
}

static bool has_times(const struct plan *plan)
{
	return FIND(plan->maps, plan->n_maps, item->is_time) ||
	       FIND(plan->events, plan->n_events, is_timed(item));
}

/* Only the rows of counts and sums have shares. */
static bool is_shared(const struct plan_map *m)
{
	return m->n_keys &&
	       (m->value->kind == TY_INT ||
		(m->value->kind == TY_AGG && agg_rows[m->value->agg].layout == AL_SUM));
}

static bool has_shares(const struct plan *plan)
{
	return FIND(plan->maps, plan->n_maps, is_shared(item));
}

/* In the others, values are numbers alone. */
static bool is_text(enum out_format format)
{
	return format == OUT_TEXT || format == OUT_BARS || format == OUT_LIVE ||
	       format == OUT_RECORDING;
}

void no_effect_warn(const struct options *o, const struct plan *plan)
{
	const struct {
		const char *option;
		bool is_given, is_of_text;
		bool (*has)(const struct plan *plan);
		const char *lacks, *hint;
	} rows[] = {
		{"--time-unit", option_given(o, "--time-unit"), true, has_times,
		 "a map or row of times in nanoseconds",
		 "maps and rows of 'delta' have such: @ = sum(delta), @ = hist(delta), row(delta); "
		 "hist(delta / 1000) has numbers"},
		{"--percent", o->out.percent, true, has_shares,
		 "a map with keys and counts or sums",
		 "such are @[comm] = count(), @[comm] = sum(delta)"},
		{"--top", o->out.top, false, any_map, "a map", "write @[comm] = count()"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].is_given)
			continue;
		if (rows[i].is_of_text && !is_text(o->out.format)) {
			log_warning("%s has no effect with -f %s: it changes text", rows[i].option,
				    out_formats[o->out.format].name);
		} else if (!rows[i].has(plan)) {
			log_warning("%s has no effect: the script lacks %s", rows[i].option,
				    rows[i].lacks);
			log_hint("%s", rows[i].hint);
		}
	}
}
