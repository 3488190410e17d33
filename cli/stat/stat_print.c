/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what `sonde stat` has counted: a table, or a JSON object.
 */
#include "cli/stat/stat.h"
#include "runtime/base/json.h"
#include <inttypes.h>
#include <linux/perf_event.h>

/* Events that are shown as a share of others, or as a number for each of them. Misses of caches
 * have names from which those of all accesses follow. */
static const struct {
	const char *name, *of;
	bool is_share;
	const char *unit;
} ratios[] = {
	{"instructions", "cpu-cycles", false, "per cycle"},
	{"frontend-stalls", "cpu-cycles", true, "of cycles"},
	{"backend-stalls", "cpu-cycles", true, "of cycles"},
	{"branch-misses", "branch-instructions", true, "of branches"},
	{"cache-misses", "cache-references", true, "of references"},
};

/* What is shown beside a value. */
struct rate {
	double value;
	const char *unit;
	bool is_share; /* percent */
};

/* The counter of that name which counts; NULL: there is none. */
static const struct counter *stat_counter(const struct stat_run *r, const char *name)
{
	for (size_t i = 0; i < r->counters.n; i++) {
		const struct counter *c = &r->counters.items[i];

		if (!c->err && strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

static bool is_time(const struct counter *c)
{
	return c->type == PERF_TYPE_SOFTWARE &&
	       (c->config == PERF_COUNT_SW_TASK_CLOCK || c->config == PERF_COUNT_SW_CPU_CLOCK);
}

/* Was there a moment at which it counted? */
static bool has_counted(const struct counter *c)
{
	return c->running_ns || !c->enabled_ns;
}

/* X-load-misses are a share of X-loads. */
static const struct counter *accesses_of(const struct stat_run *r, const char *name)
{
	size_t len = strlen(name), tail = strlen("-misses");
	const struct counter *found = NULL;
	char accesses[64];

	if (len <= tail || strcmp(name + len - tail, "-misses") != 0)
		return NULL;
	for (int i = 0; i < 2 && !found; i++) {
		snprintf(accesses, sizeof(accesses), "%.*s%s", (int)(len - tail), name,
			 i ? "es" : "s");
		found = stat_counter(r, accesses);
	}
	return found;
}

static bool set_ratio(struct rate *rate, const struct counter *c, const struct counter *of,
		      bool is_share, const char *unit)
{
	double whole = of && has_counted(of) ? counter_value(of) : 0;

	if (whole <= 0)
		return false;
	*rate = (struct rate){counter_value(c) / whole * (is_share ? 100 : 1), unit, is_share};
	return true;
}

/* The rate of `c`. False: there is none. */
static bool find_rate(const struct stat_run *r, const struct counter *c, struct rate *rate)
{
	const struct counter *clock = stat_counter(r, "task-clock");
	const struct counter *accesses = accesses_of(r, c->name);

	if (is_time(c)) {
		*rate = (struct rate){counter_value(c) / (double)r->elapsed_ns, "CPUs used", false};
		return r->elapsed_ns > 0;
	}
	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++)
		if (strcmp(ratios[i].name, c->name) == 0 &&
		    set_ratio(rate, c, stat_counter(r, ratios[i].of), ratios[i].is_share,
			      ratios[i].unit))
			return true;
	if (set_ratio(rate, c, accesses, true, "of accesses"))
		return true;
	if (!clock || counter_value(clock) <= 0)
		return false;
	*rate = (struct rate){counter_value(c) / counter_value(clock) * 1e9, "/s of CPU time",
			      false};
	return true;
}

/* ---- the table --------------------------------------------------------------------------- */

/* With commas between thousands. */
static void put_grouped(char *to, size_t size, double value)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%.0f", value);
	size_t at = 0;

	for (int i = 0; i < n && at + 2 < size; i++) {
		if (i && (n - i) % 3 == 0)
			to[at++] = ',';
		to[at++] = digits[i];
	}
	to[at] = '\0';
}

static void print_rate(const struct rate *rate, FILE *f)
{
	static const char scales[] = " KMGT";
	double value = rate->value;
	size_t scale = 0;

	if (rate->is_share) {
		fprintf(f, "%10.2f %% %s", value, rate->unit);
		return;
	}
	if (rate->unit[0] != '/') {
		fprintf(f, "%10.3f %s", value, rate->unit);
		return;
	}
	while (value >= 1000 && scale < sizeof(scales) - 2) {
		value /= 1000;
		scale++;
	}
	fprintf(f, "%10.3f %.*s%s", value, scale ? 1 : 0, &scales[scale], rate->unit);
}

static void print_counter(const struct stat_run *r, const struct counter *c, FILE *f)
{
	struct rate rate;
	char value[48];

	if (is_time(c))
		snprintf(value, sizeof(value), "%.2f ms", counter_value(c) / 1e6);
	else if (has_counted(c))
		put_grouped(value, sizeof(value), counter_value(c));
	else
		snprintf(value, sizeof(value), "not counted");
	fprintf(f, "%18s  ", value);
	if (has_counted(c) && find_rate(r, c, &rate)) {
		fprintf(f, "%-26s", c->name);
		print_rate(&rate, f);
	} else {
		fputs(c->name, f);
	}
	if (counter_share(c) < 100)
		fprintf(f, "  (counted %.2f %% of the time)", counter_share(c));
	putc('\n', f);
}

/* One line for the events that are lacking. */
static void print_lacking(const struct stat_run *r, bool is_forbidden, FILE *f)
{
	const char *before = is_forbidden ? "not permitted: " : "not supported: ";
	bool has_any = false;

	for (size_t i = 0; i < r->counters.n; i++) {
		const struct counter *c = &r->counters.items[i];

		if (!c->err || c->is_hidden || counter_is_forbidden(c) != is_forbidden)
			continue;
		fprintf(f, "%s%s", has_any ? ", " : before, c->name);
		has_any = true;
	}
	if (has_any)
		fputs(is_forbidden ? " (see /proc/sys/kernel/perf_event_paranoid)\n"
				   : " (this machine has no such counter)\n",
		      f);
}

static void print_text(const struct stat_run *r, FILE *f)
{
	for (size_t i = 0; i < r->counters.n; i++)
		if (!r->counters.items[i].err && !r->counters.items[i].is_hidden)
			print_counter(r, &r->counters.items[i], f);
	print_lacking(r, false, f);
	print_lacking(r, true, f);
	fprintf(f, "\n%16.6f s  elapsed\n", (double)r->elapsed_ns / 1e9);
	if (r->words)
		fprintf(f, "%16.6f s  user\n%16.6f s  system\n", (double)r->user_ns / 1e9,
			(double)r->system_ns / 1e9);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void print_event(const struct stat_run *r, const struct counter *c, struct json *j)
{
	struct rate rate;

	json_open(j, NULL, '{');
	json_put_string(j, "event", c->name);
	if (c->err || !has_counted(c)) {
		json_put_string(j, "missing",
				!c->err			  ? "not counted"
				: counter_is_forbidden(c) ? "not permitted"
							  : "not supported");
		json_close(j, '}');
		return;
	}
	json_put_format(j, "value", "%.0f", counter_value(c));
	if (is_time(c))
		json_put_string(j, "unit", "ns");
	if (find_rate(r, c, &rate)) {
		json_put_format(j, "rate", "%.6g", rate.value);
		json_put_format(j, "rate_unit", "\"%s%s\"", rate.is_share ? "% " : "", rate.unit);
	}
	json_put_format(j, "counted_percent", "%.2f", counter_share(c));
	json_close(j, '}');
}

static void print_json(const struct stat_run *r, FILE *f)
{
	struct text_file file;
	struct json j = {.text = &file.text};

	text_file_init(&file, f);
	json_open(&j, NULL, '{');
	json_put_string(&j, "type", "stat");
	json_open(&j, "data", '{');
	json_put_unsigned(&j, "elapsed_ns", r->elapsed_ns);
	if (r->words) {
		json_put_unsigned(&j, "user_ns", r->user_ns);
		json_put_unsigned(&j, "system_ns", r->system_ns);
		json_put_signed(&j, "status", r->status);
	}
	json_open(&j, "events", '[');
	for (size_t i = 0; i < r->counters.n; i++)
		if (!r->counters.items[i].is_hidden)
			print_event(r, &r->counters.items[i], &j);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
	text_file_flush(&file);
}

void stat_print(const struct stat_run *r, FILE *f)
{
	if (r->options->stat.format == 2)
		print_json(r, f);
	else
		print_text(r, f);
}
