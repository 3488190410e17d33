/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of --stats, on standard error: what writers print that have no form of their own.
 */
#include "runtime/base/log.h"
#include "runtime/output/out.h"
#include "runtime/view/view.h"

static double per_run(const struct view_stats_row *r)
{
	return r->runs ? (double)r->ns / (double)r->runs : 0;
}

static double percent(uint64_t ns, uint64_t elapsed_ns)
{
	return elapsed_ns ? 100 * (double)ns / (double)elapsed_ns : 0;
}

static void print_table(const struct view_stats *s)
{
	log_text("%12s %12s %9s %10s %10s %10s  %s", "hits", "runs", "ns/run", "% of a CPU",
		 "missed", "lost",
		 s->is_all ? "probe, in the whole run" : "probe, since the last table");
	for (uint32_t i = 0; i < s->n; i++) {
		const struct view_stats_row *r = &s->rows[i];

		log_text("%12llu %12llu %9.0f %10.3f %10llu %10llu  %s",
			 (unsigned long long)r->hits, (unsigned long long)r->runs, per_run(r),
			 percent(r->ns, s->elapsed_ns), (unsigned long long)r->missed,
			 (unsigned long long)r->lost, r->name);
	}
	log_text("%12s %12s %9s %10.3f %10s %10s  sonde itself", "", "", "",
		 percent(s->self_ns, s->elapsed_ns), "", "");
}

int out_stats(struct out *o, const struct view_stats *s)
{
	if (o->stats)
		return o->stats(o, s);
	print_table(s);
	return 0;
}
